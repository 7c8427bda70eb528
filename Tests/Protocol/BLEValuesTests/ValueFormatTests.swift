import Testing

@testable import BLEValues

@Suite struct ValueFormatTests {
    @Test(
        arguments: [
            ("hex", "01 ff", [0x01, 0xFF]), ("utf8", "Wrist", [0x57, 0x72, 0x69, 0x73, 0x74]),
            ("base64", "AQI=", [1, 2]),
            ("u8", "255", [0xFF]), ("i8", "-1", [0xFF]), ("u16", "8000", [0x40, 0x1F]),
            ("u16be", "8000", [0x1F, 0x40]),
            ("i16", "-2", [0xFE, 0xFF]), ("u24", "66051", [3, 2, 1]), ("i24", "-8388608", [0, 0, 0x80]),
            ("u32be", "1", [0, 0, 0, 1]), ("u48", "281474976710655", [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]),
            ("u64", "18446744073709551615", [UInt8](repeating: 0xFF, count: 8)),
            ("i64", "-9223372036854775808", [0, 0, 0, 0, 0, 0, 0, 0x80]), ("f32", "1.5", [0, 0, 0xC0, 0x3F]),
            ("f64be", "-2.0", [0xC0, 0, 0, 0, 0, 0, 0, 0]),
        ] as [(String, String, [UInt8])])
    func textRoundTrips(name: String, text: String, octets: [UInt8]) throws {
        let format = try #require(ValueFormat(name: name))
        #expect(try format.octets(text) == octets)
        #expect(format.text(octets) == text)
    }

    @Test(arguments: [
        ("u8", "256"), ("u8", "-1"), ("u8", ""), ("i8", "128"), ("u16", "0x1_0000"), ("u64", "18446744073709551616"),
        ("f32", "one"), ("hex", "0"), ("hex", "zz"), ("hex", "0x0"), ("hex", "+1"), ("base64", "%"),
    ])
    func invalidTextIsRefusedWithAMessage(name: String, text: String) throws {
        let format = try #require(ValueFormat(name: name))
        let error = #expect(throws: ValueError.self) { try format.octets(text) }
        #expect(error?.description.hasSuffix(".") == true)
    }

    @Test(arguments: ["01ff", "0x01FF", "01:ff", "01-FF", " 01 , ff ", "0x01 0xff"])
    func hexadecimalAcceptsTheUsualForms(text: String) throws {
        #expect(try ValueFormat(.hexadecimal).octets(text) == [1, 0xFF])
    }

    @Test func octetsOfAnotherLengthHaveNoText() throws {
        var fixed = 0
        for format in ValueFormat.all {
            guard let count = format.count else { continue }
            fixed += 1
            #expect(format.text([UInt8](repeating: 0, count: count + 1)) == nil, "\(format.name)")
            #expect(format.text([]) == nil, "\(format.name)")
        }
        #expect(fixed > 4, "\(fixed)")
        #expect(ValueFormat(.utf8).text([0xFF]) == nil)
    }

    @Test func formatNamesRoundTrip() {
        #expect(Set(ValueFormat.all.map(\.name)).count == ValueFormat.all.count)
        for format in ValueFormat.all { #expect(ValueFormat(name: format.name.uppercased()) == format) }
        #expect(ValueFormat(name: "u12") == nil)
    }
}

@Suite struct MedicalFloatTests {
    // 0x0072 and 0xF16C: 114 and 36.4; FF 00 01 6C: 36.4 (IEEE 11073-20601, annex F.7).
    @Test(
        arguments: [
            (0x0072, 114), (0xF16C, 36.4), (0xE001, 0.01), (0x8001, 0.000_000_01), (0x0FFF, -1), (0x1005, 50),
            (0x07FE, nil), (0x07FF, nil), (0x0800, nil), (0x0801, nil), (0x0802, nil), (0x07FD, 2045),
        ] as [(UInt16, Double?)])
    func valuesHaveAShortForm(bits: UInt16, value: Double?) {
        #expect(MedicalFloat.short(bits) == value)
    }

    @Test(
        arguments: [
            (0xFF00_016C, 36.4), (0x0000_0072, 114), (0x02FF_FFFF, -100), (0x007F_FFFF, nil), (0x007F_FFFE, nil),
            (0x0080_0000, nil), (0x0080_0001, nil), (0x0080_0002, nil),
        ] as [(UInt32, Double?)])
    func valuesHaveALongForm(bits: UInt32, value: Double?) {
        #expect(MedicalFloat.long(bits) == value)
    }
}
