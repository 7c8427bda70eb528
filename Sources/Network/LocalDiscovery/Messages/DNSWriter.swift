/// Writes the parts of a DNS message, with compressed names.
struct DNSWriter {
    private(set) var octets: [UInt8] = []
    /// Where the written names and their parents begin.
    private var places: [ArraySlice<UInt8>: Int] = [:]

    mutating func number16(_ number: UInt16) {
        octets.append(UInt8(number >> 8))
        octets.append(UInt8(truncatingIfNeeded: number))
    }

    mutating func number32(_ number: UInt32) {
        number16(UInt16(number >> 16))
        number16(UInt16(truncatingIfNeeded: number))
    }

    mutating func set16(_ number: Int, at position: Int) {
        octets[position] = UInt8(truncatingIfNeeded: number >> 8)
        octets[position + 1] = UInt8(truncatingIfNeeded: number)
    }

    mutating func name(_ name: DNSName) {
        var rest = name.octets[...]
        while let length = rest.first, length > 0 {
            if let place = places[rest] { return number16(0xC000 | UInt16(place)) }
            if octets.count < 0x4000 { places[rest] = octets.count }
            octets += rest.prefix(1 + Int(length))
            rest = rest.dropFirst(1 + Int(length))
        }
        octets.append(0)
    }

    mutating func question(_ question: DNSQuestion) {
        name(question.name)
        number16(question.type.rawValue)
        number16(question.class | (question.wantsUnicast ? DNSRecord.topBit : 0))
    }

    mutating func record(_ record: DNSRecord) {
        name(record.name)
        number16(record.type.rawValue)
        number16(record.class | (record.isUnique ? DNSRecord.topBit : 0))
        number32(record.timeToLive)
        let start = octets.count
        number16(0)
        data(record.data)
        set16(octets.count - start - 2, at: start)
    }

    mutating func data(_ data: DNSData) {
        switch data {
        case .address(let address): octets += address.octets
        case .pointer(let target): name(target)
        case .service(let priority, let weight, let port, let host):
            number16(priority)
            number16(weight)
            number16(port)
            name(host)
        case .text(let strings):
            for string in strings {
                octets.append(UInt8(truncatingIfNeeded: string.count))
                octets += string.prefix(255)
            }
            if strings.isEmpty { octets.append(0) }
        case .existing(let next, let types):
            // RFC 6762, 18.14 lets this name be compressed; decoders that follow RFC 4034 expect it whole.
            octets += next.octets
            var window: UInt16?
            var bitmap: [UInt8] = []
            for type in types + [DNSType(rawValue: 0)] {
                if type.rawValue == 0 || window != type.rawValue >> 8 {
                    if let window, !bitmap.isEmpty { octets += [UInt8(window), UInt8(bitmap.count)] + bitmap }
                    bitmap = []
                    window = type.rawValue >> 8
                }
                guard type.rawValue != 0 else { continue }
                let index = Int(type.rawValue & 0xFF) >> 3
                while bitmap.count <= index { bitmap.append(0) }
                bitmap[index] |= 0x80 >> UInt8(type.rawValue & 7)
            }
        case .other(let bytes): octets += bytes
        }
    }
}
