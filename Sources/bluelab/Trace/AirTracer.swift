import BLEAdapter
import BLEController
import BLEDissection
import BLEWire

/// Formats packets on the air: one line for each, decoded up to ATT.
final class AirTracer: Sendable {
    private let names: [String]
    private let dissector = Lock(AirDissector())

    /// - Parameter names: The names of the devices, in the order of their creation.
    init(names: [String]) { self.names = names }

    /// One packet as one line: time, channel, PHY, sender, signal at the receiver, and content.
    func describe(_ packet: borrowing AirPacket) -> String {
        let frame = AirFrame(packet)
        let summary = dissector.withLock { $0.add(frame) }
        let head = [
            time(packet.start), padded("\(packet.channel)", 2), packet.phy == .twoM ? "2M" : "1M",
            filled(name(packet.sender), 9), padded(signal(packet), 7),
        ].joined(separator: "  ")
        return "\(head)  \(summary.line)"
    }

    private func name(_ identifier: ControllerIdentifier) -> String {
        names.indices.contains(identifier.rawValue) ? names[identifier.rawValue] : "device \(identifier.rawValue)"
    }

    private func signal(_ packet: borrowing AirPacket) -> String {
        guard let reception = packet.receptions.first else { return "unheard" }
        switch reception.outcome {
        case .received: return "\(reception.rssi) dBm"
        case .corrupted: return "damaged"
        case .missed: return "missed"
        }
    }
}

extension AirFrame {
    fileprivate init(_ packet: borrowing AirPacket) {
        self.init(
            number: 0, start: packet.start.nanoseconds, airTime: packet.airTime.nanoseconds, channel: packet.channel,
            phy: packet.phy, accessAddress: packet.accessAddress, crcInit: packet.crcInit, octets: [UInt8](packet.pdu),
            sender: packet.sender.rawValue,
            receptions: packet.receptions.map { reception in
                let outcome: Outcome =
                    switch reception.outcome {
                    case .received: .received
                    case .corrupted: .corrupted
                    case .missed: .missed
                    }
                return Reception(receiver: reception.receiver.rawValue, rssi: reception.rssi, outcome: outcome)
            })
    }
}

/// Seconds with six decimals.
func time(_ instant: Instant) -> String {
    let microseconds = instant.nanoseconds / 1000
    let fraction = String(microseconds % 1_000_000)
    return padded("\(microseconds / 1_000_000)." + String(repeating: "0", count: 6 - fraction.count) + fraction, 10)
}
