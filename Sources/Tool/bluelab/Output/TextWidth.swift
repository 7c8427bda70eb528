/// The number of columns that text takes in a terminal. Characters of East Asia and emoji take two.
enum TextWidth {
    static func of(_ text: some StringProtocol) -> Int {
        // Most text is ASCII.
        text.utf8.allSatisfy({ $0 < 0x80 }) ? text.utf8.count : text.reduce(0) { $0 + of($1) }
    }

    /// 2 for wide characters of East Asian scripts and for emoji, 0 for combining marks without a base, 1 for others.
    static func of(_ character: Character) -> Int {
        let scalars = character.unicodeScalars
        guard let first = scalars.first else { return 0 }
        // U+FE0F selects the emoji form of a character, which is wide.
        if scalars.count > 1, scalars.contains(where: { $0.value == 0xFE0F }) { return 2 }
        return of(first)
    }

    private static func of(_ scalar: Unicode.Scalar) -> Int {
        if scalar.value < 0x300 { return 1 }
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: return 0
        default: break
        }
        return wide.contains { $0.contains(scalar.value) } || scalar.properties.isEmojiPresentation ? 2 : 1
    }

    /// The blocks whose characters have the property East_Asian_Width of W or F (Unicode Standard Annex 11).
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA000...0xA4CF,
        0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF00...0xFF60,
        0xFFE0...0xFFE6, 0x17000...0x18CFF, 0x1AFF0...0x1B2FF, 0x20000...0x3FFFD,
    ]

    /// `text`, truncated with `ellipsis` if it is wider than `width` columns.
    static func clipped(_ text: String, _ width: Int, ellipsis: String = "\u{2026}") -> String {
        of(text) <= width ? text : fitted(text, width, ellipsis: ellipsis)
    }

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
