import BLEWire
import Testing

@testable import BLEValues

@Suite struct SchemaTests {
    @Test(arguments: SchemaVectors.all)
    func aValueIsFormatted(vector: SchemaVectors.Vector) throws {
        let schema = try #require(Schemas.schema(of: vector.characteristic))
        let value = try schema.decode(try #require(Hexadecimal.octets(vector.octets)))
        #expect(value.summary == vector.summary)
        #expect(value.rest.isEmpty)
    }

    @Test func eachSchemaHasAVector() {
        let tested = Set(SchemaVectors.all.map(\.characteristic))
        #expect(Schemas.characteristics.filter { !tested.contains($0) }.map { String($0, radix: 16) } == [])
    }

    @Test func eachCharacteristicIsInOneTable() {
        #expect(Schemas.tables.map(\.count).reduce(0, +) == Schemas.characteristics.count)
    }

    @Test(
        arguments: [
            (0x2900, "01 00", "reliable write"), (0x2901, "48 69", "Hi"),
            (0x2902, "03 00", "notifications + indications"),
            (0x2903, "01 00", "broadcasts"),
            (
                0x2904, "0E FE 2F 27 01 00 00",
                "sint16, Exponent -2, Unit Celsius temperature (degree Celsius), Name space Bluetooth SIG, Description 0"
            ),
            (0x2905, "03 00 05 00", "3, Handle 5"), (0x2906, "00 64", "00 64"), (0x2907, "19 2A", "Battery Level 2A19"),
            (0x2908, "01 02", "1, Report type output"), (0x2909, "08", "8"),
        ] as [(UInt16, String, String)])
    func aDescriptorIsFormatted(descriptor: UInt16, octets: String, summary: String) throws {
        let schema = try #require(Schemas.descriptorSchema(of: descriptor))
        #expect(try schema.decode(try #require(Hexadecimal.octets(octets))).summary == summary)
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

    /// Every schema against octets of every length: it decodes or throws, and never traps.
    @Test func hostileOctetsNeverTrap() {
        var random = LinearGenerator()
        let schemas =
            Schemas.characteristics.compactMap { Schemas.schema(of: $0) }
            + (0x2900...0x290F as ClosedRange<UInt16>).compactMap { Schemas.descriptorSchema(of: $0) }
        var decoded = 0
        for schema in schemas {
            for length in 0..<40 {
                for attempt in 0..<8 {
                    // Flags with every bit and without one are the longest and the shortest values.
                    let octets = (0..<length).map { index in
                        index < 3 && attempt < 2 ? (attempt == 0 ? 0xFF : 0) : random.octet()
                    }
                    guard let value = try? schema.decode(octets) else { continue }
                    _ = (value.summary, value.number)
                    decoded += 1
                }
            }
        }
        #expect(decoded > 10_000)
    }

    /// Each vector, cut at every length: the field that ends too early is named, or the rest is absent by the rules.
    @Test(arguments: SchemaVectors.all)
    func aTruncatedValueIsRefusedOrShorter(vector: SchemaVectors.Vector) throws {
        let schema = try #require(Schemas.schema(of: vector.characteristic))
        let octets = try #require(Hexadecimal.octets(vector.octets))
        let whole = try schema.decode(octets).entries.count
        for length in octets.indices {
            do throws(ValueDecodingError) {
                #expect(try schema.decode(Array(octets[..<length])).entries.count <= whole)
            } catch {
                switch error {
                case .endsWithin(let name), .notText(let name): #expect(schema.fields.contains { $0.name == name })
                }
            }
        }
    }
}

private struct LinearGenerator {
    private var state: UInt64 = 1

    mutating func octet() -> UInt8 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return UInt8(truncatingIfNeeded: state >> 33)
    }
}
