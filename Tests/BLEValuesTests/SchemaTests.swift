import Testing

@testable import BLEValues

@Suite struct SchemaTests {
    /// Octets laid out by hand from the characteristic's table in the GATT Specification Supplement.
    @Test(
        arguments: [
            (0x2A19, "64", "100 %"),
            (0x2A37, "00 48", "72 bpm"),
            (0x2A37, "16 48 53 03 00 04", "72 bpm, RR interval 0.8311 s, RR interval 1 s"),
            (0x2A37, "09 2C 01 0A 00", "300 bpm, Energy expended 10 kJ"),
            (0x2A38, "02", "Wrist"), (0x2A38, "09", "9"),
            (0x2A1C, "06 6C 01 00 FF E4 07 02 1D 0C 1E 0F 06", "36.4 °C, Time 2020-02-29 12:30:15, Type mouth"),
            (0x2A1C, "01 D3 03 00 FF", "97.9 °F"),
            (
                0x2A35, "04 78 00 50 00 5D 00 48 00",
                "120 mmHg, Diastolic 80 mmHg, Mean arterial pressure 93 mmHg, Pulse rate 72 bpm"
            ),
            (0x2A35, "01 A0 F0 6A F0 7C F0", "16 kPa, Diastolic 10.6 kPa, Mean arterial pressure 12.4 kPa"),
            (
                0x2A18, "03 01 00 E4 07 01 02 03 04 05 0A 00 7B B0 11",
                "1, Base time 2020-01-02 03:04:05, Time offset 10 min, Concentration 123 mg/dL, Sample capillary whole blood, finger"
            ),
            (
                0x2A18, "06 02 00 E4 07 01 02 03 04 05 38 D0 2A",
                "2, Base time 2020-01-02 03:04:05, Concentration 56 mmol/L, Sample control solution, alternate site"
            ),
            (0x2A9D, "00 10 27", "50 kg"), (0x2A9D, "09 10 27 DC 00 BC 02", "100 lb, BMI 22 kg/m², Height 70 in"),
            (
                0x2A5B, "03 10 27 00 00 00 04 0A 00 00 02",
                "10000, Last wheel event 1 s, Crank revolutions 10, Last crank event 0.5 s"
            ),
            (
                0x2A53, "03 00 02 B4 5A 00 E8 03 00 00",
                "2 m/s, Cadence 180 steps/min, Stride length 0.9 m, Total distance 100 m"
            ),
            (
                0x2A63, "21 00 FA 00 64 2C 01 00 08",
                "250 W, Pedal balance 50 %, Crank revolutions 300, Last crank event 2 s"
            ),
            (0x2A6E, "E6 F8", "-18.18 °C"), (0x2A6E, "00 80", "unknown"), (0x2A6F, "94 11", "45 %"),
            (0x2A6D, "CD 75 0F 00", "101319.7 Pa"), (0x2A6C, "F0 D8 FF", "-100 m"), (0x2A76, "07", "7"),
            (
                0x2A2B, "E4 07 02 1D 0C 1E 0F 06 80 05",
                "2020-02-29 12:30:15, Day Saturday, Fractions 0.5 s, Reason manual + time zone"
            ),
            (
                0x2A04, "18 00 28 00 00 00 F4 01",
                "30 ms, Interval maximum 50 ms, Latency 0, Supervision timeout 5000 ms"
            ),
            (0x2A29, "41 63 6D 65 00 00", "Acme"),
            (0x2A50, "02 5E 04 0A 00 01 01", "USB Implementers Forum, Vendor 1118, Product 10, Version 257"),
            (0x2A5F, "00 62 00 3C 00", "98 %, Pulse rate 60 bpm"), (0x2A07, "F4", "-12 dBm"), (0x2B18, "40 01", "5 V"),
            (0x2BD6, "0C A0", "12000 µg/m³"),
            (0x2A67, "04 00 40 87 5F 1F 00 63 FA 07", "52.635424 °, Longitude 13.3849856 °"),
            (0x2B29, "05", "robust caching + multiple handle value notifications"),
        ] as [(UInt16, String, String)])
    func aValueIsFormatted(characteristic: UInt16, octets: String, summary: String) throws {
        let schema = try #require(Schemas.schema(of: characteristic))
        let value = try schema.decode(try #require(Hexadecimal.octets(octets)))
        #expect(value.summary == summary)
        #expect(value.rest.isEmpty)
    }

    @Test func numbersAreAvailableForPlots() throws {
        let heartRate = try #require(Schemas.schema(of: 0x2A37))
        #expect(try heartRate.decode([0, 72]).number == 72)
        #expect(try #require(Schemas.schema(of: 0x2A29)).decode([0x41]).number == nil)
    }

    @Test func aTruncatedValueNamesTheMissingField() throws {
        let heartRate = try #require(Schemas.schema(of: 0x2A37))
        #expect(throws: ValueDecodingError.endsWithin(field: "Flags")) { try heartRate.decode([]) }
        #expect(throws: ValueDecodingError.endsWithin(field: "Heart rate")) { try heartRate.decode([1, 72]) }
        #expect(throws: ValueDecodingError.endsWithin(field: "RR interval")) { try heartRate.decode([0x10, 72, 1]) }
        #expect(throws: ValueDecodingError.notText(field: "Manufacturer Name")) {
            try Schemas.schema(of: 0x2A29)?.decode([0xFF])
        }
    }

    @Test func laterFieldsStayAsOctets() throws {
        let value = try #require(Schemas.schema(of: 0x2A19)).decode([50, 1, 2])
        #expect(value.summary == "50 %" && value.rest == [1, 2])
    }

    /// Every layout against octets of every length: it decodes or throws, and never traps.
    @Test func hostileOctetsNeverTrap() {
        var state: UInt64 = 1
        func random() -> UInt8 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return UInt8(truncatingIfNeeded: state >> 33)
        }
        for characteristic in Schemas.characteristics {
            guard let schema = Schemas.schema(of: characteristic) else { continue }
            for length in 0..<32 {
                for _ in 0..<20 {
                    let octets = (0..<length).map { _ in random() }
                    if let value = try? schema.decode(octets) { _ = (value.summary, value.number) }
                }
            }
        }
    }
}
