import Testing

@testable import bluelab

struct TransferTextTests {
    /// A meter that has stored 122 KiB of 200 KiB in 0.9 s.
    private static var meter: TransferMeter {
        var meter = TransferMeter(size: 200 << 10, stored: 0, at: .seconds(10))
        meter.add(61 << 10, at: .seconds(10) + .milliseconds(450))
        meter.add(122 << 10, at: .seconds(10) + .milliseconds(900))
        meter.reconnects = 1
        return meter
    }

    private static func line(_ columns: Int, isUnicode: Bool = true, file: String = "firmware.bin") -> String {
        TransferText.line(
            file, arrow: "→", "Wristband", meter, at: .seconds(10) + .milliseconds(900), columns: columns,
            isUnicode: isUnicode)
    }

    @Test func theLineHasTheShareTheBarTheRateAndTheRest() {
        let line = Self.line(110)
        #expect(line.hasPrefix("firmware.bin → Wristband   61 %  ██"))
        #expect(line.hasSuffix("122 of 200 KiB   139 kB/s  0:01 left  1 reconnect"))
    }

    @Test(arguments: [20, 40, 60, 80, 110, 200]) func theLineFitsTheTerminal(_ columns: Int) {
        #expect(Self.line(columns).count < columns)
        #expect(Self.line(columns, file: String(repeating: "long", count: 40)).count < columns)
        #expect(Self.line(columns, isUnicode: false).allSatisfy { $0.isASCII || $0 == "→" })
    }

    @Test func theBarGrowsByEighths() {
        #expect(TransferText.bar(0, 4, true) == "    ")
        #expect(TransferText.bar(0.5, 4, true) == "██  ")
        #expect(TransferText.bar(0.53125, 4, true) == "██▏ ")
        #expect(TransferText.bar(2, 4, true) == "████")
        #expect(TransferText.bar(0.5, 4, false) == "##  ")
    }

    @Test func theRateFallsWhileNothingArrives() throws {
        let meter = Self.meter
        let now = try #require(meter.rate(at: .seconds(10) + .milliseconds(900)))
        let later = try #require(meter.rate(at: .seconds(20)))
        #expect(abs(now - 138_809) < 1)
        #expect(later < 13_000)
    }

    @Test func aRestartBeginsTheRateAnew() {
        var meter = Self.meter
        meter.add(0, at: .seconds(12))
        #expect(meter.rate(at: .seconds(12)) == nil)
        #expect(meter.remaining(at: .seconds(12)) == nil)
        #expect(meter.stored == 0)
    }

    @Test func timesAndAmountsHaveUnits() {
        #expect(TransferText.clock(0.2) == "0:01")
        #expect(TransferText.clock(61) == "1:01")
        #expect(TransferText.clock(3723) == "1:02:03")
        #expect(TransferText.clock(.infinity) == "?")
        #expect(TransferText.amount(9_999) == "9999 octets")
        #expect(TransferText.amount(200 << 10) == "200 KiB")
        #expect(TransferText.amount(25 << 20) == "25 MiB")
        #expect(TransferText.rate(1_250_000) == "1.3 MB/s")
        #expect(TransferMeter(size: 0, stored: 0, at: .zero).share == 1)
    }
}
