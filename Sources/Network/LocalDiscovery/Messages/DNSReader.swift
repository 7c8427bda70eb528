/// Reads the parts of a DNS message. It never reads outside of the octets, and never follows a pointer forward.
struct DNSReader {
    private let octets: [UInt8]
    private(set) var position = 0

    init(_ octets: [UInt8]) { self.octets = octets }

    mutating func octet() throws(DNSError) -> UInt8 {
        guard position < octets.count else { throw .truncated }
        defer { position += 1 }
        return octets[position]
    }

    mutating func number16() throws(DNSError) -> UInt16 { UInt16(try octet()) << 8 | UInt16(try octet()) }
    mutating func number32() throws(DNSError) -> UInt32 { UInt32(try number16()) << 16 | UInt32(try number16()) }

    mutating func take(_ count: Int) throws(DNSError) -> [UInt8] {
        guard count <= octets.count - position else { throw .truncated }
        defer { position += count }
        return Array(octets[position..<position + count])
    }

    /// Reads a name (RFC 1035, 4.1.4). Each pointer has to point before the part that it ends, so a name has an end.
    mutating func name() throws(DNSError) -> DNSName {
        var result: [UInt8] = []
        var at = position
        var lowest = position
        var end: Int?
        while true {
            guard at < octets.count else { throw .truncated }
            let length = octets[at]
            switch length & 0xC0 {
            case 0 where length == 0:
                position = end ?? at + 1
                return DNSName(octets: result + [0])
            case 0:
                let next = at + 1 + Int(length)
                guard next <= octets.count else { throw .truncated }
                guard result.count + next - at < DNSName.longest else { throw .invalidName }
                result += octets[at..<next]
                at = next
            case 0xC0:
                guard at + 1 < octets.count else { throw .truncated }
                let target = Int(length & 0x3F) << 8 | Int(octets[at + 1])
                guard target >= DNSMessage.headerLength, target < lowest else { throw .invalidName }
                end = end ?? at + 2
                lowest = target
                at = target
            default: throw .invalidName
            }
        }
    }

    mutating func question() throws(DNSError) -> DNSQuestion {
        let name = try name()
        let type = DNSType(rawValue: try number16())
        let `class` = try number16()
        return DNSQuestion(
            name, type, wantsUnicast: `class` & DNSRecord.topBit != 0, class: `class` & ~DNSRecord.topBit)
    }

    mutating func record() throws(DNSError) -> DNSRecord {
        let name = try name()
        let type = DNSType(rawValue: try number16())
        let `class` = try number16()
        let timeToLive = try number32()
        let length = Int(try number16())
        guard length <= octets.count - position else { throw .truncated }
        let end = position + length
        let data = try data(of: type, end: end)
        guard position == end else { throw .invalidRecord }
        // RFC 2181, 8: a time to live with the top bit counts as zero.
        return DNSRecord(
            name, type, isUnique: `class` & DNSRecord.topBit != 0, timeToLive: timeToLive >> 31 == 0 ? timeToLive : 0,
            data, class: `class` & ~DNSRecord.topBit)
    }

    private mutating func data(of type: DNSType, end: Int) throws(DNSError) -> DNSData {
        switch type {
        case .a, .aaaa:
            guard end - position == (type == .a ? 4 : 16), let address = IPAddress(try take(end - position)) else {
                throw .invalidRecord
            }
            return .address(address)
        case .ptr: return .pointer(try name())
        case .srv:
            return .service(priority: try number16(), weight: try number16(), port: try number16(), host: try name())
        case .txt:
            var strings: [[UInt8]] = []
            while position < end {
                let length = Int(try octet())
                guard length <= end - position else { throw .invalidRecord }
                if length > 0 { strings.append(try take(length)) }
            }
            return .text(strings)
        case .nsec:
            let next = try name()
            var types: [DNSType] = []
            var last = -1
            while position < end {
                let window = Int(try octet())
                let count = Int(try octet())
                guard window > last, (1...32).contains(count), count <= end - position else { throw .invalidRecord }
                last = window
                for (index, bits) in try take(count).enumerated() {
                    for bit in 0..<8 where bits & 0x80 >> bit != 0 {
                        let type = UInt16(window << 8 | index << 3 | bit)
                        // RFC 4034, 4.1.2: bit 0 of the first window means nothing.
                        if type != 0 { types.append(DNSType(rawValue: type)) }
                    }
                }
            }
            return .existing(next: next, types)
        default: return .other(try take(end - position))
        }
    }
}
