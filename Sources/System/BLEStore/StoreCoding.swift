import BLEAdapter
import BLEWire

/// Reads little-endian fields of a file. It never traps.
struct StoreReader {
    private let octets: ArraySlice<UInt8>
    private var position: Int

    init(_ octets: ArraySlice<UInt8>) {
        self.octets = octets
        position = octets.startIndex
    }

    var isAtEnd: Bool { position == octets.endIndex }

    mutating func integer(_ length: Int) throws(DecodeError) -> UInt64 {
        var value: UInt64 = 0
        for (index, octet) in try take(length).enumerated() { value |= UInt64(octet) << (8 * UInt64(index)) }
        return value
    }

    mutating func octet() throws(DecodeError) -> UInt8 { UInt8(truncatingIfNeeded: try integer(1)) }

    /// An octet that is 0 or 1.
    mutating func flag() throws(DecodeError) -> Bool {
        switch try octet() {
        case 0: false
        case 1: true
        default: throw .invalidValue
        }
    }

    /// Octets after a count of four octets.
    mutating func block() throws(DecodeError) -> ArraySlice<UInt8> {
        guard let length = Int(exactly: try integer(4)) else { throw .invalidLength }
        return try take(length)
    }

    mutating func text() throws(DecodeError) -> String {
        guard let text = String(validating: try block(), as: UTF8.self) else { throw .invalidValue }
        return text
    }

    mutating func optional<Value>(
        _ read: (inout StoreReader) throws(DecodeError) -> Value
    ) throws(DecodeError) -> Value? {
        try flag() ? try read(&self) : nil
    }

    /// Items after a count of four octets. A count that exceeds the remaining octets fails with `truncated` before
    /// anything is allocated.
    mutating func list<Item>(_ read: (inout StoreReader) throws(DecodeError) -> Item) throws(DecodeError) -> [Item] {
        let count = try integer(4)
        guard count <= UInt64(octets.endIndex - position) else { throw .truncated }
        var items: [Item] = []
        for _ in 0..<count { items.append(try read(&self)) }
        return items
    }

    func finish() throws(DecodeError) {
        guard isAtEnd else { throw .trailingBytes }
    }

    private mutating func take(_ length: Int) throws(DecodeError) -> ArraySlice<UInt8> {
        guard length >= 0, octets.endIndex - position >= length else { throw .truncated }
        defer { position += length }
        return octets[position..<position + length]
    }
}

/// Appends fields in the form that ``StoreReader`` takes off.
struct StoreWriter {
    private(set) var octets: [UInt8] = []

    mutating func integer(_ value: UInt64, _ length: Int) {
        for index in 0..<length { octets.append(UInt8(truncatingIfNeeded: value >> (8 * UInt64(index)))) }
    }

    mutating func flag(_ value: Bool) { octets.append(value ? 1 : 0) }

    mutating func block(_ block: some Collection<UInt8>) {
        integer(UInt64(block.count), 4)
        octets.append(contentsOf: block)
    }

    mutating func text(_ text: String) { block(Array(text.utf8)) }

    mutating func optional<Value>(_ value: Value?, _ write: (inout StoreWriter, Value) -> Void) {
        flag(value != nil)
        if let value { write(&self, value) }
    }

    mutating func list<Item>(_ items: [Item], _ write: (inout StoreWriter, Item) -> Void) {
        integer(UInt64(items.count), 4)
        for item in items { write(&self, item) }
    }
}

/// A value that a file of the store holds.
protocol StoreCodable {
    init(from reader: inout StoreReader) throws(DecodeError)
    func write(to writer: inout StoreWriter)
}

extension StoreCodable {
    /// Decodes a whole block.
    init(decoding octets: ArraySlice<UInt8>) throws(DecodeError) {
        var reader = StoreReader(octets)
        try self.init(from: &reader)
        try reader.finish()
    }

    var encoded: [UInt8] {
        var writer = StoreWriter()
        write(to: &writer)
        return writer.octets
    }
}
