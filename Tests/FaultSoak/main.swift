import BLEWire
import Dispatch
import FaultBench
import Glibc
import Synchronization

// The long run: seeded lives with a bad wire until they have lived so many virtual hours. Ends with "N passed, N failed": the
// lives, and what has to hold for all of them together.
// usage: fault-soak [HOURS [FIRST-SEED [CYCLES-PER-LIFE]]]
//        fault-soak trace SEED CYCLES-PER-LIFE    all that happens in one life

if CommandLine.arguments.dropFirst().first == "trace", CommandLine.arguments.count == 4,
    let seed = UInt64(CommandLine.arguments[2]), let cycles = Int(CommandLine.arguments[3])
{
    let result = FaultRun.run(FaultRun.Plan(seed: seed, cycles: cycles, noisy: .seconds(3_600 * 5), quiet: .seconds(3_600 * 3))) { print($0) }
    for problem in result.problems { print("failed  \(problem)") }
    exit(result.problems.isEmpty ? 0 : 1)
}

let arguments = CommandLine.arguments.dropFirst().compactMap { UInt64($0) }
let hours = arguments.first ?? 10_000
var seed = arguments.dropFirst().first ?? 1
let cycles = Int(arguments.dropFirst(2).first ?? 8)
var total = FaultRun.Result()
var lives = 0
var failed = 0
let start = time(nil)

func residentOctets() -> Int {
    guard let file = fopen("/proc/self/statm", "r") else { return 0 }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 128)
    guard fgets(&line, 128, file) != nil else { return 0 }
    let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return (Int(text.split(separator: " ").dropFirst().first ?? "") ?? 0) * Int(sysconf(Int32(_SC_PAGESIZE)))
}

var early = 0
while total.nanoseconds / 3_600_000_000_000 < Int64(hours), failed < 20 {
    // Lives have nothing in common, so several are lived at once; what they bring is told in the order of their seeds.
    let first = seed
    let results = Mutex([UInt64: FaultRun.Result]())
    DispatchQueue.concurrentPerform(iterations: 4) { index in
        let plan = FaultRun.Plan(seed: first + UInt64(index), cycles: cycles, noisy: .seconds(3_600 * 5), quiet: .seconds(3_600 * 3))
        let result = FaultRun.run(plan)
        results.withLock { $0[plan.seed] = result }
    }
    for (_, result) in results.withLock({ $0 }).sorted(by: { $0.key < $1.key }) {
        for reason in result.reasons { print("note    off and on: \(reason)") }
        for problem in result.problems { print("failed  \(problem)") }
        if !result.problems.isEmpty { failed += 1 }
        total.add(result)
        lives += 1
    }
    seed += 4
    if lives == 20 { early = residentOctets() }
}

let late = residentOctets()
// Measured in 20,000 hours: 6 of 2,720 recoveries, 664 octets, 3 % more memory.
var shortcomings: [String] = []
if total.powerCycles > max(2, total.recoveries / 100) {
    shortcomings.append("more than one recovery in a hundred needed Bluetooth off and on")
}
if total.mostOctets >= 16_384 { shortcomings.append("\(total.mostOctets) octets waited in a host") }
if lives > 20, late > early + early / 4 { shortcomings.append("memory grows by more than a quarter") }
for shortcoming in shortcomings { print("failed  \(shortcoming)") }

let injected = total.faults.reduce(0, +)
print(
    "\(total.nanoseconds / 3_600_000_000_000) virtual hours in \(lives) lives, "
        + "\(total.faultyNanoseconds / 3_600_000_000_000) of them with faults or at once after, \(time(nil) - start) s")
print("\(total.packets) packets of HCI, \(injected) faults:")
for fault in FaultyLine.Fault.allCases { print("  \(fault): \(total.faults[fault.rawValue])") }
print(
    "\(total.violations) violations reported, \(total.resets) resets, \(total.timesFailed) times given up, \(total.timesReady) times ready"
)
print("\(total.links) links, \(total.completions) operations completed")
print(
    "\(total.recoveries) recoveries after the end of faults, slowest \(total.slowestRecovery.nanoseconds / 1_000_000_000) s; \(total.powerCycles) needed Bluetooth off and on"
)
print(
    "at most \(total.mostOctets) octets waited in a host; memory \(early >> 10) KiB after 20 lives, \(late >> 10) KiB at the end"
)
failed += shortcomings.count
print("\(lives + shortcomings.count - failed) passed, \(failed) failed")
exit(failed == 0 ? 0 : 1)
