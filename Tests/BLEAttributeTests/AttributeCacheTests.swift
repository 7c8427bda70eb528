import BLECrypto
import BLEWire
import Testing

@testable import BLEAttribute

/// The attribute cache of a client (Vol 3, Part G, 2.5.2).
struct AttributeCacheTests {
    private let bonded: BondedPair

    init() throws {
        bonded = try BondedPair()
        bonded.reconnect()
        bonded.enableServiceChanged()
    }

    /// Every discovery that finds something.
    private var discoveries: [GATTOperation] {
        let service = bonded.service.range
        let long = ClientServerTests.long
        return [
            .discoverServices(nil), .discoverServices([]), .discoverServices([uuid(0xFEE7)]),
            .discoverServices([long, uuid(0xFEE7), long, uuid(0x1801)]), .discoverServices([uuid(0x1234)]),
            .discoverServices([BluetoothUUID(UInt32(0xFEE7))]),
            .discoverIncludedServices(service: service, nil),
            .discoverIncludedServices(service: service, [uuid(0x180F)]),
            .discoverIncludedServices(service: service, [long]),
            .discoverCharacteristics(service: service, nil),
            .discoverCharacteristics(service: service, [long, uuid(0x36F5)]),
            .discoverCharacteristics(service: service, [uuid(0x1234)]),
            .discoverDescriptors(after: bonded.value.valueHandle, end: bonded.value.valueHandle + 2),
            .discoverDescriptors(after: service.end, end: service.end),
        ]
    }

    /// Discovers everything, and reconnects.
    private func learn() {
        for operation in discoveries { bonded.run(operation) }
        bonded.pause()
        bonded.reconnect()
    }

    @Test func discoveriesOfABondedServerNeedNoTrafficAndHaveTheSameResults() {
        let overTheAir = discoveries.map { bonded.run($0) }
        learn()
        #expect(bonded.pair.toServer == [octets("08 0100 FFFF 2A2B")], "the hash is read once")
        for (operation, result) in zip(discoveries, overTheAir) {
            var found: Result<GATTResult, GATTFailure>?
            let sent = bonded.traffic { found = bonded.run(operation) }
            #expect(found == result && sent.isEmpty, "\(operation)")
            #expect(lengths(found) == lengths(result), "\(operation)")
        }
    }

    /// The lengths of UUIDs, which their equality does not compare.
    private func lengths(_ result: Result<GATTResult, GATTFailure>?) -> [Int] {
        switch result {
        case .success(.services(let services)): services.map(\.uuid.octetCount)
        case .success(.characteristics(let characteristics)): characteristics.map(\.uuid.octetCount)
        case .success(.descriptors(let descriptors)): descriptors.map(\.uuid.octetCount)
        default: []
        }
    }

    /// A discovery answers from the cache on its own link as well, in any order of the queries.
    @Test func eachDiscoveryAloneIsAnsweredAgain() {
        for operation in discoveries {
            bonded.cache = nil
            bonded.reconnect()
            let first = bonded.run(operation)
            bonded.pause()
            bonded.reconnect()
            var again: Result<GATTResult, GATTFailure>?
            let sent = bonded.traffic { again = bonded.run(operation) }
            #expect(again == first)
            if case .discoverIncludedServices(_, let uuids?) = operation, !uuids.isEmpty {
                #expect(!sent.isEmpty, "a search for some UUIDs does not resolve the others")
            } else {
                #expect(sent.isEmpty, "\(operation)")
            }
        }
    }

    @Test func aKnownConfigurationIsWrittenWithoutASearch() {
        let operation = bonded.subscribe(bonded.value, end: bonded.value.valueHandle + 2)
        #expect(bonded.sent(operation).map(\.first) == [0x04, 0x12])
        bonded.pause()
        bonded.reconnect()
        #expect(bonded.sent(operation).map(\.first) == [0x12])
        #expect(bonded.notify(bonded.value.valueHandle) && bonded.pair.receivers == [[0]])
    }

    @Test func serviceChangedIsSubscribedOnce() {
        bonded.reconnect()
        let sent = bonded.traffic { bonded.enableServiceChanged() }
        #expect(sent.isEmpty)
        #expect(bonded.pair.client.client.serviceChangedHandle == bonded.database.serviceChangedHandle)
    }

    @Test func robustCachingIsAnnouncedOnce() {
        #expect(bonded.pair.toServer.contains(octets("12 0B00 01")))
        bonded.reconnect()
        #expect(bonded.pair.server.server.features == .robustCaching, "the bond remembers it")
        #expect(!bonded.pair.toServer.contains { $0.first == 0x12 })
    }

    @Test func theHashPrecedesOperationsThatWait() {
        let (cache, now) = (bonded.cache, bonded.pair.now)
        bonded.connect()
        let id = bonded.pair.submit(.read(handle: 3))
        _ = bonded.pair.submit(.discoverServices(nil))
        bonded.pair.withClient { $0.useAttributeCache(cache, at: now, output: &$1) }
        bonded.pair.pump()
        #expect(bonded.pair.toServer.map(\.first).prefix(3) == [0x0A, 0x08, 0x10])
        #expect(bonded.pair.result(id) != nil)
    }

    @Test func whatWasFoundBeforeTheEncryptionIsNotKept() {
        bonded.cache = nil
        bonded.connect()
        bonded.run(.discoverServices(nil))
        let waiting = bonded.pair.submit(.discoverCharacteristics(service: bonded.service.range, nil))
        bonded.encrypt()
        bonded.pause()
        #expect(bonded.pair.result(waiting) != nil)
        bonded.reconnect()
        #expect(!bonded.sent(.discoverServices(nil)).isEmpty)
    }

    @Test func anotherHashDropsTheCache() throws {
        learn()
        bonded.connect()
        _ = try bonded.database.added(ServiceDefinition(uuid(0xFEE9)))
        bonded.reconnect()
        bonded.enableServiceChanged()
        guard case .success(.services(let found)) = bonded.run(.discoverServices(nil)) else {
            Issue.record("no services")
            return
        }
        #expect(found.map(\.uuid).contains(uuid(0xFEE9)))
        bonded.reconnect()
        #expect(bonded.sent(.discoverServices(nil)).isEmpty)
        #expect(bonded.run(.discoverServices(nil)) == .success(.services(found)))
    }

    /// The indication arrives with the encryption, before this client has looked for the characteristic.
    @Test func aChangeDuringTheAbsenceIsReported() throws {
        learn()
        bonded.connect()
        _ = try bonded.database.added(ServiceDefinition(uuid(0xFEE9)))
        bonded.connect()
        bonded.setSecurity(.encrypted)
        bonded.pair.onClient { $0.useAttributeCache(bonded.cache, at: bonded.pair.now, output: &$1) }
        bonded.encrypt(client: false)
        #expect(bonded.changes == [handles(1, 0xFFFF)])
    }

    @Test func serviceChangedDropsTheCacheOfTheLink() throws {
        learn()
        try bonded.add()
        #expect(bonded.changes.count == 1)
        #expect(bonded.pair.toServer.filter { $0 == octets("08 0100 FFFF 2A2B") }.count == 2)
        guard case .success(.services(let found)) = bonded.run(.discoverServices(nil)) else {
            Issue.record("no services")
            return
        }
        #expect(found.map(\.uuid).contains(uuid(0xFEE9)))
    }

    /// The second half of a discovery belongs to another database than the first.
    @Test func aDiscoveryDuringAChangeIsNotKept() throws {
        bonded.cache = nil
        bonded.reconnect()
        bonded.enableServiceChanged()
        var isFirst = true
        bonded.pair.refuses = { pdu in
            if pdu.first == 0x10, isFirst {
                isFirst = false
                self.bonded.pair.withClient {
                    $0.serverChanged(at: .zero, output: &$1)
                }
            }
            return nil
        }
        bonded.run(.discoverServices(nil))
        #expect(!isFirst)
        #expect(!bonded.sent(.discoverServices(nil)).isEmpty)
        #expect(bonded.sent(.discoverServices(nil)).isEmpty)
    }

    // MARK: Servers without a hash

    @Test func withoutAHashTheServerAnnouncesItsChanges() throws {
        let bonded = try BondedPair(crypto: nil)
        bonded.reconnect()
        bonded.enableServiceChanged()
        bonded.run(.discoverServices(nil))
        bonded.pause()
        bonded.reconnect()
        #expect(bonded.sent(.discoverServices(nil)).isEmpty)
        try bonded.add()
        #expect(bonded.changes.count == 1)
        #expect(!bonded.sent(.discoverServices(nil)).isEmpty)
    }

    @Test func withoutAHashAndWithoutServiceChangedNothingIsTrusted() throws {
        let bonded = try BondedPair(crypto: nil)
        bonded.reconnect()
        bonded.run(.discoverServices(nil))
        bonded.pause()
        bonded.reconnect()
        #expect(!bonded.sent(.discoverServices(nil)).isEmpty, "no change would be announced")
    }

    @Test func aServerThatRefusesTheHashHasNoCache() {
        bonded.connect()
        bonded.pair.refuses = { $0.first == 0x08 ? .insufficientAuthorization : nil }
        bonded.encrypt()
        bonded.pair.refuses = nil
        for _ in 0..<2 { #expect(!bonded.sent(.discoverServices(nil)).isEmpty) }
        #expect(bonded.pair.client.client.cache == nil)
    }

    @Test(arguments: [3, 4]) func aServerMayRefuseTheAnnouncement(code: UInt8) {
        bonded.cache = nil
        bonded.connect()
        bonded.pair.refuses = { $0.starts(with: [0x12, 0x0B]) ? ATT.ErrorCode(rawValue: code) : nil }
        bonded.encrypt()
        bonded.run(.discoverServices(nil))
        #expect(bonded.sent(.discoverServices(nil)).isEmpty)
    }

    // MARK: Database Out Of Sync

    /// Refuses the next request with an opcode.
    private func refuseOnce(_ opcode: UInt8) {
        var isFirst = true
        bonded.pair.refuses = { pdu in
            guard pdu.first == opcode, isFirst else { return nil }
            isFirst = false
            return .databaseOutOfSync
        }
    }

    @Test func theOperationIsRepeatedIfTheDatabaseIsTheSame() {
        learn()
        refuseOnce(0x0A)
        let sent = bonded.traffic {
            let result = bonded.run(.read(handle: bonded.value.valueHandle))
            #expect(result == .success(.value([1])))
        }
        #expect(sent.map(\.first) == [0x0A, 0x08, 0x0A])
        #expect(bonded.changes.isEmpty)
        #expect(bonded.sent(.discoverServices(nil)).isEmpty, "the cache is still right")
    }

    /// The client has not got the server's indication yet.
    private func changeInSilence() throws {
        _ = try bonded.database.added(ServiceDefinition(uuid(0xFEE9)))
        bonded.pair.database = bonded.database
        bonded.pair.onServer { $0.databaseChanged(bonded.database, security: .encrypted, output: &$1) }
    }

    @Test func theOperationIsRepeatedIfItsAttributeIsTheSame() throws {
        learn()
        bonded.run(bonded.subscribe(bonded.value, end: bonded.value.valueHandle + 2))
        try changeInSilence()
        let sent = bonded.traffic {
            let result = bonded.run(.read(handle: bonded.value.valueHandle))
            #expect(result == .success(.value([1])))
        }
        #expect(sent.map(\.first) == [0x0A, 0x08, 0x04, 0x0A])
        #expect(bonded.changes == [handles(1, 0xFFFF)], "the program has to discover the services again")
        #expect(bonded.pair.client.clientSubscriptions.isEmpty)
        #expect(!bonded.sent(.discoverServices(nil)).isEmpty)
        #expect(bonded.sent(.discoverServices(nil)).isEmpty)
    }

    @Test func theOperationFailsIfItsAttributeIsAnother() throws {
        learn()
        let handle = bonded.secret.valueHandle
        var database = AttributeDatabase(crypto: SwiftCryptoProvider())
        _ = try database.added(
            ServiceDefinition(uuid(0xFEEA), (0..<20).map { CharacteristicDefinition(uuid(0x4000 + $0), 2, 1) }))
        bonded.pair.database = database
        bonded.pair.onServer { $0.databaseChanged(database, security: .encrypted, output: &$1) }
        #expect(bonded.run(.read(handle: handle)) == .failure(.attribute(0x12)))
        #expect(bonded.changes == [handles(1, 0xFFFF)])
        try changeInSilence()
        #expect(bonded.run(.read(handle: 40)) == .failure(.attribute(0x12)), "an attribute that was never discovered")
    }

    @Test func discoveriesStartAgain() throws {
        learn()
        bonded.cache = nil
        bonded.reconnect()
        try changeInSilence()
        // Find By Type Value and Find Information are served; this server refuses them nevertheless.
        for (operation, opcode) in zip(discoveries, [0x10, 0x10, 0x06] as [UInt8]) {
            refuseOnce(opcode)
            guard case .success = bonded.run(operation) else {
                Issue.record("\(operation)")
                continue
            }
        }
        #expect(bonded.changes.count == 1)
    }

    @Test func aLongWriteIsCancelledAndStartsAgain() {
        learn()
        var count = 0
        bonded.pair.refuses = { pdu in
            guard pdu.first == 0x16 else { return nil }
            count += 1
            return count == 2 ? .databaseOutOfSync : nil
        }
        let value = pattern(40)
        let sent = bonded.traffic {
            let result = bonded.run(.write(handle: bonded.value.valueHandle, value: value))
            #expect(result == .success(.done))
        }
        #expect(sent.map(\.first) == [0x16, 0x16, 0x18, 0x08, 0x16, 0x16, 0x16, 0x18])
        #expect(bonded.pair.values[bonded.value.valueHandle] == value)
    }

    @Test func aSubscriptionSurvivesTheRepetition() {
        learn()
        refuseOnce(0x12)
        let operation = bonded.subscribe(bonded.value, end: bonded.value.valueHandle + 2)
        #expect(bonded.run(operation) == .success(.done))
        #expect(bonded.pair.client.clientSubscriptions.count == 1)
        #expect(bonded.notify(bonded.value.valueHandle) && bonded.pair.receivers == [[0]])
    }

    @Test func aSecondRefusalIsFinal() {
        learn()
        bonded.pair.refuses = { $0.first == 0x0A ? .databaseOutOfSync : nil }
        #expect(bonded.run(.read(handle: bonded.value.valueHandle)) == .failure(.attribute(0x12)))
        #expect(bonded.run(.readRSSI) == nil)
    }

    @Test func withoutABondTheErrorIsTheResult() {
        bonded.connect()
        refuseOnce(0x0A)
        let sent = bonded.traffic {
            let result = bonded.run(.read(handle: bonded.value.valueHandle))
            #expect(result == .failure(.attribute(0x12)))
        }
        #expect(sent.count == 1)
    }

    /// A server that refuses for security at first, and for its database afterwards.
    @Test func securityIsRequiredBeforeTheRepetition() {
        learn()
        bonded.setSecurity(.keyAvailable)
        refuseOnce(0x0A)
        let id = bonded.pair.submit(.read(handle: bonded.secret.valueHandle))
        bonded.pair.pump()
        #expect(bonded.pair.result(id) == nil)
        bonded.setSecurity(.encrypted)
        bonded.pair.onClient { $0.resume(repeating: true, at: bonded.pair.now, output: &$1) }
        #expect(bonded.pair.result(id) == .success(.value([2])))
    }

    // MARK: Reports and octets

    @Test func theCacheIsReportedWhenTheProgramPausesAndAtTheEndOfTheLink() {
        bonded.cache = nil
        bonded.reconnect()
        bonded.pause()
        let first = bonded.cache
        bonded.run(.discoverServices(nil))
        bonded.run(.discoverCharacteristics(service: bonded.service.range, nil))
        #expect(bonded.cache == first)
        bonded.pause()
        let second = bonded.cache
        #expect(second != first)
        bonded.pause()
        #expect(bonded.cache == second)
        bonded.run(.discoverIncludedServices(service: bonded.service.range, nil))
        bonded.connect()
        #expect(bonded.cache != second)
    }

    private func decode(_ octets: some Collection<UInt8>) throws -> AttributeCache {
        try AttributeCache(decoding: [UInt8](octets).span)
    }

    @Test func theOctetsStandForTheCache() throws {
        learn()
        bonded.run(bonded.subscribe(bonded.secret, end: bonded.secret.valueHandle + 1))
        bonded.pause()
        let octets = try #require(bonded.cache)
        let cache = try decode(octets)
        #expect(cache.octets == octets && cache.octetCount == octets.count)
        #expect(cache.databaseHash == bonded.database.databaseHash)
        #expect(cache == bonded.pair.client.client.cache?.contents)
        for count in 0..<octets.count {
            #expect(throws: DecodeError.self) { try decode(octets.prefix(count)) }
        }
        #expect(throws: DecodeError.self) { try decode(octets + [0]) }
        #expect(throws: DecodeError.self) { try decode([2] + octets.dropFirst()) }
        #expect(throws: DecodeError.self) {
            try decode([UInt8](repeating: 1, count: AttributeCache.capacity + 1))
        }
    }

    @Test func hostileOctetsAreRefusedOrUsedWithoutHarm() throws {
        learn()
        let good = try #require(bonded.cache)
        var random = SeededRandom(seed: 5)
        var decoded = 0
        for _ in 0..<2_000 {
            var octets = good
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                octets[Int.random(in: 0..<octets.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            guard let cache = try? decode(octets) else { continue }
            decoded += 1
            for operation in discoveries { _ = cache.answer(operation) }
        }
        #expect(decoded > 100)
    }

    /// A server with more services than the cache holds.
    @Test func theCacheIsBounded() {
        var cache = AttributeCache()
        var recorded = 0
        for start in stride(from: UInt16(1), to: 60_000, by: 20) {
            let services = (0..<4).map { index in
                DiscoveredService(
                    uuid: ClientServerTests.long, range: handles(start + index, start + index), isPrimary: true)
            }
            if cache.record(.discoverIncludedServices(service: handles(start, start + 19), nil), .services(services)) {
                recorded += 1
            }
        }
        #expect(recorded > 100 && recorded < 1_000)
        #expect(cache.octets.count == cache.octetCount && cache.octetCount <= AttributeCache.capacity)
        let more = (0..<2_000).map {
            DiscoveredDescriptor(uuid: ClientServerTests.long, handle: $0)
        }
        let isRecorded = cache.record(.discoverDescriptors(after: 1, end: 2_000), .descriptors(more))
        #expect(!isRecorded)
    }
}
