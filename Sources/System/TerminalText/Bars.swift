/// Several values as a line of columns, one character each.
package struct Sparkline: Hashable, Sendable {
    package let isUnicode: Bool
    /// The values of the lowest and the highest column; nil scales to the values.
    package let range: ClosedRange<Double>?

    package init(isUnicode: Bool, range: ClosedRange<Double>? = nil) {
        self.isUnicode = isUnicode
        self.range = range
    }

    /// The line. A value that is not finite is a space.
    package func text(_ values: some Sequence<Double>) -> String {
        let values = Array(values)
        let finite = values.filter(\.isFinite)
        guard let low = finite.min(), let high = finite.max() else {
            return String(repeating: " ", count: values.count)
        }
        let range = range ?? low...high
        let levels: [Character] = isUnicode ? Array("▁▂▃▄▅▆▇█") : Array("_.-=+*#@")
        return String(
            values.map { value in
                guard value.isFinite else { return " " }
                return levels[Int((range.share(of: value) * Double(levels.count - 1)).rounded())]
            })
    }
}

/// A value as a horizontal bar.
package struct BarText: Hashable, Sendable {
    package let isUnicode: Bool
    /// The values of the shortest and the longest bar.
    package let range: ClosedRange<Double>
    /// The length of the longest bar in characters.
    package let width: Int

    package init(isUnicode: Bool, range: ClosedRange<Double>, width: Int) {
        self.isUnicode = isUnicode
        self.range = range
        self.width = width
    }

    /// A bar in eighths of a character, or in whole characters in ASCII. Empty for a value that is not finite.
    package func text(_ value: Double) -> String {
        guard value.isFinite, width > 0 else { return "" }
        let length = range.share(of: value) * Double(width)
        guard isUnicode else { return String(repeating: "#", count: Int(length.rounded())) }
        let eighths = Int((length * 8).rounded())
        let parts = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"]
        return String(repeating: "█", count: eighths / 8) + parts[eighths % 8]
    }
}
