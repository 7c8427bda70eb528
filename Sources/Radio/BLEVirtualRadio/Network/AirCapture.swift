import BLEAdapter
import BLETransport
import BLEController
import BLEWire

/// Records the packets of a virtual radio as pcapng. Each packet is recorded as it was sent, with the highest power at
/// which a device received it.
package final class AirCapture: Sendable {
    fileprivate struct State {
        var writer = PcapngWriter()
        var record: [UInt8] = []
        /// The centrals of the connections whose start was recorded, by access address.
        var centrals: [UInt32: ControllerIdentifier] = [:]
        /// The keys of `centrals`: a ring whose oldest entry is at `oldest` when it is full.
        var connections: [UInt32] = []
        var oldest = 0
        var dropped = 0
        /// The number of packets dropped since the last written one.
        var unreported: UInt64 = 0
    }

    package let sink: CaptureSink
    private let clock: CaptureClock
    /// The names of the devices, in the order of their numbers.
    private let names: [String]
    private let state = Lock(State())

    package init(to sink: CaptureSink, clock: CaptureClock, names: [String] = []) {
        self.sink = sink
        self.clock = clock
        self.names = names
        var header: [UInt8] = []
        PcapngWriter().appendHeader(interface: "virtual radio", to: &header)
        sink.append(header.span)
    }

    /// The number of packets that were dropped because the sink was full.
    package var droppedPackets: Int { state.withLock { $0.dropped } }

    package func add(_ packet: borrowing AirPacket) {
        let frame = LinkLayerFrame(
            channel: packet.channel, phy: packet.phy, signalPower: packet.receptions.map(\.rssi).max(),
            accessAddress: packet.accessAddress, crcInit: packet.crcInit, direction: .unspecified)
        let comment = Self.comment(packet.receptions, names)
        let time = clock.nanoseconds(packet.start)
        let sender = packet.sender
        let pdu = packet.pdu
        state.withLock { state in
            var frame = frame
            if frame.accessAddress != LL.advertisingAccessAddress {
                frame.direction = state.direction(of: sender, on: frame.accessAddress)
            } else {
                state.noteConnection(pdu, from: sender)
            }
            state.record.removeAll(keepingCapacity: true)
            state.writer.droppedPackets = state.unreported
            state.writer.append(frame, pdu: pdu, time: time, comment: comment, to: &state.record)
            if sink.append(state.record.span) {
                state.unreported = 0
            } else {
                state.unreported += 1
                state.dropped += 1
            }
        }
    }

    /// Names the devices that did not receive the packet.
    private static func comment(_ receptions: [AirPacket.Reception], _ names: [String]) -> String {
        guard receptions.contains(where: { $0.outcome != .received }) else { return "" }
        return receptions.compactMap { reception -> String? in
            let number = reception.receiver.rawValue
            let name = names.indices.contains(number) ? names[number] : "device \(number)"
            return switch reception.outcome {
            case .received: nil
            case .corrupted: "damaged at \(name)"
            case .missed: "missed by \(name)"
            }
        }.joined(separator: ", ")
    }
}

extension AirCapture.State {
    fileprivate func direction(of sender: ControllerIdentifier, on accessAddress: UInt32) -> LinkLayerFrame.Direction {
        guard let central = centrals[accessAddress] else { return .unspecified }
        return central == sender ? .centralToPeripheral : .peripheralToCentral
    }

    /// Records the sender of a CONNECT_IND (Vol 6, Part B, 2.3.3.1), which is the central of the connection.
    fileprivate mutating func noteConnection(_ pdu: Span<UInt8>, from sender: ControllerIdentifier) {
        guard let decoded = try? LL.AdvertisingPDU(decoding: pdu), case .connectInd(_, let request) = decoded else {
            return
        }
        guard centrals.updateValue(sender, forKey: request.accessAddress) == nil else { return }
        if connections.count < Self.connectionLimit {
            connections.append(request.accessAddress)
        } else {
            centrals[connections[oldest]] = nil
            connections[oldest] = request.accessAddress
            oldest = (oldest + 1) % Self.connectionLimit
        }
    }

    /// The maximum number of recorded connections. A further one replaces the oldest.
    private static let connectionLimit = 4096
}
