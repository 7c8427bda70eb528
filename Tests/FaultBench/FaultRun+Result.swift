import BLEHost
import BLEWire

extension FaultRun {
    package struct Plan: Sendable {
        package var seed: UInt64
        /// How many periods of faults there are.
        package var cycles: Int
        /// How many hosts there are, 2 or 4.
        package var hosts = 4
        /// How long each period of rare faults and little traffic lasts.
        package var noisy: TimeSpan
        /// How long the quiet period after it lasts, with noise on an idle line now and then.
        package var quiet: TimeSpan
        /// The most actions in each period of many faults.
        package var actions = 240
        /// The connection interval that centrals ask for, in units of 1.25 ms.
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
        /// The part of it with faults on the wire.
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
        /// Proofs that everything works again after the end of faults.
        package var recoveries = 0
        /// Recoveries that needed Bluetooth off and on: a command reached the controller with other parameters than it was sent
        /// with, which neither side can notice.
        package var powerCycles = 0
        /// What did not work before, for each of them.
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
