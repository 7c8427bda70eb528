import BLEHost
import BLEWire

/// A seeded run of several hosts with a faulty line. Each cycle has a period of many faults, the proof that every
/// function works after it, hours with rare faults, another proof, and quiet hours.
package struct FaultRun {
    let plan: Plan
    let bench: FaultBench
    var random: SeededRandom
    var result = Result()
    private var log: (String) -> Void = { _ in }
    /// Called after each cycle, when all links have ended, with the number of links created so far.
    private var onRest: (_ cycle: Int, _ links: Int) -> Void = { _, _ in }

    private init(_ plan: Plan) {
        self.plan = plan
        bench = FaultBench(seed: plan.seed, hosts: plan.hosts) { _, configuration in
            configuration.connectionParameters = RequestedConnectionParameters(
                intervalMinimum: plan.interval, intervalMaximum: plan.interval, latency: 0, timeout: 200)
        }
        random = SeededRandom(seed: plan.seed ^ 0x5EED)
        result.seed = plan.seed
    }

    package static func run(
        _ plan: Plan, onRest: @escaping (_ cycle: Int, _ links: Int) -> Void = { _, _ in }
    ) -> Result {
        var run = FaultRun(plan)
        run.onRest = onRest
        return run.run()
    }

    /// Does the same, and passes every event to `log`.
    package static func run(_ plan: Plan, log: @escaping (String) -> Void) -> Result {
        var run = FaultRun(plan)
        let bench = run.bench
        for (number, host) in bench.hosts.enumerated() {
            host.observer = { log("\(bench.now.nanoseconds / 1_000_000) ms host \(number) \($0)") }
        }
        run.log = log
        return run.run()
    }

    var now: Instant { bench.now }

    mutating func below(_ limit: Int) -> Int { Int(random.next() % UInt64(max(1, limit))) }

    private mutating func run() -> Result {
        // Some runs begin with a faulty line, others with a good one.
        if random.next() & 1 == 0 {
            bench.rates = badRates()
            for host in bench.hosts { host.host.start(at: now) }
        } else {
            proveAll()
        }
        for cycle in 0..<plan.cycles where bench.problems.isEmpty {
            withFaults(badRates()) { $0.liveWithFaults() }
            recover(cycle)
            guard bench.problems.isEmpty else { break }
            if plan.noisy > .zero {
                withFaults(rareRates()) { $0.liveNoisyHours() }
                recover(cycle)
            }
            guard bench.problems.isEmpty else { break }
            liveQuietHours()
            bench.moveHosts()
            guard bench.problems.isEmpty else { break }
            if cycle % 4 == 1 || cycle == plan.cycles - 1 { proveAll() }
            onRest(cycle, bench.hosts.reduce(0) { $0 + $1.ledger.links })
        }
        collect()
        return result
    }

    private mutating func withFaults(_ rates: FaultyLine.Rates, _ body: (inout FaultRun) -> Void) {
        let start = now
        bench.rates = rates
        body(&self)
        bench.rates = .none
        result.faultyNanoseconds += (now - start).nanoseconds
    }

    private mutating func badRates() -> FaultyLine.Rates {
        FaultyLine.Rates(perThousand: [2, 5, 10, 20, 50, 150, 400][below(7)], faults: someFaults())
    }

    private mutating func rareRates() -> FaultyLine.Rates {
        FaultyLine.Rates(perThousand: [1, 3, 10, 30][below(4)], faults: someFaults())
    }

    private mutating func someFaults() -> [FaultyLine.Fault] {
        let all = FaultyLine.Fault.allCases
        return switch below(5) {
        case 0, 1: all
        case 2: all.filter { $0.rawValue < FaultyLine.Fault.octetDropped.rawValue }
        case 3: all.filter { $0.rawValue >= FaultyLine.Fault.octetDropped.rawValue }
        default: [all[below(all.count)]]
        }
    }

    // MARK: Recovery

    /// The faults have ended. An owner with the usual actions gets links that work, and no state of earlier links
    /// remains.
    private mutating func recover(_ cycle: Int) {
        let start = now
        log("cycle \(cycle): no faults from here")
        if let failure = failureOfProof(attempts: 6, isStrict: false) {
            guard bench.problems.isEmpty else { return }
            result.powerCycles += 1
            result.reasons.append("seed \(plan.seed), cycle \(cycle): \(failure)")
            log("cycle \(cycle): power cycle, since \(failure)")
            bench.powerCycle()
            if let failure = failureOfProof(attempts: 2, isStrict: true) {
                let states = bench.hosts.map { "\($0.host.state)" }.joined(separator: ", ")
                return bench.problem(
                    "cycle \(cycle): \(failure), \((now - start).nanoseconds / 1_000_000_000) s after the faults had ended; "
                        + "states \(states)")
            }
        }
        result.recoveries += 1
        result.slowestRecovery = max(result.slowestRecovery, now - start)
        // A proof ends all links, so the following period needs a new one.
        bench.rest()
        for host in bench.hosts { host.forget() }
    }

    private func failureOfProof(attempts: Int, isStrict: Bool) -> String? {
        guard bench.freshLink(attempts: attempts) else { return bench.complaint }
        return bench.proof(isStrict: isStrict)
    }

    /// Powers every host off and on, and proves that every function works, without exceptions.
    private func proveAll() {
        bench.powerCycle()
        if let failure = failureOfProof(attempts: 2, isStrict: true) {
            return bench.problem("without faults: \(failure)")
        }
        bench.rest()
        for host in bench.hosts { host.forget() }
    }

    private mutating func collect() {
        result.problems = bench.problems.map { "seed \(plan.seed): \($0)" }
        result.nanoseconds = now.nanoseconds
        for host in bench.hosts {
            for line in [host.toHost, host.toController] {
                result.packets += line.packets
                for index in result.faults.indices { result.faults[index] += line.counts[index] }
            }
            result.resets += host.ledger.resets
            result.timesFailed += host.ledger.timesFailed
            result.timesReady += host.ledger.timesReady
            result.links += host.ledger.links
            result.completions += host.ledger.completions
            result.violations += host.ledger.violations
            result.failures.formUnion(host.ledger.failures)
            result.mostOctets = max(result.mostOctets, host.mostOctets)
        }
    }
}
