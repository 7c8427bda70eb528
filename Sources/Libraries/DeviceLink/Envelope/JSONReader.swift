/// Reads one JSON text (RFC 8259) strictly: hostile octets end in an error, never in a trap, and use memory in proportion to their number.
struct JSONReader {
    /// The most levels of lists and objects.
    static let deepest = 16

    private let octets: [UInt8]
    private let deepest: Int
    private var place = 0

    static func value(
        of octets: [UInt8], longest: Int = LinkEnvelope.longest, deepest: Int = JSONReader.deepest
    ) throws(LinkFormatError) -> LinkValue {
        guard octets.count <= longest else { throw .tooLong }
        guard String(validating: octets, as: UTF8.self) != nil else { throw .notUTF8 }
        var reader = JSONReader(octets, deepest)
        let value = try reader.value(depth: 0)
        reader.skipSpace()
        guard reader.place == octets.count else { throw .notJSON }
        return value
    }

    private init(_ octets: [UInt8], _ deepest: Int) { (self.octets, self.deepest) = (octets, deepest) }

    private var next: UInt8? { place < octets.count ? octets[place] : nil }

    private mutating func skipSpace() {
        while let next, next == 0x20 || next == 0x09 || next == 0x0A || next == 0x0D { place += 1 }
    }

    private mutating func take(_ octet: UInt8) -> Bool {
        guard next == octet else { return false }
        place += 1
        return true
    }

    private mutating func word(_ text: StaticString, _ value: LinkValue) throws(LinkFormatError) -> LinkValue {
        let count = text.utf8CodeUnitCount
        guard octets.count - place >= count,
            octets[place..<place + count].elementsEqual(UnsafeBufferPointer(start: text.utf8Start, count: count))
        else { throw .notJSON }
        place += count
        return value
    }

    private mutating func value(depth: Int) throws(LinkFormatError) -> LinkValue {
        skipSpace()
        switch next {
        case UInt8(ascii: "{"): return try object(depth: depth + 1)
        case UInt8(ascii: "["): return try list(depth: depth + 1)
        case UInt8(ascii: "\""): return .text(try text())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: return try number()
        }
    }

    private mutating func object(depth: Int) throws(LinkFormatError) -> LinkValue {
        guard depth <= deepest else { throw .tooDeep }
        place += 1
        var members: [String: LinkValue] = [:]
        skipSpace()
        if take(UInt8(ascii: "}")) { return .object(members) }
        while true {
            skipSpace()
            guard next == UInt8(ascii: "\"") else { throw .notJSON }
            let name = try text()
            skipSpace()
            guard take(UInt8(ascii: ":")) else { throw .notJSON }
            guard members.updateValue(try value(depth: depth), forKey: name) == nil else { throw .duplicateName }
            skipSpace()
            if take(UInt8(ascii: "}")) { return .object(members) }
            guard take(UInt8(ascii: ",")) else { throw .notJSON }
        }
    }

    private mutating func list(depth: Int) throws(LinkFormatError) -> LinkValue {
        guard depth <= deepest else { throw .tooDeep }
        place += 1
        var elements: [LinkValue] = []
        skipSpace()
        if take(UInt8(ascii: "]")) { return .list(elements) }
        while true {
            elements.append(try value(depth: depth))
            skipSpace()
            if take(UInt8(ascii: "]")) { return .list(elements) }
            guard take(UInt8(ascii: ",")) else { throw .notJSON }
        }
    }

    private mutating func text() throws(LinkFormatError) -> String {
        place += 1
        var result: [UInt8] = []
        while let octet = next {
            place += 1
            switch octet {
            case UInt8(ascii: "\""): return String(decoding: result, as: UTF8.self)
            case 0..<0x20: throw .notJSON
            case UInt8(ascii: "\\"): try escape(into: &result)
            default: result.append(octet)
            }
        }
        throw .notJSON
    }

    private mutating func escape(into result: inout [UInt8]) throws(LinkFormatError) {
        guard let octet = next else { throw .notJSON }
        place += 1
        switch octet {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): result.append(octet)
        case UInt8(ascii: "b"): result.append(0x08)
        case UInt8(ascii: "f"): result.append(0x0C)
        case UInt8(ascii: "n"): result.append(0x0A)
        case UInt8(ascii: "r"): result.append(0x0D)
        case UInt8(ascii: "t"): result.append(0x09)
        case UInt8(ascii: "u"):
            var code = try codeUnit()
            if (0xD800...0xDBFF).contains(code) {
                guard take(UInt8(ascii: "\\")), take(UInt8(ascii: "u")) else { throw .notUTF8 }
                let low = try codeUnit()
                guard (0xDC00...0xDFFF).contains(low) else { throw .notUTF8 }
                code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
            }
            // The other half of a pair alone is no character.
            guard let scalar = Unicode.Scalar(code) else { throw .notUTF8 }
            result += Array(String(Character(scalar)).utf8)
        default: throw .notJSON
        }
    }

    private mutating func codeUnit() throws(LinkFormatError) -> UInt32 {
        guard octets.count - place >= 4 else { throw .notJSON }
        var code: UInt32 = 0
        for _ in 0..<4 {
            guard let digit = Character(Unicode.Scalar(octets[place])).hexDigitValue else { throw .notJSON }
            code = code << 4 | UInt32(digit)
            place += 1
        }
        return code
    }

    private mutating func digits() -> Int {
        let start = place
        while let next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(next) { place += 1 }
        return place - start
    }

    private mutating func number() throws(LinkFormatError) -> LinkValue {
        let start = place
        _ = take(UInt8(ascii: "-"))
        let hasLeadingZero = next == UInt8(ascii: "0")
        let count = digits()
        guard count > 0, count == 1 || !hasLeadingZero else { throw .notJSON }
        var isInteger = true
        if take(UInt8(ascii: ".")) {
            isInteger = false
            guard digits() > 0 else { throw .notJSON }
        }
        if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
            isInteger = false
            if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
            guard digits() > 0 else { throw .notJSON }
        }
        let text = String(decoding: octets[start..<place], as: UTF8.self)
        if isInteger {
            guard let integer = Int64(text) else { throw .number }
            return .integer(integer)
        }
        guard let number = Double(text), number.isFinite else { throw .number }
        return .number(number)
    }
}
