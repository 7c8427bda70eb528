/// The reason why octets are no message.
package enum BusError: Error, Hashable, Sendable {
    case truncated
    case invalid
    /// The message is longer than this module reads.
    case tooLong
}

/// Writes values with the least significant octet first (D-Bus Specification, "Marshaling").
struct BusWriter {
    private(set) var octets: [UInt8] = []

    static func alignment(_ type: Character) -> Int {
        switch type {
        case "y", "g", "v": 1
        case "n", "q": 2
        case "x", "t", "d", "(", "{": 8
        default: 4
        }
    }

    mutating func align(_ alignment: Int) { while octets.count % alignment != 0 { octets.append(0) } }

    mutating func number(_ number: some FixedWidthInteger) {
        withUnsafeBytes(of: number.littleEndian) { octets.append(contentsOf: $0) }
    }

    mutating func set(_ number: UInt32, at position: Int) {
        withUnsafeBytes(of: number.littleEndian) {
            for (index, octet) in $0.enumerated() { octets[position + index] = octet }
        }
    }

    mutating func value(_ value: BusValue) {
        align(Self.alignment(value.signature.first!))
        switch value {
        case .byte(let number): octets.append(number)
        case .bool(let flag): number(UInt32(flag ? 1 : 0))
        case .int16(let value): number(value)
        case .uint16(let value): number(value)
        case .int32(let value): number(value)
        case .uint32(let value): number(value)
        case .int64(let value): number(value)
        case .uint64(let value), .double(let value): number(value)
        case .string(let text), .path(let text):
            number(UInt32(text.utf8.count))
            octets += Array(text.utf8) + [0]
        case .signature(let text):
            octets.append(UInt8(truncatingIfNeeded: text.utf8.count))
            octets += Array(text.utf8) + [0]
        case .array(let element, let values):
            let place = octets.count
            number(UInt32(0))
            align(Self.alignment(element.first!))
            let start = octets.count
            for value in values { self.value(value) }
            set(UInt32(octets.count - start), at: place)
        case .entry(let key, let content):
            value_(key, content)
        case .structure(let values): for value in values { self.value(value) }
        case .variant(let content):
            self.value(.signature(content.signature))
            self.value(content)
        }
    }

    private mutating func value_(_ key: BusValue, _ content: BusValue) {
        value(key)
        value(content)
    }
}

/// Reads values of either order of octets. It never reads outside of the octets, and never nests deeper than 32 levels.
struct BusReader {
    private static let deepest = 32
    private let octets: [UInt8]
    private let isBig: Bool
    private(set) var position: Int

    init(_ octets: [UInt8], isBig: Bool, position: Int = 0) {
        self.octets = octets
        self.isBig = isBig
        self.position = position
    }

    mutating func align(_ alignment: Int) throws(BusError) {
        while position % alignment != 0 {
            guard position < octets.count else { throw .truncated }
            guard octets[position] == 0 else { throw .invalid }
            position += 1
        }
    }

    mutating func number<N: FixedWidthInteger & UnsignedInteger>(_ type: N.Type) throws(BusError) -> N {
        let size = N.bitWidth / 8
        try align(size)
        guard octets.count - position >= size else { throw .truncated }
        var result: N = 0
        for index in 0..<size {
            let octet = octets[position + (isBig ? index : size - 1 - index)]
            result = result << 8 | N(octet)
            if N.bitWidth == 8 { result = N(octet) }
        }
        position += size
        return result
    }

    private mutating func text(_ length: Int) throws(BusError) -> String {
        guard octets.count - position > length else { throw .truncated }
        guard octets[position + length] == 0,
            let text = String(validating: octets[position..<position + length], as: UTF8.self)
        else { throw .invalid }
        position += length + 1
        return text
    }

    /// The values of a signature.
    mutating func values(_ signature: String, depth: Int = 0) throws(BusError) -> [BusValue] {
        var rest = Substring(signature)
        var result: [BusValue] = []
        while !rest.isEmpty { result.append(try value(&rest, depth)) }
        return result
    }

    /// Takes one complete type from the signature, and reads its value.
    private mutating func value(_ signature: inout Substring, _ depth: Int) throws(BusError) -> BusValue {
        guard depth < Self.deepest, let type = signature.popFirst() else { throw .invalid }
        switch type {
        case "y": return .byte(try number(UInt8.self))
        case "b":
            let flag = try number(UInt32.self)
            guard flag < 2 else { throw .invalid }
            return .bool(flag == 1)
        case "n": return .int16(Int16(bitPattern: try number(UInt16.self)))
        case "q": return .uint16(try number(UInt16.self))
        case "i": return .int32(Int32(bitPattern: try number(UInt32.self)))
        case "u", "h": return .uint32(try number(UInt32.self))
        case "x": return .int64(Int64(bitPattern: try number(UInt64.self)))
        case "t": return .uint64(try number(UInt64.self))
        case "d": return .double(try number(UInt64.self))
        case "s": return .string(try text(Int(try number(UInt32.self))))
        case "o": return .path(try text(Int(try number(UInt32.self))))
        case "g": return .signature(try text(Int(try number(UInt8.self))))
        case "v":
            let inner = try text(Int(try number(UInt8.self)))
            var rest = Substring(inner)
            let content = try value(&rest, depth + 1)
            guard rest.isEmpty else { throw .invalid }
            return .variant(content)
        case "a": return try array(&signature, depth)
        case "(":
            try align(8)
            var values: [BusValue] = []
            while let next = signature.first, next != ")" { values.append(try value(&signature, depth + 1)) }
            guard signature.popFirst() == ")", !values.isEmpty else { throw .invalid }
            return .structure(values)
        default: throw .invalid
        }
    }

    private mutating func array(_ signature: inout Substring, _ depth: Int) throws(BusError) -> BusValue {
        let element = try Self.completeType(&signature)
        let length = Int(try number(UInt32.self))
        try align(BusWriter.alignment(element.first!))
        guard length <= octets.count - position else { throw .truncated }
        let end = position + length
        var values: [BusValue] = []
        while position < end {
            if element.first == "{" {
                try align(8)
                var rest = element.dropFirst().dropLast()
                let key = try value(&rest, depth + 1)
                let content = try value(&rest, depth + 1)
                guard rest.isEmpty else { throw .invalid }
                values.append(.entry(key, content))
            } else {
                var rest = element
                values.append(try value(&rest, depth + 1))
            }
        }
        guard position == end else { throw .invalid }
        return .array(String(element), values)
    }

    /// Takes one complete type from the front of a signature.
    private static func completeType(_ signature: inout Substring) throws(BusError) -> Substring {
        let start = signature.startIndex
        var open: [Character] = []
        while let type = signature.popFirst() {
            switch type {
            case "a": continue
            case "(", "{":
                guard open.count < deepest else { throw .invalid }
                open.append(type)
            case ")", "}": guard open.popLast() == (type == ")" ? "(" : "{") else { throw .invalid }
            default: guard "ybnqiuxtdsogvh".contains(type) else { throw .invalid }
            }
            if open.isEmpty { return signature.base[start..<signature.startIndex] }
        }
        throw .invalid
    }
}
