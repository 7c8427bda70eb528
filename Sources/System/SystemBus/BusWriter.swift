/// Writes values with the least significant octet first (D-Bus Specification, "Marshaling").
struct BusWriter {
    /// The greatest length of an array, in octets.
    static let longestArray = 1 << 26
    /// The levels of containers around a value, variants and entries among them. An array of values of a fixed size is none, as in the reference
    /// library.
    static let deepest = 64

    private(set) var octets: [UInt8] = []
    /// Indices of descriptors are below it.
    private let descriptorCount: Int

    init(descriptorCount: Int = 0) { self.descriptorCount = descriptorCount }

    mutating func align(_ alignment: Int) { while octets.count % alignment != 0 { octets.append(0) } }

    mutating func number(_ number: some FixedWidthInteger) {
        withUnsafeBytes(of: number.littleEndian) { octets.append(contentsOf: $0) }
    }

    private mutating func set(_ number: UInt32, at position: Int) {
        for index in 0..<4 { octets[position + index] = UInt8(truncatingIfNeeded: number >> (8 * UInt32(index))) }
    }

    /// Throws `invalid` for what no message may contain, such as a text with NUL or an array of different types.
    mutating func value(_ value: BusValue, depth: Int = 0) throws(BusError) {
        guard depth <= Self.deepest else { throw .invalid }
        guard octets.count <= BusMessage.longest else { throw .tooLong }
        switch value {
        case .byte(let number): octets.append(number)
        case .bool(let flag): aligned(UInt32(flag ? 1 : 0))
        case .int16(let value): aligned(value)
        case .uint16(let value): aligned(value)
        case .int32(let value): aligned(value)
        case .uint32(let value): aligned(value)
        case .descriptor(let index):
            guard UInt64(index) < UInt64(descriptorCount) else { throw .invalid }
            aligned(index)
        case .int64(let value): aligned(value)
        case .uint64(let value), .double(let value): aligned(value)
        case .string(let text): try self.text(text)
        case .path(let text):
            guard BusNames.isPath(text) else { throw .invalid }
            try self.text(text)
        case .signature(let text):
            let codes = Array(text.utf8)
            guard BusSignature.isValid(codes) else { throw .invalid }
            signature(codes)
        case .octets(let content):
            guard content.count <= Self.longestArray else { throw .tooLong }
            aligned(UInt32(content.count))
            octets += content
        case .array(let element, let values): try array(element, values, depth)
        case .structure(let values):
            guard !values.isEmpty else { throw .invalid }
            align(8)
            for value in values { try self.value(value, depth: depth + 1) }
        case .variant(let content):
            let codes = Array(content.signature.utf8)
            guard BusSignature.isSingle(codes) else { throw .invalid }
            signature(codes)
            try self.value(content, depth: depth + 1)
        // An entry exists in arrays alone.
        case .entry: throw .invalid
        }
    }

    private mutating func aligned(_ number: some FixedWidthInteger) {
        align(number.bitWidth / 8)
        self.number(number)
    }

    private mutating func text(_ text: String) throws(BusError) {
        guard text.utf8.count <= BusMessage.longest else { throw .tooLong }
        guard !text.utf8.contains(0) else { throw .invalid }
        aligned(UInt32(text.utf8.count))
        octets += text.utf8
        octets.append(0)
    }

    private mutating func signature(_ codes: [UInt8]) {
        octets.append(UInt8(truncatingIfNeeded: codes.count))
        octets += codes
        octets.append(0)
    }

    private mutating func array(_ element: String, _ values: [BusValue], _ depth: Int) throws(BusError) {
        guard let first = element.utf8.first, BusSignature.isSingle(Array("a\(element)".utf8)) else { throw .invalid }
        aligned(UInt32(0))
        let place = octets.count - 4
        align(BusSignature.alignment(first))
        let start = octets.count
        let inner = BusSignature.isFixed(first) ? depth : depth + 1
        for value in values {
            guard value.signature == element else { throw .invalid }
            if case .entry(let key, let content) = value {
                align(8)
                try self.value(key, depth: depth + 2)
                try self.value(content, depth: depth + 2)
            } else {
                try self.value(value, depth: inner)
            }
        }
        guard octets.count - start <= Self.longestArray else { throw .tooLong }
        set(UInt32(octets.count - start), at: place)
    }
}
