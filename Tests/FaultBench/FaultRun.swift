import BLEHost
import BLEWire

/// One seeded life of a central and a peripheral with a bad wire: again and again a time of faults, the proof that all is
/// well when they end, and a long quiet time with little noise.
package struct FaultRun {
    package struct Plan: Sendable {
        package var seed: UInt64
        /// How often faults come and go.
        package var cycles: Int
        /// How long it is quiet after each.
        package var quiet: TimeSpan

        package init(seed: UInt64, cycles: Int, quiet: TimeSpan) {
            self.seed = seed
            self.cycles = cycles
            self.quiet = quiet
        }
    }

    package struct Result: Sendable {
        package var seed: UInt64 = 0
        package var problems: [String] = []
        package var nanoseconds: Int64 = 0
        /// How much of that was with faults, until a fresh link worked.
        package var faultyNanoseconds: Int64 = 0
        package var packets = 0
        package var faults = [Int](repeating: 0, count: FaultyLine.Fault.allCases.count)
        package var resets = 0
        package var timesFailed = 0
        package var timesReady = 0
        package var links = 0
        package var completions = 0
        package var violations = 0
        package var failures: Set<HostFailure> = []
        /// How often a fresh link worked after the faults had ended, and how often that needed somebody to switch Bluetooth
        /// off and on: a command that reached the controller with other parameters than it was sent with, for which no
        /// controller nor host can have a name.
        package var recoveries = 0
        package var powerCycles = 0
        package var slowestRecovery = TimeSpan.zero
        package var mostOctets = 0

        package init() {}

        package mutating func add(_ other: Result) {
            problems += other.problems
            nanoseconds += other.nanoseconds
            faultyNanoseconds += other.faultyNanoseconds
            packets += other.packets
            for index in faults.indices { faults[index] += other.faults[index] }
            resets += other.resets
            timesFailed += other.timesFailed
            timesReady += other.timesReady
            links += other.links
            completions += other.completions
            violations += other.violations
            failures.formUnion(other.failures)
            recoveries += other.recoveries
            powerCycles += other.powerCycles
            slowestRecovery = max(slowestRecovery, other.slowestRecovery)
            mostOctets = max(mostOctets, other.mostOctets)
        }
    }

    private let plan: Plan
    private let bench: FaultBench
    private var random: SeededRandom
    private var result = Result()
    private var log: (String) -> Void = { _ in }

    package init(_ plan: Plan) {
        self.plan = plan
        bench = FaultBench(seed: plan.seed)
        random = SeededRandom(seed: plan.seed ^ 0x5EED)
        result.seed = plan.seed
    }

    package static func run(_ plan: Plan) -> Result {
        var run = FaultRun(plan)
        return run.run()
    }

    /// The same, and tells `log` all that happens.
    package static func run(_ plan: Plan, log: @escaping (String) -> Void) -> Result {
        var run = FaultRun(plan)
        let bench = run.bench
        for (name, host) in [("central", bench.central), ("peripheral", bench.peripheral)] {
            host.observer = { log("\(bench.now.nanoseconds / 1_000_000) ms \(name) \($0)") }
        }
        run.log = log
        return run.run()
    }

    private var now: Instant { bench.now }
    private var central: FaultyHost { bench.central }
    private var peripheral: FaultyHost { bench.peripheral }

    private mutating func below(_ limit: Int) -> Int { Int(random.next() % UInt64(max(1, limit))) }

    private mutating func run() -> Result {
        // Some lives begin with a bad wire, some with a good one.
        if random.next() & 1 == 0 { bench.rates = badRates() }
        for host in bench.hosts { host.host.start(at: now) }
        for cycle in 0..<plan.cycles {
            let start = now
            bench.rates = badRates()
            liveWithFaults()
            bench.rates = .none
            recover(cycle)
            result.faultyNanoseconds += (now - start).nanoseconds
            guard bench.problems.isEmpty else { break }
            rest()
        }
        collect()
        return result
    }

    private mutating func badRates() -> FaultyLine.Rates {
        let perThousand = [2, 5, 10, 20, 50, 150, 400][below(7)]
        let all = FaultyLine.Fault.allCases
        let faults =
            switch below(5) {
            case 0, 1: all
            case 2: all.filter { $0.rawValue < FaultyLine.Fault.octetDropped.rawValue }
            case 3: all.filter { $0.rawValue >= FaultyLine.Fault.octetDropped.rawValue }
            default: [all[below(all.count)]]
            }
        return FaultyLine.Rates(perThousand: perThousand, faults: faults)
    }

    // MARK: With faults

    private mutating func liveWithFaults() {
        let actions = 80 + below(160)
        for _ in 0..<actions {
            act(on: below(2) == 0 ? central : peripheral)
            if below(12) == 0 { central.toHost.makeNoise(at: now) }
            if below(12) == 0 { peripheral.toController.makeNoise(at: now) }
            bench.run(.milliseconds(10 + below(below(8) == 0 ? 8_000 : 600)))
            guard bench.problems.isEmpty else { return }
        }
    }

    private mutating func act(on host: FaultyHost) {
        let links = host.host.links
        let other = host === central ? peripheral : central
        guard let link = links.isEmpty ? nil : links[below(links.count)].identifier else {
            switch below(6) {
            case 0: host.host.setScanning(below(2) == 0 ? ScanParameters() : nil, at: now)
            case 1 where host === peripheral, 2 where host === peripheral, 3 where host === peripheral:
                host.host.setAdvertising(AdvertisingParameters(data: [2, 1, 6]), at: now)
            case 1, 2, 3: if let address = other.host.ownAddress { host.host.connect(to: address, at: now) }
            case 4: if let address = other.host.ownAddress { host.host.cancelConnect(to: address, at: now) }
            default:
                if below(10) == 0 {
                    host.host.powerOff(at: now)
                } else {
                    host.host.start(at: now)
                }
            }
            return
        }
        let handle = other.valueHandle
        switch below(12) {
        case 0: _ = host.submit(.discoverServices(nil), on: link, at: now)
        case 1, 2: _ = host.submit(.read(handle: handle), on: link, at: now)
        case 3: _ = host.submit(.write(handle: handle, value: octets(below(300))), on: link, at: now)
        case 4: _ = host.submit(.readRSSI, on: link, at: now)
        case 5:
            _ = host.submit(
                .setNotify(valueHandle: handle, end: 0xFFFF, mode: below(2) == 0 ? .notification : .indication),
                on: link, at: now)
        case 6: _ = try? host.host.writeCommand(octets(20).span, handle: handle, on: link, at: now)
        case 7, 8:
            for _ in 0..<below(12) { host.host.notify(octets(18).span, handle: host.valueHandle, on: link, at: now) }
        case 9: host.host.indicate(octets(18).span, handle: host.valueHandle, on: link, at: now)
        case 10:
            let interval = UInt16(6 + below(100))
            host.host.requestConnectionParameters(
                link,
                ConnectionParameterWish(intervalMinimum: interval, intervalMaximum: interval, latency: 0, timeout: 200),
                at: now)
        default: if below(4) == 0 { host.host.disconnect(link, at: now) }
        }
    }

    private mutating func octets(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    }

    // MARK: Without

    /// The faults have ended: an owner that does what owners do gets a link that works, and nothing is left over.
    private mutating func recover(_ cycle: Int) {
        let start = now
        log("cycle \(cycle): no faults from here")
        if !bench.freshLink(attempts: 6) {
            guard bench.problems.isEmpty else { return }
            result.powerCycles += 1
            log("cycle \(cycle): power cycle")
            for host in bench.hosts { host.host.powerOff(at: now) }
            bench.run(.seconds(10)) { bench.hosts.allSatisfy { $0.host.state == .off } }
            for host in bench.hosts { host.host.start(at: now) }
            guard bench.freshLink(attempts: 2) else {
                return bench.problem(
                    "cycle \(cycle): no link \(seconds(now - start)) after the faults had ended; states "
                        + "\(central.host.state), \(peripheral.host.state)")
            }
        }
        result.recoveries += 1
        result.slowestRecovery = max(result.slowestRecovery, now - start)
        // Time for what the faults left unanswered, the longest of which is an ATT transaction.
        bench.run(.seconds(40))
        for host in bench.hosts {
            host.checkQuiet()
            if host.host.outgoing.count > 0 { bench.problem("octets are left in the host") }
        }
    }

    private func seconds(_ span: TimeSpan) -> String { "\(span.nanoseconds / 1_000_000_000) s" }

    // MARK: Quiet

    /// Hours in which almost nothing is said, with noise on the line now and then.
    private mutating func rest() {
        for host in bench.hosts { host.forget() }
        let address = peripheral.host.ownAddress
        if below(2) == 0 {
            for link in central.host.links { central.host.disconnect(link.identifier, at: now) }
            peripheral.host.setAdvertising(nil, at: now)
        } else if let link = central.host.links.first?.identifier {
            peripheral.host.setAdvertising(nil, at: now)
            central.host.requestConnectionParameters(
                link,
                ConnectionParameterWish(intervalMinimum: 3_200, intervalMaximum: 3_200, latency: 0, timeout: 3_200),
                at: now)
        }
        let end = now + plan.quiet
        while now < end {
            bench.run(.seconds(60 * (5 + below(50))))
            let host = bench.hosts[below(2)]
            if below(2) == 0 {
                host.toHost.makeNoise(at: now)
            } else {
                host.toController.makeNoise(at: now)
            }
            if let address, let link = central.host.link(to: address) {
                _ = central.submit(.read(handle: peripheral.valueHandle), on: link, at: now)
            }
            guard bench.problems.isEmpty else { return }
        }
        bench.run(.seconds(60))
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
