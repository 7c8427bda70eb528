import BLEPacketDecoding
import BLEWire

/// A packet in a block of the ring, without its octets.
struct PacketRecord: Sendable {
    private var start: Int64
    private var airTime: Int32
    private var accessAddress: UInt32
    private var crcInit: UInt32
    private var sender: Int32
    /// The place of the packet's octets in the block, and of the receptions after them.
    private var offset: UInt32
    private var octetCount: UInt16
    private var receptionCount: UInt16
    private var channel: UInt8
    private var phy: LL.PHY
    private var isDecrypted: Bool
    /// Whether the summary has the octets of the frame.
    private var sharesOctets: Bool
    private var summary: PacketSummary
    private var plaintext: [UInt8]?

    private static let receptionSize = 6

    /// Writes the octets and the receptions to the end of `octets`.
    init(_ frame: AirFrame, _ summary: PacketSummary, _ octets: inout [UInt8]) {
        start = frame.start
        airTime = Int32(clamping: frame.airTime)
        accessAddress = frame.accessAddress
        crcInit = frame.crcInit
        sender = Int32(truncatingIfNeeded: frame.sender)
        offset = UInt32(truncatingIfNeeded: octets.count)
        octetCount = UInt16(clamping: frame.octets.count)
        receptionCount = UInt16(clamping: frame.receptions.count)
        channel = frame.channel
        phy = frame.phy
        plaintext = frame.plaintext
        isDecrypted = frame.isDecrypted
        self.summary = summary
        sharesOctets = summary.octets == frame.octets
        if sharesOctets { self.summary.octets = [] }
        octets.append(contentsOf: frame.octets.prefix(Int(octetCount)))
        for reception in frame.receptions.prefix(Int(receptionCount)) {
            let receiver = UInt32(bitPattern: reception.receiver)
            for shift in stride(from: UInt32(0), to: 32, by: 8) {
                octets.append(UInt8(truncatingIfNeeded: receiver >> shift))
            }
            octets.append(UInt8(bitPattern: reception.rssi))
            octets.append(reception.outcome.rawValue)
        }
    }

    /// The octets in arrays of the record.
    var frameOctets: Int {
        var count = summary.octets.count + (plaintext?.count ?? 0)
        if case .lastPart(let frame) = summary.content { count += frame.count }
        return count
    }

    func packet(_ number: Int, _ octets: [UInt8]) -> RoomPacket {
        let first = Int(offset)
        let end = first + Int(octetCount)
        let receptions = (0..<Int(receptionCount)).map { index in
            let place = end + index * Self.receptionSize
            var receiver: UInt32 = 0
            for octet in 0..<4 { receiver |= UInt32(octets[place + octet]) << (8 * UInt32(octet)) }
            return AirFrame.Reception(
                receiver: Int(Int32(bitPattern: receiver)), rssi: Int8(bitPattern: octets[place + 4]),
                outcome: AirFrame.Outcome(rawValue: octets[place + 5]) ?? .missed)
        }
        let frame = AirFrame(
            number: number, start: start, airTime: Int64(airTime), channel: channel, phy: phy,
            accessAddress: accessAddress, crcInit: crcInit, octets: Array(octets[first..<end]), plaintext: plaintext,
            isDecrypted: isDecrypted, sender: Int(sender), receptions: receptions)
        var summary = summary
        if sharesOctets { summary.octets = frame.octets }
        return RoomPacket(frame: frame, summary: summary)
    }
}
