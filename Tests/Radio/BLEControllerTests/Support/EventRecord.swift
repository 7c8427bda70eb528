import BLEController
import BLEWire

/// The connection events of a bench's one link, as its central's packets on the air show them.
final class EventRecord {
    /// The start of the first packet of each event, the channel and the PHY.
    private(set) var anchors: [Instant] = []
    private(set) var channels: [UInt8] = []
    private(set) var phys: [LL.PHY] = []
    /// The payload lengths of the central's data packets.
    private(set) var lengths: [Int] = []
    private(set) var accessAddress: UInt32 = 0
    private var instants: [LL.ControlOpcode: UInt16] = [:]
    private var answers: [LL.ControlOpcode: [Int]] = [:]

    init(_ bench: Bench, of central: RawHost) {
        let identifier = central.identifier
        bench.radio.airObserver = { [unowned self] packet in
            guard packet.channel < 37, packet.pdu.count >= 2 else { return }
            accessAddress = packet.accessAddress
            let kind = packet.pdu[0] & 3
            let opcode = kind == 3 && packet.pdu.count > 2 ? LL.ControlOpcode(rawValue: packet.pdu[2]) : nil
            guard packet.sender == identifier else {
                if let opcode { answers[opcode, default: []].append(lengths.count) }
                return
            }
            if anchors.last.map({ packet.start - lastEnd > .milliseconds(1) && packet.start > $0 }) ?? true {
                anchors.append(packet.start)
                channels.append(packet.channel)
                phys.append(packet.phy)
            }
            lastEnd = packet.start + packet.airTime
            if kind != 3, packet.pdu.count > 2 { lengths.append(packet.pdu.count - 2) }
            if let opcode, [.connectionUpdateInd, .channelMapInd, .phyUpdateInd].contains(opcode) {
                let end = packet.pdu.count
                instants[opcode] = UInt16(packet.pdu[end - 2]) | UInt16(packet.pdu[end - 1]) << 8
            }
        }
    }

    private var lastEnd = Instant.zero

    /// The instant that the latest PDU of this kind named.
    func instant(of opcode: LL.ControlOpcode) -> UInt16? { instants[opcode] }

    /// How many data packets the central had sent when the peripheral sent each PDU of this kind.
    func answers(_ opcode: LL.ControlOpcode) -> [Int] { answers[opcode] ?? [] }
}
