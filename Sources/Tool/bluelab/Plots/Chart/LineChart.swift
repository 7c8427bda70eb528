/// A line chart of one or several series over time. The chart is a value: `svg(width:height:)` returns the content of a file.
package struct LineChart: Hashable, Sendable {
    package struct Series: Hashable, Sendable {
        /// The text in the legend.
        package var name: String
        /// The points in the order of their times.
        package var points: [ChartPoint]

        package init(name: String, points: [ChartPoint] = []) {
            self.name = name
            self.points = points
        }
    }

    package var title: String
    /// The unit of the values, above the value axis. Empty for none.
    package var unit: String
    package var series: [Series]

    package init(title: String, unit: String = "", series: [Series]) {
        self.title = title
        self.unit = unit
        self.series = series
    }
}

/// A value at a time.
package struct ChartPoint: Hashable, Sendable {
    /// Seconds since the start of the recording.
    package var time: Double
    /// A value that is not finite is a gap in the line.
    package var value: Double

    package init(time: Double, value: Double) {
        self.time = time
        self.value = value
    }

    /// Whether the point has a place in a chart. Beyond 1e300, the distance between two values could be infinite.
    var isDrawable: Bool { time.isFinite && abs(time) <= 1e300 && value.isFinite && abs(value) <= 1e300 }
}
