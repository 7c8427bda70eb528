import BLEAdapter
import BLESecurity
import BLEWire
import Testing

@testable import BLEStore

/// The files in octets, written by hand from the format of Documentation/Store.md, and not by the code that reads them.
@Suite struct StoreFormatTests {
    private let bench = StoreBench()

    // MARK: The format

    /// SipHash-2-4 with a key of zeros, from its paper.
    private func checksum(_ octets: [UInt8]) -> UInt64 {
        var v: (UInt64, UInt64, UInt64, UInt64) = (
            0x736F_6D65_7073_6575, 0x646F_7261_6E64_6F6D, 0x6C79_6765_6E65_7261, 0x7465_6462_7974_6573
        )
        func rotate(_ value: UInt64, _ by: UInt64) -> UInt64 { value << by | value >> (64 - by) }
        func round() {
            (v.0, v.2) = (v.0 &+ v.1, v.2 &+ v.3)
            (v.1, v.3) = (rotate(v.1, 13) ^ v.0, rotate(v.3, 16) ^ v.2)
            v.0 = rotate(v.0, 32)
            (v.2, v.0) = (v.2 &+ v.1, v.0 &+ v.3)
            (v.1, v.3) = (rotate(v.1, 17) ^ v.2, rotate(v.3, 21) ^ v.0)
            v.2 = rotate(v.2, 32)
        }
        var padded = octets + [UInt8](repeating: 0, count: 7 - octets.count % 8)
        padded.append(UInt8(truncatingIfNeeded: octets.count))
        for start in stride(from: 0, to: padded.count, by: 8) {
            let word = padded[start..<start + 8].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            v.3 ^= word
            round()
            round()
            v.0 ^= word
        }
        v.2 ^= 0xFF
        for _ in 0..<4 { round() }
        return v.0 ^ v.1 ^ v.2 ^ v.3
    }

    private func number(_ value: UInt64, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * UInt64($0))) }
    }

    private func block(_ octets: [UInt8]) -> [UInt8] { number(UInt64(octets.count), 4) + octets }
    private func text(_ text: String) -> [UInt8] { block(Array(text.utf8)) }
    private func list(_ items: [[UInt8]]) -> [UInt8] { number(UInt64(items.count), 4) + items.flatMap { $0 } }

    private func file(_ magic: String, version: UInt64 = 1, _ content: [UInt8]) -> [UInt8] {
        let octets = Array(magic.utf8) + number(version, 2) + block(content)
        return octets + number(checksum(octets), 8)
    }

    /// A key of 16 octets, the least significant first.
    private func key(_ high: UInt64, _ low: UInt64) -> [UInt8] { number(low, 8) + number(high, 8) }

    // MARK: The files

    private let storeKey = StoreKey(high: 0x0123_4567_89AB_CDEF, low: 0xFEDC_BA98_7654_3210)

    private var keyFile: [UInt8] {
        file("OCBIDKEY", number(0x0123_4567_89AB_CDEF, 8) + number(0xFEDC_BA98_7654_3210, 8))
    }

    private var stateFile: [UInt8] {
        let uuid = [UInt8](arrayLiteral: 16) + number(0x0011_2233_4455_6677, 8) + number(0x8899_AABB_CCDD_EEFF, 8)
        // The device that was met first has both names.
        let first =
            [1] + number(0xC0FF_EE12_3456, 6) + number(0x1112_1314_1516_1718, 8) + number(0x2122_2324_2526_2728, 8) + [
                1
            ]
            + text("Gerät") + [1] + text("G") + number(0x0102_0304, 8)
        let second = [0] + number(0x0012_3456_789A, 6) + number(3, 8) + number(4, 8) + [0, 0] + number(0x0102_0305, 8)
        let central =
            [1] + list([[2, 0x0D, 0x18], [4, 0x78, 0x56, 0x34, 0x12], uuid]) + list([[2, 0xE7, 0xFE]]) + [1]
            + list([number(1, 8) + number(2, 8) + [1], number(5, 8) + number(6, 8) + [0]])
        let characteristic =
            uuid + number(0x0102_0304, 4) + number(0x0506_0708, 4) + [1] + block([9, 8])
            + list([[2, 1, 0x29] + block([7])])
        let service =
            number(0x0A0B_0C0D, 4) + [2, 0xE7, 0xFE] + [1] + list([number(3, 4), number(4, 4)])
            + list([characteristic, [2, 1, 0x2A] + number(2, 4) + number(1, 4) + [0] + list([])])
        let peripheral = list([service]) + [1] + [1] + text("Local") + list([[2, 0xE7, 0xFE]])
        return file(
            "OCBSTATE",
            [1] + block(first) + [1] + block(second) + [2] + block(text("one") + block(central)) + [3]
                + block(text("zwei") + block(peripheral)) + [200] + block([5, 6]))
    }

    private var bondsFile: [UInt8] {
        let full =
            [1] + number(0xC000_0000_0001, 6) + [7, 15] + [1] + key(1, 2) + number(0x0304, 2) + number(0x0506_0708, 8)
            + [1] + key(3, 4) + number(5, 2) + number(6, 8) + [1] + key(7, 8) + [1] + key(9, 10) + [1] + key(11, 12)
            + [1] + key(13, 14)
        let bare = [0] + number(0x0012_3456_789A, 6) + [16, 4] + [0, 0, 0, 0, 0, 0]
        return file(
            "OCBBONDS",
            [1] + block(full) + [1] + block(bare) + [2]
                + block([1] + number(0xC000_0000_0001, 6) + [1] + block([1, 2, 3])) + [2]
                + block([1] + number(0xC000_0000_0001, 6) + [2] + block([4])) + [3] + block(key(15, 16)) + [99]
                + block([1]))
    }

    // MARK: What they say

    @Test func theKeyFileHasItsFormat() throws {
        #expect(StoreFile.keyFile.encode(storeKey) == keyFile)
        #expect(try StoreFile.keyFile.decode(keyFile) == storeKey)
    }

    @Test func theStateFileHasItsFormat() throws {
        let content = try StoreFile.stateFile.decode(stateFile)
        #expect(StoreFile.stateFile.encode(content) == stateFile)
        let first = DeviceAddress(kind: .random, value: 0xC0FF_EE12_3456)
        let second = DeviceAddress(kind: .public, value: 0x0012_3456_789A)
        #expect(
            content.peersByMeeting == [
                .init(
                    address: first,
                    identifier: PeerIdentifier(high: 0x1112_1314_1516_1718, low: 0x2122_2324_2526_2728),
                    deviceName: "Gerät", advertisedName: "G", lastMeeting: 0x0102_0304),
                .init(
                    address: second, identifier: PeerIdentifier(high: 3, low: 4), deviceName: nil, advertisedName: nil,
                    lastMeeting: 0x0102_0305),
            ])
        #expect(content.foreign == [.init(kind: 200, octets: [5, 6])])
        #expect(content.managers.count == 2)
        let uuid = BluetoothUUID(high: 0x0011_2233_4455_6677, low: 0x8899_AABB_CCDD_EEFF)
        let service = BluetoothUUID(0xFEE7 as UInt16)
        // A store of a program reads the same.
        _ = bench.start()
        try bench.put(keyFile, "identity-key")
        try bench.put(stateFile, "state")
        let store = bench.start()
        #expect(
            store.central("one")
                == CentralRestoration(
                    scan: ScanRequest(
                        services: [BluetoothUUID(0x180D as UInt16), BluetoothUUID(0x1234_5678 as UInt32), uuid],
                        solicitedServices: [service], allowDuplicates: true),
                    connections: [
                        .init(peer: PeerIdentifier(high: 1, low: 2), reconnectsAutomatically: true),
                        .init(peer: PeerIdentifier(high: 5, low: 6), reconnectsAutomatically: false),
                    ]))
        #expect(
            store.peripheral("zwei")
                == PeripheralRestoration(
                    services: [
                        .init(
                            token: 0x0A0B_0C0D,
                            definition: ServiceDefinition(
                                uuid: service, isPrimary: true, includedServices: [3, 4],
                                characteristics: [
                                    CharacteristicDefinition(
                                        uuid: uuid, properties: 0x0102_0304, permissions: 0x0506_0708, value: [9, 8],
                                        descriptors: [
                                            DescriptorDefinition(uuid: BluetoothUUID(0x2901 as UInt16), value: [7])
                                        ]),
                                    CharacteristicDefinition(
                                        uuid: BluetoothUUID(0x2A01 as UInt16), properties: 2, permissions: 1,
                                        value: nil, descriptors: []),
                                ]))
                    ],
                    advertisement: Advertisement(localName: "Local", services: [service])))
        #expect(store.peripheral("one") == nil && store.central("zwei") == nil)
        #expect(store.identifier(for: second) == PeerIdentifier(high: 3, low: 4))
        #expect(store.record(of: PeerIdentifier(high: 3, low: 4)).name == nil)
        // The states are written as they were read.
        let (central, services) = (store.central("one"), store.peripheral("zwei"))
        store.keep(nil as CentralRestoration?, of: "one")
        store.keep(nil as PeripheralRestoration?, of: "zwei")
        store.flush()
        store.keep(central, of: "one")
        store.keep(services, of: "zwei")
        store.flush()
        #expect(try bench.octets("state") == stateFile)
        #expect(bench.warnings.all.isEmpty)
    }

    @Test func theBondsFileHasItsFormat() throws {
        let content = try PersistentBondStore.file.decode(bondsFile)
        #expect(PersistentBondStore.file.encode(content) == bondsFile)
        func wide(_ high: UInt64, _ low: UInt64) -> UInt128 { UInt128(high) << 64 | UInt128(low) }
        let full = Bond(
            peer: DeviceAddress(kind: .random, value: 0xC000_0000_0001),
            security: LinkSecurity(keySize: 7, isAuthenticated: true, isSecureConnections: true, isBonded: true),
            usesDebugKeys: true,
            localKey: StoredKey(key: LongTermKey(value: wide(1, 2)), diversifier: 0x0304, random: 0x0506_0708),
            peerKey: StoredKey(key: LongTermKey(value: wide(3, 4)), diversifier: 5, random: 6),
            peerIdentityKey: IdentityResolvingKey(value: wide(7, 8)),
            localSignatureKey: SignatureKey(value: wide(9, 10)), peerSignatureKey: SignatureKey(value: wide(11, 12)),
            linkKey: ClassicLinkKey(value: wide(13, 14)))
        let bare = Bond(
            peer: DeviceAddress(kind: .public, value: 0x0012_3456_789A),
            security: LinkSecurity(keySize: 16, isAuthenticated: false, isSecureConnections: false, isBonded: true),
            usesDebugKeys: false, localKey: nil, peerKey: nil, peerIdentityKey: nil, localSignatureKey: nil,
            peerSignatureKey: nil, linkKey: nil)
        #expect(content.table.bonds == [full, bare])
        #expect(content.table.attributes[.init(peer: full.peer, kind: .clientState)] == [1, 2, 3])
        #expect(content.table.attributes[.init(peer: full.peer, kind: .attributeCache)] == [4])
        #expect(content.table.attributes.count == 2)
        #expect(content.table.localIdentityKey == IdentityResolvingKey(value: wide(15, 16)))
        #expect(content.foreign == [.init(kind: 99, octets: [1])])
    }

    /// Each flag has its bit, and other bits are damage, as is a size of a key beyond 7 to 16 octets (Vol 3, Part H, 2.3.4).
    @Test func aBondHasFourFlags() throws {
        for flags in UInt8(0)...31 {
            for size in [0, 6, 7, 16, 17, 255] as [UInt8] {
                let octets = [1] + number(5, 6) + [size, flags] + [0, 0, 0, 0, 0, 0]
                let bond = try? PersistentBondStore.file.decode(file("OCBBONDS", [1] + block(octets))).table.bonds.first
                let security = LinkSecurity(
                    keySize: size, isAuthenticated: flags & 1 != 0, isSecureConnections: flags & 2 != 0,
                    isBonded: flags & 4 != 0)
                let isValid = flags < 16 && (7...16).contains(size)
                #expect(bond?.security == (isValid ? security : nil), "\(flags) \(size)")
                #expect(bond?.usesDebugKeys == (isValid ? flags & 8 != 0 : nil), "\(flags) \(size)")
            }
        }
    }

    /// Parts that are too long or too short, values that are neither 0 nor 1, and UUIDs of other lengths are damage.
    @Test func damagedPartsAreDetected() {
        let bond = [1] + number(5, 6) + [16, 0] + [0, 0, 0, 0, 0, 0]
        let octets = [1] + number(5, 6) + [1] + block([1])
        let bonds: [([UInt8], Bool)] = [
            ([], true), ([1] + block(bond), true), ([1] + block(bond + [0]), false),
            ([1] + block(bond.dropLast()), false),
            ([1] + block(bond.dropLast() + [2]), false), ([1] + block(bond) + [2] + block(octets), true),
            ([1] + block(bond) + [2] + block(octets + [0]), false),
            ([1] + block(bond) + [2] + block(octets.dropLast()), false),
            // Octets without a bond: an earlier version leaves those that it does not know.
            ([2] + block(octets), true), ([3] + block(key(1, 2)), true), ([3] + block(key(1, 2) + [0]), false),
            ([3] + block(key(1, 2).dropLast()), false), ([3], false), ([3, 16, 0, 0], false),
        ]
        for (content, isValid) in bonds {
            let value = try? PersistentBondStore.file.decode(file("OCBBONDS", content))
            #expect((value != nil) == isValid, "\(content)")
        }
        let device = [1] + number(5, 6) + number(1, 8) + number(2, 8) + [0, 0] + number(1, 8)
        for (content, isValid) in [
            ([1] + block(device), true), ([1] + block(device + [0]), false), ([1] + block(device.dropLast()), false),
            ([2] + block(text("a") + block([])), true), ([2] + block(text("a") + block([]) + [0]), false),
            ([2] + block(block([0xFF]) + block([])), false), ([3] + block(text("a") + number(1, 4)), false),
        ] {
            let value = try? StoreFile.stateFile.decode(file("OCBSTATE", content))
            #expect((value != nil) == isValid, "\(content)")
        }
        for (scan, isValid) in [
            ([0], true), ([1] + list([]) + list([]) + [0], true), ([1] + list([]) + list([]) + [2], false),
            ([2], false),
            ([1] + list([[2, 1, 2]]) + list([]) + [1], true), ([1] + list([[3, 1, 2, 3]]) + list([]) + [1], false),
            ([1] + list([[0]]) + list([]) + [1], false), ([1] + number(2, 4) + [2, 1, 2] + list([]) + [1], false),
            ([1] + number(0xFFFF_FFFF, 4), false),
        ] as [([UInt8], Bool)] {
            let value = try? CentralRestoration(decoding: (scan + list([]))[...])
            #expect((value != nil) == isValid, "\(scan)")
        }
    }

    /// A kind of octets that this version does not know stays, with its bond or without it.
    @Test func octetsOfAnUnknownKindStay() throws {
        let foreign = [1] + number(5, 6) + [4] + block([1])
        let content = try PersistentBondStore.file.decode(file("OCBBONDS", [2] + block(foreign)))
        #expect(content.foreign == [.init(kind: 2, octets: foreign)])
        #expect(PersistentBondStore.file.encode(content) == file("OCBBONDS", [2] + block(foreign)))
    }

    /// The octets of a bond that an earlier version removed, such as counters of signatures, cost no other bond.
    @Test func octetsWithoutTheirBondAreDropped() throws {
        let bond = [1] + number(5, 6) + [16, 0] + [0, 0, 0, 0, 0, 0]
        let orphan = [1] + number(7, 6) + [3] + block([UInt8](repeating: 1, count: 8))
        let content = try PersistentBondStore.file.decode(file("OCBBONDS", [2] + block(orphan) + [1] + block(bond)))
        #expect(content.table.bonds.count == 1 && content.foreign.isEmpty)
        #expect(PersistentBondStore.file.encode(content) == file("OCBBONDS", [1] + block(bond)))
    }

    /// The frame: its kind, version and length. A later version is no damage, and one before the first is.
    @Test func theFrameIsChecked() throws {
        let content: [UInt8] = [9, 8, 7]
        #expect(StoreEnvelope.state.seal(content) == file("OCBSTATE", content))
        #expect(StoreEnvelope.state.seal([]) == file("OCBSTATE", []))
        #expect(Array(try StoreEnvelope.state.open(file("OCBSTATE", content))) == content)
        #expect(try StoreEnvelope.state.open(file("OCBSTATE", [])).isEmpty)
        for version: UInt64 in [2, 3, 256, 0xFFFF] {
            #expect(throws: StoreEnvelope.FormatError.newer(UInt16(version))) {
                try StoreEnvelope.state.open(file("OCBSTATE", version: version, content))
            }
        }
        let length = Array("OCBSTATE".utf8) + number(1, 2)
        let damaged: [[UInt8]] = [
            file("OCBSTATE", version: 0, content), file("OCBBONDS", content), file("ocbstate", content), [],
            // The length of the content is one too small and one too large, with a correct checksum.
            length + number(2, 4) + content + number(checksum(length + number(2, 4) + content), 8),
            length + number(4, 4) + content + number(checksum(length + number(4, 4) + content), 8),
            Array(file("OCBSTATE", []).dropLast()), Array(file("OCBSTATE", []).prefix(8)),
        ]
        for octets in damaged {
            let error = #expect(throws: StoreEnvelope.FormatError.self) { try StoreEnvelope.state.open(octets) }
            for version in [0, 1, 2] as [UInt16] { #expect(error != .newer(version), "\(octets)") }
        }
    }
}
