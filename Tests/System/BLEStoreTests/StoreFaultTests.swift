import BLEAdapter
import BLESecurity
import BLEWire
import Foundation
import Testing
import store_crash

@testable import BLEStore

/// Files that vanish while a program runs, system calls that fail, and what the next write makes of it.
@Suite struct StoreFaultTests {
    private let bench = StoreBench()
    private let timers = StoreBench.Timers()
    private let calls = Calls()

    /// The system calls of a store: those that it has made, and those that fail.
    private final class Calls: Sendable {
        private let failing = Lock<(step: StoreDirectory.Step, count: Int)?>(nil)
        private let steps = Lock<[StoreDirectory.Step]>([])

        func fail(_ step: StoreDirectory.Step, _ count: Int) { failing.withLock { $0 = (step, count) } }
        var hasFailed: Bool { failing.withLock { $0 == nil } }
        var made: [StoreDirectory.Step] { steps.withLock { $0 } }

        func watch(_ directory: inout StoreDirectory) {
            directory.didCall = { [self] step in steps.withLock { $0.append(step) } }
            directory.failure = { [self] step in
                failing.withLock { failing in
                    guard let present = failing, present.step == step else { return nil }
                    failing = present.count > 1 ? (step, present.count - 1) : nil
                    return EIO
                }
            }
        }
    }

    /// A store whose system calls the test lets fail.
    private func start() -> DeviceStore {
        var directory = bench.directory
        directory.lockAttempts = 300
        calls.watch(&directory)
        let timers = timers
        return DeviceStore(directory: directory, log: bench.log) { delay, queue, body in timers.add(delay, queue, body)
        }
    }

    /// A store with two bonds and their octets, two devices, and the states of two managers, on the disk.
    private func filled() -> DeviceStore {
        let store = start()
        store.bonds.localIdentityKey = IdentityResolvingKey(value: 77)
        for number in 1...2 as ClosedRange<UInt64> {
            store.bonds.keep(StoreChange.bond(number, keys: UInt128(number) * 1000))
            store.bonds.keep([UInt8(number), 2], as: .clientState, of: StoreChange.address(number))
            store.bonds.keep([UInt8(number), 3], as: .attributeCache, of: StoreChange.address(number))
            store.remember(StoreBench.address(number), PeerNames(deviceName: "Device \(number)"))
            store.keep(StoreBench.central, of: "central \(number)")
            store.keep(StoreBench.services, of: "peripheral \(number)")
        }
        store.flush()
        // Nothing is left to write.
        while timers.fire() != nil {}
        return store
    }

    /// What the next run finds has all that the running store has.
    private func expectAll(_ store: DeviceStore, _ comment: Comment) {
        let next = bench.start()
        #expect(next.bonds.table == store.bonds.table, comment)
        #expect(next.knownNames == store.knownNames, comment)
        for number in 1...2 {
            #expect(next.central("central \(number)") == StoreBench.central, comment)
            #expect(next.peripheral("peripheral \(number)") == StoreBench.services, comment)
        }
        let unmet = StoreBench.address(0xFFFF)
        #expect(next.identifier(for: unmet) == store.identifier(for: unmet), comment)
    }

    /// A file that vanishes comes back whole with the next change, whatever has not changed: twice.
    @Test(arguments: ["bonds", "state", "identity-key", "lock", ""])
    func aFileThatIsRemovedDuringTheRunComesBackWhole(name: String) throws {
        let store = filled()
        for round in 1...2 as ClosedRange<UInt64> {
            try FileManager.default.removeItem(atPath: name.isEmpty ? bench.directory.path : bench.path(name))
            store.bonds.keep(StoreChange.bond(round, keys: UInt128(round) * 5000))
            store.remember(StoreBench.address(round), PeerNames(deviceName: "Renamed \(round)"))
            store.flush()
            expectAll(store, "\(name), round \(round)")
            #expect(bench.warnings.all.isEmpty)
            #expect(try bench.names() == ["bonds", "identity-key", "lock", "state"])
            #expect(store.bonds.bonds.count == 2 && store.knownNames.count == 2)
        }
    }

    /// Octets of a bond alone, or a removal, bring a removed file back, too.
    @Test func eachKindOfChangeBringsTheBondsBack() throws {
        let store = filled()
        let changes: [@Sendable (DeviceStore) -> Void] = [
            { $0.bonds.keep([9], as: .clientState, of: StoreChange.address(1)) },
            { $0.bonds.localIdentityKey = IdentityResolvingKey(value: 78) },
            { $0.bonds.remove(StoreChange.address(2)) },
        ]
        for (number, change) in changes.enumerated() {
            try FileManager.default.removeItem(atPath: bench.path("bonds"))
            change(store)
            store.flush()
            expectAll(store, "change \(number)")
        }
        #expect(store.bonds.bonds.map(\.peer) == [StoreChange.address(1)])
    }

    /// A call that fails once or three times: the next run finds the old or the new content, and the retry writes everything, in a second round, too.
    @Test(
        arguments: [.openLock, .createDraft, .write, .setMode, .sync, .rename, .syncDirectory] as [StoreDirectory.Step],
        [1, 3])
    func aFailedCallIsRepeatedUntilItSucceeds(step: StoreDirectory.Step, count: Int) throws {
        let store = filled()
        for round in 1...2 as ClosedRange<UInt64> {
            let old = bench.start().bonds.table
            // Each kind of change: they come back after the failure.
            store.bonds.keep(StoreChange.bond(1, keys: UInt128(round) * 7000))
            store.bonds.keep([UInt8(round), 9], as: .attributeCache, of: StoreChange.address(2))
            store.bonds.localIdentityKey = IdentityResolvingKey(value: UInt128(90 + round))
            let new = store.bonds.table
            calls.fail(step, count)
            var delays: [TimeSpan] = []
            while let delay = timers.fire() {
                delays.append(delay)
                let found = bench.start().bonds.table
                #expect(found == old || found == new, "\(step), round \(round)")
            }
            #expect(delays == [.zero] + [250, 500, 1000].prefix(count).map { TimeSpan.milliseconds($0) })
            #expect(calls.hasFailed)
            expectAll(store, "\(step), round \(round)")
            #expect(try !bench.names().contains { $0.hasSuffix(".new") })
            // After the failure everything is synchronized again.
            #expect(calls.made.suffix(3) == [.sync, .rename, .syncDirectory])
            #expect(
                bench.warnings.all.count == Int(2 * round),
                "each failure and each recovery is reported: \(bench.warnings.all)")
        }
    }

    /// The same for the file of devices and managers, with a pairing that replaces an identifier.
    @Test(arguments: [.openLock, .createDraft, .write, .sync, .rename, .syncDirectory] as [StoreDirectory.Step])
    func aFailedWriteOfTheStateKeepsAllKindsOfChanges(step: StoreDirectory.Step) throws {
        let store = filled()
        for round in 1...2 as ClosedRange<UInt64> {
            let paired = PeerIdentifier(high: 3, low: round)
            store.remember(StoreBench.address(2), PeerNames(deviceName: "New \(round)"))
            store.learn(StoreBench.address(1), of: paired)
            store.keep(StoreBench.central, of: "third \(round)")
            calls.fail(step, 2)
            while timers.fire() != nil {}
            #expect(calls.hasFailed)
            let next = bench.start()
            #expect(next.identifier(for: StoreBench.address(1)) == paired, "round \(round)")
            #expect(next.address(of: paired) == StoreBench.address(1))
            #expect(next.knownNames == store.knownNames)
            #expect(next.central("third \(round)") == StoreBench.central)
            #expect(bench.warnings.all.count == Int(2 * round))
        }
    }

    /// What was written is not written again: another program's change to it stays.
    @Test func aWrittenChangeIsNotWrittenAgain() {
        let store = filled()
        let other = bench.start(StoreBench.Timers())
        store.learn(StoreBench.address(1), of: PeerIdentifier(high: 3, low: 1))
        store.flush()
        // The other program pairs the device once more, and changes names and states.
        let paired = PeerIdentifier(high: 4, low: 1)
        other.learn(StoreBench.address(1), of: paired)
        other.remember(StoreBench.address(2), PeerNames(deviceName: "Other"))
        other.keep(nil as CentralRestoration?, of: "central 2")
        other.bonds.keep(StoreChange.bond(2, keys: 9999))
        other.flush()
        store.remember(StoreBench.address(3), PeerNames(deviceName: "Third"))
        store.bonds.keep([1], as: .clientState, of: StoreChange.address(1))
        store.flush()
        var next = bench.start()
        #expect(next.identifier(for: StoreBench.address(1)) == paired)
        #expect(next.knownNames.values.contains { $0.deviceName == "Other" })
        #expect(next.central("central 2") == nil)
        #expect(next.bonds.bonds.contains(StoreChange.bond(2, keys: 9999)))
        // A name alone does not replace the identifier of the pairing.
        store.remember(StoreBench.address(1), PeerNames(deviceName: "Named"))
        store.flush()
        next = bench.start()
        #expect(next.identifier(for: StoreBench.address(1)) == paired)
    }

    /// A key that the program replaces while the first one is being written is not undone by that write.
    @Test func aKeyThatChangesDuringTheWriteStays() {
        let other = bench.start(StoreBench.Timers())
        var directory = bench.directory
        directory.lockAttempts = 300
        let timers = timers
        let running = Lock<DeviceStore?>(nil)
        directory.didCall = { step in
            guard step == .createDraft, let store = running.withLock({ $0.take() }) else { return }
            store.bonds.localIdentityKey = IdentityResolvingKey(value: 2)
        }
        let store = DeviceStore(directory: directory, log: bench.log) { delay, queue, body in
            timers.add(delay, queue, body)
        }
        store.bonds.localIdentityKey = IdentityResolvingKey(value: 1)
        running.withLock { $0 = store }
        while timers.fire() != nil {}
        #expect(store.bonds.localIdentityKey == IdentityResolvingKey(value: 2))
        #expect(bench.start().bonds.localIdentityKey == IdentityResolvingKey(value: 2))
        withExtendedLifetime(other) {}
    }

    /// A new directory is on the disk before its first file; one that cannot be made private or synchronized is made again.
    @Test(arguments: [.setMode, .syncParent] as [StoreDirectory.Step])
    func aNewDirectoryIsSynchronizedInItsParent(step: StoreDirectory.Step) throws {
        var directory = StoreDirectory(path: bench.directory.path + "/a/b")
        calls.watch(&directory)
        for _ in 0..<2 {
            calls.fail(step, 1)
            #expect(throws: StoreError.self) {
                try directory.whileLocked { locked throws(StoreError) in try locked.replace("file", with: [1]) }
            }
            #expect(calls.hasFailed)
            #expect(!FileManager.default.fileExists(atPath: directory.path))
        }
        let count = calls.made.count
        try directory.whileLocked { locked throws(StoreError) in try locked.replace("file", with: [1]) }
        let made = calls.made.dropFirst(count).prefix { $0 != .openLock }
        #expect(made.suffix(6) == [.makeDirectory, .setMode, .syncParent, .makeDirectory, .setMode, .syncParent])
        #expect(try directory.read("file") == [1])
    }

    @Test func theLongestFileIsReadAndALongerOneIsNot() throws {
        let store = bench.start(timers)
        store.flush()
        let limit = 16 << 20
        let directory = bench.directory
        let longest = [UInt8](repeating: 7, count: limit)
        try directory.whileLocked { locked throws(StoreError) in try locked.replace("long", with: longest) }
        #expect(try directory.read("long")?.count == limit)
        #expect(throws: StoreError.self) {
            try directory.whileLocked { locked throws(StoreError) in try locked.replace("long", with: longest + [8]) }
        }
        #expect(try directory.read("long")?.count == limit)
        try bench.put(longest + [8], "long")
        #expect(try directory.read("long")?.count ?? limit < limit)
        // A longer one that another program made is not read to its end, so that its checksum is wrong.
        var content = StoreContent()
        content.meet(
            .init(
                address: StoreBench.address(1), identifier: PeerIdentifier(high: 1, low: 1), deviceName: "One",
                advertisedName: nil, lastMeeting: 0))
        try bench.put(StoreFile.stateFile.encode(content), "state")
        #expect(bench.start().knownNames.count == 1)
        content.foreign = [.init(kind: 200, octets: [UInt8](repeating: 1, count: limit + 200_000))]
        try bench.put(StoreFile.stateFile.encode(content), "state")
        let next = bench.start()
        #expect(next.knownNames.isEmpty)
        #expect(try bench.names().contains { $0.hasPrefix("state.corrupt-") })
    }

    /// The pause never ends, and never becomes zero.
    @Test func thePauseOfRetriesStaysAtItsLimit() {
        var schedule = WriteSchedule()
        for round in 0..<2 {
            var last = TimeSpan.zero
            for count in 1...200 {
                let pause = schedule.fail()
                #expect(pause >= last && pause <= WriteSchedule.longestRetry, "failure \(count) of round \(round)")
                last = pause
            }
            #expect(last == WriteSchedule.longestRetry)
            let isRecovery = schedule.succeed()
            let isRecoveryAgain = schedule.succeed()
            #expect(isRecovery && !isRecoveryAgain)
            let first = schedule.fail()
            #expect(first == WriteSchedule.shortestRetry)
            _ = schedule.succeed()
        }
    }

    /// More devices and managers than the limits, all at once: the newest stay.
    @Test(arguments: [1, 2, 5000]) func allEntriesAboveTheLimitsGoAtOnce(excess: Int) {
        var content = StoreContent()
        let count = 4096 + excess
        for number in 0..<UInt64(count) {
            content.insert(
                .init(
                    address: StoreBench.address(number), identifier: PeerIdentifier(high: 1, low: number),
                    deviceName: nil, advertisedName: nil, lastMeeting: number + 70_000))
        }
        let managers = (0..<256 + excess).map {
            StoreContent.ManagerKey(role: .central, identifier: "manager \($0)")
        }
        for key in managers { content.managers[key] = [1] }
        let own = Set(managers.suffix(2))
        content.trim(keeping: own)
        #expect(content.peers.count == 4096)
        #expect(content.peers[StoreBench.address(UInt64(excess - 1))] == nil)
        #expect(content.peers[StoreBench.address(UInt64(excess))] != nil)
        #expect(content.managers.count == 256)
        #expect(own.isSubset(of: content.managers.keys))
        // A device that is met is the newest, also beyond 65,536 meetings.
        content.meet(
            .init(
                address: StoreBench.address(UInt64(excess)), identifier: PeerIdentifier(high: 1, low: 1),
                deviceName: nil, advertisedName: nil, lastMeeting: 0))
        #expect(content.peersByMeeting.last?.address == StoreBench.address(UInt64(excess)))
    }
}
