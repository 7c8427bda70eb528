import BLEAdapter
import BLESecurity
import BLEWire
import Foundation
import Logging
import Testing

@testable import BLEStore

/// No key reaches a log, a description, a dump or an error text.
@Suite struct KeySecrecyTests {
    /// Finds octets in text, in the forms in which Swift and this library print numbers.
    private struct KeyFinder {
        private let numbers: [String]
        private let hexadecimal: [String]

        init(_ key: UInt128) {
            let octets = (0..<16).map { UInt8(truncatingIfNeeded: key >> (8 * UInt128($0))) }
            let words = [UInt64(truncatingIfNeeded: key), UInt64(truncatingIfNeeded: key >> 64)]
            var numbers = ["\(key)"] + words.map(String.init) + words.map { String(Int64(bitPattern: $0)) }
            var hexadecimal: [String] = []
            // Four octets in a row, in both orders. The text has no separators any more.
            for run in [octets, octets.reversed()].flatMap({ row in (0...12).map { Array(row[$0..<$0 + 4]) } }) {
                hexadecimal.append(run.map { String(format: "%02x", $0) }.joined())
                numbers.append(run.map { "\($0)" }.joined(separator: ","))
            }
            self.numbers = numbers
            self.hexadecimal = hexadecimal
        }

        func finds(in text: String) -> Bool {
            let compact = text.lowercased().filter { $0.isHexDigit }
            let plain = text.filter { $0.isNumber || $0 == "," || $0 == "-" }
            return hexadecimal.contains { compact.contains($0) } || numbers.contains { plain.contains($0) }
        }
    }

    /// Everything that is logged, with metadata.
    private struct Recorder: LogHandler {
        let lines: StoreBench.Warnings
        var metadata = Logger.Metadata()
        var logLevel = Logger.Level.trace
        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }
        func log(event: LogEvent) {
            lines.add("\(event.message) \(event.metadata ?? [:]) \(event.error.map { "\($0)" } ?? "")")
        }
    }

    // Digits that no other value in these tests contains.
    private static let keys: [UInt128] = (1...8).map { number in
        var random = SeededRandom(seed: UInt64(number))
        return UInt128(random.next()) << 64 | UInt128(random.next())
    }
    private static let bond = Bond(
        peer: DeviceAddress(kind: .random, value: 0xC000_0000_0001),
        security: LinkSecurity(keySize: 16, isAuthenticated: true, isSecureConnections: false, isBonded: true),
        usesDebugKeys: false,
        localKey: StoredKey(key: LongTermKey(value: keys[0]), diversifier: 1, random: 2),
        peerKey: StoredKey(key: LongTermKey(value: keys[1]), diversifier: 3, random: 4),
        peerIdentityKey: IdentityResolvingKey(value: keys[2]), localSignatureKey: SignatureKey(value: keys[3]),
        peerSignatureKey: SignatureKey(value: keys[4]), linkKey: ClassicLinkKey(value: keys[5]))
    private static let identityKey = IdentityResolvingKey(value: keys[6])
    private static let storeKey = StoreKey(
        high: UInt64(truncatingIfNeeded: keys[7] >> 64), low: UInt64(truncatingIfNeeded: keys[7]))

    private func expectNoKey(in text: String, _ location: SourceLocation = #_sourceLocation) {
        for (index, key) in Self.keys.enumerated() {
            // Without the text: a failure does not print the key either.
            #expect(!KeyFinder(key).finds(in: text), "key \(index) is in the text", sourceLocation: location)
        }
    }

    private func texts(of value: Any) -> String {
        var dumped = ""
        dump(value, to: &dumped)
        return "\(value) \(String(describing: value)) \(String(reflecting: value)) \(dumped)"
    }

    @Test func theFinderSeesKeysInEveryForm() {
        let key = Self.keys[0]
        let octets = (0..<16).map { UInt8(truncatingIfNeeded: key >> (8 * UInt128($0))) }
        struct Plain { let high, low: UInt64 }
        let plain = Plain(high: UInt64(truncatingIfNeeded: key >> 64), low: UInt64(truncatingIfNeeded: key))
        let leaks = [
            "\(key)", String(key, radix: 16), String(key, radix: 16, uppercase: true), "\(octets)",
            texts(of: octets[...]), texts(of: Array(octets.reversed())), texts(of: plain),
            octets.map { String(format: "%02X", $0) }.joined(separator: " "),
            octets.map { String(format: "%02x", $0) }.joined(separator: ":"),
        ]
        for leak in leaks { #expect(KeyFinder(key).finds(in: leak)) }
        #expect(!KeyFinder(key).finds(in: texts(of: Self.bond.peer)))
    }

    @Test func descriptionsAndDumpsHideKeys() throws {
        let memory = MemoryBondStore()
        memory.keep(Self.bond)
        memory.localIdentityKey = Self.identityKey
        let store = DeviceStore(key: Self.storeKey)
        store.bonds.keep(Self.bond)
        store.bonds.localIdentityKey = Self.identityKey
        var content = BondContent(table: store.bonds.table)
        content.foreign = [.init(kind: 9, octets: Self.bond.encoded)]
        let values: [Any] = [
            Self.bond, [Self.bond], Self.bond.localKey as Any, Self.bond.peerIdentityKey as Any, Self.identityKey,
            store.bonds.table, content, memory, store.bonds, store, Self.storeKey,
            IdentifierCipher(key: Self.storeKey), StoredValue<BondContent>.Reading.value(content),
            StoredValue<StoreKey>.Reading.value(Self.storeKey), Result<Bond, StoreError>.success(Self.bond),
        ]
        for value in values { expectNoKey(in: texts(of: value)) }
    }

    @Test func theLogHasNoKeyWhateverHappensToTheFiles() throws {
        let bench = StoreBench()
        let lines = StoreBench.Warnings()
        let log = Logger(label: "test") { _ in Recorder(lines: lines) }
        func start() -> DeviceStore { DeviceStore(directory: bench.directory, log: log) { _, _, _ in } }
        func fill(_ store: DeviceStore) {
            store.bonds.localIdentityKey = Self.identityKey
            store.bonds.keep(Self.bond)
            store.remember(Self.bond.peer, PeerNames(deviceName: "One"))
            store.flush()
        }
        fill(start())
        try bench.put(StoreFile.keyFile.encode(Self.storeKey), "identity-key")
        let whole = try bench.octets("bonds")
        #expect(whole.count > 100)

        // Damage of every kind, in both files that hold keys.
        for name in ["bonds", "identity-key"] {
            let whole = try bench.octets(name)
            for damaged in [Array(whole.dropLast()), Array(whole.dropFirst()), whole.map { $0 ^ 1 }, []] {
                try bench.put(damaged, name)
                fill(start())
            }
            try bench.put(whole, name)
        }
        let truncated = Array(Self.bond.encoded.dropLast())
        try bench.put(StoreEnvelope.bonds.seal([1, UInt8(truncated.count), 0, 0, 0] + truncated), "bonds")
        fill(start())
        try bench.put(StoreEnvelope(magic: StoreEnvelope.bonds.magic, version: 9).seal(whole), "bonds")
        fill(start())
        // A write that fails, and a store that is full.
        try bench.put(whole, "bonds")
        try FileManager.default.createDirectory(atPath: bench.path("bonds.new"), withIntermediateDirectories: true)
        let store = start()
        for number in 0..<UInt64(BondLimits.bonds + 1) { store.bonds.keep(Self.other(number)) }
        store.bonds.keep(Array(repeating: 1, count: 100_000), as: .clientState, of: Self.bond.peer)
        fill(store)
        try FileManager.default.removeItem(atPath: bench.path("bonds.new"))
        store.bonds.remove(Self.other(0).peer)
        fill(store)

        let all = lines.all
        for part in ["damaged", "later version", "cannot be created", "has 256 bonds", "can be written again"] {
            #expect(all.contains { $0.contains(part) }, "\(part)")
        }
        expectNoKey(in: all.joined(separator: "\n"))
    }

    private static func other(_ number: UInt64) -> Bond {
        Bond(
            peer: DeviceAddress(kind: .public, value: number), security: bond.security, usesDebugKeys: false,
            localKey: bond.localKey, peerKey: nil, peerIdentityKey: nil, localSignatureKey: nil,
            peerSignatureKey: nil, linkKey: nil)
    }

    @Test func errorsHaveNoKey() {
        let octets = Self.bond.encoded
        for count in 0..<octets.count {
            do throws(DecodeError) {
                _ = try Bond(decoding: octets.prefix(count))
                Issue.record("a truncated bond decodes")
            } catch {
                expectNoKey(in: texts(of: error))
            }
            do throws(StoreEnvelope.FormatError) {
                let sealed = StoreEnvelope.bonds.seal([1] + octets.prefix(count))
                _ = try PersistentBondStore.file.decode(sealed)
                if count > 0 { Issue.record("a truncated file decodes") }
            } catch {
                expectNoKey(in: texts(of: error))
            }
        }
    }

    @Test func onlyTheFilesOfKeysHaveKeys() throws {
        let bench = StoreBench()
        let store = bench.start(StoreBench.Timers())
        store.bonds.localIdentityKey = Self.identityKey
        store.bonds.keep(Self.bond)
        store.remember(Self.bond.peer, PeerNames(deviceName: "One"))
        store.keep(StoreBench.central, of: "manager")
        store.flush()
        for key in Self.keys[0..<7] {
            let octets = (0..<16).map { UInt8(truncatingIfNeeded: key >> (8 * UInt128($0))) }
            for name in try bench.names() {
                let found = Data(try bench.octets(name)).range(of: Data(octets)) != nil
                #expect(found == (name == "bonds"), "\(name)")
            }
        }
    }
}
