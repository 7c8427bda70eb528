import BLEValues

/// Values of adopted characteristics in the languages of texts. Texts of a device stay as they are, and so do names without an entry.
package enum ValueWords {
    /// The fields in one line, as `DecodedValue.summary` has them.
    package static func summary(_ value: DecodedValue, in language: TextLanguage) -> String {
        guard language == .chinese else { return value.summary }
        let shown = value.entries.count > 1 ? value.entries.filter { $0.name != "Flags" } : value.entries
        return shown.enumerated().map { index, entry in
            index == 0 ? text(entry, in: language) : "\(name(entry, in: language)) \(text(entry, in: language))"
        }.joined(separator: language.comma)
    }

    /// The value of a field with its unit.
    package static func text(_ entry: DecodedValue.Entry, in language: TextLanguage) -> String {
        let words = language == .chinese && entry.hasWords ? chinese(entry.text) : entry.text
        let unit = unit(entry, in: language)
        return unit.isEmpty ? words : "\(words) \(unit)"
    }

    package static func name(_ entry: DecodedValue.Entry, in language: TextLanguage) -> String {
        language == .chinese ? names[entry.name] ?? FieldNames.name(entry.name, in: language) : entry.name
    }

    /// A word, flags as "a + b", or the parts of an integer as "a, b 3".
    static func chinese(_ text: String) -> String {
        if let word = words[text] { return word }
        for (separator, other) in [(" + ", " + "), (", ", "，")] where text.contains(separator) {
            return text.split(separator: separator).map { chinese(String($0)) }.joined(separator: other)
        }
        // A part without a name for its value, and a flag without a name.
        guard let space = text.lastIndex(of: " "), let word = words[String(text[..<space])] else { return text }
        return word + text[space...]
    }

    private static func unit(_ entry: DecodedValue.Entry, in language: TextLanguage) -> String {
        language == .chinese ? units[entry.unit] ?? entry.unit : entry.unit
    }

    private static let units = [
        "years": "岁", "steps": "步", "strides": "步", "steps/min": "步/min", "1/min": "次/min",
    ]
}
