/// A line chart in characters, for a terminal: braille dots, or `*` in ASCII.
package struct TextLineChart: Hashable, Sendable {
    package let columns: Int
    package let rows: Int
    package let isUnicode: Bool
    package let unit: String

    /// - Parameters:
    ///   - columns: The width in characters, including the labels, at least 12.
    ///   - rows: The height in lines, including the line of the times, at least 4.
    package init(columns: Int, rows: Int, isUnicode: Bool, unit: String = "") {
        self.columns = max(12, columns)
        self.rows = max(4, rows)
        self.isUnicode = isUnicode
        self.unit = unit
    }

    /// The lines of the chart, each of at most `columns` characters.
    ///
    /// - Parameter window: The seconds before the last point that the chart shows.
    package func lines(_ points: [ChartPoint], window: Double) -> [String] {
        let drawable = points.filter(\.isDrawable)
        let end = drawable.last?.time ?? 0
        let start = max(end - max(window, 1e-3), min(drawable.first?.time ?? 0, end))
        let visible = points.filter { !$0.isDrawable || $0.time >= start }
        let values = visible.filter(\.isDrawable).map(\.value)
        let height = rows - 1
        let ticks = AxisTicks.values(from: values.min() ?? 0, to: values.max() ?? 1, count: max(1, height / 3))
        let labelWidth = min(columns / 2, max(unit.count, ticks.labels.map(\.count).max() ?? 1))
        let width = columns - labelWidth - 2

        var dots = DotCanvas(columns: width, rows: height, isUnicode: isUnicode)
        for run in visible.split(whereSeparator: { !$0.isDrawable }) {
            let places = run.map { point in
                (
                    Int(((start...end).share(of: point.time) * Double(dots.width - 1)).rounded()),
                    Int(((1 - ticks.range.share(of: point.value)) * Double(dots.height - 1)).rounded())
                )
            }
            if let first = places.first { dots.set(first.0, first.1) }
            for (one, other) in zip(places, places.dropFirst()) { dots.line(from: one, to: other) }
        }

        var labels = [String](repeating: "", count: height)
        for (value, label) in zip(ticks.values, ticks.labels) {
            labels[Int(((1 - ticks.range.share(of: value)) * Double(height - 1)).rounded())] = label
        }
        let bar = isUnicode ? "┤" : "|"
        let plain = isUnicode ? "│" : "|"
        let body = zip(labels, dots.lines).map { label, line in
            padded(String(label.prefix(labelWidth)), labelWidth) + " " + (label.isEmpty ? plain : bar) + line
        }
        return body + [foot(start, end, labelWidth)]
    }

    /// The times of the first and the last column.
    private func foot(_ start: Double, _ end: Double, _ labelWidth: Int) -> String {
        let (first, last) = ("\(AxisTicks.decimal(start, decimals: 1)) s", "\(AxisTicks.decimal(end, decimals: 1)) s")
        let width = columns - labelWidth - 2
        let unit = padded(String(self.unit.prefix(labelWidth)), labelWidth)
        let space = max(1, width - first.count - last.count)
        return String((unit + "  " + first + String(repeating: " ", count: space) + last).prefix(columns))
    }

    private func padded(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text
    }
}

/// Dots in characters: two columns of four dots in a braille character, one in ASCII.
struct DotCanvas {
    private let columns: Int
    private let isUnicode: Bool
    private var cells: [UInt8]
    /// The size in dots.
    let width: Int
    let height: Int

    init(columns: Int, rows: Int, isUnicode: Bool) {
        self.columns = columns
        self.isUnicode = isUnicode
        cells = [UInt8](repeating: 0, count: columns * rows)
        width = isUnicode ? columns * 2 : columns
        height = isUnicode ? rows * 4 : rows
    }

    mutating func set(_ x: Int, _ y: Int) {
        guard (0..<width).contains(x), (0..<height).contains(y) else { return }
        guard isUnicode else { return cells[y * columns + x] = 1 }
        // The numbers of the dots in U+2800 to U+28FF go down the columns; the lowest row came later.
        let bits: [[UInt8]] = [[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]]
        cells[y / 4 * columns + x / 2] |= bits[y % 4][x % 2]
    }

    mutating func line(from start: (Int, Int), to end: (Int, Int)) {
        let steps = max(abs(end.0 - start.0), abs(end.1 - start.1), 1)
        for step in 0...steps {
            let share = Double(step) / Double(steps)
            set(
                start.0 + Int((Double(end.0 - start.0) * share).rounded()),
                start.1 + Int((Double(end.1 - start.1) * share).rounded()))
        }
    }

    var lines: [String] {
        stride(from: 0, to: cells.count, by: max(1, columns)).map { row in
            String(
                cells[row..<row + columns].map { cell -> Character in
                    guard cell != 0 else { return " " }
                    guard isUnicode, let scalar = Unicode.Scalar(0x2800 + UInt32(cell)) else { return "*" }
                    return Character(scalar)
                })
        }
    }
}
