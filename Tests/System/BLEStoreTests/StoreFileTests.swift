import BLEAdapter
import BLESecurity
import BLEWire
import Foundation
import TestConditions
import Testing

@testable import BLEStore

/// What the disk can do to a store, and what others can.
@Suite struct StoreFileTests {
    private let bench = StoreBench()
    private let address = StoreBench.address(5)
    private let names = PeerNames(deviceName: "Band", advertisedName: "B")

    /// A run that meets a device and keeps a manager's state; gives the device's identifier.
    @discardableResult
    private func firstRun() -> PeerIdentifier {
        let store = bench.start()
        store.remember(address, names)
        store.keep(StoreBench.central, of: "gateway")
        store.flush()
        return store.identifier(for: address)
    }

    @Test func theNextRunReadsTheStoredData() throws {
        let identifier = firstRun()
        let store = bench.start()
        #expect(store.identifier(for: address) == identifier)
        #expect(store.address(of: identifier) == address)
        #expect(store.knownNames == [identifier: names])
        #expect(store.record(of: identifier).name == "Band")
        #expect(store.central("gateway") == StoreBench.central)
        #expect(store.peripheral("gateway") == nil && store.central("other") == nil)
        #expect(bench.warnings.all.isEmpty)
        #expect(try bench.names() == ["identity-key", "lock", "state"])
        #expect(try bench.mode(bench.directory.path) == 0o700)
        for name in try bench.names() { #expect(try bench.mode(bench.path(name)) == 0o600) }
    }

    @Test func aDiscoveryWritesNothing() throws {
        let first = bench.start()
        let identifier = first.identifier(for: address)
        first.flush()
        #expect(try bench.names() == ["identity-key", "lock"])
        let second = bench.start()
        #expect(second.identifier(for: address) == identifier && second.address(of: identifier) == address)
    }

    @Test func anIdentityWithManyAddressesHasOneIdentifier() {
        let store = DeviceStore(key: StoreKey(high: 1, low: 2))
        let identity = StoreBench.address(1)
        for number in 0..<100 as Range<UInt64> { store.learn(identity, of: PeerIdentifier(high: 1, low: number)) }
        #expect(store.knownIdentifierCount == 1)
        #expect(store.identifier(for: identity) == PeerIdentifier(high: 1, low: 99))
        #expect(store.address(of: PeerIdentifier(high: 1, low: 99)) == identity)
    }

    /// A device that was connected under its public address pairs under a private one. Programs see the identifier of the private
    /// address from then on, also in later runs.
    @Test func anIdentityKeepsTheIdentifierOfItsPairing() {
        let former = firstRun()
        let paired = PeerIdentifier(high: 1, low: 2)
        let store = bench.start()
        store.learn(address, of: paired)
        #expect(store.identifier(for: address) == paired)
        store.flush()
        let next = bench.start()
        #expect(next.identifier(for: address) == paired && next.address(of: paired) == address)
        #expect(next.knownNames.keys.contains(former) == false)
        next.remember(address, names)
        next.flush()
        #expect(bench.start().identifier(for: address) == paired)
    }

    @Test func identifiersAreRemovedWithTheirDevices() throws {
        firstRun()
        var content = StoreContent()
        for number in 0..<UInt64(StoreContent.peerLimit) {
            let identifier = PeerIdentifier(high: 1, low: number)
            content.insert(
                .init(
                    address: StoreBench.address(number), identifier: identifier, deviceName: nil, advertisedName: nil,
                    lastMeeting: number + 1))
        }
        try bench.put(StoreFile.stateFile.encode(content), "state")
        let store = bench.start()
        #expect(store.knownIdentifierCount == StoreContent.peerLimit)
        for number in 0..<20 as Range<UInt64> { store.remember(StoreBench.address(0x10_0000 + number), names) }
        #expect(store.knownIdentifierCount == StoreContent.peerLimit)
        #expect(store.address(of: PeerIdentifier(high: 1, low: 19)) == nil)
        #expect(store.address(of: PeerIdentifier(high: 1, low: 20)) == StoreBench.address(20))
    }

    @Test func removalsAreStored() {
        firstRun()
        let second = bench.start()
        second.keep(nil as CentralRestoration?, of: "gateway")
        second.flush()
        #expect(bench.start().central("gateway") == nil)
    }

    @Test func aCrashBeforeTheRenameKeepsTheFile() throws {
        let identifier = firstRun()
        let whole = try bench.octets("state")
        for length in [0, 1, whole.count / 2, whole.count] {
            try bench.put(Array(whole.prefix(length)), "state.new")
            let store = bench.start()
            #expect(store.knownNames.keys.contains(identifier))
            store.remember(StoreBench.address(UInt64(100 + length)), PeerNames())
            store.flush()
            #expect(try bench.names() == ["identity-key", "lock", "state"])
        }
        #expect(bench.start().knownNames.count == 5 && bench.warnings.all.isEmpty)
    }

    @Test(arguments: [0, 10, 40]) func aTruncatedFileIsRenamedAndLogged(_ length: Int) throws {
        let identifier = firstRun()
        let remains = Array(try bench.octets("state").prefix(length))
        try bench.put(remains, "state")
        let store = bench.start()
        #expect(store.knownNames.isEmpty && store.central("gateway") == nil)
        #expect(store.identifier(for: address) == identifier, "the key is not in that file")
        let aside = try #require(try bench.names().first { $0.hasPrefix("state.corrupt-") })
        #expect(try bench.octets(aside) == remains)
        #expect(bench.warnings.all.count == 1 && bench.warnings.all[0].contains(bench.path(aside)))
        store.remember(address, names)
        store.flush()
        #expect(bench.start().knownNames == [identifier: names])
    }

    @Test func aFileDamagedDuringTheRunIsWrittenAgain() throws {
        let store = bench.start()
        store.remember(address, names)
        store.flush()
        try bench.put([1, 2, 3], "state")
        store.remember(StoreBench.address(6), PeerNames())
        store.flush()
        #expect(bench.start().knownNames.count == 2)
        #expect(try bench.names().contains { $0.hasPrefix("state.corrupt-") })
    }

    @Test func twoDamagedFilesInOneSecondGetTwoNames() throws {
        for _ in 0..<3 {
            firstRun()
            try bench.put([9], "state")
            _ = bench.start()
        }
        #expect(try bench.names().filter { $0.hasPrefix("state.corrupt-") }.count == 3)
    }

    @Test func aLostKeyKeepsTheIdentifiersOfConnectedDevices() throws {
        let identifier = firstRun()
        let other = StoreBench.address(77)
        let computed = bench.start().identifier(for: other)
        var key = try bench.octets("identity-key")
        key[20] ^= 4
        try bench.put(key, "identity-key")
        let store = bench.start()
        #expect(store.identifier(for: address) == identifier && store.address(of: identifier) == address)
        #expect(store.identifier(for: other) != computed && store.address(of: computed) == nil)
        #expect(try bench.names().contains { $0.hasPrefix("identity-key.corrupt-") })
        #expect(bench.warnings.all.count == 1)
    }

    @Test func aFileOfALaterVersionIsNotChanged() throws {
        firstRun()
        let later = StoreEnvelope(magic: StoreEnvelope.state.magic, version: 2).seal([1, 2, 3])
        try bench.put(later, "state")
        let timers = StoreBench.Timers()
        let store = bench.start(timers)
        #expect(store.knownNames.isEmpty)
        store.remember(address, names)
        #expect(timers.delays.isEmpty, "there is nothing to write")
        store.bonds.localIdentityKey = IdentityResolvingKey(value: 5)
        store.flush()
        #expect(store.knownNames.count == 1, "in memory it goes on")
        #expect(try bench.octets("state") == later)
        #expect(bench.warnings.all.count == 1 && bench.warnings.all[0].contains("later version"))
        #expect(bench.start().bonds.localIdentityKey == IdentityResolvingKey(value: 5), "bonds have their own file")
    }

    @Test func aKeyOfALaterVersionIsNotChanged() throws {
        let identifier = firstRun()
        let later = StoreEnvelope(magic: StoreEnvelope.key.magic, version: 2).seal([1, 2, 3])
        try bench.put(later, "identity-key")
        let timers = StoreBench.Timers()
        let store = bench.start(timers)
        #expect(timers.delays.isEmpty)
        #expect(store.identifier(for: address) == identifier)
        store.remember(StoreBench.address(6), names)
        store.flush()
        #expect(try bench.octets("identity-key") == later)
        #expect(bench.warnings.all.count == 1 && bench.warnings.all[0].contains("later version"))
    }

    /// Nothing of a key is to be written, because the file of devices stays as it is.
    @Test func aLaterVersionBesideAKeyThatCannotBeReadIsReportedAlone() throws {
        firstRun()
        try bench.put(StoreEnvelope(magic: StoreEnvelope.state.magic, version: 2).seal([1]), "state")
        try FileManager.default.removeItem(atPath: bench.path("identity-key"))
        try FileManager.default.createDirectory(atPath: bench.path("identity-key"), withIntermediateDirectories: false)
        let timers = StoreBench.Timers()
        let store = bench.start(timers)
        store.remember(address, names)
        store.flush()
        #expect(timers.delays.isEmpty)
        #expect(bench.warnings.all.count == 1 && bench.warnings.all[0].contains("later version"))
    }

    @Test func unknownEntriesArePreserved() throws {
        var content = StoreContent()
        content.foreign = [.init(kind: 200, octets: [7])]
        firstRun()
        try bench.put(StoreFile.stateFile.encode(content), "state")
        let store = bench.start()
        store.remember(address, names)
        store.flush()
        #expect(try StoreFile.stateFile.decode(bench.octets("state")).foreign == content.foreign)
    }

    @Test func permissionsOfOthersAreRemoved() throws {
        firstRun()
        for name in ["", "state", "identity-key"] { chmod(bench.path(name), 0o777) }
        _ = bench.start()
        #expect(try bench.mode(bench.directory.path) == 0o700)
        #expect(try bench.mode(bench.path("state")) == 0o600 && bench.mode(bench.path("identity-key")) == 0o600)
    }

    @Test func filesOfAnotherUserAreNotUsed() throws {
        firstRun()
        let before = try bench.octets("state")
        let timers = StoreBench.Timers()
        let store = bench.start(timers, notOwning: "state")
        #expect(store.knownNames.isEmpty && timers.delays.isEmpty)
        store.remember(address, names)
        store.flush()
        #expect(try bench.octets("state") == before)
        #expect(bench.warnings.all.count == 1 && bench.warnings.all[0].contains("belongs to user \(geteuid()), not to"))
    }

    @Test func aSymbolicLinkIsNotFollowed() throws {
        firstRun()
        let elsewhere = bench.root + "/elsewhere"
        try Data(try bench.octets("state")).write(to: URL(fileURLWithPath: elsewhere))
        unlink(bench.path("state"))
        symlink(elsewhere, bench.path("state"))
        #expect(bench.start().knownNames.isEmpty)
        #expect(bench.warnings.all.count == 1)
    }

    /// A lock that is a symbolic link: nothing is made where it points to.
    @Test func aSymbolicLinkIsNoLock() throws {
        firstRun()
        let elsewhere = bench.root + "/elsewhere"
        unlink(bench.path("lock"))
        symlink(elsewhere, bench.path("lock"))
        let store = bench.start(StoreBench.Timers())
        store.remember(StoreBench.address(6), names)
        store.flush()
        #expect(!FileManager.default.fileExists(atPath: elsewhere))
        #expect(bench.warnings.all.count == 1 && bench.warnings.all[0].contains("/lock cannot be opened: Too many"))
    }

    /// A pipe, which would wait for a writer, is no file, and neither is a directory.
    @Test(arguments: ["state", "identity-key", "bonds"]) func onlyPlainFilesAreUsed(name: String) throws {
        firstRun()
        for make in [{ mkfifo($0, 0o600) }, { mkdir($0, 0o700) }] as [(String) -> Int32] {
            try? FileManager.default.removeItem(atPath: bench.path(name))
            try #require(make(bench.path(name)) == 0)
            let count = bench.warnings.all.count
            _ = bench.start(StoreBench.Timers())
            #expect(bench.warnings.all.count == count + 1)
            #expect(bench.warnings.all.last?.contains("/\(name) is no plain file.") == true)
        }
    }

    /// A directory that others may read, and whose permissions stay as they are, is not used.
    @Test func aDirectoryThatCannotBeMadePrivateIsNotUsed() {
        // The system's own directory for this process.
        let directory = StoreDirectory(path: "/proc/self")
        let failure = #expect(throws: StoreError.self) { _ = try directory.read("status") }
        #expect(failure?.description == "/proc/self cannot be made private: Operation not permitted.")
    }

    /// Others have no permission for the lock, whoever made it.
    @Test func theLockIsPrivate() throws {
        let store = bench.start(StoreBench.Timers())
        for (number, mode) in [0o666, 0o640, 0o601, 0o400].enumerated() {
            chmod(bench.path("lock"), mode_t(mode))
            store.remember(StoreBench.address(UInt64(number)), names)
            store.flush()
            #expect(try bench.mode(bench.path("lock")) == (geteuid() == 0 || mode != 0o400 ? 0o600 : mode))
        }
    }

    @Test func anUncreatableDirectoryIsLoggedOnce() throws {
        try FileManager.default.createDirectory(atPath: bench.root, withIntermediateDirectories: true)
        try Data().write(to: URL(fileURLWithPath: bench.root + "/state"))
        let store = bench.start()
        for number in 0..<5 as Range<UInt64> {
            store.remember(StoreBench.address(number), names)
            store.flush()
        }
        #expect(store.knownNames.count == 5)
        #expect(bench.warnings.all.count == 1)
    }

    @Test func concurrentStoresLoseNoData() async throws {
        // Separate open files, so the lock keeps them apart as it does processes.
        await withTaskGroup { group in
            for process in 0..<6 as Range<UInt64> {
                group.addTask { [bench, names] in
                    let store = bench.start()
                    for number in 0..<10 as Range<UInt64> {
                        store.remember(StoreBench.address(process << 8 | number), names)
                        if number % 3 == 0 { store.flush() }
                    }
                    store.keep(StoreBench.central, of: "process \(process)")
                    store.flush()
                }
            }
        }
        let store = bench.start()
        #expect(store.knownNames.count == 60)
        for process in 0..<6 { #expect(store.central("process \(process)") != nil) }
        #expect(bench.warnings.all.isEmpty)
        let identifiers = Set((0..<6).map { _ in bench.start().identifier(for: StoreBench.address(1)) })
        #expect(identifiers.count == 1, "one key for all")
    }

    @Test func manyChangesAreOneWriteAfter50Milliseconds() throws {
        let timers = StoreBench.Timers()
        let store = bench.start(timers)
        for number in 0..<100 as Range<UInt64> { store.remember(StoreBench.address(number), names) }
        #expect(timers.fire() == .milliseconds(50) && timers.delays.isEmpty)
        #expect(bench.start().knownNames.count == 100)
    }

    @Test(.timeLimit(.minutes(10))) func aStoreWritesWithoutAFlush() async {
        let store = DeviceStore(directory: bench.directory, log: bench.log)
        store.remember(address, names)
        #expect(await eventually { !bench.start().knownNames.isEmpty })
        #expect(bench.start().knownNames == [store.identifier(for: address): names])
    }
}
