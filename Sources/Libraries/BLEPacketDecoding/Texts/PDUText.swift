import BLEWire

/// A PDU in words.
package struct PDUText: Hashable, Sendable {
    /// The specification's name of the PDU, such as `ATT_READ_REQ` or `LL_PHY_REQ`.
    package var name: String
    /// The parameters; empty if there are none.
    package var detail: String
    /// The PDU as one line of a trace.
    package var line: String

    init(_ name: String, _ detail: String = "") {
        self.name = name
        self.detail = detail
        line = detail.isEmpty ? name : "\(name) \(detail)"
    }

    init(_ name: String, _ detail: String = "", line: String) {
        self.name = name
        self.detail = detail
        self.line = line
    }
}

/// Octets as hexadecimal digits. Beyond `limit` octets only their number follows.
func octetText(_ bytes: Span<UInt8>, limit: Int = 24, in language: TextLanguage = .english) -> String {
    var parts: [String] = []
    for index in 0..<min(bytes.count, limit) { parts.append(hexadecimal(bytes[index], digits: 2)) }
    let text = parts.joined(separator: " ")
    return bytes.count > limit ? "\(text) ... (\(language.octets(bytes.count)))" : text
}

/// A connection interval in milliseconds, from units of 1.25 ms.
func intervalText(_ units: UInt16) -> String {
    let hundredths = Int(units) * 125
    let fraction = String(hundredths % 100)
    return "\(hundredths / 100)." + String(repeating: "0", count: 2 - fraction.count) + fraction + " ms"
}
