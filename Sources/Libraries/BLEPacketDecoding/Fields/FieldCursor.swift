import BLEWire

/// Some bits of an integer.
struct BitField {
    var name: String
    var width: Int
    var text: (UInt64, TextLanguage) -> String

    init(
        _ name: String, _ width: Int = 1, _ text: @escaping (UInt64, TextLanguage) -> String = { bits, _ in "\(bits)" }
    ) {
        self.name = name
        self.width = width
        self.text = text
    }

    /// A bit that is yes or no.
    static func flag(_ name: String) -> BitField { BitField(name) { $1.yesOrNo($0 != 0) } }
}

/// Divides octets into fields, from the first to the last one.
///
/// The fields cover each octet once, whatever the octets are: a field that does not fit ends at the end, and `finish` names the octets
/// that remain.
struct FieldCursor {
    let octets: [UInt8]
    let end: Int
    /// The language of names and values.
    let language: TextLanguage
    private(set) var position: Int
    private(set) var fields: [DissectedField] = []

    init(_ octets: [UInt8], _ range: Range<Int>, _ language: TextLanguage) {
        self.octets = octets
        self.language = language
        position = range.lowerBound
        end = range.upperBound
    }

    var isAtEnd: Bool { position >= end }
    var remaining: Int { end - position }

    /// The next octet, which stays; nil at the end.
    var next: UInt8? { isAtEnd ? nil : octets[position] }

    /// The next octets, which stay.
    func peek(_ count: Int) -> ArraySlice<UInt8> { octets[position..<min(end, position + max(0, count))] }

    /// The value of `count` octets, little endian, without taking them; nil if fewer remain.
    func peekNumber(_ count: Int, at offset: Int = 0) -> UInt64? {
        guard offset >= 0, count <= 8, offset + count <= remaining else { return nil }
        var value: UInt64 = 0
        for index in 0..<count { value |= UInt64(octets[position + offset + index]) << UInt64(8 * index) }
        return value
    }

    // MARK: Leaves

    /// Takes an integer of 1 to 8 octets. Returns nil if the octets end before it.
    @discardableResult
    mutating func number(_ name: String, _ count: Int, _ text: (UInt64) -> String = { "\($0)" }) -> UInt64? {
        guard let value = peekNumber(count) else {
            truncated(name)
            return nil
        }
        append(name, text(value), count)
        return value
    }

    /// Takes octets as one field. Nil takes all that remain.
    mutating func octets(_ name: String, _ count: Int? = nil, _ text: ((ArraySlice<UInt8>) -> String)? = nil) {
        let count = count ?? remaining
        guard count <= remaining else { return truncated(name) }
        guard count > 0 else { return }
        let content = octets[position..<position + count]
        append(name, text?(content) ?? octetText(Array(content).span, in: language), count)
    }

    /// Takes an integer of 1 to 8 octets as bits, from the lowest one. Bits after the last field are reserved.
    @discardableResult
    mutating func bits(_ name: String, _ count: Int, text: (UInt64) -> String = { _ in "" }, _ parts: [BitField])
        -> UInt64?
    {
        guard let value = peekNumber(count) else {
            truncated(name)
            return nil
        }
        var children: [DissectedField] = []
        var bit = 0
        func add(_ name: String, _ width: Int, _ text: (UInt64) -> String) {
            let part = value >> UInt64(bit) & (width >= 64 ? .max : 1 << UInt64(width) - 1)
            let first = bit / 8
            let last = (bit + width - 1) / 8
            let range = position + first..<position + last + 1
            let isWhole = bit % 8 == 0 && (bit + width) % 8 == 0
            children.append(
                DissectedField(
                    FieldNames.name(name, in: language), text(part), range,
                    bits: isWhole ? nil : bit - 8 * first..<bit - 8 * first + width))
            bit += width
        }
        for part in parts where bit + part.width <= 8 * count { add(part.name, part.width) { part.text($0, language) } }
        if bit < 8 * count { add("Reserved", 8 * count - bit) { $0 == 0 ? "0" : "0x" + hexadecimal($0, digits: 1) } }
        append(name, text(value), count, children)
        return value
    }

    /// Names the octets that remain.
    mutating func rest(_ name: String) {
        if !isAtEnd { append(name, octetText(Array(peek(remaining)).span, in: language), remaining) }
    }

    private mutating func truncated(_ name: String) {
        guard !isAtEnd else { return }
        let rest = octetText(Array(peek(remaining)).span, in: language)
        append(name, language("incomplete: \(rest)", "不完整：\(rest)"), remaining)
    }

    private mutating func append(_ name: String, _ value: String, _ count: Int, _ children: [DissectedField] = []) {
        let name = FieldNames.name(name, in: language)
        fields.append(DissectedField(name, value, position..<position + count, children: children))
        position += count
    }

    // MARK: Groups

    /// Takes octets as a field with children. Octets that `body` leaves are not decoded.
    ///
    /// - Parameter count: Nil, or more than remain, takes all that remain.
    mutating func group(
        _ name: String, _ count: Int? = nil, _ value: String = "", _ body: (inout FieldCursor) -> Void
    ) {
        let count = max(0, min(count ?? remaining, remaining))
        guard count > 0 else { return }
        var inner = FieldCursor(octets, position..<position + count, language)
        body(&inner)
        append(name, value, count, inner.finish())
    }

    /// Changes the value of the last field.
    mutating func describeLast(_ value: String) {
        if !fields.isEmpty { fields[fields.count - 1].value = value }
    }

    /// The fields. The octets that remain are one field.
    consuming func finish() -> [DissectedField] {
        rest("Not decoded")
        return fields
    }
}

extension FieldCursor {
    /// Gives the last field the value of one of its children.
    mutating func describeLastByChild(_ index: Int) {
        guard let last = fields.last, last.children.indices.contains(index) else { return }
        describeLast(last.children[index].value)
    }
}
