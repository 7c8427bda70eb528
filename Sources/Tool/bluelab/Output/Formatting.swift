import BLEWire

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
