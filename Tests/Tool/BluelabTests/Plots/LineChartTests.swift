import Foundation
import Testing

#if canImport(FoundationXML)
import FoundationXML
#endif

@testable import bluelab

@Suite struct LineChartTests {
    private func chart(_ values: [Double], name: String = "pulse") -> LineChart {
        LineChart(
            title: "Heart Rate", unit: "bpm",
            series: [
                .init(name: name, points: values.enumerated().map { ChartPoint(time: Double($0), value: $1) })
            ])
    }

    private func count(_ word: String, in text: String) -> Int { text.components(separatedBy: word).count - 1 }

    @Test func theSVGHasItsTitleUnitAxesAndLine() {
        let svg = chart([72, 74, 73]).svg()
        #expect(svg.hasPrefix("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg "))
        #expect(svg.contains("<title>Heart Rate</title>") && svg.contains(">bpm</text>"))
        #expect(svg.contains(">72.0</text>") && svg.contains(">2.0 s</text>"))
        #expect(count("<polyline ", in: svg) == 1 && svg.hasSuffix("</svg>\n"))
        #expect(svg.contains("prefers-color-scheme: dark"))
        #expect(!svg.contains(">pulse</text>"), "one series needs no legend")
    }

    @Test func severalSeriesHaveALegend() {
        var chart = chart([1, 2])
        chart.series.append(.init(name: "speed", points: [ChartPoint(time: 0, value: 3)]))
        let svg = chart.svg()
        #expect(svg.contains(">pulse</text>") && svg.contains(">speed</text>"))
        #expect(svg.contains("line c1") && count("<circle ", in: svg) == 1)
    }

    @Test func textsOfADeviceAreEscaped() throws {
        var chart = chart([1], name: "\"<a>&\u{0}\u{1B}[31m")
        chart.title = "<script>&\u{7}"
        chart.series.append(.init(name: "]]>"))
        let svg = chart.svg()
        #expect(!svg.contains("<script>") && svg.contains("&lt;script&gt;&amp;\u{FFFD}"))
        #expect(svg.unicodeScalars.allSatisfy { $0.value >= 0x20 || $0 == "\n" })
        #expect(svg.contains(">&quot;&lt;a&gt;&amp;\u{FFFD}\u{FFFD}[31m</text>"))
    }

    @Test(
        arguments: [
            [], [.nan], [.infinity, -.infinity], [5], [5, 5, 5], [1e300, -1e300], [.greatestFiniteMagnitude, 1],
            [1e-307, 0], [1, .nan, 2, 3], [-0.0],
        ] as [[Double]])
    func unusualValuesStayInsideTheImage(values: [Double]) {
        let svg = chart(values).svg(width: 300, height: 200)
        #expect(!svg.contains(/[">, ]-?(nan|inf)/))
        for match in svg.matches(of: /points="([^"]*)"/) {
            for pair in match.1.split(separator: " ") {
                let numbers = pair.split(separator: ",").compactMap { Double($0) }
                #expect(numbers.count == 2 && (0...300).contains(numbers[0]) && (0...200).contains(numbers[1]))
            }
        }
        let isEmpty = !values.contains { abs($0) <= 1e300 }
        #expect(svg.contains("no values") == isEmpty)
    }

    @Test func aValueThatIsNotANumberIsAGap() {
        let svg = chart([1, 2, .nan, 3, 4, .nan, 5]).svg()
        #expect(count("<polyline ", in: svg) == 2 && count("<circle ", in: svg) == 1)
    }

    @Test func manyPointsAreThinnedToThePixels() {
        let points = (0..<100_000).map { number in
            let y: Double = number == 50_050 ? 900 : Double(number % 7)
            return ChartDrawing.Point(x: Double(number) / 100, y: y)
        }
        let thin = ChartDrawing.thinned(points)
        #expect(thin.count <= 4000)
        #expect(thin.contains { $0.y == 900 }, "a peak stays visible")
        #expect(thin.map(\.x) == thin.map(\.x).sorted())
    }
}
