/// Draws values of a pulse: one as a bar, many as one line of small columns. Plain ASCII where the terminal has no more.
struct PulsePlot {
    let isUnicode: Bool
    /// The values that have the shortest and the longest bar.
    let range: ClosedRange<Int>
    /// Characters of the longest bar.
    let width: Int

    init(isUnicode: Bool, range: ClosedRange<Int> = 50...100, width: Int = 32) {
        self.isUnicode = isUnicode
        self.range = range
        self.width = width
    }

    /// The share of the range that `value` has, from 0 to 1.
    private func share(of value: Int) -> Double {
        let span = max(1, range.upperBound - range.lowerBound)
        return min(1, max(0, Double(value - range.lowerBound) / Double(span)))
    }

    /// A bar, in eighths of a character where the terminal can.
    func bar(_ value: Int) -> String {
        let length = share(of: value) * Double(width)
        guard isUnicode else { return String(repeating: "#", count: Int(length.rounded())) }
        let eighths = Int((length * 8).rounded())
        let parts = ["", "\u{258F}", "\u{258E}", "\u{258D}", "\u{258C}", "\u{258B}", "\u{258A}", "\u{2589}"]
        return String(repeating: "\u{2588}", count: eighths / 8) + parts[eighths % 8]
    }

    /// One small column for each value, between the lowest and the highest of them.
    func line(_ values: [Int]) -> String {
        guard let low = values.min(), let high = values.max() else { return "" }
        return String(values.map { levels[($0 - low) * (levels.count - 1) / max(1, high - low)] })
    }

    /// One small column for each value, within the plot's range.
    func history(_ values: some Sequence<Int>) -> String {
        String(values.map { levels[Int((share(of: $0) * Double(levels.count - 1)).rounded())] })
    }

    private var levels: [Character] {
        isUnicode ? Array("\u{2581}\u{2582}\u{2583}\u{2584}\u{2585}\u{2586}\u{2587}\u{2588}") : Array("_.-=+*#@")
    }
}
