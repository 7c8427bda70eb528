import Testing

@testable import GatewayFleet

@Suite struct LatencyHistogramTests {
    @Test func aQuantileIsAtMostASixteenthTooHigh() throws {
        var histogram = LatencyHistogram()
        #expect(histogram.quantile(0.5) == nil)
        for value in 1...10_000 { histogram.add(value) }
        for share in [0.01, 0.25, 0.5, 0.9, 0.99, 1] {
            let exact = 10_000 * share
            let found = Double(try #require(histogram.quantile(share)))
            #expect(found >= exact && found <= exact * 17 / 16 + 1, "\(share)")
        }
    }

    @Test func smallTimesAreExact() {
        var histogram = LatencyHistogram()
        for value in 0..<16 { histogram.add(value) }
        #expect(histogram.quantile(0) == 0)
        #expect(histogram.quantile(0.5) == 7)
        #expect(histogram.quantile(1) == 15)
    }

    @Test func aClockThatJumpsGivesTheEndsOfTheRange() {
        var histogram = LatencyHistogram()
        histogram.add(-5)
        histogram.add(.max)
        histogram.add(.min)
        #expect(histogram.count == 3)
        #expect(histogram.quantile(0.5) == 0)
        #expect(histogram.quantile(1)! >= 1 << 40)
    }

    @Test func theDifferenceIsWhatCameBetween() {
        var before = LatencyHistogram()
        #expect((before - LatencyHistogram()).count == 0)
        before.add(5)
        var after = before
        for _ in 0..<3 { after.add(1000) }
        let between = after - before
        #expect(between.count == 3)
        #expect(between.quantile(0)! >= 1000)
        var sum = LatencyHistogram()
        sum += between
        sum += before
        #expect(sum == after)
    }
}
