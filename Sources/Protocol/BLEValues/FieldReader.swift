import BLEAssignedNumbers
import BLEWire

/// Reads the fields of a value one after the other.
struct FieldReader {
    private let octets: [UInt8]
    private(set) var position = 0
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
            return number(field, Double(bits), bits)
        case .signed(let count):
            let bits = try bits(count, field)
            let shift = UInt64(64 - 8 * count)
            return number(field, Double(Int64(bitPattern: bits << shift) >> Int64(shift)), bits)
        case .medical(let count): return try medicalFloat(count, field)
        case .flags(let count, let names):
            let bits = try bits(count, field)
            if flags == nil { flags = bits }
            return words(field, Self.text(bits, names))
        case .choice(let count, let names):
            let bits = try bits(count, field)
            return words(field, names[bits] ?? "\(bits)")
        case .halves(let low, let high):
            let bits = try bits(1, field)
            return words(field, (low[bits & 0xF] ?? "\(bits & 0xF)") + ", " + (high[bits >> 4] ?? "\(bits >> 4)"))
        case .parts(let count, let parts): return words(field, Self.text(try bits(count, field), parts))
        case .real:
            let value = Float(bitPattern: UInt32(truncatingIfNeeded: try bits(4, field)))
            return DecodedValue.Entry(
                name: field.name, text: "\(value)", unit: field.unit, number: value.isFinite ? Double(value) : nil)
        case .exponentialTime:
            let bits = try bits(1, field)
            let power = (0..<abs(Int(bits) - 64)).reduce(1.0) { value, _ in value * 1.1 }
            return number(field, bits < 64 ? 1 / power : power, bits)
        case .date:
            let octets = Array(try take(4, field))
            return entry(field, Self.date(Int(octets[0]) | Int(octets[1]) << 8, Int(octets[2]), Int(octets[3])))
        case .day:
            let bits = try bits(3, field)
            if let text = field.special[bits] { return words(field, text) }
            let date = CalendarDate(daysSince1970: Int(bits))
            return entry(field, Self.date(date.year, date.month, date.day))
        case .terminatedText: return entry(field, try terminatedText(field))
        case .uuid(let count): return try uuid(count, field)
        case .assigned(let kind): return entry(field, Self.name(UInt16(try bits(2, field)), kind))
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

    private mutating func medicalFloat(
        _ count: Int, _ field: Field
    ) throws(ValueDecodingError) -> DecodedValue.Entry {
        let bits = try bits(count, field)
        let value =
            count == 2
            ? MedicalFloat.short(UInt16(truncatingIfNeeded: bits))
            : MedicalFloat.long(UInt32(truncatingIfNeeded: bits))
        guard let value else {
            let text = MedicalFloat.specialText(bits, octets: count)
            return DecodedValue.Entry(name: field.name, text: text, unit: "", number: nil)
        }
        return number(field, value, nil)
    }

    private mutating func terminatedText(_ field: Field) throws(ValueDecodingError) -> String {
        let text = octets[position...].prefix { $0 != 0 }
        position = min(octets.count, position + text.count + 1)
        guard let text = String(validating: text, as: UTF8.self) else { throw .notText(field: field.name) }
        return text
    }

    private mutating func dateTime(_ field: Field) throws(ValueDecodingError) -> String {
        let octets = Array(try take(7, field))
        let date = Self.date(Int(octets[0]) | Int(octets[1]) << 8, Int(octets[2]), Int(octets[3]))
        return "\(date) " + octets[4...].map { Self.twoDigits(Int($0)) }.joined(separator: ":")
    }

    private static func date(_ year: Int, _ month: Int, _ day: Int) -> String {
        "\(year)-\(twoDigits(month))-\(twoDigits(day))"
    }

    private static func twoDigits(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }

    private mutating func uuid(_ count: Int?, _ field: Field) throws(ValueDecodingError) -> DecodedValue.Entry {
        let octets = Array(try take(count ?? octets.count - position, field).reversed())
        guard octets.count == 16 else {
            let digits = Hexadecimal.digits(octets).uppercased()
            guard octets.count == 2 else { return entry(field, digits) }
            let short = UInt16(octets[0]) << 8 | UInt16(octets[1])
            let name = AssignedNumbers.name(of: BluetoothUUID(short))
            return entry(field, name.map { "\($0) \(digits)" } ?? digits)
        }
        let parts = [octets[..<4], octets[4..<6], octets[6..<8], octets[8..<10], octets[10...]]
        return entry(field, parts.map { Hexadecimal.digits($0).uppercased() }.joined(separator: "-"))
    }

    private static func name(_ number: UInt16, _ kind: Field.AssignedName) -> String {
        switch kind {
        case .appearance: AssignedNumbers.appearance(number).map { "\($0) \(number)" } ?? "\(number)"
        case .company: AssignedNumbers.company(number).map { "\($0) \(number)" } ?? "\(number)"
        case .unit:
            AssignedNumbers.name(ofUnit: BluetoothUUID(number))
                ?? "0x" + Hexadecimal.digits([UInt8(number >> 8), UInt8(number & 0xFF)])
        }
    }

    private func entry(_ field: Field, _ text: String) -> DecodedValue.Entry {
        DecodedValue.Entry(name: field.name, text: text, unit: field.unit, number: nil)
    }

    private func words(_ field: Field, _ text: String) -> DecodedValue.Entry {
        DecodedValue.Entry(name: field.name, text: text, unit: field.unit, number: nil, hasWords: true)
    }

    /// - Parameter bits: The integer on the air, which may have a meaning of its own.
    private func number(_ field: Field, _ value: Double, _ bits: UInt64?) -> DecodedValue.Entry {
        if let bits, let text = field.special[bits] {
            return DecodedValue.Entry(name: field.name, text: text, unit: "", number: nil, hasWords: true)
        }
        let power = (0..<abs(field.decimals)).reduce(1.0) { value, _ in value * 10 }
        let scaled = value * Double(field.factor) / Double(field.divisor)
        let result = field.decimals < 0 ? scaled / power : scaled * power
        return DecodedValue.Entry(
            name: field.name, text: Self.text(result, digits: max(4, -field.decimals)), unit: field.unit, number: result
        )
    }

    private static func text(_ bits: UInt64, _ parts: [Field.Part]) -> String {
        var rest = bits
        var texts: [String] = []
        for part in parts {
            let value = rest & (1 << UInt64(part.bits) - 1)
            rest >>= UInt64(part.bits)
            let text = part.names[value] ?? "\(part.name) \(value)"
            if !text.isEmpty { texts.append(text) }
        }
        return texts.isEmpty ? "none" : texts.joined(separator: ", ")
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
