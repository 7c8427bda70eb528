import Devices
import Testing

struct CBORTests {
    /// Examples of RFC 8949, appendix A.
    @Test(
        arguments: [
            ([0x00], CBOR.unsigned(0)), ([0x17], .unsigned(23)), ([0x18, 0x18], .unsigned(24)),
            ([0x19, 0x03, 0xE8], .unsigned(1000)), ([0x1A, 0x00, 0x0F, 0x42, 0x40], .unsigned(1_000_000)),
            ([0x1B, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], .unsigned(.max)), ([0x20], .negative(0)),
            ([0x38, 0x63], .negative(99)), ([0xF4], .boolean(false)), ([0xF5], .boolean(true)), ([0xF6], .null),
            ([0x44, 1, 2, 3, 4], .bytes([1, 2, 3, 4])), ([0x64, 0x49, 0x45, 0x54, 0x46], .text("IETF")),
            ([0x83, 1, 2, 3], .array([.unsigned(1), .unsigned(2), .unsigned(3)])), ([0xA0], .map([:])),
            (
                [0xA2, 0x61, 0x61, 1, 0x61, 0x62, 0x82, 2, 3],
                .map(["a": .unsigned(1), "b": .array([.unsigned(2), .unsigned(3)])])
            ),
        ] as [([UInt8], CBOR)])
    func examplesOfTheSpecification(octets: [UInt8], value: CBOR) throws {
        #expect(try CBOR.decode(octets) == value)
        #expect(value.octets == octets)
    }

    @Test func mapsAndArraysOfIndefiniteLengthAreRead() throws {
        #expect(try CBOR.decode([0xBF, 0x61, 0x61, 0x9F, 1, 0xFF, 0xFF]) == .map(["a": .array([.unsigned(1)])]))
        #expect(throws: CBOR.DecodingError.cut) { try CBOR.decode([0x9F, 1]) }
    }

    @Test func everyCutOfAnItemIsRefused() {
        let octets = CBOR.map(["data": .bytes([1, 2, 3]), "off": .unsigned(70_000), "sha": .text("x")]).octets
        for length in 0..<octets.count {
            #expect(throws: CBOR.DecodingError.cut) { try CBOR.decode(Array(octets[..<length])) }
        }
        #expect(throws: CBOR.DecodingError.excess) { try CBOR.decode(octets + [0]) }
    }

    /// A few octets that claim much, or nest deeply.
    @Test func bombsAreRefused() {
        let huge: [UInt8] = [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]
        for major: UInt8 in [0x5B, 0x7B, 0x9B, 0xBB] {
            #expect(throws: CBOR.DecodingError.cut) { try CBOR.decode([major] + huge) }
        }
        #expect(throws: CBOR.DecodingError.tooDeep) { try CBOR.decode([UInt8](repeating: 0x81, count: 2000)) }
        #expect(throws: CBOR.DecodingError.tooDeep) { try CBOR.decode([UInt8](repeating: 0x9F, count: 2000)) }
        let wide: [UInt8] = [0x99, 0x07, 0xD0] + [UInt8](repeating: 0, count: 2000)
        #expect(throws: CBOR.DecodingError.tooManyItems) { try CBOR.decode(wide) }
    }

    @Test func whatSMPDoesNotUseIsRefused() {
        // A tag, a half float, a reserved length, a chunked string, a number as a key, a key twice, wrong UTF-8, a lone break.
        for octets: [UInt8] in [
            [0xC0, 0x00], [0xF9, 0, 0], [0x1C], [0x5F, 0xFF], [0xA1, 1, 2], [0xA2, 0x61, 0x61, 1, 0x61, 0x61, 2],
            [0x61, 0xFF],
            [0xFF],
        ] {
            #expect(throws: CBOR.DecodingError.unsupported, "\(octets)") { try CBOR.decode(octets) }
        }
    }
}
