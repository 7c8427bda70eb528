import BLEAdapter
import BLEWire
import Dispatch
import FaultBench
import Foundation
import Logging

// The long run: seeded runs with a faulty line until they amount to a number of virtual hours, one long run whose
// memory is measured, and runs of the runtime, its adapter and its store. Ends with "N passed, N failed, 0 skipped".
// usage: fault-soak [--first] [HOURS [FIRST-SEED [CYCLES-PER-LIFE]]]      --first: ends with the first failure
//        fault-soak trace SEED CYCLES-PER-LIFE                            every event of one run
//        fault-soak memory SEED CYCLES                                    the memory of one run, cycle by cycle

func plan(seed: UInt64, cycles: Int) -> FaultRun.Plan {
    FaultRun.Plan(seed: seed, cycles: cycles, noisy: .seconds(3_600 * 5), quiet: .seconds(3_600 * 3))
}

// The faults are deliberate, and so are the messages of the library about them.
LoggingSystem.bootstrap { _ in SwiftLogNoOpLogHandler() }

var words = Array(CommandLine.arguments.dropFirst())
if words.first == "trace", words.count == 3, let seed = UInt64(words[1]), let cycles = Int(words[2]) {
    let result = FaultRun.run(plan(seed: seed, cycles: cycles)) { print($0) }
    for problem in result.problems { print("failed  \(problem)") }
    exit(result.problems.isEmpty ? 0 : 1)
}

if words.first == "memory", words.count == 3, let seed = UInt64(words[1]), let cycles = Int(words[2]) {
    let life = MemoryLife.run(seed: seed, cycles: cycles)
    for sample in life.samples { print("\(sample.links) links, \(sample.octets) octets") }
    for problem in life.problems { print("failed  \(problem)") }
    exit(life.problems.isEmpty ? 0 : 1)
}

let endsAtFirstFailure = words.first == "--first"
if endsAtFirstFailure { words.removeFirst() }
let numbers = words.compactMap { UInt64($0) }
let hours = numbers.first ?? 10_000
var seed = numbers.dropFirst().first ?? 1
let cycles = Int(numbers.dropFirst(2).first ?? 8)
let start = Date()
var (passed, failed) = (0, 0)

@MainActor func finish() -> Never {
    print("\(passed) passed, \(failed) failed, 0 skipped")
    exit(failed == 0 ? 0 : 1)
}

/// Counts one required condition.
@MainActor func check(_ problems: [String]) {
    for problem in problems { print("failed  \(problem)") }
    if problems.isEmpty { passed += 1 } else { failed += 1 }
    fflush(nil)
    if failed > 0, endsAtFirstFailure || failed >= 20 { finish() }
}

var total = FaultRun.Result()

/// Runs share no state, so several run at once. The results are printed in the order of their seeds.
@MainActor func live(_ plans: [FaultRun.Plan]) {
    let results = Lock([UInt64: FaultRun.Result]())
    DispatchQueue.concurrentPerform(iterations: plans.count) { index in
        let result = FaultRun.run(plans[index])
        results.withLock { $0[result.seed] = result }
    }
    for (_, result) in results.withLock({ $0 }).sorted(by: { $0.key < $1.key }) {
        for reason in result.reasons { print("note    off and on: \(reason)") }
        check(result.problems)
        total.add(result)
    }
}

var sentences: [String] = []

// First the short runs, and the run that must be alone in the process.
let memory = MemoryLife.run(seed: seed, cycles: endsAtFirstFailure ? 12 : 30)
check(memory.problems)
sentences.append(memory.sentence)
let store = StoreLife.run(seed: seed, rounds: 15)
check(store.problems)
sentences.append(store.sentence)
let runtime = RuntimeLife.run(seed: seed, cycles: endsAtFirstFailure ? 4 : 40)
check(runtime.problems)
sentences.append(runtime.sentence)

// In real time, concurrently with the others.
let adapterIsDone = DispatchSemaphore(value: 0)
let adapter = Lock(AdapterLife())
Thread.detachNewThread {
    let life = AdapterLife.run(rounds: endsAtFirstFailure ? 3 : 6)
    adapter.withLock { $0 = life }
    adapterIsDone.signal()
}
repeat {
    live((0..<4).map { plan(seed: seed + $0, cycles: cycles) })
    seed += 4
} while total.nanoseconds / 3_600_000_000_000 < Int64(hours)
adapterIsDone.wait()
check(adapter.withLock { $0.problems })
sentences.append(adapter.withLock { $0.sentence })

// The conditions for all runs together. Measured in 10,000 hours: 1.3 % of the recoveries.
check(
    total.powerCycles > max(3, total.recoveries * 4 / 100)
        ? ["\(total.powerCycles) of \(total.recoveries) recoveries needed Bluetooth off and on"] : [])
check(total.mostOctets >= 16_384 ? ["\(total.mostOctets) octets waited in a host"] : [])
let share = total.faultyNanoseconds * 100 / max(1, total.nanoseconds)
check(share < 40 ? ["only \(share) % of the time had faults"] : [])

let injected = total.faults.reduce(0, +)
print(
    "\(total.nanoseconds / 3_600_000_000_000) virtual hours, \(share) % of them with faults on the wire, "
        + "in \(Int(Date().timeIntervalSince(start))) s")
print("\(total.packets) packets of HCI, \(injected) faults:")
for fault in FaultyLine.Fault.allCases { print("  \(fault): \(total.faults[fault.rawValue])") }
print("\(total.violations) violations reported, \(total.resets) resets, \(total.timesFailed) failures")
print("\(total.links) links, \(total.completions) operations completed")
print(
    "\(total.recoveries) recoveries after the end of faults, slowest \(total.slowestRecovery.nanoseconds / 1_000_000_000) s; "
        + "\(total.powerCycles) needed Bluetooth off and on")
print("at most \(total.mostOctets) octets waited in a host")
for sentence in sentences { print(sentence) }
finish()
