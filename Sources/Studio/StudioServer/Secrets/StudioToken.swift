import BLEWire

/// The secret of a link: 128 random bits as hexadecimal digits. Each run of the studio has its own, so a token that leaks after the
/// run opens nothing.
package struct StudioToken: Hashable, Sendable {
    package let text: String

    /// A new token.
    package init() { text = RandomDigits.text(octets: 16) }

    /// Compares in a time that does not depend on the octets.
    func isEqual(to other: String) -> Bool { text.isEqualInConstantTime(to: other) }
}

/// Random octets as hexadecimal digits.
enum RandomDigits {
    static func text(octets: Int) -> String {
        var random = SystemRandomNumberGenerator()
        return Hexadecimal.digits((0..<octets).map { _ in random.next() })
    }

    /// Whether a text is the given number of octets as lower-case hexadecimal digits.
    static func isText(_ text: some StringProtocol, octets: Int) -> Bool {
        text.utf8.count == 2 * octets
            && text.utf8.allSatisfy { (48...57).contains($0) || (97...102).contains($0) }
    }
}

extension String {
    /// Compares in a time that depends on the lengths only.
    func isEqualInConstantTime(to other: String) -> Bool {
        guard other.utf8.count == utf8.count else { return false }
        return zip(utf8, other.utf8).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
