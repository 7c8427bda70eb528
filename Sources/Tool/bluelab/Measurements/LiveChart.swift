import Foundation

/// Draws series on the terminal and replaces the previous drawing.
@MainActor
final class LiveChart {
    private let isUnicode = Terminal().isUnicode
    private var drawnLines = 0
    private var drawnColumns = 0
    private var lastDrawing: ContinuousClock.Instant?

    /// The shortest time between two drawings.
    private static let period = Duration.milliseconds(100)
    /// The seconds that a chart shows.
    private static let window = 60.0
    private static let largestHeight = 16

    init() {}

    /// Whether the output is a terminal that can move its cursor.
    static var isPossible: Bool {
        isatty(STDOUT_FILENO) == 1 && ProcessInfo.processInfo.environment["TERM"] != "dumb"
    }

    /// Draws the series, at most every 100 ms.
    ///
    /// - Parameter isFinal: Whether this is the last drawing, which is not omitted.
    func show(_ series: [MeasurementSeries], isFinal: Bool) throws {
        let now = ContinuousClock.now
        if !isFinal, let lastDrawing, now - lastDrawing < Self.period { return }
        lastDrawing = now
        let size = TerminalSize.current
        let lines = Self.lines(series, rows: size.rows, columns: size.columns, isUnicode: isUnicode)
        // Another width moves the lines of the previous drawing, so it stays.
        if size.columns != drawnColumns { drawnLines = 0 }
        let top = drawnLines > 0 ? "\u{1B}[\(drawnLines)A\r" : ""
        drawnLines = lines.count
        drawnColumns = size.columns
        try emit(Terminal.frame(top + lines.map { $0 + "\u{1B}[K\n" }.joined() + "\u{1B}[J"), terminator: "")
    }

    /// The lines of a drawing: each series has a line of numbers and a chart.
    static func lines(_ series: [MeasurementSeries], rows: Int, columns: Int, isUnicode: Bool) -> [String] {
        let shown = series.prefix(max(1, (rows - 1) / 5))
        let height = min(largestHeight, max(4, (rows - 1) / max(1, shown.count) - 1))
        return shown.flatMap { one -> [String] in
            let unit = one.unit.isEmpty ? "" : " \(one.unit)"
            let last = one.points.last { $0.value.isFinite }?.value ?? 0
            let head =
                "\(one.name)  \(number(last))\(unit)   min \(number(one.lowest))  mean \(number(one.mean))  max \(number(one.highest))  n \(one.count)"
            let chart = TextLineChart(columns: columns - 1, rows: height, isUnicode: isUnicode, unit: one.unit)
            return [String(head.prefix(columns - 1))] + chart.lines(one.points, window: window)
        }
    }
}
