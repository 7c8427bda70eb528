import BLEWire

/// Reads a file of captured packets in pieces of any size: btsnoop, pcapng, or pcap in either byte order.
///
/// The reader is a value without I/O. `append` takes the octets of the file in their order, and `next` returns the packets that are whole by now. It keeps the
/// octets of one packet at most, besides those of the last piece. A file may be hostile or cut at any place.
package struct CaptureReader: Sendable {
    /// The reason why the rest of a file cannot be read.
    package enum Fault: Error, Hashable, Sendable {
        /// The file has none of the formats.
        case unknownFormat
        /// The file has packets of another protocol: the number of its link type or datalink.
        case unsupportedLinkType(UInt32)
        /// A length contradicts the format at this place, in octets from the beginning of the file.
        case damaged(offset: Int)
    }

    /// The most octets of a packet, the limit of the tools that write such files. A longer one is damage.
    package static let packetLimit = 1 << 18
    /// The most interfaces of a section of a pcapng file. Packets of further ones are of no known link type.
    package static let interfaceLimit = 256

    /// An interface of a pcapng file.
    struct Interface: Sendable {
        /// Nil for a link type of another protocol.
        var linkType: CaptureLinkType?
        /// The number of units of the time stamps in a second.
        var unitsPerSecond: UInt128 = 1_000_000
        /// Seconds that are added to the time stamps.
        var offset: Int64 = 0
        /// The most octets of a packet that it captured; 0 for all.
        var snapLength = 0
    }

    enum Format: Sendable {
        case unknown
        case btsnoop(CaptureLinkType)
        case pcap(CaptureLinkType, isBigEndian: Bool, isNanoseconds: Bool)
        case pcapng(isBigEndian: Bool)
    }

    private(set) var format = Format.unknown
    var interfaces: [Interface] = []
    private var buffer: [UInt8] = []
    /// The place of the next record in `buffer`, and in the file.
    private var position = 0
    private var offset = 0
    /// The octets of the current block that are dropped as they come.
    private var skipped = 0
    private var count = 0

    package init() {}

    /// The octets that the reader keeps.
    package var bufferedOctets: Int { buffer.count - position }

    /// Appends the next octets of the file.
    package mutating func append(_ octets: some Collection<UInt8>) {
        if position > 0 {
            buffer.removeSubrange(..<position)
            position = 0
        }
        let dropped = min(skipped, octets.count)
        skipped -= dropped
        buffer.append(contentsOf: octets.dropFirst(dropped))
    }

    /// The next packet; nil if more octets are needed.
    ///
    /// - Throws: A `Fault`, also on all further calls.
    package mutating func next() throws(Fault) -> CapturedPacket? {
        while true {
            let step: Step
            switch format {
            case .unknown:
                guard try readHeader() else { return nil }
                continue
            case .btsnoop(let type): step = try btsnoopRecord(type)
            case .pcap(let type, let isBigEndian, let isNanoseconds):
                step = try pcapRecord(type, isBigEndian: isBigEndian, isNanoseconds: isNanoseconds)
            case .pcapng(let isBigEndian): step = try pcapngBlock(isBigEndian: isBigEndian)
            }
            switch step {
            case .waiting: return nil
            case .nothing: continue
            case .packet(var packet):
                count += 1
                packet.number = count
                return packet
            }
        }
    }

    /// Whether the file ended after a whole record, when all octets are appended and `next` returned nil.
    package func finish() throws(Fault) -> Bool {
        if case .unknown = format { throw .unknownFormat }
        return bufferedOctets == 0 && skipped == 0
    }

    enum Step {
        /// More octets are needed.
        case waiting
        /// A record without a packet.
        case nothing
        case packet(CapturedPacket)
    }

    // MARK: Octets

    /// The octets from the next record on. The indexes begin with 0.
    func octet(_ index: Int) -> UInt8 { buffer[position + index] }

    func number32(_ index: Int, isBigEndian: Bool) -> UInt32 {
        var value: UInt32 = 0
        for place in 0..<4 { value = value << 8 | UInt32(octet(index + (isBigEndian ? place : 3 - place))) }
        return value
    }

    func number16(_ index: Int, isBigEndian: Bool) -> UInt16 {
        let (first, second) = (UInt16(octet(index)), UInt16(octet(index + 1)))
        return isBigEndian ? first << 8 | second : second << 8 | first
    }

    func slice(_ range: Range<Int>) -> ArraySlice<UInt8> {
        buffer[position + range.lowerBound..<position + range.upperBound]
    }

    mutating func consume(_ octets: Int) {
        position += octets
        offset += octets
    }

    /// Drops a block that may be longer than the buffer.
    mutating func skip(_ octets: Int) {
        let present = min(octets, bufferedOctets)
        position += present
        offset += octets
        skipped = octets - present
    }

    var damage: Fault { .damaged(offset: offset) }

    // MARK: btsnoop and pcap

    /// Recognises the format. Returns false if more octets are needed.
    private mutating func readHeader() throws(Fault) -> Bool {
        guard bufferedOctets >= 4 else { return false }
        switch number32(0, isBigEndian: true) {
        case 0x6274_736E: return try readBtsnoopHeader()
        case 0xA1B2_C3D4: return try readPcapHeader(isBigEndian: true, isNanoseconds: false)
        case 0xD4C3_B2A1: return try readPcapHeader(isBigEndian: false, isNanoseconds: false)
        case 0xA1B2_3C4D: return try readPcapHeader(isBigEndian: true, isNanoseconds: true)
        case 0x4D3C_B2A1: return try readPcapHeader(isBigEndian: false, isNanoseconds: true)
        case 0x0A0D_0D0A:
            // The section header, which is read as a block, has the byte order.
            format = .pcapng(isBigEndian: false)
            return true
        default: throw .unknownFormat
        }
    }

    private mutating func readBtsnoopHeader() throws(Fault) -> Bool {
        guard bufferedOctets >= 16 else { return false }
        guard slice(0..<8).elementsEqual("btsnoop\0".utf8) else { throw .unknownFormat }
        let datalink = number32(12, isBigEndian: true)
        let type: CaptureLinkType
        switch datalink {
        case 1001: type = .unencapsulated
        case 1002: type = .h4
        case 2001: type = .monitor
        default: throw .unsupportedLinkType(datalink)
        }
        format = .btsnoop(type)
        consume(16)
        return true
    }

    private mutating func readPcapHeader(isBigEndian: Bool, isNanoseconds: Bool) throws(Fault) -> Bool {
        guard bufferedOctets >= 24 else { return false }
        // The upper bits are about the CRC of other protocols.
        let number = number32(20, isBigEndian: isBigEndian) & 0x0FFF_FFFF
        guard let type = CaptureLinkType(pcap: number) else { throw .unsupportedLinkType(number) }
        format = .pcap(type, isBigEndian: isBigEndian, isNanoseconds: isNanoseconds)
        consume(24)
        return true
    }

    private mutating func btsnoopRecord(_ type: CaptureLinkType) throws(Fault) -> Step {
        guard bufferedOctets >= 24 else { return .waiting }
        let original = number32(0, isBigEndian: true)
        let included = Int(number32(4, isBigEndian: true))
        guard included <= Self.packetLimit else { throw damage }
        guard bufferedOctets >= 24 + included else { return .waiting }
        let flags = number32(8, isBigEndian: true)
        let stamp = Int64(number32(16, isBigEndian: true)) << 32 | Int64(number32(20, isBigEndian: true))
        let octets = slice(24..<24 + included)
        let content: CapturedPacket.Content =
            switch type {
            case .unencapsulated: CaptureLinkType.unencapsulated(octets, flags: flags)
            case .monitor:
                CaptureLinkType.monitor(
                    octets, controller: UInt16(flags >> 16), opcode: UInt16(truncatingIfNeeded: flags))
            default: CaptureLinkType.host(Array(octets), isSent: flags & 1 == 0)
            }
        let time = (stamp &- BtsnoopWriter.epoch).multipliedReportingOverflow(by: 1000)
        consume(24 + included)
        return .packet(
            CapturedPacket(
                number: 0, time: time.overflow ? nil : time.partialValue, isTruncated: original > included,
                content: content))
    }

    private mutating func pcapRecord(
        _ type: CaptureLinkType, isBigEndian: Bool, isNanoseconds: Bool
    ) throws(Fault) -> Step {
        guard bufferedOctets >= 16 else { return .waiting }
        let included = Int(number32(8, isBigEndian: isBigEndian))
        let original = number32(12, isBigEndian: isBigEndian)
        guard included <= Self.packetLimit else { throw damage }
        guard bufferedOctets >= 16 + included else { return .waiting }
        let seconds = Int64(number32(0, isBigEndian: isBigEndian))
        let fraction = Int64(number32(4, isBigEndian: isBigEndian))
        let content = type.content(slice(16..<16 + included))
        consume(16 + included)
        return .packet(
            CapturedPacket(
                number: 0, time: seconds * 1_000_000_000 + fraction * (isNanoseconds ? 1 : 1000),
                isTruncated: original > included, content: content))
    }

    // MARK: pcapng

    /// Takes the byte order of a new section, whose interfaces are its own.
    mutating func beginSection(isBigEndian: Bool) {
        format = .pcapng(isBigEndian: isBigEndian)
        interfaces = []
    }
}
