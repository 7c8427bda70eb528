/// A builder for a JSON object on one line.
package struct JSONObjectWriter {
    private(set) var text = "{"

    var closed: String { text + "}" }

    mutating func add(_ key: String, _ value: String) { add(key, raw: Self.quoted(value)) }
    mutating func add(_ key: String, _ value: Bool) { add(key, raw: value ? "true" : "false") }
    mutating func add(_ key: String, _ value: Int) { add(key, raw: String(value)) }
    /// - Parameter value: A finite number.
    mutating func add(_ key: String, _ value: Double) {
        let isWhole = value.rounded() == value && abs(value) < 1e15
        add(key, raw: isWhole ? String(Int(value)) : String(value))
    }
    mutating func add(_ key: String, _ values: [JSONObjectWriter]) {
        add(key, raw: "[" + values.map(\.closed).joined(separator: ",") + "]")
    }

    private mutating func add(_ key: String, raw: String) {
        if text.count > 1 { text += "," }
        text += Self.quoted(key) + ":" + raw
    }

    package static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case _ where scalar.value < 0x20 || scalar.value == 0x7F:
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
