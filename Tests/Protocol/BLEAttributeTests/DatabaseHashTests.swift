import BLECrypto
import BLEWire
import Testing

@testable import BLEAttribute

/// The Database Hash (Vol 3, Part G, 7.3).
struct DatabaseHashTests {
    /// The database of the sample (Vol 3, Part G, Appendix B): GAP, GATT, Glucose, and Battery as a secondary service.
    private func sample() -> AttributeDatabase {
        var database = AttributeDatabase(crypto: SwiftCryptoProvider())
        var builder = ServiceBuilder(first: 0x0E)
        builder.declareService(uuid(0x1808), isPrimary: true)
        builder.include(handles(0x14, 0x16), uuid: [0x0F, 0x18])
        _ = builder.add(
            CharacteristicDefinition(
                uuid(0x2A18), 0xA2, 1, descriptors: [DescriptorDefinition(uuid: uuid(0x2900), value: [0, 0])]))
        builder.declareService(uuid(0x180F), isPrimary: false)
        _ = builder.add(CharacteristicDefinition(uuid(0x2A19), 0x02, 1))
        database.attributes += builder.finish()
        // The device name of the sample can be written.
        database.attributes[1].value = .fixed([0x0A, 0x03, 0x00, 0x00, 0x2A])
        database.updateHash()
        return database
    }

    @Test func theHashOfTheSampleDatabaseIsThatOfTheSpecification() {
        let database = sample()
        let input = """
            010000280018020003280A0300002A04000328020500012A0600002801180700\
            0328200800052A090002290A0003280A0B00292B0C000328020D002A2B0E0000\
            2808180F000228140016000F1810000328A21100182A12000229130000290000\
            140001280F1815000328021600192A
            """
        #expect(database.hashedOctets == octets(input))
        #expect(database.databaseHash == 0xF1CA_2D48_ECF5_8BAC_8A88_30BB_B9FB_A990)
    }

    @Test func aClientReadsTheHashByItsUUID() {
        var bearer = ATTBearer()
        var database = sample()
        #expect(
            bearer.answer(octets("08 0100 FFFF 2A2B"), &database).pdus
                == [octets("09 12 0D00 90A9FBB9BB30888AAC8BF5EC482DCAF1")])
        #expect(bearer.answer(octets("0A 0D00"), &database).pdus[0].count == 17)
        #expect(bearer.answer(octets("12 0D00 01"), &database).pdus == [octets("01 12 0D00 03")])
    }

    @Test func everyChangeOfServicesChangesTheHash() throws {
        var database = AttributeDatabase(crypto: SwiftCryptoProvider())
        let empty = database.databaseHash
        let definition = ServiceDefinition(uuid(0xFEE7), [CharacteristicDefinition(uuid(0x36F5), 0x12, 1)])
        let service = try database.added(definition)
        let added = database.databaseHash
        database.remove(service.range)
        #expect(added != nil && added != empty && database.databaseHash == empty)
        database.deviceName = Array("Band".utf8)
        #expect(database.databaseHash == empty, "a value of a characteristic is not part of it")
        _ = try database.added(definition)
        #expect(database.databaseHash != added, "the handles differ")
    }

    @Test func withoutCryptographyThereIsNoHash() {
        var bearer = ATTBearer()
        var database = AttributeDatabase()
        #expect(database.databaseHash == nil)
        #expect(bearer.answer(octets("08 0100 FFFF 2A2B"), &database).pdus == [octets("01 08 0100 0A")])
        #expect(bearer.answer(octets("08 0100 FFFF 292B"), &database).pdus == [octets("01 08 0100 0A")])
    }

    @Test func theSystemServicesCannotBeRemoved() {
        var database = AttributeDatabase(crypto: SwiftCryptoProvider())
        let results = [handles(1, 5), handles(6, 13)].map { database.remove($0) }
        #expect(results == [false, false])
    }

    /// Client Supported Features has one octet, and the hash has 16. An offset at the end is an empty part, one behind it an error.
    @Test func theValuesOfTheBearerAreServedInParts() {
        var bearer = ATTBearer()
        var database = sample()
        func answer(_ text: String) -> [[UInt8]] { bearer.answer(octets(text), &database).pdus }
        for features in ["00", "01", "03"] {
            if features != "00" { #expect(answer("12 0B00 \(features)") == [octets("13")]) }
            #expect(answer("0A 0B00") == [octets("0B \(features)")])
            #expect(answer("0C 0B00 0000") == [octets("0D \(features)")])
            #expect(answer("0C 0B00 0100") == [octets("0D")])
            #expect(answer("0C 0B00 0200") == [octets("01 0C 0B00 07")])
        }
        #expect(answer("0C 0D00 0000") == [octets("0D 90A9FBB9BB30888AAC8BF5EC482DCAF1")])
        #expect(answer("0C 0D00 0F00") == [octets("0D F1")])
        #expect(answer("0C 0D00 1000") == [octets("0D")])
        #expect(answer("0C 0D00 1100") == [octets("01 0C 0D00 07")])
    }

    /// The types of Vol 3, Part G, 7.3.1: with and without their values.
    @Test func theHashHasTheDescriptorsOfGATTAlone() {
        var database = AttributeDatabase()
        database.attributes = (UInt16(0x27FF)...0x2907).map { type in
            Attribute(handle: 1, type: uuid(type), groupEnd: 1, access: .read, value: .fixed([0xAB]))
        }
        var expected: [UInt8] = []
        for type in [0x2800, 0x2801, 0x2802, 0x2803, 0x2900] as [UInt16] {
            expected += [1, 0, UInt8(type & 0xFF), UInt8(type >> 8), 0xAB]
        }
        for type in UInt16(0x2901)...0x2905 { expected += [1, 0, UInt8(type & 0xFF), UInt8(type >> 8)] }
        #expect(database.hashedOctets == expected)
    }
}
