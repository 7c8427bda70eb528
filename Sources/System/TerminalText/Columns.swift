/// Seconds with three decimals, right-aligned, as `  12.345 s`.
package func seconds(_ duration: Duration, width: Int = 7) -> String {
    let milliseconds = duration.components.seconds * 1000 + duration.components.attoseconds / 1_000_000_000_000_000
    let fraction = String(milliseconds % 1000)
    let text = "\(milliseconds / 1000)." + String(repeating: "0", count: 3 - fraction.count) + fraction
    return padded(text, width) + " s"
}

/// `text` padded on the left to `width` characters.
package func padded(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.count)) + text
}

/// `text` padded on the right to `width` characters.
package func filled(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
}
