import BLECrypto
import BLEWire
import Testing

@testable import BLEAttribute

/// A client knows its subscription to Service Changed on the next link, whenever the bond began (Vol 3, Part G, 7.1).
struct ServiceChangedRecordTests {
    private let bonded: BondedPair

    /// The first link, before its encryption.
    init() throws {
        bonded = try BondedPair()
        bonded.connect()
    }

    private func useCache() {
        let now = bonded.pair.now
        bonded.pair.withClient { $0.useAttributeCache(nil, at: now, output: &$1) }
    }

    /// Calls `body` with the first request that has an opcode. Returns whether there was one, after `run`.
    private func during(_ opcode: UInt8, _ body: @escaping () -> Void, run: () -> Void) -> Bool {
        var isFirst = true
        bonded.pair.refuses = { pdu in
            if pdu.first == opcode, isFirst {
                isFirst = false
                body()
            }
            return nil
        }
        run()
        bonded.pair.refuses = nil
        return !isFirst
    }

    /// The handle is stored, and an indication at the start of the next link is understood.
    private func expectRecord() throws {
        for _ in 0..<2 { bonded.pause() }
        let octets = try #require(bonded.cache)
        let stored = try AttributeCache(decoding: octets.span)
        #expect(stored.serviceChanged == .subscribed(bonded.database.serviceChangedHandle))
        bonded.connect()
        _ = try bonded.database.added(ServiceDefinition(uuid(0xFEE9)))
        bonded.connect()
        bonded.setSecurity(.encrypted)
        bonded.pair.onClient { $0.useAttributeCache(bonded.cache, at: bonded.pair.now, output: &$1) }
        bonded.encrypt(client: false)
        #expect(bonded.changes == [handles(1, 0xFFFF)])
    }

    @Test func theBondFollowsTheSubscription() throws {
        bonded.enableServiceChanged()
        bonded.encrypt()
        try expectRecord()
    }

    @Test(arguments: [0x06, 0x08, 0x04, 0x12] as [UInt8]) func theBondBeginsDuringTheSubscription(_ opcode: UInt8)
        throws
    {
        let hasBegun = during(opcode, useCache) { bonded.enableServiceChanged() }
        #expect(hasBegun)
        bonded.encrypt(client: false)
        try expectRecord()
    }

    @Test(arguments: [0x06, 0x04, 0x12] as [UInt8]) func theDatabaseChangesDuringTheSubscription(_ opcode: UInt8) throws
    {
        bonded.encrypt()
        let change = {
            bonded.pair.withClient { if $0.client.serverChanged(at: .zero) { $0.startNext(at: .zero, output: &$1) } }
        }
        let hasChanged = during(opcode, change) { bonded.enableServiceChanged() }
        #expect(hasChanged)
        try expectRecord()
    }

    /// The user of a pairing may need more time than a task of the host waits for the program.
    @Test func theSubscriptionPrecedesTheValidation() throws {
        _ = bonded.pair.submit(.read(handle: 3))
        bonded.pair.withClient { $0.enableServiceChanged(id: 99, at: bonded.pair.now, output: &$1) }
        bonded.pair.now += .seconds(6)
        useCache()
        bonded.encrypt(client: false)
        #expect(bonded.pair.toServer.map(\.first).prefix(2) == [0x0A, 0x06])
        try expectRecord()
    }

    /// What was found before the encryption is searched again.
    @Test func aForgedHandleIsNotKept() throws {
        bonded.enableServiceChanged()
        bonded.pair.withClient { bearer, _ in bearer.client.serviceChangedHandle = 0x7777 }
        bonded.encrypt()
        try expectRecord()
    }

    @Test func theCacheOfAServerWithoutAHashIsUsed() throws {
        let bonded = try BondedPair(crypto: nil)
        bonded.connect()
        bonded.enableServiceChanged()
        bonded.encrypt()
        bonded.run(.discoverServices(nil))
        for _ in 0..<2 { bonded.pause() }
        bonded.reconnect()
        #expect(bonded.sent(.discoverServices(nil)).isEmpty)
    }

    /// Database Out Of Sync answers any request (Vol 3, Part G, 2.5.2.1).
    @Test func aSubscriptionThatIsOutOfSyncInvalidatesTheCache() {
        bonded.encrypt()
        bonded.run(.discoverServices(nil))
        #expect(bonded.sent(.discoverServices(nil)).isEmpty)
        bonded.pair.refuses = { $0.first == 0x06 ? .databaseOutOfSync : nil }
        bonded.enableServiceChanged()
        bonded.pair.refuses = nil
        #expect(!bonded.sent(.discoverServices(nil)).isEmpty)
    }
}
