/// Lines of comma-separated values (RFC 4180).
enum CSV {
    static func line(_ fields: [String]) -> String { fields.map(field).joined(separator: ",") }

    private static func field(_ text: String) -> String {
        // A spreadsheet would compute a formula, which a stranger's device can have in its name.
        let isFormula = text.first.map { "=+-@\t\r".contains($0) } == true && !isNumber(text)
        let needsQuotes = isFormula || text.contains { $0 == "," || $0 == "\"" || $0.isNewline }
        let shown = isFormula ? "'" + text : text
        return needsQuotes ? "\"" + shown.replacing("\"", with: "\"\"") + "\"" : shown
    }

    private static func isNumber(_ text: String) -> Bool {
        text.utf8.allSatisfy { "0123456789.eE+-".utf8.contains($0) } && Double(text) != nil
    }
}
