import BLEAttribute
import BLEWire
import Testing

/// The server's answers, octet by octet, to requests that search the database. The fixed services take handles 1 to 9:
/// 0001 1800, 0002 declares 0003 device name, 0004 declares 0005 appearance, 0006 1801, 0007 declares 0008 Service Changed, 0009.
struct ServerDiscoveryTests {
    var database: AttributeDatabase
    let service: AddedService

    init() throws {
        database = AttributeDatabase(deviceName: Array("Band".utf8), appearance: 0x0340)
        // 000A FEE7, 000B declares 000C (static "abcd"), 000D declares 000E (dynamic), 000F declares 0010 128-bit (static).
        service = try database.added(
            ServiceDefinition(
                uuid(0xFEE7),
                [
                    CharacteristicDefinition(uuid(0x36F5), 0x02, 1, value: Array("abcd".utf8)),
                    CharacteristicDefinition(uuid(0x36F5), 0x0A, 3),
                    CharacteristicDefinition(ClientServerTests.longCharacteristic, 0x02, 1, value: Array("wxyz".utf8)),
                ]))
    }

    private func answer(_ request: String, mtu: UInt16 = 23) -> [UInt8]? {
        var bearer = ATTBearer(localMTU: mtu)
        var database = database
        if mtu > 23 { _ = bearer.answer([0x02, UInt8(mtu & 0xFF), UInt8(mtu >> 8)], &database) }
        return bearer.answer(octets(request), &database).pdus.first
    }

    @Test func readByGroupTypeListsServicesOfEqualLength() {
        #expect(answer("10 0100 FFFF 0028") == octets("11 06 0100 0500 0018 0600 0900 0118 0A00 1000 E7FE"))
        #expect(answer("10 0200 FFFF 0028") == octets("11 06 0600 0900 0118 0A00 1000 E7FE"), "starts inside a service")
        #expect(answer("10 0100 FFFF 0128") == octets("01 10 0100 0A"), "no secondary service")
        #expect(answer("10 0B00 FFFF 0028") == octets("01 10 0B00 0A"))
        #expect(
            answer("10 0A00 FFFF FB349B5F8000008000100000 00280000") == octets("11 06 0A00 1000 E7FE"),
            "the group type in its long form")
    }

    @Test func readByGroupTypeRefusesOtherTypes() {
        #expect(answer("10 0100 FFFF 0328") == octets("01 10 0100 10"))
        #expect(answer("10 0100 FFFF 002A") == octets("01 10 0100 10"))
        #expect(answer("10 0000 FFFF 0028") == octets("01 10 0000 01"))
        #expect(answer("10 0500 0400 0028") == octets("01 10 0500 01"))
        #expect(answer("10 0000 FFFF 0328") == octets("01 10 0000 01"), "the range is checked first")
    }

    @Test func findInformationListsTypesOfOneFormat() {
        #expect(answer("04 0100 0300") == octets("05 01 0100 0028 0200 0328 0300 002A"))
        #expect(answer("04 0F00 FFFF") == octets("05 01 0F00 0328"), "the 128-bit one ends the list")
        #expect(answer("04 1000 FFFF") == octets("05 02 1000 9ECADC240EE5A9E093F3A3B50200406E"))
        #expect(answer("04 1100 FFFF") == octets("01 04 1100 0A"))
        #expect(answer("04 0000 FFFF") == octets("01 04 0000 01"))
        #expect(answer("04 0200 0100") == octets("01 04 0200 01"))
        #expect(answer("04 0100 FFFF")?.count == 22, "five entries fit")
        #expect(answer("04 0100 FFFF", mtu: 64)?.count == 62, "fifteen fit")
    }

    @Test func findByTypeValueFindsServices() {
        #expect(answer("06 0100 FFFF 0028 E7FE") == octets("07 0A00 1000"))
        #expect(answer("06 0100 0900 0028 E7FE") == octets("01 06 0100 0A"))
        #expect(answer("06 0100 FFFF 0028 E7") == octets("01 06 0100 0A"))
        #expect(answer("06 0000 FFFF 0028 E7FE") == octets("01 06 0000 01"))
        #expect(answer("06 0100 FFFF 002A 42616E64") == octets("07 0300 0300"), "no group ends where it begins")
        #expect(answer("06 0100 FFFF F536 61626364") == octets("07 0C00 0C00"), "dynamic values match nothing")
        #expect(
            answer("06 0100 FFFF 0328 02 0C00 F536") == octets("07 0B00 0C00"), "a characteristic is a group as well")
    }

    @Test func readByTypeListsValuesOfEqualLength() {
        #expect(answer("08 0100 FFFF 0328") == octets("09 07 0200 02 0300 002A 0400 02 0500 012A 0700 20 0800 052A"))
        #expect(
            answer("08 0A00 FFFF 0328", mtu: 100) == octets("09 07 0B00 02 0C00 F536 0D00 0A 0E00 F536"),
            "the 128-bit declaration is longer")
        #expect(answer("08 0F00 FFFF 0328") == octets("09 15 0F00 02 1000 9ECADC240EE5A9E093F3A3B50200406E"))
        #expect(answer("08 0100 FFFF 002A") == octets("09 06 0300 42616E64"))
        #expect(answer("08 0A00 FFFF F536") == octets("09 06 0C00 61626364"), "ends before the dynamic one")
        #expect(
            answer("08 0100 FFFF 9ECADC240EE5A9E093F3A3B50200406E") == octets("09 06 1000 7778797A"))
        #expect(answer("08 0100 FFFF 052A") == octets("01 08 0800 02"), "the first may not be read")
        #expect(answer("08 0100 FFFF 0F2A") == octets("01 08 0100 0A"))
        #expect(answer("08 0000 FFFF 0328") == octets("01 08 0000 01"))
        #expect(answer("08 0300 0200 0328") == octets("01 08 0300 01"))
        #expect(answer("08 0900 0900 0229") == octets("09 04 0900 0000"), "the client's own configuration")
    }

    @Test func readByTypeCutsValuesTo253Octets() throws {
        var database = AttributeDatabase(deviceName: pattern(248))
        let long = try database.added(
            ServiceDefinition(uuid(0xFEE7), [CharacteristicDefinition(uuid(0x36F6), 0x02, 1, value: pattern(400))]))
        let handle = UInt8(long.characteristics[0].valueHandle)
        var bearer = ATTBearer(localMTU: 517)
        #expect(
            bearer.answer(octets("08 0100 FFFF F636"), &database).pdus == [[9, 21, handle, 0] + pattern(400)[..<19]])
        _ = bearer.answer([2, 0x05, 0x02], &database)
        #expect(
            bearer.answer(octets("08 0100 FFFF F636"), &database).pdus == [[9, 255, handle, 0] + pattern(400)[..<253]])
    }

    @Test func readByTypeRequestsADynamicFirstValue() {
        var bearer = ATTBearer()
        var database = database
        #expect(
            bearer.answer(octets("08 0D00 FFFF F536"), &database).events == [
                .readRequest(request: 1, handle: 14, offset: 0)
            ])
        let value: [UInt8] = pattern(30)
        let reply = bearer.act { $0.respondToRead(1, value: value.span, at: .zero, output: &$1) }
        #expect(reply.pdus == [[9, 21, 14, 0] + value[..<19]])
        _ = bearer.answer(octets("08 0D00 FFFF F536"), &database)
        #expect(
            bearer.act { $0.respondToRead(2, error: .insufficientAuthorization, at: .zero, output: &$1) }.pdus
                == [octets("01 08 0E00 08")])
    }
}
