/// The number of columns that text takes in a terminal. Characters of East Asia and emoji take two.
enum TextWidth {
    static func of(_ text: some StringProtocol) -> Int {
        // Most text is ASCII.
        text.utf8.allSatisfy({ $0 < 0x80 }) ? text.utf8.count : text.reduce(0) { $0 + of($1) }
    }

    /// The columns of a character: those of its widest scalar (Unicode, East Asian Width W and F).
    static func of(_ character: Character) -> Int {
        character.unicodeScalars.reduce(0) { width, scalar in
            max(width, scalar.properties.isEmojiPresentation || wide.contains { $0.contains(scalar.value) } ? 2 : 1)
        }
    }

    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA000...0xA4CF,
        0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF00...0xFF60,
        0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F900...0x1F9FF, 0x20000...0x3FFFD,
    ]

    /// `text` padded on the right, or truncated with `ellipsis`, to exactly `width` columns.
    static func fitted(_ text: String, _ width: Int, ellipsis: String = "\u{2026}") -> String {
        guard width > 0 else { return "" }
        let needed = of(text)
        if needed <= width { return text + String(repeating: " ", count: width - needed) }
        var result = ""
        var used = 0
        for character in text {
            let next = of(character)
            if used + next > width - 1 { break }
            result.append(character)
            used += next
        }
        return result + ellipsis + String(repeating: " ", count: width - 1 - used)
    }
}
