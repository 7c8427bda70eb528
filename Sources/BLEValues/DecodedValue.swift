/// A decoded value of an adopted characteristic with its fields.
package struct DecodedValue: Hashable, Sendable {
    package struct Entry: Hashable, Sendable {
        package let name: String
        /// The value as text without the unit.
        package let text: String
        package let unit: String
        /// The value as a number; nil for text, times, flags and unknown values.
        package let number: Double?
    }

    package let entries: [Entry]
    /// The octets after the last field of the schema.
    package let rest: [UInt8]

    /// The fields in one line: "72 bpm, RR interval 0.83 s". The name of the first field is omitted. Flags appear only if there is
    /// no other field.
    package var summary: String {
        let shown = entries.count > 1 ? entries.filter { $0.name != "Flags" } : entries
        let parts = shown.enumerated().map { index, entry in
            let value = entry.unit.isEmpty ? entry.text : "\(entry.text) \(entry.unit)"
            return index == 0 ? value : "\(entry.name) \(value)"
        }
        return parts.joined(separator: ", ")
    }

    /// The first numeric field.
    package var number: Double? { entries.lazy.compactMap(\.number).first }
}

/// The reason why octets are not a value of their characteristic.
package enum ValueDecodingError: Error, Hashable, Sendable {
    /// The octets end inside this field.
    case endsWithin(field: String)
    /// The text of the field is not UTF-8.
    case notText(field: String)
}

extension Schema {
    /// Decodes a value. `rest` receives fields that later versions of the specification append.
    package func decode(_ octets: [UInt8]) throws(ValueDecodingError) -> DecodedValue {
        var reader = FieldReader(octets)
        var entries: [DecodedValue.Entry] = []
        for field in fields where reader.has(field) {
            if field.isRepeated {
                while !reader.isAtEnd { entries.append(try reader.read(field)) }
            } else {
                entries.append(try reader.read(field))
            }
        }
        return DecodedValue(entries: entries, rest: reader.rest)
    }
}

private struct FieldReader {
    private let octets: [UInt8]
    private var position = 0
    private var flags: UInt64?

    init(_ octets: [UInt8]) { self.octets = octets }

    var isAtEnd: Bool { position == octets.count }
    var rest: [UInt8] { Array(octets[position...]) }

    func has(_ field: Field) -> Bool {
        field.conditions.allSatisfy { ((flags ?? 0) >> UInt64($0.bit) & 1 == 1) == $0.isSet }
    }

    mutating func read(_ field: Field) throws(ValueDecodingError) -> DecodedValue.Entry {
        switch field.layout {
        case .unsigned(let count):
            let bits = try bits(count, field)
            return number(field, Double(bits), isUnknown: bits == field.unknown)
        case .signed(let count):
            let bits = try bits(count, field)
            let shift = UInt64(64 - 8 * count)
            return number(
                field, Double(Int64(bitPattern: bits << shift) >> Int64(shift)), isUnknown: bits == field.unknown)
        case .medical(let count):
            let bits = try bits(count, field)
            let value =
                count == 2
                ? MedicalFloat.short(UInt16(truncatingIfNeeded: bits))
                : MedicalFloat.long(UInt32(truncatingIfNeeded: bits))
            return number(field, value ?? 0, isUnknown: value == nil)
        case .flags(let count, let names):
            let bits = try bits(count, field)
            if flags == nil { flags = bits }
            return entry(field, Self.text(bits, names))
        case .choice(let count, let names):
            let bits = try bits(count, field)
            return entry(field, names[bits] ?? "\(bits)")
        case .halves(let low, let high):
            let bits = try bits(1, field)
            return entry(field, (low[bits & 0xF] ?? "\(bits & 0xF)") + ", " + (high[bits >> 4] ?? "\(bits >> 4)"))
        case .dateTime: return entry(field, try dateTime(field))
        case .text:
            // Devices pad texts with zeros.
            let octets = try take(octets.count - position, field).prefix { $0 != 0 }
            guard let text = String(validating: octets, as: UTF8.self) else { throw .notText(field: field.name) }
            return entry(field, text)
        case .octets(let count):
            return entry(field, Hexadecimal.text(try take(count ?? octets.count - position, field)))
        }
    }

    private mutating func take(_ count: Int, _ field: Field) throws(ValueDecodingError) -> ArraySlice<UInt8> {
        guard octets.count - position >= count else { throw .endsWithin(field: field.name) }
        defer { position += count }
        return octets[position..<position + count]
    }

    private mutating func bits(_ count: Int, _ field: Field) throws(ValueDecodingError) -> UInt64 {
        try take(count, field).reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    private mutating func dateTime(_ field: Field) throws(ValueDecodingError) -> String {
        let octets = Array(try take(7, field))
        let year = Int(octets[0]) | Int(octets[1]) << 8
        func two(_ value: UInt8) -> String { value < 10 ? "0\(value)" : "\(value)" }
        let date = "\(year)-\(two(octets[2]))-\(two(octets[3]))"
        return "\(date) \(two(octets[4])):\(two(octets[5])):\(two(octets[6]))"
    }

    private func entry(_ field: Field, _ text: String) -> DecodedValue.Entry {
        DecodedValue.Entry(name: field.name, text: text, unit: field.unit, number: nil)
    }

    private func number(_ field: Field, _ value: Double, isUnknown: Bool) -> DecodedValue.Entry {
        guard !isUnknown else {
            return DecodedValue.Entry(name: field.name, text: "unknown", unit: "", number: nil)
        }
        let power = (0..<abs(field.decimals)).reduce(1.0) { value, _ in value * 10 }
        let scaled = value * Double(field.factor) / Double(field.divisor)
        let result = field.decimals < 0 ? scaled / power : scaled * power
        return DecodedValue.Entry(
            name: field.name, text: Self.text(result, digits: max(4, -field.decimals)), unit: field.unit, number: result
        )
    }

    /// A number with at most `digits` decimals, and without a fraction if it is whole.
    private static func text(_ value: Double, digits: Int) -> String {
        if value == value.rounded(), abs(value) < 1e15 { return "\(Int64(value))" }
        let power = (0..<digits).reduce(1.0) { value, _ in value * 10 }
        return "\((value * power).rounded() / power)"
    }

    private static func text(_ bits: UInt64, _ names: [Int: String]) -> String {
        let set = (0..<64).filter { bits >> UInt64($0) & 1 == 1 }
        return set.isEmpty ? "none" : set.map { names[$0] ?? "bit \($0)" }.joined(separator: " + ")
    }
}
