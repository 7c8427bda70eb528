import BLEAttribute
import BLEWire
import Testing

/// Cases of the SIG's suite GATT.TS that no other test shows; `Documentation/TestSuites.md` lists all of them.
struct TestSuiteTests {
    private var database = AttributeDatabase(deviceName: Array("Band".utf8))

    /// Secondary service 000A; primary service 000B that includes it (000C), with values 000E (read, write; behind
    /// encryption), 0010 (neither readable nor writeable), 0012 (static) with a user description 0013 and a presentation
    /// format 0014.
    init() throws {
        let battery = try database.added(ServiceDefinition(uuid(0x180F), isPrimary: false))
        _ = try database.added(
            ServiceDefinition(
                uuid(0xFEE7),
                [
                    CharacteristicDefinition(uuid(0x36F5), 0x0A, 12),
                    CharacteristicDefinition(uuid(0x36F6), 0x0A, 0),
                    CharacteristicDefinition(
                        uuid(0x36F7), 0x02, 1, value: pattern(40),
                        descriptors: [
                            DescriptorDefinition(uuid: uuid(0x2901), value: Array("speed".utf8)),
                            DescriptorDefinition(uuid: uuid(0x2904), value: [4, 0, 0xAD, 0x27, 1, 0, 0]),
                        ]),
                ]), included: [battery.range])
    }

    private func answer(_ request: String, security: LinkSecurity = .none) -> [UInt8]? {
        var bearer = ATTBearer()
        var database = database
        return bearer.answer(octets(request), &database, security: security).pdus.first
    }

    /// GATT/SR/GAR/BI-12-C, GATT/SR/GAR/BI-14-C, GATT/SR/GAR/BI-16-C
    @Test func longReadsAreRefusedLikeReads() {
        #expect(answer("0C 1000 0000") == octets("01 0C 1000 02"))
        #expect(answer("0C 1000 0100") == octets("01 0C 1000 02"))
        #expect(answer("0C 7700 0000") == octets("01 0C 7700 01"))
        #expect(answer("0C 0000 0000") == octets("01 0C 0000 01"))
        #expect(answer("0C 0E00 0100") == octets("01 0C 0E00 05"))
        #expect(answer("0C 0E00 0100", security: .keyAvailable) == octets("01 0C 0E00 0F"))
    }

    /// GATT/SR/GAR/BI-10-C
    @Test func readByTypeRequiresEncryption() {
        #expect(answer("08 0B00 FFFF F536") == octets("01 08 0E00 05"))
        #expect(answer("08 0B00 FFFF F536", security: .keyAvailable) == octets("01 08 0E00 0F"))
        #expect(answer("08 0B00 FFFF F636") == octets("01 08 1000 02"))
    }

    /// GATT/SR/GAW/BI-02-C, GATT/SR/GAW/BI-39-C
    @Test func writesToNoAttributeAreRefused() {
        #expect(answer("12 7700 01") == octets("01 12 7700 01"))
        #expect(answer("12 0000 01") == octets("01 12 0000 01"))
        #expect(answer("12 1300 01") == octets("01 12 1300 03"))
        #expect(answer("12 1400 01") == octets("01 12 1400 03"))
        #expect(answer("16 1300 0000 01") == octets("01 16 1300 03"))
    }

    /// GATT/SR/GPA/BV-02-C, GATT/SR/GPA/BV-03-C
    @Test func secondaryServicesAndIncludesAreServed() {
        #expect(answer("0A 0A00") == octets("0B 0F18"))
        #expect(answer("10 0100 FFFF 0128") == octets("11 06 0A00 0A00 0F18"))
        #expect(answer("0A 0C00") == octets("0B 0A00 0A00 0F18"))
        #expect(answer("08 0100 FFFF 0228") == octets("09 08 0C00 0A00 0A00 0F18"))
        #expect(answer("12 0C00 00") == octets("01 12 0C00 03"))
    }

    /// GATT/SR/GPA/BV-06-C, GATT/SR/GPA/BV-12-C
    @Test func addedDescriptorsAreServed() {
        #expect(answer("0A 1300") == [0x0B] + Array("speed".utf8))
        #expect(answer("0A 1400") == octets("0B 0400AD27010000"))
        #expect(answer("08 0100 FFFF 0429") == octets("09 09 1400 0400AD27010000"))
        #expect(answer("04 1300 1400") == octets("05 01 1300 0129 1400 0429"))
    }

    /// GATT/CL/GAI/BI-01-C
    @Test func indicationsForUnknownHandlesAreConfirmed() {
        for indication in ["1D 7777 AABB", "1D 0000"] {
            var bearer = ATTBearer()
            var database = database
            let output = bearer.answer(octets(indication), &database)
            #expect(output.pdus.isEmpty && output.events.count == 1, "the owner hears of it, and then confirms")
            #expect(bearer.act { $0.confirmIndication(output: &$1) }.pdus == [octets("1E")])
        }
    }
}
