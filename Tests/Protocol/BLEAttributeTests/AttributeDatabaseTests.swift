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

    /// Handles that no attribute ever had come first, up to 0xFFFF; then gaps; then none.
    @Test func theLastHandlesAreUsedBeforeAnyGap() throws {
        var database = AttributeDatabase()
        let three = ServiceDefinition(uuid(0xFEE7), [CharacteristicDefinition(uuid(0x36F5), 0x02, 1, value: [7])])
        let first = try database.added(three)
        #expect(first.range == handles(10, 12))
        // 1 + 3 + 2 * 32,758 handles: three are left.
        let many = (0..<32_758).map { _ in CharacteristicDefinition(uuid(0x36F6), 0x02, 1) }
        let large = try database.added(
            ServiceDefinition(uuid(0xFEE8), [CharacteristicDefinition(uuid(0x36F6), 0x12, 1)] + many))
        #expect(large.range == handles(13, 0xFFFC))
        database.remove(first.range)
        #expect(try database.added(three).range == handles(0xFFFD, 0xFFFF))
        #expect(try database.added(three).range == first.range)
        let none = database.add(three)
        #expect(none == nil)
        var bearer = ATTBearer()
        #expect(bearer.answer(octets("04 FFFF FFFF"), &database).pdus == [octets("05 01 FFFF F536")])
        #expect(bearer.answer(octets("0A FFFF"), &database).pdus == [octets("0B 07")])
        #expect(bearer.answer(octets("06 FDFF FFFF 0028 E7FE"), &database).pdus == [octets("07 FDFF FFFF")])
        database.remove(handles(0xFFFD, 0xFFFF))
        let four = database.add(
            ServiceDefinition(uuid(0xFEE7), [CharacteristicDefinition(uuid(0x36F5), 0x12, 1)]))
        #expect(four == nil, "the handles that are left are three")
        #expect(try database.added(three).range == handles(0xFFFD, 0xFFFF))
    }

    @Test func attributesBetweenTwoHandlesAreFound() throws {
        var database = AttributeDatabase()
        let service = try database.added(ServiceDefinition(uuid(0xFEE7)))
        let removed = try database.added(ServiceDefinition(uuid(0xFEE7)))
        _ = try database.added(ServiceDefinition(uuid(0xFEE7)))
        database.remove(removed.range)
        #expect(service.range == handles(10, 10) && removed.range == handles(11, 11))
        for (low, high, isThere) in [
            (0, 1, false), (0, 2, true), (8, 9, false), (8, 10, true), (9, 10, false), (9, 11, true), (10, 12, false),
            (10, 13, true), (11, 12, false), (12, 13, false), (12, 0xFFFF, false), (0xFFFF, 0xFFFF, false),
            (10, 11, false), (12, 12, false),
        ] as [(UInt16, UInt16, Bool)] {
            #expect(database.hasAttributes(after: low, before: high) == isThere, "\(low) and \(high)")
        }
    }

    /// A client may set only the bits whose properties the characteristic has (Vol 3, Part G, 3.3.3.3).
    @Test(
        arguments: [
            (0x10, 1), (0x20, 2), (0x30, 3), (0x100, 1), (0x200, 2), (0x300, 3), (0x120, 3), (0x210, 3), (0x3E, 3),
        ] as [(UInt, UInt8)])
    func aConfigurationHasTheBitsOfItsProperties(properties: UInt, allowed: UInt8) throws {
        var database = AttributeDatabase()
        let service = try database.added(
            ServiceDefinition(uuid(0xFEE7), [CharacteristicDefinition(uuid(0x36F5), properties, 1)]))
        let handle = UInt8(try #require(service.characteristics.first?.clientConfigurationHandle))
        for bits in 0...7 as ClosedRange<UInt8> {
            var bearer = ATTBearer()
            let answer = bearer.answer([0x12, handle, 0, bits, 0], &database, security: .encrypted).pdus
            let isAllowed = bits & ~allowed == 0
            #expect(answer == [isAllowed ? [0x13] : [0x01, 0x12, handle, 0, 0x13]], "\(bits)")
            #expect(bearer.answer([0x12, handle, 0, bits, 1], &database, security: .encrypted).pdus[0][0] == 0x01)
        }
    }

    @Test func aCharacteristicWithoutUpdatesHasNoConfiguration() throws {
        var database = AttributeDatabase()
        for properties in [0x02, 0x04, 0x08, 0x0A, 0x40, 0x80, 0xCF] as [UInt] {
            let service = try database.added(
                ServiceDefinition(uuid(0xFEE7), [CharacteristicDefinition(uuid(0x36F5), properties, 1)]))
            #expect(service.characteristics.map(\.clientConfigurationHandle) == [nil])
            #expect(service.range.end - service.range.start == 2)
        }
    }

    /// Cut at 248 octets (Vol 3, Part C, 12.1), between characters.
    @Test(arguments: [(247, 0, 247), (248, 0, 248), (249, 0, 248), (247, 1, 247), (246, 1, 248), (245, 1, 247)])
    func aNameHasUpTo248Octets(ascii: Int, accented: Int, kept: Int) {
        var database = AttributeDatabase()
        let name = String(repeating: "n", count: ascii) + String(repeating: "é", count: accented)
        for _ in 0..<2 {
            database.deviceName = Array(name.utf8)
            #expect(database.deviceName == Array(name.utf8.prefix(kept)))
        }
        var bearer = ATTBearer(localMTU: 517)
        _ = bearer.answer([0x02, 0x05, 0x02], &database)
        #expect(bearer.answer(octets("0A 0300"), &database).pdus == [[0x0B] + Array(name.utf8.prefix(kept))])
    }
}
