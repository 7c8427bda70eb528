import BLEWire
import FaultBench
import Testing

struct FaultRunTests {
    /// The long run is `Scripts/soak`.
    @Test(arguments: [2, 4]) func aFaultyLineIsSurvived(hosts: Int) {
        var plan = FaultRun.Plan(seed: 1, cycles: 1, noisy: .seconds(600), quiet: .seconds(600))
        plan.hosts = hosts
        plan.actions = 90
        plan.interval = 80
        let result = FaultRun.run(plan)
        #expect(result.problems == [])
        #expect(result.recoveries == 2)
        #expect(result.powerCycles == 0)
        #expect(result.faults.reduce(0, +) > 20)
        #expect(result.faultyNanoseconds > 600_000_000_000)
        #expect(result.mostOctets < 16_384)
    }

    @Test func aSeedDeterminesAFaultRun() {
        func life() -> [String] {
            var lines: [String] = []
            var plan = FaultRun.Plan(seed: 77, cycles: 1, noisy: .zero, quiet: .seconds(60))
            plan.actions = 40
            plan.interval = 80
            _ = FaultRun.run(plan) { lines.append($0) }
            return lines
        }
        let first = life()
        #expect(first.count > 100)
        #expect(first == life())
    }

    @Test(arguments: FaultyLine.Fault.allCases) func aFaultyLineAppliesItsFaultRates(fault: FaultyLine.Fault) {
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
