import BLEWire

/// Formats a value without a chosen format, and makes texts of devices safe to show.
package enum FittingText {
    /// The value by its adopted format, else as text, else as octets with a possible number.
    ///
    /// - Parameters:
    ///   - schema: The adopted format of the attribute; nil if there is none.
    ///   - words: The words of the text.
    package static func text(_ octets: [UInt8], _ schema: Schema?, _ words: Words = .english) -> String {
        guard !octets.isEmpty else { return words.empty }
        if let value = try? schema?.decode(octets) {
            let rest = value.rest.isEmpty ? "" : " + \(Hexadecimal.text(value.rest))"
            return printable(words.summary(value)) + rest
        }
        if octets.count > 1, let text = String(validating: octets, as: UTF8.self), text.allSatisfy(isPrintable) {
            return "\"\(text)\""
        }
        let hexadecimal = Hexadecimal.text(octets)
        guard let format = numberFormats.first(where: { $0.count == octets.count }), let number = format.text(octets)
        else { return hexadecimal }
        return "\(hexadecimal)  \(format.name) \(number)"
    }

    /// What a language changes in a text.
    package struct Words: Sendable {
        let empty: String
        let summary: @Sendable (DecodedValue) -> String

        package init(empty: String, summary: @escaping @Sendable (DecodedValue) -> String) {
            (self.empty, self.summary) = (empty, summary)
        }

        package static let english = Words(empty: "(empty)") { $0.summary }
    }

    private static let numberFormats = [8, 16, 32].map { ValueFormat(.unsigned(bits: $0)) }

    /// Replaces characters that move the cursor, change colours or change the direction of the text.
    package static func printable(_ text: String) -> String {
        text.allSatisfy(isPrintable) ? text : String(text.map { isPrintable($0) ? $0 : "\u{FFFD}" })
    }

    private static func isPrintable(_ character: Character) -> Bool {
        character.unicodeScalars.allSatisfy { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: false
            default: true
            }
        }
    }
}
