import BLEAdapter
import BLEController
import BLEPacketDecoding
import BLEWire
import StudioRoom

/// Formats packets on the air: one line for each, decoded up to ATT. The content has the colour of its layer, as on the page of the studio.
final class AirTracer: Sendable {
    private let names: [String]
    private let terminal: Terminal
    private let dissector = Lock(AirDissector())

    /// - Parameter names: The names of the devices, in the order of their creation.
    init(names: [String], terminal: Terminal) {
        self.names = names
        self.terminal = terminal
    }

    /// One packet as one line: time, channel, PHY, sender, signal at the receiver, and content.
    func describe(_ packet: borrowing AirPacket) -> String {
        var frame = AirFrame(packet) { $0.rawValue }
        // A trace shows what a listener hears: the octets of an encrypted packet.
        frame.plaintext = nil
        let summary = dissector.withLock { $0.add(frame) }
        let head = [
            time(packet.start), padded("\(packet.channel)", 2), packet.phy.name,
            filled(name(packet.sender), 9),
        ].joined(separator: "  ")
        let isLost = packet.receptions.first.map { $0.outcome != .received } ?? false
        let signal = terminal.styled(padded(signal(packet), 7), isLost ? .red : .faint)
        return "\(terminal.styled(head, .faint))  \(signal)  \(terminal.styled(summary.line, .init(summary.layer)))"
    }

    private func name(_ identifier: ControllerIdentifier) -> String {
        names.indices.contains(identifier.rawValue) ? names[identifier.rawValue] : say("device \(identifier.rawValue)")
    }

    private func signal(_ packet: borrowing AirPacket) -> String {
        guard let reception = packet.receptions.first else { return say("unheard") }
        switch reception.outcome {
        case .received: return "\(reception.rssi) dBm"
        case .corrupted: return say("damaged")
        case .missed: return say("missed")
        }
    }
}

extension Terminal.Style {
    /// The colour of a layer, close to the one on the page of the studio (`--adv`, `--ll`, ... in `Studio/style.css`).
    init(_ layer: PacketLayer) {
        self =
            switch layer {
            case .adv: .yellow
            case .ll: .faint
            case .l2cap: .cyan
            case .att: .blue
            case .smp: .magenta
            case .data: .green
            // Traces of the air have none of them.
            case .hci: .red
            }
    }
}

/// Seconds with six decimals.
func time(_ instant: Instant) -> String {
    let microseconds = instant.nanoseconds / 1000
    let fraction = String(microseconds % 1_000_000)
    return padded("\(microseconds / 1_000_000)." + String(repeating: "0", count: 6 - fraction.count) + fraction, 10)
}
