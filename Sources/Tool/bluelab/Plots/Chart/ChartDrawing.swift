/// The lines and labels of a chart in pixels.
struct ChartDrawing: Sendable {
    struct Point: Hashable, Sendable {
        var x: Double
        /// Grows downwards.
        var y: Double
    }

    enum Anchor: Sendable { case start, middle, end }

    enum Mark: Sendable {
        case grid(Point, Point)
        case axis(Point, Point)
        case label(String, Point, Anchor, isTitle: Bool)
        /// The line of a series; a path of one point is a dot.
        case path([Point], series: Int)
    }

    /// The size of the chart and of its letters. A label's point is the middle of its height.
    struct Metrics: Sendable {
        let width: Double
        let height: Double
        let letterWidth: Double
        let lineHeight: Double
    }

    /// The number of colours. Further series repeat them.
    static let colorCount = 8

    private(set) var marks: [Mark] = []
    private let metrics: Metrics

    init(_ chart: LineChart, _ metrics: Metrics) {
        self.metrics = metrics
        let drawn = chart.series.map { $0.points.filter(\.isDrawable) }
        let all = drawn.joined()
        let times = all.map(\.time)
        let values = all.map(\.value)
        let line = metrics.lineHeight
        var top = line
        marks.append(.label(chart.title, Point(x: line, y: top), .start, isTitle: true))
        if chart.series.count > 1 { top = drawLegend(chart.series, below: top) }
        top += line * 1.2

        let bottom = metrics.height - line * 2.2
        let rows = max(2, min(8, Int((bottom - top) / (line * 2.2))))
        let valueTicks = AxisTicks.values(from: values.min() ?? 0, to: values.max() ?? 1, count: rows)
        let letters = max(valueTicks.labels.map(\.count).max() ?? 0, 3)
        let left = line + Double(letters) * metrics.letterWidth + line / 2
        let right = max(left + 1, metrics.width - line * 1.5)
        let columns = max(2, min(12, Int((right - left) / (metrics.letterWidth * 10))))
        let timeTicks = AxisTicks.times(from: times.min() ?? 0, to: times.max() ?? 1, count: columns)
        let area = Area(left: left, right: right, top: top + line, bottom: max(top + line + 1, bottom))

        if !chart.unit.isEmpty {
            marks.append(.label(chart.unit, Point(x: left, y: top), .start, isTitle: false))
        }
        draw(valueTicks, timeTicks, area)
        if all.isEmpty {
            let middle = Point(x: (area.left + area.right) / 2, y: (area.top + area.bottom) / 2)
            marks.append(.label("no values", middle, .middle, isTitle: false))
        }
        for (index, series) in chart.series.enumerated() {
            for run in Self.runs(series.points) {
                let points = run.map { point in
                    Point(
                        x: area.left + (area.right - area.left) * timeTicks.range.share(of: point.time),
                        y: area.bottom - (area.bottom - area.top) * valueTicks.range.share(of: point.value))
                }
                marks.append(.path(Self.thinned(points), series: index))
            }
        }
    }

    private struct Area {
        let left, right, top, bottom: Double
    }

    private mutating func drawLegend(_ series: [LineChart.Series], below top: Double) -> Double {
        let line = metrics.lineHeight
        var position = Point(x: line, y: top + line * 1.2)
        for (index, one) in series.enumerated() {
            let width = line * 2.5 + Double(one.name.count + 2) * metrics.letterWidth
            if position.x > line, position.x + width > metrics.width {
                position = Point(x: line, y: position.y + line * 1.1)
            }
            let end = Point(x: position.x + line * 1.5, y: position.y)
            marks.append(.path([position, end], series: index))
            marks.append(.label(one.name, Point(x: end.x + line / 2, y: position.y), .start, isTitle: false))
            position.x += width
        }
        return position.y
    }

    private mutating func draw(_ values: AxisTicks, _ times: AxisTicks, _ area: Area) {
        let line = metrics.lineHeight
        for (value, label) in zip(values.values, values.labels) {
            let y = area.bottom - (area.bottom - area.top) * values.range.share(of: value)
            marks.append(.grid(Point(x: area.left, y: y), Point(x: area.right, y: y)))
            marks.append(.label(label, Point(x: area.left - line / 2, y: y), .end, isTitle: false))
        }
        for (index, value) in times.values.enumerated() {
            let x = area.left + (area.right - area.left) * times.range.share(of: value)
            marks.append(.axis(Point(x: x, y: area.bottom), Point(x: x, y: area.bottom + line / 3)))
            let unit = index == times.values.count - 1 ? " " + times.unit : ""
            marks.append(
                .label(times.labels[index] + unit, Point(x: x, y: area.bottom + line), .middle, isTitle: false))
        }
        marks.append(.axis(Point(x: area.left, y: area.bottom), Point(x: area.right, y: area.bottom)))
    }

    /// The uninterrupted parts of a line.
    private static func runs(_ points: [ChartPoint]) -> [ArraySlice<ChartPoint>] {
        points.split { !$0.isDrawable }
    }

    /// At most four points in each column of pixels: the first, the lowest, the highest and the last.
    static func thinned(_ points: [Point]) -> [Point] {
        guard points.count > 4 else { return points }
        var result: [Point] = []
        var start = 0
        while start < points.count {
            let column = points[start].x.rounded(.down)
            var end = start + 1
            while end < points.count, points[end].x.rounded(.down) == column { end += 1 }
            if end - start <= 4 {
                result += points[start..<end]
            } else {
                let indices = start..<end
                let high = indices.min { points[$0].y < points[$1].y } ?? start
                let low = indices.max { points[$0].y < points[$1].y } ?? start
                for index in Set([start, min(low, high), max(low, high), end - 1]).sorted() {
                    result.append(points[index])
                }
            }
            start = end
        }
        return result
    }
}
