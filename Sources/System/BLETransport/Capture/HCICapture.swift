import BLEAdapter
import BLEWire

/// Records the packets between hosts and controllers, as btsnoop.
package final class HCICapture: Sendable {
    private struct State {
        var writer: BtsnoopWriter
        var record: [UInt8] = []
    }

    package let sink: CaptureSink
    private let state: Lock<State>

    package init(to sink: CaptureSink, format: BtsnoopWriter.Format) {
        self.sink = sink
        let writer = BtsnoopWriter(format: format)
        var header: [UInt8] = []
        writer.appendHeader(to: &header)
        sink.append(header.span)
        state = Lock(State(writer: writer))
    }

    /// The number of packets that were dropped because the sink was full.
    package var droppedPackets: Int { state.withLock { Int($0.writer.droppedRecords) } }

    /// Takes one H4 packet.
    ///
    /// - Parameters:
    ///   - time: nanoseconds since the beginning of 1970.
    ///   - controller: the number of the controller, if there are several.
    package func add(_ packet: Span<UInt8>, _ direction: BtsnoopWriter.Direction, time: Int64, controller: Int = 0) {
        state.withLock { state in
            state.record.removeAll(keepingCapacity: true)
            state.writer.append(
                packet, direction: direction, time: time,
                controller: UInt16(truncatingIfNeeded: controller), to: &state.record)
            if !sink.append(state.record.span) { state.writer.droppedRecords &+= 1 }
        }
    }

    /// Ends the packets of a controller. Later packets with its number belong to another one.
    package func removeController(_ controller: Int, time: Int64) {
        state.withLock { state in
            state.record.removeAll(keepingCapacity: true)
            state.writer.removeController(UInt16(truncatingIfNeeded: controller), time: time, to: &state.record)
            if !state.record.isEmpty, !sink.append(state.record.span) { state.writer.droppedRecords &+= 1 }
        }
    }
}
