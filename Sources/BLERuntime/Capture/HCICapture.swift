import BLEAdapter
import BLETransport
import BLEVirtualRadio
import BLEWire
import Synchronization

/// Records what hosts and controllers say to each other, as btsnoop.
package final class HCICapture: Sendable {
    private struct State {
        var writer: BtsnoopWriter
        var record: [UInt8] = []
    }

    package let sink: CaptureSink
    private let state: Mutex<State>

    package init(to sink: CaptureSink, format: BtsnoopWriter.Format) {
        self.sink = sink
        let writer = BtsnoopWriter(format: format)
        var header: [UInt8] = []
        writer.appendHeader(to: &header)
        sink.append(header.span)
        state = Mutex(State(writer: writer))
    }

    /// The packets that did not find room.
    package var droppedPackets: Int { state.withLock { Int($0.writer.droppedRecords) } }

    /// Takes one H4 packet.
    ///
    /// - Parameters:
    ///   - time: nanoseconds since the beginning of 1970.
    ///   - controller: which one, where there are several.
    package func add(_ packet: Span<UInt8>, _ direction: HCIDirection, time: Int64, controller: Int = 0) {
        state.withLock { state in
            state.record.removeAll(keepingCapacity: true)
            state.writer.append(
                packet, direction: direction == .toController ? .sent : .received, time: time,
                controller: UInt16(truncatingIfNeeded: controller), to: &state.record)
            if !sink.append(state.record.span) { state.writer.droppedRecords &+= 1 }
        }
    }

    /// A controller is gone: what comes with its number from now on is another one's.
    package func removeController(_ controller: Int, time: Int64) {
        state.withLock { state in
            state.record.removeAll(keepingCapacity: true)
            state.writer.removeController(UInt16(truncatingIfNeeded: controller), time: time, to: &state.record)
            if !state.record.isEmpty, !sink.append(state.record.span) { state.writer.droppedRecords &+= 1 }
        }
    }
}

extension VirtualRadioRuntime {
    /// Records the packets of one slot, or of all slots, from now on.
    package func record(_ capture: HCICapture, clock: CaptureClock, slot: Int? = nil) {
        change { network in
            network.hciObservers.append { owner, direction, time, packet in
                guard slot == nil || slot == owner else { return }
                capture.add(packet, direction, time: clock.nanoseconds(time), controller: owner)
            }
            network.removalObservers.append { owner, time in
                guard slot == nil || slot == owner else { return }
                capture.removeController(owner, time: clock.nanoseconds(time))
            }
        }
    }
}
