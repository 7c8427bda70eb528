import BLEAdapter
import BLESecurity
import BLEWire
import Foundation
import Testing
import store_crash

@testable import BLEStore

/// The system calls of a store and their order, and what is in the directory after each of them.
@Suite struct StoreCallTests {
    private let bench = StoreBench()
    private let timers = StoreBench.Timers()
    private let names = PeerNames(deviceName: "Band")

    /// The system calls that were made.
    private final class Record: Sendable {
        let steps = Lock<[StoreDirectory.Step]>([])
        func take() -> [StoreDirectory.Step] {
            steps.withLock { steps in
                defer { steps = [] }
                return steps
            }
        }
    }

    private func start(_ directory: StoreDirectory) -> DeviceStore {
        let timers = timers
        return DeviceStore(directory: directory, log: bench.log) { timers.add($0, $1, $2) }
    }

    private func recorded(_ record: Record, partLength: Int = .max) -> StoreDirectory {
        var directory = bench.directory
        directory.lockAttempts = 300
        directory.writeLength = partLength
        directory.didCall = { step in record.steps.withLock { $0.append(step) } }
        return directory
    }

    private static let replacement: [StoreDirectory.Step] = [
        .removeDraft, .createDraft, .write, .setMode, .sync, .rename, .syncDirectory,
    ]

    /// A file is complete and synced before it has its name, and the directory is synced afterwards.
    @Test func aFileIsReplacedInTheOrderThatSurvivesAPowerCut() {
        let record = Record()
        let store = start(recorded(record))
        // Both directories, the lock, and the key. The state and the bonds are empty.
        let directories = [StoreDirectory.Step](repeating: .makeDirectory, count: 3)
        let made = record.take()
        #expect(made.filter { $0 == .makeDirectory } == directories)
        #expect(Array(made.dropFirst(9)) == [.openLock] + Self.replacement)
        for (number, step) in made.prefix(9).enumerated() {
            #expect(step == [.makeDirectory, .setMode, .syncParent][number % 3])
        }
        for round in 0..<3 as Range<UInt64> {
            store.remember(StoreBench.address(round), names)
            store.flush()
            #expect(record.take() == [.openLock] + Self.replacement, "round \(round)")
            store.bonds.keep(StoreChange.bond(round, keys: 5))
            store.flush()
            #expect(record.take() == [.openLock] + Self.replacement, "round \(round)")
            store.remember(StoreBench.address(round), PeerNames(deviceName: "Two \(round)"))
            store.bonds.keep([1], as: .clientState, of: StoreChange.address(round))
            store.flush()
            #expect(record.take() == [.openLock] + Self.replacement + [.openLock] + Self.replacement, "round \(round)")
            // Without a change nothing is written.
            store.flush()
            #expect(record.take().isEmpty, "round \(round)")
        }
    }

    /// A file that is written in parts has all of them.
    @Test(arguments: [1, 7, 64, 100_000]) func aFileIsWrittenInParts(length: Int) throws {
        let record = Record()
        let store = start(recorded(record, partLength: length))
        _ = record.take()
        for number in 0..<5 as Range<UInt64> { store.remember(StoreBench.address(number), names) }
        store.flush()
        let count = try bench.octets("state").count
        #expect(record.take().count { $0 == .write } == (count + length - 1) / length)
        #expect(bench.start().knownNames.count == 5)
    }

    /// The directories and files are private from the moment in which they are made, the parents as well.
    @Test func nothingIsEverReadableByOthers() throws {
        let root = bench.root
        let path = root + "/one/two/three"
        let modes = Lock<[(StoreDirectory.Step, String, Int)]>([])
        var directory = StoreDirectory(path: path, lockAttempts: 300)
        let places = [root, root + "/one", root + "/one/two", path]
        let files = ["lock", "identity-key", "identity-key.new", "bonds", "bonds.new", "state", "state.new"].map {
            path + "/" + $0
        }
        directory.didCall = { step in
            for place in places + files {
                var status = stat()
                guard lstat(place, &status) == 0 else { continue }
                modes.withLock { $0.append((step, place, Int(status.st_mode & 0o777))) }
            }
        }
        let store = start(directory)
        store.remember(StoreBench.address(1), names)
        store.bonds.keep(StoreChange.bond(1, keys: 5))
        store.flush()
        let seen = modes.withLock { $0 }
        #expect(Set(seen.map(\.1)) == Set(places + files))
        for (step, place, mode) in seen {
            #expect(mode & 0o077 == 0, "\(place) after \(step): \(String(mode, radix: 8))")
        }
        for place in places { #expect(try bench.mode(place) == 0o700, "\(place)") }
        for name in ["lock", "identity-key", "bonds", "state"] { #expect(try bench.mode(path + "/" + name) == 0o600) }
    }

    /// A program that this one starts inherits no file of the store, and so neither a key nor the lock.
    @Test func noProgramInheritsADescriptor() {
        let root = bench.root
        let seen = Lock<(files: Set<String>, inherited: Set<String>)>(([], []))
        var directory = bench.directory
        directory.lockAttempts = 300
        directory.didCall = { _ in
            for number in (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? [] {
                let path = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/" + number)) ?? ""
                guard path.hasPrefix(root), let descriptor = Int32(number) else { continue }
                let flags = fcntl(descriptor, F_GETFD)
                // Another thread may have closed the file, and opened another one under its number.
                guard (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/" + number)) == path
                else { continue }
                seen.withLock { seen in
                    seen.files.insert(String(path.split(separator: "/").last ?? ""))
                    if flags >= 0, flags & FD_CLOEXEC == 0 { seen.inherited.insert(path) }
                }
            }
        }
        let store = start(directory)
        store.remember(StoreBench.address(1), names)
        store.bonds.keep(StoreChange.bond(1, keys: 5))
        store.flush()
        let (files, inherited) = seen.withLock { $0 }
        // The first two are the parents of the directory.
        let parents = [String(root.split(separator: "/").last ?? ""), "state"]
        let names = ["opencorebluetooth", "lock", "identity-key.new", "state.new", "bonds.new"]
        #expect(files.isSuperset(of: parents + names))
        #expect(inherited.isEmpty)
        #expect(bench.start().knownNames.count == 1)
    }

    /// A directory that exists keeps what is in it, and a parent that others may read stays as it is.
    @Test func anExistingParentStaysAsItIs() throws {
        let parent = bench.root + "/state"
        try FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: true)
        chmod(parent, 0o755)
        let store = bench.start(timers)
        store.remember(StoreBench.address(1), names)
        store.flush()
        #expect(try bench.mode(parent) == 0o755 && bench.mode(bench.directory.path) == 0o700)
        #expect(bench.start().knownNames.count == 1 && bench.warnings.all.isEmpty)
    }

    /// The log names the file and the reason of the system.
    @Test(
        arguments: [
            (.openLock, "lock cannot be opened"), (.createDraft, "state.new cannot be created"),
            (.write, "state.new cannot be written"),
            (.setMode, "state.new cannot be synced"), (.sync, "state.new cannot be synced"),
            (.rename, "state cannot be replaced"),
            (.syncDirectory, "opencorebluetooth cannot be synced"),
        ] as [(StoreDirectory.Step, String)])
    func aFailureIsNamedWithItsReason(step: StoreDirectory.Step, text: String) throws {
        let number = Lock<Int32?>(nil)
        var directory = bench.directory
        directory.lockAttempts = 300
        directory.failure = { $0 == step ? number.withLock { $0 } : nil }
        let store = start(directory)
        let reasons = [
            (ENOSPC, "No space left on device"), (EIO, "Input/output error"), (EDQUOT, "Disk quota exceeded"),
        ]
        for (round, reason) in reasons.enumerated() {
            number.withLock { $0 = reason.0 }
            store.remember(StoreBench.address(UInt64(round)), names)
            store.flush()
            let warning = try #require(bench.warnings.all.last)
            #expect(
                warning.contains("/\(text): \(reason.1).") || warning.contains("\(text): \(reason.1)."), "\(warning)")
            #expect(bench.warnings.all.count == 2 * round + 1)
            // No half-written file is left.
            #expect(try !bench.names().contains("state.new"))
            number.withLock { $0 = nil }
            store.flush()
            #expect(bench.warnings.all.count == 2 * round + 2)
        }
        #expect(bench.start().knownNames.count == 3)
    }

    /// The draft of a writer that crashed is not written to, even if it cannot be removed.
    @Test func aDraftThatCannotBeRemovedStaysAsItIs() throws {
        _ = bench.start()
        var directory = bench.directory
        directory.lockAttempts = 300
        directory.failure = { $0 == .removeDraft ? EACCES : nil }
        let store = start(directory)
        try bench.put([1, 2, 3], "state.new")
        store.remember(StoreBench.address(1), names)
        store.flush()
        #expect(bench.warnings.all.count == 1)
        #expect(bench.warnings.all[0].contains("/state.new cannot be created: File exists."))
        #expect(try bench.octets("state.new") == [1, 2, 3])
    }

    /// A write that a signal interrupts is repeated.
    @Test func anInterruptedWriteIsRepeated() throws {
        let count = Lock(0)
        var directory = bench.directory
        directory.lockAttempts = 300
        directory.writeLength = 10
        directory.failure = { step in
            guard step == .write else { return nil }
            return count.withLock { count in
                count += 1
                return count % 3 == 0 ? nil : EINTR
            }
        }
        let store = start(directory)
        store.remember(StoreBench.address(1), names)
        store.flush()
        #expect(bench.start().knownNames.count == 1 && bench.warnings.all.isEmpty)
    }

    @Test func aParentThatCannotBeMadeIsNamed() throws {
        var directory = bench.directory
        directory.failure = { $0 == .makeDirectory ? EACCES : nil }
        _ = start(directory)
        let warning = try #require(bench.warnings.all.first)
        #expect(warning.contains(bench.root + " cannot be made: Permission denied."))
        directory.failure = { $0 == .setMode ? EPERM : nil }
        _ = start(directory)
        let second = try #require(bench.warnings.all.last)
        #expect(second.contains(bench.root + " cannot be made usable: Operation not permitted."))
        // A file in the place of a parent.
        try? FileManager.default.removeItem(atPath: bench.root)
        try Data([1]).write(to: URL(fileURLWithPath: bench.root))
        _ = start(bench.directory)
        let third = try #require(bench.warnings.all.last)
        #expect(third.contains(bench.directory.path + " cannot be opened: Not a directory."))
        let failure = #expect(throws: StoreError.self) {
            try bench.directory.whileLocked { (_) throws(StoreError) in () }
        }
        #expect(failure?.description == bench.root + " cannot be made: File exists.")
        #expect(bench.warnings.all.count == 3)
    }

    /// Files that were damaged in the same second get the next free number.
    @Test func aDamagedFileGetsAFreeName() throws {
        _ = bench.start()
        // The time of the test, whatever it is: one, two or three files have the names of each second.
        let now = Int(Date().timeIntervalSince1970)
        for second in now..<now + 1_000 {
            try bench.put([1], "state.corrupt-\(second)")
            if second % 3 != 0 { try bench.put([2], "state.corrupt-\(second)-2") }
            if second % 3 == 2 { try bench.put([3], "state.corrupt-\(second)-3") }
        }
        let before = Set(try bench.names())
        try bench.put([9, 9], "state")
        _ = bench.start()
        let added = Set(try bench.names()).subtracting(before)
        #expect(added.count == 1)
        let name = try #require(added.first)
        let parts = name.split(separator: "-")
        let second = try #require(parts.count == 3 ? Int(parts[1]) : nil)
        #expect(parts[2] == "\(2 + second % 3)" && (now..<now + 1_000).contains(second))
        #expect(try bench.octets(name) == [9, 9])
        #expect(try bench.octets("state.corrupt-\(second)") == [1])
        // The new name is durable.
        let record = Record()
        try bench.put([9], "bonds")
        _ = start(recorded(record))
        #expect(record.take() == [.openLock, .rename, .syncDirectory])
    }

    // MARK: Second rounds

    /// A file that other programs filled is reported once, and again after a removal.
    @Test func aFullFileIsReportedOnce() {
        let store = bench.start(timers)
        let other = bench.start(StoreBench.Timers())
        for number in 0..<UInt64(BondLimits.bonds) { other.bonds.keep(StoreChange.bond(number, keys: 1)) }
        other.flush()
        for number in 0..<4 as Range<UInt64> {
            #expect(store.bonds.keep(StoreChange.bond(5000 + number, keys: 1)))
            store.flush()
            #expect(bench.warnings.all.count == 1, "\(number)")
        }
        store.bonds.remove(StoreChange.address(5000))
        store.flush()
        for number in 10..<13 as Range<UInt64> {
            store.bonds.keep(StoreChange.bond(5000 + number, keys: 1))
            store.flush()
            #expect(bench.warnings.all.count == 2, "\(number)")
        }
        #expect(bench.start().bonds.bonds.count == BondLimits.bonds)
    }

    /// A store in memory has nothing to write, however long it runs.
    @Test func aStoreInMemoryCollectsNoChanges() {
        let store = DeviceStore(key: StoreKey(high: 1, low: 2))
        for number in 0..<10 as Range<UInt64> {
            store.remember(StoreBench.address(number), names)
            store.learn(StoreBench.address(100 + number), of: PeerIdentifier(high: 1, low: number))
            store.keep(StoreBench.central, of: "manager")
            #expect(store.changedPeerCount == 0)
        }
        #expect(store.knownIdentifierCount == 20)
        store.flush()
        // The same for one whose file has a later version.
        let later = bench.start(timers)
        later.flush()
        try? bench.put(StoreEnvelope(magic: StoreEnvelope.state.magic, version: 2).seal([]), "state")
        later.remember(StoreBench.address(1), names)
        #expect(later.changedPeerCount == 1)
        later.flush()
        #expect(later.changedPeerCount == 0)
        later.remember(StoreBench.address(2), names)
        #expect(later.changedPeerCount == 0 && later.knownNames.count == 2)
    }

    /// A pairing whose device was forgotten before the write says nothing about the device that comes later under its address.
    @Test func aForgottenPairingReplacesNoIdentifier() throws {
        let other = bench.start(StoreBench.Timers())
        other.remember(StoreBench.address(1), names)
        other.flush()
        let identifier = other.identifier(for: StoreBench.address(1))
        try bench.put(StoreFile.keyFile.encode(StoreKey(high: 7, low: 7)), "identity-key")
        let state = try bench.octets("state")
        try FileManager.default.removeItem(atPath: bench.path("state"))
        let store = bench.start(timers)
        try bench.put(state, "state")
        store.learn(StoreBench.address(1), of: PeerIdentifier(high: 3, low: 1))
        for number in 0..<UInt64(StoreContent.peerLimit) {
            store.remember(StoreBench.address(10 + number), PeerNames())
        }
        store.remember(StoreBench.address(1), PeerNames(deviceName: "Again"))
        #expect(store.identifier(for: StoreBench.address(1)) != identifier)
        store.flush()
        #expect(bench.start().identifier(for: StoreBench.address(1)) == identifier)
    }

    /// Timers that were set, fired and failed in turn: one immediate and one later timer at most.
    @Test func aScheduleHasOneTimerOfEachKind() {
        var schedule = WriteSchedule()
        for round in 0..<3 {
            let first = schedule.setTimer()
            let again = schedule.setTimer()
            let immediate = schedule.setImmediateTimer()
            let immediateAgain = schedule.setImmediateTimer()
            #expect(first && !again && immediate && !immediateAgain, "round \(round)")
            schedule.timerFired(immediately: false)
            let late = schedule.setTimer()
            #expect(!late, "the immediate timer writes everything")
            schedule.timerFired(immediately: true)
            let next = schedule.setTimer()
            #expect(next)
            schedule.timerFired(immediately: false)
            let pauses = (0..<10).map { _ in schedule.fail() }
            #expect(
                pauses == [250, 500, 1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000].map { .milliseconds($0) })
            #expect(schedule.failures == 10)
            let isRecovery = schedule.succeed()
            #expect(isRecovery && schedule.failures == 0)
        }
    }

    /// The last one that was met has the greatest number, whatever the numbers were.
    @Test func aMeetingIsAfterAllOthers() {
        var content = StoreContent()
        func peer(_ number: UInt64, meeting: UInt64 = 0) -> StoreContent.Peer {
            .init(
                address: StoreBench.address(number), identifier: PeerIdentifier(high: 1, low: number), deviceName: nil,
                advertisedName: nil, lastMeeting: meeting)
        }
        for number in 0..<5 as Range<UInt64> { content.meet(peer(number, meeting: 9_000)) }
        content.meet(peer(1))
        content.insert(peer(7, meeting: 70_000))
        content.meet(peer(2))
        content.insert(peer(8, meeting: 3))
        #expect(content.peersByMeeting.map { $0.identifier.low }.suffix(4) == [4, 1, 7, 2])
        #expect(content.peers[StoreBench.address(2)]?.lastMeeting == 70_001)
        // Equal numbers are in the order of the addresses.
        content.insert(peer(9, meeting: 70_001))
        content.insert(
            .init(
                address: DeviceAddress(kind: .public, value: .max >> 16), identifier: PeerIdentifier(high: 2, low: 10),
                deviceName: nil,
                advertisedName: nil, lastMeeting: 70_001))
        #expect(content.peersByMeeting.map { $0.identifier.low }.suffix(3) == [10, 2, 9])
    }

    /// Of two managers with one identifier, the same one is removed each time.
    @Test func equalContentsLoseTheSameManagers() {
        for _ in 0..<30 {
            var content = StoreContent()
            for number in 0..<StoreContent.managerLimit / 2 {
                for role in [StoreContent.ManagerKey.Role.central, .peripheral] {
                    content.managers[.init(role: role, identifier: "m\(1000 + number)")] = [1]
                }
            }
            content.managers[.init(role: .central, identifier: "z")] = [1]
            content.trim(keeping: [])
            #expect(content.managers.count == StoreContent.managerLimit)
            #expect(content.managers[.init(role: .central, identifier: "m1000")] == nil)
            #expect(content.managers[.init(role: .peripheral, identifier: "m1000")] == [1])
        }
    }
}
