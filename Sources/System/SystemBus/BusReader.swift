import BLEWire

/// The reason why octets are no message, or values cannot become one.
package enum BusError: Error, Hashable, Sendable {
    case truncated
    case invalid
    /// The message is longer than this module reads or writes, or has more values.
    case tooLong
}

/// Reads values of either order of octets. It never reads outside of the octets.
struct BusReader: ~Escapable {
    /// The number of values of a message, so that a message needs at most some tens of MiB as values. An array of bytes is one value.
    static let mostValues = 1 << 19

    private let octets: Span<UInt8>
    private let isBig: Bool
    private(set) var position: Int
    /// Indices of descriptors are below it.
    private let descriptorCount: Int
    private var values = 0

    @_lifetime(copy octets)
    init(_ octets: Span<UInt8>, isBig: Bool, position: Int = 0, descriptorCount: Int = 0) {
        self.octets = octets
        self.isBig = isBig
        self.position = position
        self.descriptorCount = descriptorCount
    }

    var isAtEnd: Bool { position == octets.count }

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
            result = N.bitWidth == 8 ? N(octet) : result << 8 | N(octet)
        }
        position += size
        return result
    }

    /// Octets from the position on. They are valid as long as those of the reader.
    @_lifetime(copy self)
    private mutating func take(_ count: Int) throws(BusError) -> Span<UInt8> {
        guard count <= octets.count - position else { throw .truncated }
        let taken = octets.extracting(position..<(position + count))
        position += count
        return taken
    }

    /// A length that is not beyond the end.
    mutating func length() throws(BusError) -> Int {
        guard let length = Int(exactly: try number(UInt32.self)), length <= octets.count - position else {
            throw .truncated
        }
        return length
    }

    mutating func text() throws(BusError) -> String {
        let length = try length()
        let content = try take(length)
        guard try take(1)[0] == 0 else { throw .invalid }
        for index in content.indices where content[index] == 0 { throw .invalid }
        do { return String(copying: try UTF8Span(validating: content)) } catch { throw .invalid }
    }

    mutating func path() throws(BusError) -> String {
        let path = try text()
        guard BusNames.isPath(path) else { throw .invalid }
        return path
    }

    /// The codes of a signature, whose form is not checked yet.
    mutating func codes() throws(BusError) -> [UInt8] {
        let length = Int(try number(UInt8.self))
        let content = try take(length)
        guard try take(1)[0] == 0 else { throw .invalid }
        return Array(content)
    }

    /// The values of a signature.
    mutating func values(_ codes: [UInt8]) throws(BusError) -> [BusValue] {
        guard BusSignature.isValid(codes) else { throw .invalid }
        var index = 0
        var result: [BusValue] = []
        while index < codes.count { result.append(try value(codes, &index, 0)) }
        return result
    }

    /// Reads the value of the complete type at `index`, and moves that behind the type.
    private mutating func value(_ codes: [UInt8], _ index: inout Int, _ depth: Int) throws(BusError) -> BusValue {
        guard depth <= BusWriter.deepest, index < codes.count else { throw .invalid }
        values += 1
        guard values <= Self.mostValues else { throw .tooLong }
        let code = codes[index]
        if code == UInt8(ascii: "a") { return try array(codes, &index, depth) }
        index += 1
        switch code {
        case UInt8(ascii: "y"): return .byte(try number(UInt8.self))
        case UInt8(ascii: "b"):
            let flag = try number(UInt32.self)
            guard flag < 2 else { throw .invalid }
            return .bool(flag == 1)
        case UInt8(ascii: "n"): return .int16(Int16(bitPattern: try number(UInt16.self)))
        case UInt8(ascii: "q"): return .uint16(try number(UInt16.self))
        case UInt8(ascii: "i"): return .int32(Int32(bitPattern: try number(UInt32.self)))
        case UInt8(ascii: "u"): return .uint32(try number(UInt32.self))
        case UInt8(ascii: "h"):
            let index = try number(UInt32.self)
            guard UInt64(index) < UInt64(descriptorCount) else { throw .invalid }
            return .descriptor(index)
        case UInt8(ascii: "x"): return .int64(Int64(bitPattern: try number(UInt64.self)))
        case UInt8(ascii: "t"): return .uint64(try number(UInt64.self))
        case UInt8(ascii: "d"): return .double(try number(UInt64.self))
        case UInt8(ascii: "s"): return .string(try text())
        case UInt8(ascii: "o"): return .path(try path())
        case UInt8(ascii: "g"):
            let codes = try self.codes()
            guard BusSignature.isValid(codes) else { throw .invalid }
            return .signature(String(decoding: codes, as: UTF8.self))
        case UInt8(ascii: "v"):
            let inner = try self.codes()
            guard BusSignature.isSingle(inner) else { throw .invalid }
            var start = 0
            return .variant(try value(inner, &start, depth + 1))
        case UInt8(ascii: "("):
            try align(8)
            var values: [BusValue] = []
            while index < codes.count, codes[index] != UInt8(ascii: ")") {
                values.append(try value(codes, &index, depth + 1))
            }
            index += 1
            return .structure(values)
        default: throw .invalid
        }
    }

    private mutating func array(_ codes: [UInt8], _ index: inout Int, _ depth: Int) throws(BusError) -> BusValue {
        guard let next = BusSignature.end(codes, from: index) else { throw .invalid }
        let start = index + 1
        index = next
        // Each array keeps the text of its elements' signature.
        values += (next - start) / 8
        let length = try length()
        guard length <= BusWriter.longestArray else { throw .invalid }
        if codes[start] == UInt8(ascii: "y") {
            let content = try take(length)
            return .octets(Array(content))
        }
        // The padding in front of the first element is no part of the length, and is there without elements too.
        try align(BusSignature.alignment(codes[start]))
        guard length <= octets.count - position else { throw .truncated }
        let end = position + length
        var elements: [BusValue] = []
        let inner = BusSignature.isFixed(codes[start]) ? depth : depth + 1
        let isDictionary = codes[start] == UInt8(ascii: "{")
        while position < end {
            var element = isDictionary ? start + 1 : start
            if isDictionary {
                try align(8)
                let key = try value(codes, &element, depth + 2)
                elements.append(.entry(key, try value(codes, &element, depth + 2)))
            } else {
                elements.append(try value(codes, &element, inner))
            }
        }
        guard position == end else { throw .invalid }
        return .array(String(decoding: codes[start..<next], as: UTF8.self), elements)
    }
}
