import BLEWire
import Testing

@testable import BLEValues

@Suite struct EncodingTests {
    @Test(
        arguments: [
            (0x2A19, "85", "55"), (0x2A19, "85 %", "55"), (0x2A06, "High Alert", "02"), (0x2A06, "1", "01"),
            (0x2A6E, "-18.18", "E6 F8"), (0x2A6E, "unknown", "00 80"), (0x2A6D, "101319.7 Pa", "CD 75 0F 00"),
            (0x2A2B, "2020-02-29 12:30:15, Saturday, 0.5, manual + time zone", "E4 07 02 1D 0C 1E 0F 06 80 05"),
            (0x2A08, "2020-02-29T12:30:15", "E4 07 02 1D 0C 1E 0F"), (0x2A85, "1990-12-31", "C6 07 0C 1F"),
            (0x2AED, "2021-03-14", "0C 49 00"), (0x2AED, "unknown", "00 00 00"), (0x2A00, "a, b", "61 2C 20 62"),
            (0x2A0F, "60, +1 h", "04 04"), (0x2BD1, "1900", "6C 07"), (0x2BD1, "0.25", "19 E0"),
            (0x2BD1, "unknown", "FF 07"),
            (0x2AE8, "1.5", "00 00 C0 3F"), (0x2A07, "-12 dBm", "F4"), (0x2A3F, "none", "00"),
            (0x2A2A, "fe01", "FE 01"),
        ] as [(UInt16, String, String)])
    func textIsEncoded(characteristic: UInt16, text: String, octets: String) throws {
        let schema = try #require(Schemas.schema(of: characteristic))
        #expect(try schema.encode(text) == Hexadecimal.octets(octets))
    }

    @Test(
        arguments: [
            (0x2A19, "256", "\"256\" does not fit Battery Level: expected 0 to 255 %."),
            (0x2A6E, "400", "\"400\" does not fit Temperature: expected -327.68 to 327.67 °C."),
            (0x2A6E, "warm", "\"warm\" is not a number, as Temperature expects."),
            (
                0x2A06, "loud",
                "\"loud\" is not one of no alert, mild alert, high alert, or a number, as Alert Level expects."
            ),
            (0x2A08, "2021-02-29 00:00:00", "\"2021-02-29\" is not a date such as 2026-02-28, as Date Time expects."),
            (
                0x2A0F, "60",
                "\"60\" has 1 of 2 values; expected Time zone, Daylight saving, separated by commas."
            ),
            (
                0x2A37, "72", "this characteristic has fields that depend on each other; write it as hex."
            ), (0x2AED, "1969-12-31", "\"1969-12-31\" is not a date after 1970-01-01, as Date UTC expects."),
            (0x2A3F, "siren", "\"siren\" is not one of ringer, vibration, display, as Alert Status expects."),
        ] as [(UInt16, String, String)])
    func textThatDoesNotFitIsRefused(characteristic: UInt16, text: String, message: String) throws {
        let schema = try #require(Schemas.schema(of: characteristic))
        let error = #expect(throws: ValueError.self) { try schema.encode(text) }
        #expect(error?.description == message)
    }

    @Test func manyVectorsHaveASchemaThatEncodes() throws {
        let encodable = try SchemaVectors.all.filter { try #require(Schemas.schema(of: $0.characteristic)).isEncodable }
        #expect(encodable.count > 20, "\(encodable.count) of \(SchemaVectors.all.count)")
    }

    /// What `decode` prints, `encode` reads back, for each vector whose schema has an encoding.
    @Test(arguments: SchemaVectors.all)
    func aDecodedValueIsEncodedAgain(vector: SchemaVectors.Vector) throws {
        let schema = try #require(Schemas.schema(of: vector.characteristic))
        guard schema.isEncodable else {
            // The refusal says that there is no encoding.
            #expect(throws: ValueError.self) { try schema.encode("") }
            return
        }
        let octets = try #require(Hexadecimal.octets(vector.octets))
        let texts = try schema.decode(octets).entries.map(\.text)
        let again = try schema.encode(texts.joined(separator: ", "))
        #expect(try schema.decode(again).entries.map(\.text) == texts)
    }

    @Test func hostileTextNeverTraps() throws {
        let texts = [
            "", ",", "-", "1e308", "-1e308", "nan", "inf", "18446744073709551616", "9999-99-99", "--", "0-0-0 0:0:0",
            "\u{0}", "-1", "+", " ", "1,2,3,4,5,6,7,8",
        ]
        for characteristic in Schemas.characteristics {
            let schema = try #require(Schemas.schema(of: characteristic))
            for text in texts { _ = try? schema.encode(text) }
        }
    }
}
