import Testing

@testable import bluelab

@Suite struct AxisTicksTests {
    @Test(
        arguments: [
            (62, 86, 5, ["60", "65", "70", "75", "80", "85", "90"]),
            (0, 1, 5, ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]),
            (-90, -41, 4, ["-100", "-80", "-60", "-40"]), (5, 5, 4, ["4.5", "5.0", "5.5"]),
            (0, 0, 4, ["-1.0", "-0.5", "0.0", "0.5", "1.0"]),
            (0, 4_000_000, 4, ["0", "1e6", "2e6", "3e6", "4e6"]),
            (0.000_001, 0.000_004, 3, ["1e-6", "2e-6", "3e-6", "4e-6"]),
            (101_319.5, 101_320.5, 2, ["101319.5", "101320.0", "101320.5"]),
        ] as [(Double, Double, Int, [String])])
    func valuesHaveRoundTicks(low: Double, high: Double, count: Int, labels: [String]) {
        let ticks = AxisTicks.values(from: low, to: high, count: count)
        #expect(ticks.labels == labels)
        #expect(ticks.range.contains(low) && ticks.range.contains(high))
    }

    @Test(
        arguments: [
            (0, 10, 5, ["0", "2", "4", "6", "8", "10"], "s"), (0.3, 3.2, 3, ["1", "2", "3"], "s"),
            (0, 120, 4, ["0:00", "0:30", "1:00", "1:30", "2:00"], "min:s"),
            (0, 7200, 4, ["0:00", "0:30", "1:00", "1:30", "2:00"], "h:min"),
            (-120, 0, 2, ["-2:00", "-1:00", "0:00"], "min:s"), (3, 3, 2, ["3.0", "3.5", "4.0"], "s"),
        ] as [(Double, Double, Int, [String], String)])
    func timesHaveTheStepsOfAClock(low: Double, high: Double, count: Int, labels: [String], unit: String) {
        let ticks = AxisTicks.times(from: low, to: high, count: count)
        #expect(ticks.labels == labels)
        #expect(ticks.unit == unit)
        #expect(ticks.range.lowerBound == low)
    }

    @Test(
        arguments: [
            (-1e300, 1e300), (0, 1e-307), (1e-300, 2e-300), (1e15, 1e15 + 1), (1e300, 1e300), (-1e-307, 0),
            (1, 1 + 1e-15),
        ] as [(Double, Double)])
    func anyRangeHasAFewFiniteTicks(low: Double, high: Double) {
        for ticks in [
            AxisTicks.values(from: low, to: high, count: 5), AxisTicks.times(from: low, to: high, count: 5),
        ] {
            #expect(ticks.values.count <= 101 && ticks.values.allSatisfy(\.isFinite))
            #expect(ticks.range.upperBound > ticks.range.lowerBound)
            #expect(ticks.labels.allSatisfy { !$0.isEmpty && $0.count < 24 })
        }
        #expect(AxisTicks.values(from: low, to: high, count: 5).values.count >= 2)
    }
}
