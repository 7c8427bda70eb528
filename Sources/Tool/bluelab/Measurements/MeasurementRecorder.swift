import BLEValues

/// Keeps the numbers of a command for its plot, writes its lines to a file, and draws on the terminal.
@MainActor
final class MeasurementRecorder {
    private let title: String
    private let live: LiveChart?
    /// The file of `--csv`.
    var file: LineFile?
    private var series: [MeasurementSeries] = []

    init(title: String, live: LiveChart?) {
        self.title = title
        self.live = live
    }

    /// Whether values are drawn instead of printed.
    var isLive: Bool { live != nil }
    var hasNumbers: Bool { series.contains { $0.count > 0 } }

    /// Adds a value.
    ///
    /// - Parameters:
    ///   - name: The name of its series.
    ///   - row: Its line in the file.
    func add(_ name: String, _ quantity: Quantity?, at time: Duration, row: @autoclosure () -> String) throws {
        try file?.append(row())
        guard let quantity else { return }
        let index = series.firstIndex { $0.name == name } ?? series.count
        if index == series.count { series.append(MeasurementSeries(name: name, unit: quantity.unit ?? "")) }
        series[index].append(time / .seconds(1), quantity.number)
        try live?.show(series, isFinal: false)
    }

    /// Interrupts the lines of the plot, because the link was lost.
    func gap(at time: Duration) {
        for index in series.indices { series[index].append(time / .seconds(1), .nan) }
    }

    /// Draws the last values.
    func finish() {
        // The command reports what ended it, not what its last drawing met.
        if !series.isEmpty { try? live?.show(series, isFinal: true) }
    }

    var chart: LineChart {
        let units = Set(series.map(\.unit))
        let unit = units.count == 1 ? units.first ?? "" : ""
        return LineChart(
            title: title, unit: unit,
            series: series.map { one in
                let name = unit.isEmpty && !one.unit.isEmpty ? "\(one.name) (\(one.unit))" : one.name
                return LineChart.Series(name: name, points: one.points)
            })
    }
}

/// The numbers of one characteristic.
struct MeasurementSeries {
    let name: String
    let unit: String
    private(set) var points: [ChartPoint] = []
    /// The number of values, including those that the plot no longer has.
    private(set) var count = 0
    private(set) var lowest = Double.infinity
    private(set) var highest = -Double.infinity
    private var sum = 0.0

    /// The number of points above which a series keeps every second one.
    static let pointLimit = 200_000

    init(name: String, unit: String) {
        self.name = name
        self.unit = unit
    }

    var mean: Double { count == 0 ? 0 : sum / Double(count) }

    mutating func append(_ time: Double, _ value: Double) {
        points.append(ChartPoint(time: time, value: value))
        if points.count > Self.pointLimit {
            points = stride(from: 0, to: points.count, by: 2).map { points[$0] }
        }
        guard value.isFinite else { return }
        count += 1
        sum += value
        lowest = min(lowest, value)
        highest = max(highest, value)
    }
}
