import BLEAdapter
import BLESecurity
import BLEWire
import Foundation
import TestConditions
import Testing
import store_crash

@testable import BLEStore

/// The bonds of a host, in memory and in their file.
@Suite struct BondFileTests {
    private let bench = StoreBench()
    private let timers = StoreBench.Timers()
    private let bond = StoreChange.bond(1, keys: 1000)
    private var peer: DeviceAddress { bond.peer }

    @discardableResult
    private func firstRun() -> DeviceStore {
        let store = bench.start(timers)
        store.bonds.localIdentityKey = IdentityResolvingKey(value: 77)
        store.bonds.keep(bond)
        store.bonds.keep([1, 2, 3], as: .clientState, of: peer)
        store.bonds.keep([4, 5], as: .attributeCache, of: peer)
        store.flush()
        return store
    }

    @Test func theNextRunHasTheBonds() throws {
        firstRun()
        let store = bench.start().bonds
        #expect(store.bonds == [bond])
        #expect(store.localIdentityKey == IdentityResolvingKey(value: 77))
        #expect(store.attributes(.clientState, of: peer) == [1, 2, 3])
        #expect(store.attributes(.attributeCache, of: peer) == [4, 5])
        #expect(store.attributes(.clientState, of: StoreChange.address(2)) == nil)
        #expect(try bench.names() == ["bonds", "identity-key", "lock"])
        #expect(try bench.mode(bench.path("bonds")) == 0o600)
        #expect(bench.warnings.all.isEmpty)
    }

    /// Two programs with the same bond: the counters of the one that writes last do not replace later ones of the other.
    @Test func countersOfSignaturesNeverGoBack() throws {
        func counters(_ local: UInt8, _ peer: UInt8) -> [UInt8] {
            [1, local, 0, 0, 0, 0, 0, 0, 0, peer, 0, 0, 0, 0, 0, 0, 0]
        }
        firstRun()
        let (first, second) = (bench.start(timers), bench.start(timers))
        first.bonds.keep(counters(9, 9), as: .signCounters, of: peer)
        first.flush()
        second.bonds.keep(counters(12, 3), as: .signCounters, of: peer)
        second.flush()
        #expect(bench.start().bonds.attributes(.signCounters, of: peer) == counters(12, 9))
        // New keys begin at 0.
        second.bonds.keep(StoreChange.bond(1, keys: 2000))
        second.bonds.keep(counters(1, 1), as: .signCounters, of: peer)
        second.flush()
        #expect(bench.start().bonds.attributes(.signCounters, of: peer) == counters(1, 1))
    }

    @Test func bondsOfAllKindsComeBackAsTheyWere() throws {
        var content = BondContent()
        content.table.localIdentityKey = IdentityResolvingKey.none
        content.foreign = [.init(kind: 200, octets: [7, 8])]
        for number in 0..<64 as Range<UInt64> {
            let has = { (bit: UInt64) in number & bit != 0 }
            let key = UInt128(number + 1) << 100 | 5
            let bond = Bond(
                peer: DeviceAddress(kind: has(1) ? .public : .random, value: number),
                security: LinkSecurity(
                    keySize: UInt8(7 + number % 10), isAuthenticated: has(2), isSecureConnections: has(4),
                    isBonded: has(8)),
                usesDebugKeys: has(16),
                localKey: has(32) ? StoredKey(key: .init(value: key), diversifier: 0xFFFE, random: .max) : nil,
                peerKey: has(16) ? StoredKey(key: .init(value: ~key), diversifier: 1, random: number) : nil,
                peerIdentityKey: has(8) ? IdentityResolvingKey.none : nil,
                localSignatureKey: has(4) ? .init(value: key) : nil,
                peerSignatureKey: has(2) ? .init(value: key) : nil, linkKey: has(1) ? .init(value: key) : nil)
            let isKept = content.table.keep(bond)
            #expect(isKept)
            #expect(try Bond(decoding: bond.encoded[...]) == bond)
        }
        let keeping = content.table.keep([1], as: .clientState, of: content.table.bonds[3].peer)
        #expect(keeping == .kept)
        #expect(try BondContent(decoding: content.encoded[...]) == content)
    }

    @Test func aBondIsWrittenImmediatelyAndOctetsAfterOneSecond() {
        let store = bench.start(timers)
        store.bonds.keep(bond)
        #expect(timers.delays == [.zero])
        _ = timers.fire()
        #expect(bench.start().bonds.bonds == [bond])

        for number in 0..<100 as Range<UInt8> { store.bonds.keep([number], as: .clientState, of: peer) }
        #expect(timers.delays == [.seconds(1)])
        store.bonds.keep(StoreChange.bond(2, keys: 5))
        #expect(timers.delays == [.seconds(1), .zero], "the bond does not wait for the octets")
        _ = timers.fire()
        #expect(bench.start().bonds.attributes(.clientState, of: peer) == [99])
        _ = timers.fire()
        store.bonds.keep(bond)
        #expect(timers.delays.isEmpty, "nothing changed")
    }

    /// A bond, its removal, the identity key and counters of signatures do not wait.
    @Test func onlyOctetsThatCanBeReadAgainWait() {
        let store = firstRun().bonds
        while timers.fire() != nil {}
        let changes: [(change: (PersistentBondStore) -> Void, delay: TimeSpan)] = [
            ({ $0.keep(StoreChange.bond(2, keys: 5)) }, .zero),
            ({ $0.keep([5], as: .clientState, of: bond.peer) }, .seconds(1)),
            ({ $0.keep([UInt8](repeating: 1, count: 17), as: .signCounters, of: bond.peer) }, .zero),
            ({ $0.localIdentityKey = IdentityResolvingKey(value: 78) }, .zero),
            ({ $0.keep([6], as: .attributeCache, of: bond.peer) }, .seconds(1)),
        ]
        for (number, change) in changes.enumerated() {
            for delays in [[change.delay], []] {
                change.change(store)
                #expect(timers.delays == delays, "change \(number): the second time, nothing changes")
                _ = timers.fire()
            }
        }
        store.remove(peer)
        #expect(timers.delays == [.zero])
        _ = timers.fire()
        #expect(bench.start().bonds.bonds == [StoreChange.bond(2, keys: 5)] && bench.warnings.all.isEmpty)
    }

    @Test(.timeLimit(.minutes(10))) func aStoreWritesABondByItself() async {
        let store = DeviceStore(directory: bench.directory, log: bench.log)
        store.bonds.keep(bond)
        #expect(await eventually { !bench.start().bonds.bonds.isEmpty })
        #expect(bench.start().bonds.bonds == [bond])
    }

    @Test func aRemovedBondTakesItsOctetsAlong() {
        let store = firstRun()
        store.bonds.remove(peer)
        store.bonds.keep(bond)
        store.flush()
        let next = bench.start().bonds
        #expect(next.bonds == [bond])
        #expect(next.attributes(.clientState, of: peer) == nil)
        #expect(next.attributes(.attributeCache, of: peer) == nil)
    }

    @Test func otherKeysForAPeerKeepItsOctets() {
        let store = firstRun()
        let other = StoreChange.bond(1, keys: 2000)
        store.bonds.keep(other)
        store.flush()
        #expect(bench.start().bonds.bonds == [other])
        #expect(bench.start().bonds.attributes(.clientState, of: peer) == [1, 2, 3])
    }

    @Test func octetsWithoutABondAreNotKept() {
        let store = bench.start(timers)
        store.bonds.keep([1], as: .clientState, of: peer)
        #expect(store.bonds.attributes(.clientState, of: peer) == nil)
        #expect(timers.delays.isEmpty)
    }

    @Test func aFullStoreRefusesANewBondAndKeepsTheOthers() {
        let store = bench.start(timers)
        let count = UInt64(BondLimits.bonds)
        for number in 0..<count { #expect(store.bonds.keep(StoreChange.bond(number, keys: 1))) }
        for number in 0..<10 as Range<UInt64> {
            #expect(!store.bonds.keep(StoreChange.bond(count + number, keys: 1)))
        }
        #expect(store.bonds.keep(StoreChange.bond(0, keys: 2)), "a known peer has its place")
        store.flush()
        let next = bench.start().bonds.bonds
        #expect(next.map(\.peer) == (0..<count).map(StoreChange.address))
        #expect(next[0] == StoreChange.bond(0, keys: 2))
        #expect(bench.warnings.all.count == 1 && bench.warnings.all[0].contains("has 256 bonds"), "reported once")

        store.bonds.remove(StoreChange.address(5))
        #expect(store.bonds.keep(StoreChange.bond(count, keys: 1)))
        #expect(!store.bonds.keep(StoreChange.bond(count + 1, keys: 1)))
        #expect(bench.warnings.all.count == 2)
    }

    @Test func aFileThatOtherProgramsFilledKeepsTheirBonds() {
        let store = bench.start(timers)
        let other = bench.start(StoreBench.Timers())
        for number in 0..<UInt64(BondLimits.bonds) { other.bonds.keep(StoreChange.bond(number, keys: 1)) }
        other.flush()
        let bond = StoreChange.bond(5000, keys: 1)
        #expect(store.bonds.keep(bond))
        store.flush()
        #expect(!bench.start().bonds.bonds.contains(bond))
        #expect(bench.start().bonds.bonds.count == BondLimits.bonds)
        #expect(bench.warnings.all.count == 1)
    }

    @Test func octetsBeyondTheLimitRemoveTheEarlierOnes() {
        let store = firstRun()
        for kind in BondAttributes.allCases {
            store.bonds.keep(Array(repeating: 1, count: BondLimits.octets(kind)), as: kind, of: peer)
            store.flush()
            #expect(bench.start().bonds.attributes(kind, of: peer)?.count == BondLimits.octets(kind))
            store.bonds.keep(Array(repeating: 1, count: BondLimits.octets(kind) + 1), as: kind, of: peer)
            store.flush()
            #expect(bench.start().bonds.attributes(kind, of: peer) == nil)
        }
        #expect(bench.start().bonds.bonds == [bond])
        #expect(bench.warnings.all.count == 1)
    }

    @Test func theLargestContentFitsIntoTheFile() throws {
        var content = BondContent()
        for number in 0..<UInt64(BondLimits.bonds) {
            let bond = StoreChange.bond(number, keys: .max)
            _ = content.table.keep(bond)
            for kind in BondAttributes.allCases {
                let octets = Array(repeating: UInt8(1), count: BondLimits.octets(kind))
                _ = content.table.keep(octets, as: kind, of: bond.peer)
            }
        }
        #expect(PersistentBondStore.file.encode(content).count < StoreDirectory.lengthLimit)
    }

    @Test func aDamagedFileIsSetAsideAndNamed() throws {
        firstRun()
        var damaged = try bench.octets("bonds")
        damaged[40] ^= 0x10
        try bench.put(damaged, "bonds")
        let store = bench.start(timers)
        #expect(store.bonds.bonds.isEmpty && store.bonds.localIdentityKey == nil)
        let aside = try #require(try bench.names().first { $0.hasPrefix("bonds.corrupt-") })
        #expect(try bench.octets(aside) == damaged)
        #expect(try bench.mode(bench.path(aside)) == 0o600)
        #expect(bench.warnings.all.count == 1)
        #expect(bench.warnings.all[0].contains(aside) && bench.warnings.all[0].contains("paired again"))
        store.bonds.keep(bond)
        store.flush()
        #expect(bench.start().bonds.bonds == [bond])
        #expect(bench.warnings.all.count == 1)
    }

    @Test func aLaterVersionIsNotChanged() throws {
        firstRun()
        let later = StoreEnvelope(magic: StoreEnvelope.bonds.magic, version: 2).seal([1, 2, 3])
        try bench.put(later, "bonds")
        let timers = StoreBench.Timers()
        let store = bench.start(timers)
        #expect(store.bonds.bonds.isEmpty)
        store.bonds.keep(bond)
        #expect(timers.delays.isEmpty, "there is nothing to write")
        store.flush()
        #expect(store.bonds.bonds == [bond], "in memory it works")
        #expect(try bench.octets("bonds") == later)
        #expect(bench.warnings.all.count == 1 && bench.warnings.all[0].contains("later version"))
    }

    @Test func entriesOfUnknownKindsStay() throws {
        var content = BondContent()
        content.foreign = [.init(kind: 200, octets: [7])]
        firstRun()
        try bench.put(PersistentBondStore.file.encode(content), "bonds")
        let store = bench.start(timers)
        store.bonds.keep(bond)
        store.flush()
        #expect(try PersistentBondStore.file.decode(bench.octets("bonds")).foreign == content.foreign)
    }

    @Test func aFileOfAnotherUserIsNotUsed() throws {
        firstRun()
        let before = try bench.octets("bonds")
        let store = bench.start(timers, notOwning: "bonds")
        #expect(store.bonds.bonds.isEmpty)
        store.bonds.keep(StoreChange.bond(2, keys: 3))
        store.flush()
        #expect(try bench.octets("bonds") == before)
        #expect(bench.warnings.all.count == 1 && bench.warnings.all[0].contains("belongs to user \(geteuid()), not to"))
    }

    @Test func aSymbolicLinkIsNotFollowed() throws {
        firstRun()
        let elsewhere = bench.root + "/elsewhere"
        try Data(try bench.octets("bonds")).write(to: URL(fileURLWithPath: elsewhere))
        unlink(bench.path("bonds"))
        symlink(elsewhere, bench.path("bonds"))
        #expect(bench.start().bonds.bonds.isEmpty)
        #expect(bench.warnings.all.count == 1)
    }

    @Test func permissionsOfOthersAreRemoved() throws {
        firstRun()
        chmod(bench.path("bonds"), 0o666)
        _ = bench.start()
        #expect(try bench.mode(bench.path("bonds")) == 0o600)
    }

    @Test func failedWritesAreRepeatedAndNothingIsLost() throws {
        let store = bench.start(timers)
        let draft = bench.path("bonds.new")
        try FileManager.default.createDirectory(atPath: draft, withIntermediateDirectories: true)
        store.bonds.keep(bond)
        #expect(timers.fire() == .zero)
        for delay in [250, 500, 1000] {
            store.bonds.keep([UInt8(delay / 250)], as: .clientState, of: peer)
            #expect(timers.delays == [.milliseconds(delay)])
            _ = timers.fire()
        }
        #expect(bench.warnings.all.count == 1 && bench.warnings.all[0].contains("bonds.new cannot be created"))
        #expect(bench.start().bonds.bonds.isEmpty)
        try FileManager.default.removeItem(atPath: draft)
        _ = timers.fire()
        #expect(timers.delays.isEmpty)
        #expect(bench.warnings.all.count == 2)
        #expect(bench.start().bonds.bonds == [bond])
        #expect(bench.start().bonds.attributes(.clientState, of: peer) == [4])
    }

    @Test func bondsOfTwoProgramsAreMerged() {
        let first = bench.start(timers)
        let second = bench.start(StoreBench.Timers())
        first.bonds.keep(bond)
        second.bonds.keep(StoreChange.bond(2, keys: 5))
        first.flush()
        second.flush()
        #expect(bench.start().bonds.bonds == [bond, StoreChange.bond(2, keys: 5)])

        // A bond that another program removed does not come back with octets.
        let other = bench.start(StoreBench.Timers())
        other.bonds.remove(peer)
        other.flush()
        first.bonds.keep([1], as: .clientState, of: peer)
        first.flush()
        #expect(bench.start().bonds.bonds == [StoreChange.bond(2, keys: 5)])
    }

    @Test func theFirstIdentityKeyOfAHostStays() {
        let first = bench.start(timers)
        let second = bench.start(StoreBench.Timers())
        first.bonds.localIdentityKey = IdentityResolvingKey(value: 1)
        second.bonds.localIdentityKey = IdentityResolvingKey(value: 2)
        first.flush()
        second.flush()
        #expect(second.bonds.localIdentityKey == IdentityResolvingKey(value: 1))
        #expect(bench.start().bonds.localIdentityKey == IdentityResolvingKey(value: 1))
        second.bonds.localIdentityKey = IdentityResolvingKey(value: 3)
        second.flush()
        #expect(bench.start().bonds.localIdentityKey == IdentityResolvingKey(value: 3), "a replacement is intended")
    }

    @Test func aStoreInMemoryKeepsBondsAndItsCopyIsIndependent() {
        let store = DeviceStore(key: StoreKey(high: 1, low: 2))
        store.bonds.keep(bond)
        let copy = store.copy()
        store.bonds.remove(peer)
        #expect(copy.bonds.bonds == [bond] && store.bonds.bonds.isEmpty)
    }

    @Test func everyTruncationAndEveryFlippedBitOfTheFileIsDetected() {
        var content = BondContent()
        _ = content.table.keep(bond)
        _ = content.table.keep([1, 2], as: .attributeCache, of: peer)
        let file = PersistentBondStore.file.encode(content)
        for count in 0..<file.count {
            #expect(throws: StoreEnvelope.FormatError.self) {
                try PersistentBondStore.file.decode(Array(file.prefix(count)))
            }
        }
        for bit in 0..<8 * file.count {
            var damaged = file
            damaged[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(throws: StoreEnvelope.FormatError.self) { try PersistentBondStore.file.decode(damaged) }
        }
    }

    @Test func hostileContentWithTheRightChecksumNeverTraps() throws {
        var content = BondContent()
        for number in 0..<3 as Range<UInt64> {
            _ = content.table.keep(StoreChange.bond(number, keys: 9))
            _ = content.table.keep([1, 2], as: .attributeCache, of: StoreChange.address(number))
        }
        content.table.localIdentityKey = IdentityResolvingKey(value: 3)
        let start = content.encoded
        var random = SeededRandom(seed: 4)
        var decoded = 0
        for _ in 0..<10_000 {
            var octets = start
            for _ in 0...Int(random.next() % 3) {
                let place = Int(random.next() % UInt64(max(1, octets.count)))
                switch random.next() % 4 {
                case 0: if !octets.isEmpty { octets[place] = UInt8(truncatingIfNeeded: random.next()) }
                case 1: if !octets.isEmpty { octets[place] = 0xFF }
                case 2: octets.removeSubrange(place...)
                default: octets.insert(UInt8(truncatingIfNeeded: random.next()), at: place)
                }
            }
            guard let content = try? BondContent(decoding: octets[...]) else { continue }
            decoded += 1
            #expect((try? BondContent(decoding: content.encoded[...])) == content)
        }
        #expect(decoded > 100)
    }
}
