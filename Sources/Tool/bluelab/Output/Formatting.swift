import BLEWire

/// Seconds with three decimals, right-aligned, as `  12.345 s`.
func seconds(_ duration: Duration, width: Int = 7) -> String {
    let milliseconds = duration.components.seconds * 1000 + duration.components.attoseconds / 1_000_000_000_000_000
    let fraction = String(milliseconds % 1000)
    let text = "\(milliseconds / 1000)." + String(repeating: "0", count: 3 - fraction.count) + fraction
    return padded(text, width) + " s"
}

/// `text` padded on the left to `width` characters.
func padded(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.count)) + text
}

/// `text` padded on the right to `width` characters.
func filled(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
}

/// Octets as hexadecimal digits. Beyond `limit` octets only their number follows.
func hexadecimal(_ bytes: Span<UInt8>, limit: Int = 24) -> String {
    var parts: [String] = []
    for index in 0..<min(bytes.count, limit) { parts.append(hexadecimal(bytes[index], digits: 2)) }
    let text = parts.joined(separator: " ")
    return bytes.count > limit ? "\(text) ... (\(bytes.count) octets)" : text
}

/// A number with at most two decimals.
func number(_ value: Double) -> String {
    let hundredths = (value * 100).rounded()
    guard abs(hundredths) < 1e15 else { return String(value) }
    if hundredths.truncatingRemainder(dividingBy: 100) == 0 { return String(Int(hundredths / 100)) }
    return String(hundredths / 100)
}

/// "1 octet", "20 octets".
func octetCount(_ count: Int) -> String { count == 1 ? "1 octet" : "\(count) octets" }
