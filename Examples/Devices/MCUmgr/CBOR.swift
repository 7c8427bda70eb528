/// The part of CBOR (RFC 8949) that SMP uses: maps have texts as keys, and there are no tags and no fractions.
///
/// 解码有上限：嵌套层数、元素个数，长度不超过剩余字节。
package enum CBOR: Hashable, Sendable {
    case unsigned(UInt64)
    /// The number -1 - n.
    case negative(UInt64)
    case bytes([UInt8])
    case text(String)
    case array([CBOR])
    case map([String: CBOR])
    case boolean(Bool)
    case null

    package enum DecodingError: Error, Hashable, Sendable {
        /// The octets end within an item.
        case cut
        /// Octets follow the item.
        case excess
        /// The items are nested too deeply.
        case tooDeep
        /// There are too many items.
        case tooManyItems
        /// A tag, a fraction, a text that is not UTF-8, a key that is no text or is there twice, a reserved encoding.
        case unsupported
    }

    /// The nesting of items in maps and arrays.
    package static let depthLimit = 8
    /// The number of items in all. A header of nine octets can announce 2^64 of them.
    package static let itemLimit = 256

    /// Decodes one item that takes all octets.
    package static func decode(_ octets: [UInt8]) throws(DecodingError) -> CBOR {
        var decoder = CBORDecoder(octets)
        let item = try decoder.item(depth: 0)
        guard decoder.isAtEnd else { throw .excess }
        return item
    }

    /// The octets, with definite lengths. Keys are in the order of their texts.
    package var octets: [UInt8] {
        switch self {
        case .unsigned(let number): Self.head(0, number)
        case .negative(let number): Self.head(1, number)
        case .bytes(let octets): Self.head(2, UInt64(octets.count)) + octets
        case .text(let text): Self.head(3, UInt64(text.utf8.count)) + text.utf8
        case .array(let items): Self.head(4, UInt64(items.count)) + items.flatMap(\.octets)
        case .map(let entries):
            entries.sorted { $0.key < $1.key }.reduce(into: Self.head(5, UInt64(entries.count))) { octets, entry in
                octets += CBOR.text(entry.key).octets + entry.value.octets
            }
        case .boolean(let isTrue): [isTrue ? 0xF5 : 0xF4]
        case .null: [0xF6]
        }
    }

    private static func head(_ major: UInt8, _ number: UInt64) -> [UInt8] {
        switch number {
        case 0..<24: [major << 5 | UInt8(number)]
        case 24...0xFF: [major << 5 | 24, UInt8(number)]
        case 0x100...0xFFFF: [major << 5 | 25] + UInt16(number).bigEndianOctets
        case 0x1_0000...0xFFFF_FFFF: [major << 5 | 26] + UInt32(number).bigEndianOctets
        default: [major << 5 | 27] + number.bigEndianOctets
        }
    }
}

extension CBOR {
    /// The value of a key; nil if this is no map.
    package subscript(key: String) -> CBOR? {
        if case .map(let entries) = self { entries[key] } else { nil }
    }

    package var number: UInt64? { if case .unsigned(let number) = self { number } else { nil } }
    package var octetString: [UInt8]? { if case .bytes(let octets) = self { octets } else { nil } }
    package var string: String? { if case .text(let text) = self { text } else { nil } }
    package var items: [CBOR]? { if case .array(let items) = self { items } else { nil } }
    package var truth: Bool? { if case .boolean(let isTrue) = self { isTrue } else { nil } }
}

/// Reads items, and counts them.
private struct CBORDecoder {
    private let octets: [UInt8]
    private var place = 0
    private var itemsLeft = CBOR.itemLimit

    init(_ octets: [UInt8]) { self.octets = octets }

    var isAtEnd: Bool { place == octets.count }

    private mutating func octet() throws(CBOR.DecodingError) -> UInt8 {
        guard place < octets.count else { throw .cut }
        defer { place += 1 }
        return octets[place]
    }

    private mutating func octets(_ count: UInt64) throws(CBOR.DecodingError) -> ArraySlice<UInt8> {
        guard count <= UInt64(octets.count - place) else { throw .cut }
        defer { place += Int(count) }
        return octets[place..<place + Int(count)]
    }

    /// The number after the first octet of an item; nil for an indefinite length.
    private mutating func argument(_ information: UInt8) throws(CBOR.DecodingError) -> UInt64? {
        switch information {
        case 0..<24: return UInt64(information)
        case 24...27: return try octets(1 << UInt64(information - 24)).reduce(0) { $0 << 8 | UInt64($1) }
        case 31: return nil
        default: throw .unsupported
        }
    }

    mutating func item(depth: Int) throws(CBOR.DecodingError) -> CBOR {
        guard depth <= CBOR.depthLimit else { throw .tooDeep }
        guard itemsLeft > 0 else { throw .tooManyItems }
        itemsLeft -= 1
        let first = try octet()
        let (major, information) = (first >> 5, first & 0x1F)
        switch first {
        case 0xF4, 0xF5: return .boolean(first == 0xF5)
        case 0xF6: return .null
        default: break
        }
        guard major < 6 else { throw .unsupported }
        let count = try argument(information)
        switch (major, count) {
        case (0, let count?): return .unsigned(count)
        case (1, let count?): return .negative(count)
        case (2, let count?): return .bytes(Array(try octets(count)))
        case (3, let count?): return .text(try text(count))
        case (4, _): return .array(try array(count, depth))
        case (5, _): return .map(try map(count, depth))
        default: throw .unsupported
        }
    }

    private mutating func text(_ count: UInt64) throws(CBOR.DecodingError) -> String {
        guard let text = String(validating: try octets(count), as: UTF8.self) else { throw .unsupported }
        return text
    }

    /// Whether a map or an array has another item. Nil as its count is an indefinite length, which FF ends.
    private mutating func hasItem(_ index: UInt64, of count: UInt64?) throws(CBOR.DecodingError) -> Bool {
        if let count { return index < count }
        guard place < octets.count else { throw .cut }
        guard octets[place] == 0xFF else { return true }
        place += 1
        return false
    }

    private mutating func array(_ count: UInt64?, _ depth: Int) throws(CBOR.DecodingError) -> [CBOR] {
        var items: [CBOR] = []
        while try hasItem(UInt64(items.count), of: count) { items.append(try item(depth: depth + 1)) }
        return items
    }

    private mutating func map(_ count: UInt64?, _ depth: Int) throws(CBOR.DecodingError) -> [String: CBOR] {
        var entries: [String: CBOR] = [:]
        while try hasItem(UInt64(entries.count), of: count) {
            guard case .text(let key) = try item(depth: depth + 1), entries[key] == nil else { throw .unsupported }
            entries[key] = try item(depth: depth + 1)
        }
        return entries
    }
}
