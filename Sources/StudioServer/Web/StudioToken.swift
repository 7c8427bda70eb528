/// The secret of a link: 128 random bits as hexadecimal digits.
package struct StudioToken: Hashable, Sendable {
    static let length = 32
    package let text: String

    /// A new token.
    package init() {
        var random = SystemRandomNumberGenerator()
        text = (0..<2).map { _ in
            let digits = String(random.next() as UInt64, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }

    /// A token that was kept; nil if the text is none.
    package init?(kept text: some StringProtocol) {
        guard text.utf8.count == Self.length,
            text.utf8.allSatisfy({ (48...57).contains($0) || (97...102).contains($0) })
        else { return nil }
        self.text = String(text)
    }

    /// Compares in a time that does not depend on the octets.
    func isEqual(to other: String) -> Bool {
        guard other.utf8.count == text.utf8.count else { return false }
        return zip(text.utf8, other.utf8).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
