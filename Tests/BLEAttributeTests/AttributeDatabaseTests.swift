import BLEAttribute
import BLEWire
import Testing

struct AttributeDatabaseTests {
    @Test func handlesAreNotReusedBeforeAllAreUsed() throws {
        var database = AttributeDatabase()
        let first = try database.added(
            ServiceDefinition(uuid(0xFEE7), [CharacteristicDefinition(uuid(0x36F5), 0x12, 1)]))
        #expect(first.range == handles(10, 13))
        #expect(first.characteristics[0].clientConfigurationHandle == 13)
        let removed = database.remove(first.range)
        #expect(removed)
        let again = database.remove(first.range)
        #expect(!again)
        let second = try database.added(ServiceDefinition(uuid(0xFEE7)))
        #expect(second.range == handles(14, 14))
    }

    @Test func aFullDatabaseRefusesServicesAndReusesGaps() throws {
        var database = AttributeDatabase()
        let small = try database.added(
            ServiceDefinition(uuid(0xFEE7), [CharacteristicDefinition(uuid(0x36F5), 0x02, 1)]))
        let many = (0..<10_000).map { _ in CharacteristicDefinition(uuid(0x36F6), 0x02, 1) }
        var services: [AddedService] = []
        while let service = database.add(ServiceDefinition(uuid(0xFEE8), many)) { services.append(service) }
        #expect(services.count == 3)
        let rest = (0xFFFF - Int(services[2].range.end) - 1) / 2
        let last = try database.added(
            ServiceDefinition(
                uuid(0xFEE9), (0..<rest).map { _ in CharacteristicDefinition(uuid(0x36F6), 0x02, 1) }))
        #expect(last.range.end >= 0xFFFE)
        database.remove(small.range)
        let reused = try database.added(
            ServiceDefinition(uuid(0xFEEA), [CharacteristicDefinition(uuid(0x36F5), 0x02, 1)]))
        #expect(reused.range == small.range)
        let pair = Pair(database, clientMTU: 498)
        guard case .success(.services(let found)) = pair.run(.discoverServices(nil)) else {
            Issue.record("no services")
            return
        }
        #expect(found.map(\.uuid) == [uuid(0xFEEA), uuid(0xFEE8), uuid(0xFEE8), uuid(0xFEE8), uuid(0xFEE9)])
    }

    @Test func theSystemServicesCannotBeRemoved() {
        var database = AttributeDatabase()
        let results = [handles(1, 5), handles(6, 9), handles(7, 9), handles(0, 0xFFFF)].map { database.remove($0) }
        #expect(results == [false, false, false, false])
    }

    @Test func invalidDefinitionsAreRefused() throws {
        var database = AttributeDatabase()
        let tooLong = database.add(
            ServiceDefinition(uuid(0xFEE7), [CharacteristicDefinition(uuid(0x36F5), 0x02, 1, value: pattern(513))]))
        #expect(tooLong == nil)
        let unknown = database.add(ServiceDefinition(uuid(0xFEE7)), included: [handles(40, 44)])
        #expect(unknown == nil)
        let characteristic = database.add(ServiceDefinition(uuid(0xFEE7)), included: [handles(2, 3)])
        #expect(characteristic == nil, "a characteristic is no service")
        let service = try database.added(ServiceDefinition(uuid(0xFEE7)))
        #expect(service.range == handles(10, 10), "refusals take no handles")
    }

    @Test func aLongNameIsCutBetweenCharacters() {
        let database = AttributeDatabase(deviceName: Array(String(repeating: "名", count: 90).utf8))
        #expect(database.deviceName.count == 246)
        #expect(String(validating: database.deviceName, as: UTF8.self)?.count == 82)
    }

    @Test func servicesOf32BitsAreFoundInTheirLongForm() throws {
        var database = AttributeDatabase()
        let service = try database.added(ServiceDefinition(BluetoothUUID(UInt32(0x1234_5678))))
        let pair = Pair(database)
        let found = DiscoveredService(uuid: BluetoothUUID(UInt32(0x1234_5678)), range: service.range, isPrimary: true)
        #expect(pair.run(.discoverServices(nil)) == .success(.services([found])))
        #expect(pair.run(.discoverServices([BluetoothUUID(UInt32(0x1234_5678))])) == .success(.services([found])))
    }

    @Test func encryptedNotificationsAreDeclaredAsNotifications() throws {
        var database = AttributeDatabase()
        let service = try database.added(
            ServiceDefinition(uuid(0xFEE7), [CharacteristicDefinition(uuid(0x36F5), 0x102, 1)]))
        let pair = Pair(database)
        guard
            case .success(.characteristics(let found)) = pair.run(.discoverCharacteristics(service: service.range, nil))
        else {
            Issue.record("no characteristics")
            return
        }
        #expect(found[0].properties == 0x12)
    }
}
