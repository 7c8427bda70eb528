import BLEHost
import BLEWire

extension FaultRun {
    package struct Plan: Sendable {
        package var seed: UInt64
        /// The number of periods with faults.
        package var cycles: Int
        /// The number of hosts, 2 or 4.
        package var hosts = 4
        /// The length of each period with rare faults and little traffic.
        package var noisy: TimeSpan
        /// The length of the quiet period after it, with occasional noise on an idle line.
        package var quiet: TimeSpan
        /// The maximum number of actions in each period of many faults.
        package var actions = 240
        /// The connection interval that centrals request, in units of 1.25 ms.
        package var interval: UInt16 = 24

        package init(seed: UInt64, cycles: Int, noisy: TimeSpan, quiet: TimeSpan) {
            self.seed = seed
            self.cycles = cycles
            self.noisy = noisy
            self.quiet = quiet
        }
    }

    package struct Result: Sendable {
        package var seed: UInt64 = 0
        package var problems: [String] = []
        package var nanoseconds: Int64 = 0
        /// The part of it with faults on the line.
        package var faultyNanoseconds: Int64 = 0
        package var packets = 0
        package var faults = [Int](repeating: 0, count: FaultyLine.Fault.allCases.count)
        package var resets = 0
        package var timesFailed = 0
        package var timesReady = 0
        package var links = 0
        package var completions = 0
        package var violations = 0
        package var failures: Set<HostError> = []
        /// Proofs that every function works again after the end of the faults.
        package var recoveries = 0
        /// Recoveries that needed Bluetooth off and on: a command reached the controller with changed parameters, which
        /// neither side can detect.
        package var powerCycles = 0
        /// The function that did not work before, for each of them.
        package var reasons: [String] = []
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
}
