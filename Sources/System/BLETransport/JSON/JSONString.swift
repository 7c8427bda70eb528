import BLEWire

/// Strings in JSON (RFC 8259, section 7), the same in all output of the project.
///
/// Escapes quotes, backslashes, and everything that a terminal or an editor interprets: the controls C0 and C1, U+007F, the marks of text
/// direction, and the separators of lines and paragraphs.
package enum JSONString {
    private static let quote = UInt8(ascii: "\"")
    private static let backslash = UInt8(ascii: "\\")

    /// Appends a string with its quotes.
    package static func append(_ text: String, to octets: inout [UInt8]) {
        octets.append(quote)
        defer { octets.append(quote) }
        var text = text
        let needsNoEscape = text.withUTF8 { utf8 in
            guard utf8.allSatisfy({ isPlain($0) && $0 != quote && $0 != backslash }) else { return false }
            octets.append(contentsOf: utf8)
            return true
        }
        guard !needsNoEscape else { return }
        for scalar in text.unicodeScalars {
            if scalar == "\"" || scalar == "\\" { octets.append(backslash) }
            append(scalar, to: &octets)
        }
    }

    /// The string with its quotes.
    package static func quoted(_ text: String) -> String {
        var octets: [UInt8] = []
        append(text, to: &octets)
        return String(decoding: octets, as: UTF8.self)
    }

    /// Escapes what `JSONEncoder` keeps in strings.
    ///
    /// - Parameter json: JSON without line breaks between its values.
    package static func escaping(_ json: String) -> String {
        guard !json.utf8.allSatisfy(isPlain) else { return json }
        var octets: [UInt8] = []
        for scalar in json.unicodeScalars { append(scalar, to: &octets) }
        return String(decoding: octets, as: UTF8.self)
    }

    private static func append(_ scalar: Unicode.Scalar, to octets: inout [UInt8]) {
        guard isEscaped(scalar) else {
            return octets.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
        }
        octets.append(contentsOf: [backslash, UInt8(ascii: "u")])
        Hexadecimal.append(UInt8(truncatingIfNeeded: scalar.value >> 8), to: &octets)
        Hexadecimal.append(UInt8(truncatingIfNeeded: scalar.value), to: &octets)
    }

    private static func isEscaped(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F...0x9F, 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }

    /// Whether an octet of UTF-8 is no part of a character that is escaped as a number. These begin with C2, D8 and E2 beyond ASCII.
    private static func isPlain(_ octet: UInt8) -> Bool {
        octet >= 0x20 && octet != 0x7F && octet != 0xC2 && octet != 0xD8 && octet != 0xE2
    }
}
