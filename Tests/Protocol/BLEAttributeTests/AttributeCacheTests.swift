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
            var found: Result<GATTResult, GATTError>?
            let sent = bonded.traffic { found = bonded.run(operation) }
            #expect(found == result && sent.isEmpty, "\(operation)")
            #expect(lengths(found) == lengths(result), "\(operation)")
        }
    }

    /// The lengths of UUIDs, which their equality does not compare.
    private func lengths(_ result: Result<GATTResult, GATTError>?) -> [Int] {
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
            var again: Result<GATTResult, GATTError>?
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
        #expect(bonded.pair.toServer.contains(octets("12 0B00 05")))
        bonded.reconnect()
        #expect(
            bonded.pair.server.server.features == .robustCaching, "the bond remembers it")
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
                    if $0.client.serverChanged(at: .zero) { $0.startNext(at: .zero, output: &$1) }
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

    @Test func theCacheIsReportedWhenTheBearerFails() throws {
        bonded.cache = nil
        bonded.reconnect()
        bonded.pause()
        bonded.run(.discoverServices(nil))
        let id = bonded.pair.submit(.read(handle: 3))
        var database = AttributeDatabase()
        // A Write Response to a Read Request.
        let events = bonded.pair.client.answer([0x13], &database).events
        guard case .attributeCacheChanged(let octets)? = events.first else {
            Issue.record("\(events)")
            return
        }
        #expect(events.dropFirst() == [.completed(id: id, .failure(.bearerLost)), .bearerFailed])
        #expect(try decode(octets).services?.isEmpty == false)
    }

    /// A server without Service Changed never changes (Vol 3, Part G, 7.1). One whose Service Changed cannot be enabled announces nothing.
    @Test(arguments: [(0x06, true), (0x04, false)] as [(UInt8, Bool)])
    func aServerWithoutServiceChangedIsTrusted(opcode: UInt8, isTrusted: Bool) throws {
        let bonded = try BondedPair(crypto: nil)
        bonded.reconnect()
        bonded.pair.refuses = { $0.first == opcode ? .attributeNotFound : nil }
        bonded.enableServiceChanged()
        bonded.pair.refuses = nil
        bonded.run(.discoverServices(nil))
        bonded.pause()
        let stored = try decode(try #require(bonded.cache))
        #expect(stored.serviceChanged == (isTrusted ? .absent : .unknown))
        bonded.reconnect()
        #expect(bonded.sent(.discoverServices(nil)).isEmpty == isTrusted)
    }

    /// The handle has no attribute any more.
    @Test func theOperationFailsIfItsAttributeIsGone() {
        learn()
        let handle = bonded.secret.valueHandle
        let database = AttributeDatabase(crypto: SwiftCryptoProvider())
        bonded.pair.database = database
        bonded.pair.onServer { $0.databaseChanged(database, security: .encrypted, output: &$1) }
        let sent = bonded.traffic {
            let result = bonded.run(.read(handle: handle))
            #expect(result == .failure(.attribute(0x12)))
        }
        #expect(sent.map(\.first) == [0x0A, 0x08, 0x04])
    }

    private func service(_ uuid: BluetoothUUID, _ start: UInt16, _ end: UInt16) -> DiscoveredService {
        DiscoveredService(uuid: uuid, range: handles(start, end), isPrimary: true)
    }

    @Test func aSearchByUUIDIsAnsweredForEachOfItsUUIDs() {
        var cache = AttributeCache()
        let long = ClientServerTests.long
        let found = [service(uuid(0xFEE7), 10, 19), service(long, 20, 29), service(uuid(0xFEE7), 40, 49)]
        let short = [found[0], found[2]]
        func record(_ operation: GATTOperation, _ services: [DiscoveredService]) -> Bool {
            cache.record(operation, .services(services))
        }
        func answer(_ uuids: [BluetoothUUID]?) -> [DiscoveredService]? {
            guard case .services(let services)? = cache.answer(.discoverServices(uuids)) else { return nil }
            return services
        }
        #expect(record(.discoverServices([uuid(0xFEE7), long, uuid(0xFEE7), uuid(0x1234)]), found))
        #expect(answer([uuid(0xFEE7)]) == short && answer([long]) == [found[1]] && answer([uuid(0x1234)]) == [])
        #expect(answer([long, uuid(0xFEE7), long]) == found)
        // The procedure does not search for GAP and GATT.
        #expect(answer([uuid(0x1800), uuid(0xFEE7), uuid(0x1801)]) == short)
        #expect(answer([uuid(0x4321)]) == nil && answer([uuid(0xFEE7), uuid(0x4321)]) == nil)
        #expect(answer(nil) == nil && answer([]) == nil)
        #expect(!record(.discoverServices([uuid(0xFEE7)]), found), "known")
        #expect(record(.discoverServices([uuid(0xFEE7), uuid(0x4321)]), found), "one is new")
        #expect(cache.octets.count == cache.octetCount)
        #expect(record(.discoverServices(nil), found) && !record(.discoverServices([]), found))
        #expect(answer(nil) == found && answer([]) == found)
        #expect(answer([uuid(0x9999)]) == [] && answer([uuid(0xFEE7)]) == short)
        #expect(!record(.discoverServices([uuid(0x9999)]), []), "all services are known")
    }

    /// The form in which earlier runs have stored it: version, flags, hash, Service Changed, six lists.
    @Test func theFormOfTheOctetsStays() throws {
        var cache = AttributeCache()
        cache.databaseHash = 0x0F0E_0D0C_0B0A_0908_0706_0504_0302_0100
        cache.serviceChanged = .subscribed(0x1234)
        cache.hasAnnouncedRobustCaching = true
        let service = handles(10, 0x01FF)
        let results = [
            cache.record(.discoverServices([uuid(0x180F)]), .services([self.service(uuid(0x180F), 0x0200, 0x0202)])),
            cache.record(.discoverServices(nil), .services([self.service(uuid(0xFEE7), 10, 0x01FF)])),
            cache.record(
                .discoverIncludedServices(service: service, nil),
                .services([
                    DiscoveredService(
                        uuid: ClientServerTests.longCharacteristic, range: handles(5, 6), isPrimary: false)
                ])),
            cache.record(
                .discoverCharacteristics(service: service, nil),
                .characteristics([
                    DiscoveredCharacteristic(
                        uuid: uuid(0x36F5), properties: 0x3E, declarationHandle: 0x0100, valueHandle: 0x0101,
                        end: 0x0103)
                ])),
            cache.record(
                .discoverDescriptors(after: 0x0101, end: 0x0103),
                .descriptors([DiscoveredDescriptor(uuid: uuid(0x2902), handle: 0x0102)])),
            cache.record(clientConfiguration: 0x0302, valueHandle: 0x0301),
            cache.record(clientConfiguration: 0x0202, valueHandle: 0x0201),
            cache.record(clientConfiguration: 0x0303, valueHandle: 0x0301),
        ]
        #expect(results == [true, true, true, true, true, true, true, false])
        let text = """
            01 07 000102030405060708090A0B0C0D0E0F 3412
            0100 02 E7FE 0A00 FF01 01
            0100 02 0F18 0100 02 0F18 0002 0202 01
            0100 0A00 FF01 0100 10 9ECADC240EE5A9E093F3A3B50200406E 0500 0600 00
            0100 0A00 FF01 0100 02 F536 3E 0001 0101 0301
            0100 0101 0301 0100 02 0229 0201
            0200 0102 0202 0103 0203
            """
        let expected = octets(text)
        #expect(cache.octets == expected && cache.octetCount == expected.count)
        #expect(try decode(expected) == cache)
        // Flags, the first service's range and kind, and the characteristic's handles in the wrong order.
        let kind = 20 + 2 + 3 + 4
        let characteristic = expected.count - 10 - 13 - 6
        for (index, value) in [
            (1, 0x0F), (1, 0x08), (kind - 4, 0), (kind - 3, 2), (kind, 2), (characteristic, 0x02),
            (characteristic + 2, 0x04),
        ] as [(Int, UInt8)] {
            var other = expected
            other[index] = value
            if index == kind - 4 { other[index + 1] = 0 }
            #expect(throws: DecodeError.self, "\(index)") { try decode(other) }
        }
        var empty = octets("01 00" + String(repeating: "00", count: 16) + "FFFF" + String(repeating: "00", count: 10))
        #expect(try decode(empty).serviceChanged == .absent && decode(empty).databaseHash == nil)
        empty[18] = 0
        empty[19] = 0
        #expect(try decode(empty) == AttributeCache() && AttributeCache().octets == empty)
    }

    @Test func longListsKeepTheirCounts() throws {
        var cache = AttributeCache()
        for handle in 1...700 as ClosedRange<UInt16> {
            let isRecorded = cache.record(clientConfiguration: handle + 1, valueHandle: handle)
            #expect(isRecorded)
        }
        let services = (0..<300).map { service(uuid(0xFEE7), 1 + $0, 1 + $0) }
        let isRecorded = cache.record(.discoverServices(nil), .services(services))
        #expect(isRecorded)
        let decoded = try decode(cache.octets)
        #expect(decoded == cache && decoded.configurations.count == 700 && decoded.services?.count == 300)
        #expect(decoded.clientConfiguration(valueHandle: 700, end: 700) == 701)
    }

    /// 32,000 octets are recorded, and no more. The empty form has 30, a list with its key 6, a descriptor 5 or 19.
    @Test(arguments: [(6_389, true), (6_390, false), (6_388, true)]) func theLastOctetIsUsed(count: Int, fits: Bool)
        throws
    {
        var cache = AttributeCache()
        #expect(cache.octets.count == 30)
        let descriptors =
            [DiscoveredDescriptor(uuid: ClientServerTests.long, handle: 0xFFFF)]
            + (0..<count).map { DiscoveredDescriptor(uuid: uuid(0x2901), handle: UInt16($0)) }
        let isRecorded = cache.record(.discoverDescriptors(after: 1, end: 0xFFFF), .descriptors(descriptors))
        #expect(isRecorded == fits && cache.octets.count == cache.octetCount)
        let isConfigurationRecorded = cache.record(clientConfiguration: 9, valueHandle: 8)
        #expect(isConfigurationRecorded == (count != 6_389))
        if count == 6_389 { #expect(cache.octets.count == 32_000) }
        #expect(try decode(cache.octets) == cache)
        #expect(throws: DecodeError.invalidLength) { try decode([UInt8](repeating: 0, count: 32_001)) }
    }
}
