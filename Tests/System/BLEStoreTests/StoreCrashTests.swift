import BLEAdapter
import BLESecurity
import BLEWire
import Foundation
import Testing
import store_crash

@testable import BLEStore

/// Processes that end between two system calls of a write.
@Suite struct StoreCrashTests {
    /// The content of a store, as the next run of a program sees it.
    private struct Snapshot: Equatable {
        let bonds: BondTable
        let names: [String]
        let central: CentralRestoration?

        init(_ bench: StoreBench) {
            let store = bench.start()
            bonds = store.bonds.table
            names = store.knownNames.values.map { $0.deviceName ?? "-" }.sorted()
            central = store.central("manager")
        }
    }

    /// Runs `store-crash` and returns its exit code.
    private func run(_ change: StoreChange, _ bench: StoreBench, endingAfter calls: Int) throws -> Int32 {
        let program = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
            .appendingPathComponent("store-crash").path
        let arguments = [program, change.rawValue, bench.directory.path, "\(calls)"]
        var copies: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
        defer { for copy in copies { free(copy) } }
        var process: pid_t = 0
        try #require(posix_spawn(&process, program, nil, nil, &copies, environ) == 0)
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0 { try #require(errno == EINTR) }
        try #require(status & 0x7F == 0, "the program ends by itself")
        return status >> 8 & 0xFF
    }

    private func prepared(_ change: StoreChange) -> StoreBench {
        let bench = StoreBench()
        let store = bench.start(StoreBench.Timers())
        change.prepare(store)
        store.flush()
        if change == .firstBond { try? FileManager.default.removeItem(atPath: bench.directory.path) }
        return bench
    }

    @Test(.timeLimit(.minutes(10)), arguments: StoreChange.allCases)
    func aProcessThatEndsAfterAnySystemCallLeavesTheOldOrTheNewContent(_ change: StoreChange) throws {
        let before = prepared(change)
        let old = Snapshot(before)
        #expect(try run(change, before, endingAfter: .max) == 0)
        let new = Snapshot(before)
        #expect(old != new)

        var calls = 0
        var endings: [Bool] = []
        while true {
            calls += 1
            try #require(calls < 1000, "the process does not end by itself")
            let bench = prepared(change)
            let status = try run(change, bench, endingAfter: calls)
            let found = Snapshot(bench)
            #expect(found == old || found == new, "after \(calls) calls")
            endings.append(found == new)
            // The next writer is not disturbed by what the process left.
            let next = bench.start(StoreBench.Timers())
            change.apply(to: next)
            next.flush()
            #expect(Snapshot(bench) == new)
            #expect(try !bench.names().contains { $0.hasSuffix(".new") })
            #expect(bench.warnings.all.isEmpty)
            guard status != 0 else { break }
            #expect(status == 9)
        }
        // The rename is the step between both, and the sync of the directory follows.
        #expect(endings == endings.sorted { !$0 && $1 })
        #expect(calls > 8 && endings.filter { $0 }.count == 3, "\(endings)")
    }

    @Test(.timeLimit(.minutes(10))) func aProcessThatEndsWhileItSetsADamagedFileAsideLosesNothingOfIt() throws {
        var calls = 0
        while true {
            calls += 1
            try #require(calls < 1000, "the process does not end by itself")
            let bench = prepared(.bonds)
            var damaged = try bench.octets("bonds")
            damaged[30] ^= 1
            try bench.put(damaged, "bonds")
            let status = try run(.bonds, bench, endingAfter: calls)
            _ = bench.start()
            let aside = try bench.names().filter { $0.hasPrefix("bonds.corrupt-") }
            #expect(aside.count == 1)
            #expect(try bench.octets(#require(aside.first)) == damaged)
            guard status != 0 else { break }
        }
        #expect(calls > 10)
    }

    @Test func aWriteSyncsTheFileBeforeTheRenameAndTheDirectoryAfterIt() throws {
        let bench = prepared(.bonds)
        let steps = Lock<[StoreDirectory.Step]>([])
        var directory = bench.directory
        directory.lockAttempts = 300
        directory.didCall = { step in steps.withLock { $0.append(step) } }
        let store = DeviceStore(directory: directory, log: bench.log) { _, _, _ in }
        store.bonds.keep(StoreChange.bond(9, keys: 5))
        #expect(steps.withLock { $0 }.isEmpty, "no call waits for a disk")
        store.flush()
        #expect(
            steps.withLock { $0 } == [
                .openLock, .removeDraft, .createDraft, .write, .setMode, .sync, .rename, .syncDirectory,
            ])
    }
}
