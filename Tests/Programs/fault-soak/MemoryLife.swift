import BLEWire
import CFaultHeap
import FaultBench

/// One long run, alone in its process, whose memory is measured after each cycle, when all links have ended.
struct MemoryLife {
    private(set) var problems: [String] = []
    private(set) var sentence = ""
    private(set) var result = FaultRun.Result()
    /// After each cycle: the number of links created so far, and of allocated octets.
    private(set) var samples: [(links: Int, octets: Int)] = []

    /// The permitted growth of the average in octets: arrays keep their capacity. A few hundred links reach all
    /// capacities.
    private static func slack(cycles: Int) -> Int { cycles < 24 ? 256 << 10 : 160 << 10 }

    static func run(seed: UInt64, cycles: Int) -> MemoryLife {
        var life = MemoryLife()
        var plan = FaultRun.Plan(seed: seed, cycles: cycles, noisy: .zero, quiet: .seconds(600))
        plan.actions = 90
        var samples: [(links: Int, octets: Int)] = []
        samples.reserveCapacity(cycles)
        life.result = FaultRun.run(plan) { _, links in samples.append((links, Int(faultHeapOctets()))) }
        life.problems = life.result.problems
        life.samples = samples
        guard samples.count >= 6, let last = samples.last else { return life }
        let third = samples.count / 3
        func average(_ part: ArraySlice<(links: Int, octets: Int)>) -> Int {
            part.reduce(0) { $0 + $1.octets } / max(1, part.count)
        }
        // The first third fills tables and buffers.
        let growth = average(samples.suffix(third)) - average(samples.dropLast(third).suffix(third))
        let links = last.links - samples[samples.count - 1 - third].links
        life.sentence = "one life of \(last.links) links: \(growth) octets more after the last \(links) of them"
        if growth > slack(cycles: cycles) {
            life.problems.append("memory grew by \(growth) octets over \(links) links of one life")
        }
        return life
    }
}
