import BLEWire
import FaultBench
import Testing

struct FaultRunTests {
    /// The long run is `Scripts/soak`.
    @Test(arguments: 1...4 as ClosedRange<UInt64>) func aBadWireIsSurvived(seed: UInt64) {
        let result = FaultRun.run(FaultRun.Plan(seed: seed, cycles: 2, quiet: .seconds(3_600)))
        #expect(result.problems == [])
        #expect(result.recoveries == 2)
        #expect(result.powerCycles == 0)
        #expect(result.faults.reduce(0, +) > 20)
        #expect(result.mostOctets < 16_384)
    }

    @Test func aSeedIsALife() {
        func life() -> [String] {
            var lines: [String] = []
            _ = FaultRun.run(FaultRun.Plan(seed: 77, cycles: 1, quiet: .seconds(600))) { lines.append($0) }
            return lines
        }
        let first = life()
        #expect(first.count > 100)
        #expect(first == life())
    }

    @Test(arguments: FaultyLine.Fault.allCases) func aFaultyLineDoesWhatItSays(fault: FaultyLine.Fault) {
        var line = FaultyLine(.toHost, seed: 3)
        line.rates = FaultyLine.Rates(perThousand: 1_000, faults: [fault], longestDelay: .seconds(1))
        let packet: [UInt8] = [4, 0x05, 4, 0, 0x40, 0, 0x13]
        var differs = 0
        for _ in 0..<100 {
            line.send(packet.span, at: .zero)
            var out: [UInt8] = []
            line.deliver(at: .zero) { out.append($0) }
            let isLate = !line.isIdle
            line.deliver(at: .zero + .seconds(9)) { out.append($0) }
            if out != packet || isLate { differs += 1 }
        }
        #expect(differs > 90)
        #expect(line.counts[fault.rawValue] == 100 && line.faults == 100)
    }
}
