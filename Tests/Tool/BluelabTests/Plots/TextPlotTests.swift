import Testing

@testable import bluelab

@Suite struct TextPlotTests {
    private func points(_ values: [Double]) -> [ChartPoint] {
        values.enumerated().map { ChartPoint(time: Double($0), value: $1) }
    }

    @Test func aTextChartHasAxisLabelsAndTimes() {
        let lines = TextLineChart(columns: 40, rows: 8, isUnicode: true, unit: "bpm").lines(
            points([60, 80, 60]), window: 60)
        #expect(lines.count == 8 && lines.allSatisfy { $0.count <= 40 })
        #expect(lines[0].hasPrefix(" 80 ┤") && lines[6].hasPrefix(" 60 ┤") && lines[7].hasPrefix("bpm "))
        #expect(lines[7].hasSuffix("2.0 s") && lines[7].contains("0.0 s"))
        // The line rises to the top in the middle and falls again.
        let top = Array(lines[0]).dropFirst(5)
        let middle = top.indices.filter { top[$0] != " " }
        #expect(middle.allSatisfy { (18...25).contains($0) } && !middle.isEmpty)
        #expect(lines[6].contains("⡠") || lines[6].contains("⣀") || lines[6].contains("⢀") || lines[6].contains("⡰"))
    }

    @Test func anASCIIChartHasNoOtherCharacters() {
        let lines = TextLineChart(columns: 30, rows: 5, isUnicode: false).lines(points([1, 2, 3]), window: 60)
        #expect(lines.joined().utf8.allSatisfy { $0 < 0x80 } && lines.joined().contains("*"))
    }

    @Test func theWindowHidesOldPoints() {
        let lines = TextLineChart(columns: 40, rows: 6, isUnicode: true).lines(
            points([1000] + [Double](repeating: 5, count: 100)), window: 10)
        #expect(!lines[0].contains("1000") && lines[5].contains("90.0 s"))
    }

    @Test(
        arguments: [[], [.nan], [.nan, 1], [1, .nan, 2], [7], [1e300, -1e300], [1e-307, 0], [.infinity]] as [[Double]])
    func unusualValuesHaveAChart(values: [Double]) {
        for isUnicode in [true, false] {
            let lines = TextLineChart(columns: 20, rows: 4, isUnicode: isUnicode).lines(points(values), window: 60)
            #expect(lines.count == 4 && lines.allSatisfy { $0.count <= 20 })
        }
    }
}
