import CoreBluetooth
import Testing

@Suite struct CBUUIDTests {
    static let base = "-0000-1000-8000-00805F9B34FB"

    @Test func row157_shortFormsEqualAndHashLikeTheir128BitForm() {
        let short = CBUUID(string: "180F")
        let medium = CBUUID(string: "0000180F")
        let long = CBUUID(string: "0000180f" + Self.base)
        #expect(short == long && short == medium && medium == long)
        #expect(short.hash == long.hash && short.hash == medium.hash)
        #expect(Set([short, medium, long]).count == 1)
        let values = [short: 1]
        #expect(values[long] == 1)
        #expect(short != CBUUID(string: "180A"))
    }

    /// Published programs write the prefix, and their extensions use `Self`.
    @Test func aPrefixOfHexadecimalDigitsIsAccepted() {
        #expect(CBUUID(string: "0x180D") == CBUUID(string: "180D"))
        #expect(CBUUID(string: "0X1234abcd").uuidString == "1234ABCD")
        #expect(CBUUID(validating: "0x180D") == .heartRate)
        for text in ["0x", "0x180", "x180D", "0x0000180F" + Self.base, "0x0x180D", "180D0x"] {
            #expect(CBUUID(validating: text) == nil, "\(text)")
        }
    }

    @Test func row158_a32BitUUIDDiffersFromThe16BitOneWithTheSameLeadingDigits() {
        #expect(CBUUID(string: "1234") != CBUUID(string: "12345678"))
        #expect(CBUUID(string: "1234") != CBUUID(string: "12340000"))
    }

    @Test func row159_dataAndStringKeepTheGivenLength() {
        #expect(CBUUID(string: "fee7").uuidString == "FEE7")
        #expect(CBUUID(string: "fee7").data == Data([0xFE, 0xE7]))
        #expect(CBUUID(string: "1234abcd").uuidString == "1234ABCD")
        #expect(CBUUID(string: "1234abcd").data == Data([0x12, 0x34, 0xAB, 0xCD]))
        let text = "71DA3FD1-7E10-41C1-B16F-4430B506CDE7"
        let long = CBUUID(string: text.lowercased())
        #expect(long.uuidString == text)
        let octets: [UInt8] = [
            0x71, 0xDA, 0x3F, 0xD1, 0x7E, 0x10, 0x41, 0xC1, 0xB1, 0x6F, 0x44, 0x30, 0xB5, 0x06, 0xCD, 0xE7,
        ]
        #expect([UInt8](long.data) == octets)
        #expect(CBUUID(data: Data(octets)) == long)
        #expect(CBUUID(data: Data([0x18, 0x0F])).uuidString == "180F")
        #expect(CBUUID(data: Data([0, 1, 0x18, 0x0F])).uuidString == "0001180F")
        #expect(CBUUID(nsuuid: UUID(uuidString: text)!).uuidString == text)
        #expect(CBUUID(string: "0000180F" + Self.base).uuidString == "0000180F" + Self.base)
    }

    @Test func row159_aCoreFoundationUUIDKeepsItsOctets() {
        let octets = CFUUIDBytes(
            byte0: 0x71, byte1: 0xDA, byte2: 0x3F, byte3: 0xD1, byte4: 0x7E, byte5: 0x10, byte6: 0x41, byte7: 0xC1,
            byte8: 0xB1, byte9: 0x6F, byte10: 0x44, byte11: 0x30, byte12: 0xB5, byte13: 0x06, byte14: 0xCD,
            byte15: 0xE7)
        let uuid = CFUUIDCreateFromUUIDBytes(nil, octets)!
        #expect(CBUUID(cfuuid: uuid).uuidString == "71DA3FD1-7E10-41C1-B16F-4430B506CDE7")
    }

    @Test func row160_descriptionShowsTheAssignedName() {
        #expect(CBUUID(string: "180D").description == "Heart Rate")
        #expect("\(CBUUID(string: "180A"))" == "Device Information")
        #expect(CBUUID(string: "0000180D" + Self.base).description == "Heart Rate")
        #expect(CBUUID(string: "2902").description == "Client Characteristic Configuration")
        #expect(CBUUID(string: "2904").description == "Characteristic Format")
        #expect(CBUUID(string: "FEE7").description == "FEE7")
    }

    /// What the names of the first weeks said and the SIG's tables say.
    @Test(arguments: [
        ("1800", "Generic Access"), ("1804", "Tx Power"), ("180F", "Battery"), ("1812", "Human Interface Device"),
        ("1826", "Fitness Machine"), ("2803", "Characteristic"), ("2901", "Characteristic User Description"),
        ("2A00", "Device Name"), ("2A19", "Battery Level"), ("2A29", "Manufacturer Name String"),
        ("2A37", "Heart Rate Measurement"), ("2B29", "Client Supported Features"), ("00002A6E", "Temperature"),
        ("D0611E78-BBB4-4591-A5F8-487910AE4366", "Continuity"),
    ])
    func row160_namesOfServicesCharacteristicsAndDescriptors(_ uuid: String, _ name: String) {
        #expect(CBUUID(string: uuid).description == name)
        #expect(CBUUID(string: uuid).uuidString == uuid, "the string stays what it was")
    }

    @Test(arguments: ["", "180", "18OF", "71DA3FD17E1041C1B16F4430B506CDE7", "180F ", "+18F", "éé"])
    func row161_theValidatingInitialiserRejectsInvalidInput(_ text: String) {
        #expect(CBUUID(validating: text) == nil)
    }

    @Test func row161_theValidatingInitialiserAcceptsValidInput() {
        #expect(CBUUID(validating: "180F") == CBUUID(string: "180F"))
        #expect(CBUUID(validating: Data([1, 2, 3])) == nil)
        #expect(CBUUID(validating: Data([0x18, 0x0F])) == CBUUID(string: "180F"))
    }

    @Test func row161_anInvalidStringEndsTheProgramWithApplesSentence() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = CBUUID(string: "not a UUID")
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("String not a UUID does not represent a valid UUID"))
    }

    @Test func row161_invalidDataEndsTheProgramWithApplesSentence() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = CBUUID(data: Data([1, 2, 3]))
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("does not represent a valid UUID"))
    }

    @Test func row162_aCopyIsEqual() {
        let uuid = CBUUID(string: "180F")
        #expect((uuid.copy() as? CBUUID) == uuid)
    }

    @Test func row155_thePSMCharacteristicHasItsConstant() {
        let uuid = CBUUID(string: CBUUIDL2CAPPSMCharacteristicString)
        #expect(uuid.data.count == 16 && uuid.uuidString == "ABDD3056-28FA-441D-A470-55A75A52553A")
    }

    @Test func theConstantsAreTheAssignedNumbers() {
        #expect(CBUUIDCharacteristicExtendedPropertiesString == "2900")
        #expect(CBUUIDCharacteristicUserDescriptionString == "2901")
        #expect(CBUUIDClientCharacteristicConfigurationString == "2902")
        #expect(CBUUIDServerCharacteristicConfigurationString == "2903")
        #expect(CBUUIDCharacteristicFormatString == "2904")
        #expect(CBUUIDCharacteristicAggregateFormatString == "2905")
        #expect(CBUUIDCharacteristicValidRangeString == "2906")
        #expect(CBUUIDCharacteristicObservationScheduleString == "2910")
        #expect(CBUUIDL2CAPPSMCharacteristicString == "ABDD3056-28FA-441D-A470-55A75A52553A")
    }
}

extension CBUUID {
    fileprivate static var heartRate: Self { Self(string: "0x180D") }
}
