import BLECrypto
import BLEWire
import Testing

@testable import BLEAttribute

/// What a bonded client leaves in the server (Vol 3, Part G, 2.5.2, 3.3.3.3 and 7.2).
struct RememberedClientTests {
    private let bonded: BondedPair

    init() throws {
        bonded = try BondedPair()
        bonded.connect()
    }

    private func subscribe() {
        bonded.run(bonded.subscribe(bonded.value, end: bonded.secret.valueHandle - 2))
        bonded.run(bonded.subscribe(bonded.secret, end: bonded.secret.valueHandle + 1))
        bonded.enableServiceChanged()
    }

    @Test func subscriptionsReturnWithTheEncryption() {
        bonded.encrypt()
        subscribe()
        bonded.connect()
        #expect(bonded.subscriptions.isEmpty)
        #expect(!bonded.notify(bonded.value.valueHandle), "anyone can have the client's address")
        bonded.encrypt()
        #expect(
            bonded.subscriptions.sorted()
                == [bonded.database.serviceChangedHandle, bonded.value.valueHandle, bonded.secret.valueHandle])
        #expect(bonded.notify(bonded.value.valueHandle) && bonded.notify(bonded.secret.valueHandle))
        #expect(bonded.run(.read(handle: bonded.value.clientConfigurationHandle ?? 0)) == .success(.value([1, 0])))
        #expect(bonded.changes.isEmpty, "nothing has changed")
    }

    @Test func whatTheClientWroteOnThisLinkPrecedes() {
        bonded.encrypt()
        subscribe()
        bonded.connect()
        bonded.run(.write(handle: bonded.value.clientConfigurationHandle ?? 0, value: [0, 0]))
        bonded.encrypt()
        #expect(bonded.pair.server.clientConfiguration(ofValueHandle: bonded.value.valueHandle) == 0)
        #expect(bonded.notify(bonded.secret.valueHandle))
        bonded.reconnect()
        #expect(!bonded.notify(bonded.value.valueHandle), "the change was kept")
    }

    @Test func aPairingKeepsWhatTheClientDidBeforeOnTheLink() {
        bonded.run(bonded.subscribe(bonded.value, end: bonded.secret.valueHandle - 2))
        #expect(bonded.clientState == nil)
        bonded.encrypt()
        #expect(bonded.clientState != nil)
        bonded.reconnect()
        #expect(bonded.notify(bonded.value.valueHandle))
    }

    @Test func aClientWithoutABondIsForgotten() {
        bonded.encrypt(server: false)
        subscribe()
        #expect(bonded.clientState == nil)
        bonded.reconnect()
        #expect(bonded.subscriptions.isEmpty)
    }

    @Test func updatesThatRequireEncryptionEndWithTheEncryption() {
        bonded.encrypt()
        subscribe()
        #expect(bonded.notify(bonded.secret.valueHandle))
        bonded.setSecurity(.keyAvailable)
        #expect(!bonded.notify(bonded.secret.valueHandle) && bonded.notify(bonded.value.valueHandle))
        bonded.setSecurity(.encrypted)
        #expect(bonded.notify(bonded.secret.valueHandle))
    }

    @Test func waitingIndicationsAreNotSentAfterTheEncryptionEnded() {
        bonded.encrypt()
        let handle = bonded.secret.valueHandle
        bonded.run(bonded.subscribe(bonded.secret, end: handle + 1, .indication))
        bonded.pair.confirms = false
        for _ in 0..<2 { bonded.pair.onServer { $0.indicate(handle: handle, value: [9].span, at: .zero, output: &$1) } }
        bonded.setSecurity(.none)
        #expect(bonded.pair.serverEvents.last == .indicationConfirmed(valueHandle: handle))
        bonded.pair.onClient { $0.confirmIndication(output: &$1) }
        #expect(bonded.pair.received.count == 1 && bonded.pair.server.unconfirmedIndications == 0)
    }

    @Test func aRaisedRequirementAppliesToUpdatesAsWell() {
        bonded.encrypt()
        subscribe()
        bonded.database.encryptedAccess = SecurityRequirement(level: .authenticated, keySize: 16)
        bonded.setSecurity(.encrypted)
        #expect(!bonded.notify(bonded.secret.valueHandle))
        bonded.setSecurity(.authenticated)
        #expect(bonded.notify(bonded.secret.valueHandle))
    }

    // MARK: A changed database

    @Test func aClientThatWasAwayGetsServiceChanged() throws {
        bonded.encrypt()
        subscribe()
        bonded.connect()
        bonded.database = try BondedPair().database
        _ = try bonded.database.added(ServiceDefinition(uuid(0xFEE9)))
        bonded.connect()
        bonded.encrypt(client: false)
        #expect(bonded.changes == [], "this client looks for Service Changed first")
        #expect(bonded.pair.toClient.contains([0x1D, 8, 0, 1, 0, 0xFF, 0xFF]))
        bonded.reconnect()
        #expect(bonded.notify(bonded.value.valueHandle), "its characteristic is still there")
        #expect(!bonded.pair.toClient.contains([0x1D, 8, 0, 1, 0, 0xFF, 0xFF]), "it has confirmed the change")
    }

    @Test func anUnconfirmedServiceChangedIsRepeatedOnTheNextLink() throws {
        bonded.encrypt(client: false)
        bonded.enableServiceChanged()
        bonded.pair.confirms = false
        try bonded.add()
        bonded.connect()
        bonded.encrypt(client: false)
        #expect(bonded.pair.toClient.contains([0x1D, 8, 0, 1, 0, 0xFF, 0xFF]))
    }

    @Test func aConnectedClientGetsServiceChangedAtOnce() throws {
        bonded.encrypt()
        bonded.enableServiceChanged()
        try bonded.add()
        #expect(bonded.changes.count == 1)
        #expect(bonded.pair.server.server.awareness.isAware, "it has confirmed")
    }

    @Test func configurationsOfOtherCharacteristicsAreDropped() throws {
        bonded.encrypt()
        subscribe()
        // A program that starts again with other services gives the same handles to them.
        var database = AttributeDatabase(deviceName: Array("Band".utf8), crypto: SwiftCryptoProvider())
        _ = try database.added(ServiceDefinition(uuid(0x180F), isPrimary: false))
        let other = try database.added(
            ServiceDefinition(uuid(0xFEEA), (0..<4).map { _ in CharacteristicDefinition(uuid(0x36F5), 0x12, 1) }))
        bonded.database = database
        bonded.connect()
        bonded.encrypt(client: false)
        #expect(bonded.subscriptions == [database.serviceChangedHandle])
        for characteristic in other.characteristics { #expect(!bonded.notify(characteristic.valueHandle)) }
    }

    @Test func configurationsOfRemovedServicesAreNotKept() {
        bonded.encrypt()
        subscribe()
        bonded.change { database in
            database.remove(bonded.service.range)
            return bonded.service.range
        }
        #expect(bonded.pair.server.clientConfiguration(ofValueHandle: bonded.value.valueHandle) == 0)
        bonded.reconnect()
        #expect(bonded.subscriptions == [bonded.database.serviceChangedHandle])
    }

    // MARK: Client Supported Features

    @Test func featuresAreSetOnceAndKept() throws {
        bonded.encrypt(client: false)
        let handle: UInt16 = 11
        #expect(bonded.run(.read(handle: handle)) == .success(.value([0])))
        #expect(bonded.run(.write(handle: handle, value: [])) == .failure(.attribute(0x0D)))
        #expect(bonded.run(.write(handle: handle, value: [0xFD, 0xFF])) == .success(.done))
        #expect(bonded.run(.read(handle: handle)) == .success(.value([5])), "other bits have no meaning")
        #expect(bonded.run(.write(handle: handle, value: [4])) == .failure(.attribute(0x13)))
        #expect(bonded.run(.write(handle: handle, value: [7])) == .success(.done))
        bonded.connect()
        #expect(bonded.run(.read(handle: handle)) == .success(.value([0])))
        bonded.encrypt(client: false)
        #expect(bonded.run(.read(handle: handle)) == .success(.value([7])))
    }

    // MARK: Octets

    private static let sample = RememberedClient(
        features: .robustCaching, isAware: false, databaseHash: 0x0102_0304,
        configurations: [
            .init(valueHandle: 8, bits: 2, fingerprint: 0xAABB_CCDD),
            .init(valueHandle: 0xFFFF, bits: 3, fingerprint: 0),
        ])

    private func decode(_ octets: some Collection<UInt8>) throws -> RememberedClient {
        try RememberedClient(decoding: [UInt8](octets).span)
    }

    @Test func theOctetsStandForTheState() throws {
        let octets = Self.sample.octets
        #expect(octets.prefix(8) == [1, 1, 0, 1, 4, 3, 2, 1] && octets.count == 4 + 16 + 14)
        #expect(try decode(octets) == Self.sample)
        var full = Self.sample
        full.databaseHash = nil
        full.configurations = (1...600).map { .init(valueHandle: $0, bits: 1, fingerprint: 7) }
        #expect(full.octets.count == 4 + 7 * RememberedClient.limit && full.octets.count <= 4_096)
        #expect(try decode(full.octets).configurations.count == RememberedClient.limit)
    }

    @Test func octetsOfAnotherFormAreRefused() {
        let octets = Self.sample.octets
        for count in 0..<octets.count where count != 4 + 16 && count != 4 + 16 + 7 {
            #expect(throws: DecodeError.self) { try decode(octets.prefix(count)) }
        }
        for (index, value) in [(0, 2), (1, 8), (2, 2), (3, 2), (22, 0), (22, 4)] as [(Int, UInt8)] {
            var other = octets
            other[index] = value
            #expect(throws: DecodeError.self) { try decode(other) }
        }
        let long = octets + (0..<RememberedClient.limit).flatMap { _ in [8, 0, 1, 0, 0, 0, 0] as [UInt8] }
        #expect(throws: DecodeError.self) { try decode(long) }
    }

    @Test func hostileOctetsRestoreNothingThatTheDatabaseDoesNotHave() {
        bonded.encrypt()
        subscribe()
        let good = bonded.clientState ?? []
        var random = SeededRandom(seed: 11)
        for _ in 0..<300 {
            var octets = good
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let index = Int.random(in: 0..<octets.count, using: &random)
                octets[index] = UInt8.random(in: 0...255, using: &random)
            }
            bonded.connect()
            bonded.clientState = octets
            bonded.encrypt(client: false)
            let known = [8, bonded.value.valueHandle, bonded.secret.valueHandle]
            #expect(bonded.subscriptions.allSatisfy(known.contains))
        }
    }
}
