/// Draws a value as a bar, and several values as a line of columns. Uses ASCII if the terminal does not support Unicode.
struct PulsePlot {
    let isUnicode: Bool
    /// The values of the shortest and the longest bar.
    let range: ClosedRange<Int>
    /// The length of the longest bar in characters.
    let width: Int

    init(isUnicode: Bool, range: ClosedRange<Int> = 50...100, width: Int = 32) {
        self.isUnicode = isUnicode
        self.range = range
        self.width = width
    }

    /// The position of `value` in the range, 0 to 1.
    private func share(of value: Int) -> Double {
        let span = max(1, range.upperBound - range.lowerBound)
        return min(1, max(0, Double(value - range.lowerBound) / Double(span)))
    }

    /// A bar in eighths of a character, or in whole characters in ASCII.
    func bar(_ value: Int) -> String {
        let length = share(of: value) * Double(width)
        guard isUnicode else { return String(repeating: "#", count: Int(length.rounded())) }
        let eighths = Int((length * 8).rounded())
        let parts = ["", "\u{258F}", "\u{258E}", "\u{258D}", "\u{258C}", "\u{258B}", "\u{258A}", "\u{2589}"]
        return String(repeating: "\u{2588}", count: eighths / 8) + parts[eighths % 8]
    }

    /// One column for each value, scaled to the lowest and the highest value.
    func line(_ values: [Int]) -> String {
        guard let low = values.min(), let high = values.max() else { return "" }
        return String(values.map { levels[($0 - low) * (levels.count - 1) / max(1, high - low)] })
    }

    /// One column for each value, scaled to the range of the plot.
    func history(_ values: some Sequence<Int>) -> String {
        String(values.map { levels[Int((share(of: $0) * Double(levels.count - 1)).rounded())] })
    }

    private var levels: [Character] {
        isUnicode ? Array("\u{2581}\u{2582}\u{2583}\u{2584}\u{2585}\u{2586}\u{2587}\u{2588}") : Array("_.-=+*#@")
    }
}
