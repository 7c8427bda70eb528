import BLEAdapter
import BLEWire
import Foundation
import Testing

@testable import BLEStore

/// A store whose writes fail for a while.
@Suite struct StoreRetryTests {
    private let bench = StoreBench()
    private let timers = StoreBench.Timers()
    private let names = PeerNames(deviceName: "Band")

    /// Puts a directory where the next version of a file would be written.
    private func blockWriting(_ name: String) throws {
        try FileManager.default.createDirectory(atPath: bench.path(name + ".new"), withIntermediateDirectories: true)
    }

    private func unblockWriting(_ name: String) throws {
        try FileManager.default.removeItem(atPath: bench.path(name + ".new"))
    }

    @Test func failedWritesAreRepeatedWithBackoffWithoutLoss() throws {
        let store = bench.start(timers)
        try blockWriting("state")
        store.remember(StoreBench.address(1), names)
        #expect(timers.fire() == .milliseconds(50))
        #expect(bench.warnings.all.count == 1 && bench.warnings.all[0].contains("state.new cannot be created"))
        for wait in [250, 500, 1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000] {
            store.keep(StoreBench.central, of: "manager \(wait)")
            #expect(timers.delays == [.milliseconds(wait)], "one timer, however many changes")
            _ = timers.fire()
        }
        #expect(bench.warnings.all.count == 1, "said once")
        #expect(bench.start().knownNames.isEmpty)

        try unblockWriting("state")
        _ = timers.fire()
        #expect(timers.delays.isEmpty)
        #expect(bench.warnings.all.count == 2 && bench.warnings.all[1].contains("can be written again"))
        let next = bench.start()
        #expect(next.knownNames == [store.identifier(for: StoreBench.address(1)): names])
        #expect(next.central("manager 60000") == StoreBench.central && next.central("manager 250") != nil)

        store.remember(StoreBench.address(2), names)
        #expect(timers.delays == [.milliseconds(50)], "the next change is written as soon as ever")
        _ = timers.fire()
        #expect(bench.start().knownNames.count == 2 && bench.warnings.all.count == 2)
        try blockWriting("state")
        store.remember(StoreBench.address(3), names)
        _ = timers.fire()
        #expect(bench.warnings.all.count == 3, "another failure is news")
    }

    @Test func aFlushThatFailsSetsNoSecondTimer() throws {
        let store = bench.start(timers)
        try blockWriting("state")
        store.remember(StoreBench.address(1), names)
        for _ in 0..<3 { store.flush() }
        #expect(timers.delays == [.milliseconds(50)])
        try unblockWriting("state")
        store.flush()
        #expect(bench.start().knownNames.count == 1)
        #expect(timers.fire() == .milliseconds(50) && timers.delays.isEmpty, "there is nothing left to write")
    }

    @Test func aLockThatAnotherProcessHoldsOnlyDelays() throws {
        let store = bench.start(timers, lockAttempts: 20)
        store.flush()
        let lock = open(bench.path("lock"), O_RDWR)
        #expect(lock >= 0 && flock(lock, LOCK_EX | LOCK_NB) == 0)
        store.remember(StoreBench.address(1), names)
        _ = timers.fire()
        #expect(bench.warnings.all.count == 1 && bench.warnings.all[0].contains("held by another process"))
        close(lock)
        _ = timers.fire()
        #expect(bench.start().knownNames.count == 1)
    }

    @Test func aKeyThatCouldNotBeWrittenIsWrittenWithTheFirstChange() throws {
        try blockWriting("identity-key")
        let store = bench.start(timers)
        #expect(bench.warnings.all.count == 1)
        let identifier = store.identifier(for: StoreBench.address(9))
        store.remember(StoreBench.address(1), names)
        _ = timers.fire()
        #expect(bench.warnings.all.count == 1, "said at the start")
        try unblockWriting("identity-key")
        _ = timers.fire()
        #expect(bench.warnings.all.count == 2)
        let next = bench.start()
        #expect(next.identifier(for: StoreBench.address(9)) == identifier, "the next run has the same key")
        // Nothing is left to write, so that no lock is taken.
        try FileManager.default.removeItem(atPath: bench.path("lock"))
        store.flush()
        #expect(try !bench.names().contains("lock"))
        #expect(next.knownNames.count == 1)
    }

    @Test func anIdentifierInTheFileOutlivesARunThatCouldNotReadTheKey() throws {
        let first = bench.start()
        first.remember(StoreBench.address(1), names)
        first.flush()
        let identifier = first.identifier(for: StoreBench.address(1))
        // A run that finds neither file, and writes when both are back.
        let aside = bench.root + "/aside"
        try FileManager.default.moveItem(atPath: bench.directory.path, toPath: aside)
        try Data().write(to: URL(fileURLWithPath: bench.directory.path))
        let store = bench.start(timers)
        #expect(store.identifier(for: StoreBench.address(1)) != identifier)
        #expect(bench.warnings.all.first?.contains("/opencorebluetooth cannot be opened: Not a directory.") == true)
        try FileManager.default.removeItem(atPath: bench.directory.path)
        try FileManager.default.moveItem(atPath: aside, toPath: bench.directory.path)
        store.remember(StoreBench.address(1), PeerNames(deviceName: "Renamed"))
        _ = timers.fire()
        let next = bench.start()
        #expect(next.identifier(for: StoreBench.address(1)) == identifier)
        #expect(next.record(of: identifier).name == "Renamed")
    }

    @Test func anUnwrittenKeyIsRetriedWithoutChanges() throws {
        try blockWriting("identity-key")
        let store = bench.start(timers)
        let identifier = store.identifier(for: StoreBench.address(9))
        #expect(timers.fire() == .milliseconds(250))
        #expect(timers.delays == [.milliseconds(500)])
        try unblockWriting("identity-key")
        _ = timers.fire()
        #expect(timers.delays.isEmpty)
        #expect(bench.start().identifier(for: StoreBench.address(9)) == identifier)
        #expect(!FileManager.default.fileExists(atPath: bench.path("state")), "there is nothing to put into it")
    }

    @Test func aFlushWritesAKeyThatCouldNotBeWritten() throws {
        try blockWriting("identity-key")
        let store = bench.start(timers)
        let identifier = store.identifier(for: StoreBench.address(9))
        try unblockWriting("identity-key")
        store.flush()
        #expect(bench.start().identifier(for: StoreBench.address(9)) == identifier)
    }

    @Test func removedDevicesNeedNoWrite() throws {
        let store = bench.start(timers)
        for number in 0..<UInt64(StoreContent.peerLimit + 1) { store.remember(StoreBench.address(number), names) }
        #expect(store.changedPeerCount == StoreContent.peerLimit)
    }
}
