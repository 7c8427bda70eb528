import BLEValues

/// Texts of devices for the page: without control characters, and of a limited length.
enum ShownText {
    private static let nameLimit = 80
    static let valueLimit = 1200

    static func name(_ text: String) -> String { shortened(text, nameLimit) }
    static func value(_ text: String) -> String { shortened(text, valueLimit) }

    /// Counts octets, because a character may consist of any number of scalars.
    private static func shortened(_ text: String, _ limit: Int) -> String {
        guard text.utf8.count > limit else { return FittingText.printable(text) }
        var short = ""
        for scalar in text.unicodeScalars {
            guard short.utf8.count + 4 <= limit else { break }
            short.unicodeScalars.append(scalar)
        }
        return FittingText.printable(short) + "\u{2026}"
    }
}
