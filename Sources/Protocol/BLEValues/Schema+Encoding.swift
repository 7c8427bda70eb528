import BLEWire

extension Schema {
    /// Whether `encode` has octets for text: each field is always present, and its text is enough to write it.
    package var isEncodable: Bool {
        fields.allSatisfy { field in
            guard field.conditions.isEmpty, !field.isRepeated, !field.isOptional else { return false }
            return switch field.layout {
            case .parts, .halves, .exponentialTime, .terminatedText, .uuid, .assigned: false
            case .text, .octets(nil): fields.count == 1
            default: true
            }
        }
    }

    /// Encodes the text of a value: the values of the fields, separated by commas, in the units and words that `decode` uses. A unit
    /// after a number may be omitted.
    ///
    /// - Throws: A message with the range or the words of the field that does not fit.
    package func encode(_ text: String) throws(ValueError) -> [UInt8] {
        guard isEncodable else {
            throw ValueError(description: "this characteristic has fields that depend on each other; write it as hex.")
        }
        if fields.count == 1 { return try fields[0].encode(text) }
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        guard parts.count == fields.count else {
            let names = fields.map(\.name).joined(separator: ", ")
            throw ValueError(
                description:
                    "\"\(text)\" has \(parts.count) of \(fields.count) values; expected \(names), separated by commas."
            )
        }
        var octets: [UInt8] = []
        for (field, part) in zip(fields, parts) { octets += try field.encode(String(part)) }
        return octets
    }
}

extension Field {
    fileprivate func encode(_ text: String) throws(ValueError) -> [UInt8] {
        let word = Self.trimmed(text)
        switch layout {
        case .unsigned(let count): return try integer(word, count, isSigned: false)
        case .signed(let count): return try integer(word, count, isSigned: true)
        case .medical(let count):
            if let bits = MedicalFloat.specialBits(word, octets: count) { return Self.octets(bits, count) }
            let number = try number(word)
            guard let bits = MedicalFloat.bits(onAir(number), octets: count) else {
                throw ValueError(description: "\"\(word)\" is beyond the range of \(name).")
            }
            return Self.octets(bits, count)
        case .real: return Self.octets(UInt64(Float(try number(word)).bitPattern), 4)
        case .choice(let count, let names): return Self.octets(try choice(word, count, names), count)
        case .flags(let count, let names): return Self.octets(try flags(word, count, names), count)
        case .dateTime: return try dateTime(word)
        case .date: return Self.octets(try date(word))
        case .day:
            if let bits = special(word) { return Self.octets(bits, 3) }
            let days = try date(word).daysSince1970
            guard (1...0xFF_FFFF).contains(days) else { throw expected("a date after 1970-01-01", word) }
            return Self.octets(UInt64(days), 3)
        case .text: return Array(text.utf8)
        case .octets(let count):
            guard let octets = Hexadecimal.octets(word), count == nil || octets.count == count else {
                throw expected(count.map { "\($0) octets in hexadecimal" } ?? "hexadecimal digits", word)
            }
            return octets
        case .parts, .halves, .exponentialTime, .terminatedText, .uuid, .assigned:
            throw ValueError(description: "\(name) cannot be written as text; write the value as hex.")
        }
    }

    private static func trimmed(_ text: String) -> String {
        let start = text.drop { $0 == " " }
        return String(start.reversed().drop { $0 == " " }.reversed())
    }

    private func expected(_ what: String, _ found: String) -> ValueError {
        ValueError(description: "\"\(found)\" is not \(what), as \(name) expects.")
    }

    private func special(_ word: String) -> UInt64? {
        special.first { $0.value.lowercased() == word.lowercased() }?.key
    }

    /// A number, without its unit.
    private func number(_ word: String) throws(ValueError) -> Double {
        let digits = !unit.isEmpty && word.hasSuffix(unit) ? Self.trimmed(String(word.dropLast(unit.count))) : word
        guard let value = Double(digits), value.isFinite else { throw expected("a number", word) }
        return value
    }

    /// The number for the air of a value in the unit.
    private func onAir(_ value: Double) -> Double {
        let power = (0..<abs(decimals)).reduce(1.0) { value, _ in value * 10 }
        let unscaled = decimals < 0 ? value * power : value / power
        return unscaled * Double(divisor) / Double(factor)
    }

    private func integer(_ word: String, _ count: Int, isSigned: Bool) throws(ValueError) -> [UInt8] {
        if let bits = special(word) { return Self.octets(bits, count) }
        let value = onAir(try number(word)).rounded()
        let width = UInt64(8 * count)
        let highest = isSigned ? UInt64(1) << (width - 1) - 1 : UInt64.max >> (64 - width)
        let lowest = isSigned ? -Double(highest) - 1 : 0
        guard value >= lowest, value <= Double(highest), value < 18e18 else {
            let range = "\(shown(lowest)) to \(shown(Double(highest)))"
            throw ValueError(
                description: "\"\(word)\" does not fit \(name): expected \(range)\(unit.isEmpty ? "" : " \(unit)").")
        }
        let bits = value < 0 ? UInt64(bitPattern: Int64(value)) : UInt64(value)
        return Self.octets(bits & UInt64.max >> (64 - width), count)
    }

    /// A number of the air in the unit.
    private func shown(_ value: Double) -> String {
        let power = (0..<abs(decimals)).reduce(1.0) { value, _ in value * 10 }
        let scaled = value * Double(factor) / Double(divisor)
        let result = decimals < 0 ? scaled / power : scaled * power
        return result == result.rounded() && abs(result) < 1e15 ? "\(Int64(result))" : "\(result)"
    }

    private func choice(_ word: String, _ count: Int, _ names: [UInt64: String]) throws(ValueError) -> UInt64 {
        if let value = names.first(where: { $0.value.lowercased() == word.lowercased() })?.key { return value }
        guard let value = UInt64(word), value <= UInt64.max >> UInt64(64 - 8 * count) else {
            let words = names.sorted { $0.key < $1.key }.map(\.value).joined(separator: ", ")
            throw ValueError(description: "\"\(word)\" is not one of \(words), or a number, as \(name) expects.")
        }
        return value
    }

    private func flags(_ word: String, _ count: Int, _ names: [Int: String]) throws(ValueError) -> UInt64 {
        if word == "none" { return 0 }
        if let value = UInt64(word), value <= UInt64.max >> UInt64(64 - 8 * count) { return value }
        var bits: UInt64 = 0
        for part in word.split(separator: "+") {
            let flag = Self.trimmed(String(part)).lowercased()
            guard let bit = names.first(where: { $0.value.lowercased() == flag })?.key else {
                let words = names.sorted { $0.key < $1.key }.map(\.value).joined(separator: ", ")
                throw ValueError(description: "\"\(flag)\" is not one of \(words), as \(name) expects.")
            }
            bits |= 1 << UInt64(bit)
        }
        return bits
    }

    private func date(_ word: some StringProtocol) throws(ValueError) -> CalendarDate {
        let parts = word.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) ?? -1 }
        guard parts.count == 3, (1582...9999).contains(parts[0]), (1...12).contains(parts[1]),
            (1...CalendarDate.days(in: parts[1], of: parts[0])).contains(parts[2])
        else { throw expected("a date such as 2026-02-28", String(word)) }
        return CalendarDate(year: parts[0], month: parts[1], day: parts[2])
    }

    private func dateTime(_ word: String) throws(ValueError) -> [UInt8] {
        let halves = word.split { $0 == " " || $0 == "T" }
        let example = "a time such as \"2026-02-28 13:45:00\""
        guard halves.count == 2 else { throw expected(example, word) }
        let clock = halves[1].split(separator: ":", omittingEmptySubsequences: false).map { UInt8($0) ?? 255 }
        guard clock.count == 3, clock[0] < 24, clock[1] < 60, clock[2] < 60 else { throw expected(example, word) }
        return Self.octets(try date(halves[0])) + clock
    }

    private static func octets(_ date: CalendarDate) -> [UInt8] {
        [UInt8(date.year & 0xFF), UInt8(date.year >> 8), UInt8(date.month), UInt8(date.day)]
    }

    private static func octets(_ bits: UInt64, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: bits >> UInt64(8 * $0)) }
    }
}
