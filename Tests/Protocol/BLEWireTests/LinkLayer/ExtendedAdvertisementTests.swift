import BLEWire
import Testing

/// The extended header, by hand from Vol 6, Part B, 2.3.4.
struct ExtendedAdvertisementTests {
    /// All fields in their order, AD structures of the controller, then data.
    private static let full =
        "6B 7F 01 02 03 04 05 C6 11 12 13 14 15 D6 14 23 41 C9 1E 40"
        + "64 60 50 00 FF FF FF FF BF 78 56 34 12 55 44 33 07 00 F4 04 28 01 02 03 AA BB"

    @Test func headersRoundTripAndRejectWrongLengths() {
        checkPDU(LL.ExtendedAdvertisement.self, Self.full)
        checkPDU(LL.ExtendedAdvertisement.self, "00")
        checkPDU(LL.ExtendedAdvertisement.self, "40 02 01 06")
        checkPDU(LL.ExtendedAdvertisement.self, "06 18 23 41 49 1E 20")
        // Flags without a field are the empty header.
        checkPDU(LL.ExtendedAdvertisement.self, "01 00 AA", normalForm: "00 AA")
        // Bit 7 of the flags is reserved.
        checkPDU(LL.ExtendedAdvertisement.self, "02 C0 F4", normalForm: "02 40 F4")
        // A header that is longer than its fields has AD structures.
        checkPDU(LL.ExtendedAdvertisement.self, "04 40 F4 01 FF")
    }

    /// The length of a payload has one octet, so what is longer could be decoded and not encoded.
    @Test func aPayloadHasAtMost255Octets() throws {
        let longest = [0x40] + [UInt8](repeating: 0xFF, count: 254)
        let pdu = try LL.ExtendedAdvertisement(decoding: longest.span)
        #expect(pdu.data.count == 254)
        var encoded: [UInt8] = []
        try encoded.append(encoding: pdu)
        #expect(encoded == longest)
        #expect(throws: DecodeError.invalidLength) {
            _ = try LL.ExtendedAdvertisement(decoding: (longest + [0xFF]).span)
        }
    }

    @Test func fieldsHaveTheirPlaces() throws {
        let octets = octets(Self.full)
        let pdu = try LL.ExtendedAdvertisement(decoding: octets.span)
        #expect(pdu.mode == .connectable && pdu.advertiser == 0xC605_0403_0201 && pdu.target == 0xD615_1413_1211)
        #expect(pdu.toneExtension == 0x14 && pdu.txPower == -12)
        #expect(pdu.dataInfo == LL.AdvertisingDataInfo(dataID: 0x123, setID: 4))
        #expect(pdu.dataInfo?.dataID == 0x123 && pdu.dataInfo?.setID == 4)
        #expect(
            pdu.pointer
                == LL.AuxiliaryPointer(channel: 9, isClockAccurate: true, offset: 30, usesLongUnits: true, phyCode: 2))
        #expect(pdu.pointer?.span == .microseconds(9000) && pdu.pointer?.phy == .codedS8)
        #expect(
            pdu.syncInfo
                == LL.SyncInfo(
                    offset: 100, usesLongUnits: true, adjustsOffset: true, interval: 80, channelMap: .all,
                    sleepClockAccuracy: 5, accessAddress: 0x1234_5678, crcInit: 0x33_4455, eventCounter: 7))
        #expect([UInt8](pdu.controllerData) == [4, 0x28, 1, 2, 3] && [UInt8](pdu.data) == [0xAA, 0xBB])
    }

    @Test func aHeaderThatIsShorterThanItsFieldsIsRefused() {
        for text in ["01 01", "06 01 01 02 03 04 05", "02 08 23", "03 10 49 1E", "3F 00", "12 20 64 60 50 00"] {
            let octets = octets(text)
            #expect(throws: DecodeError.truncated, "\(text)") {
                _ = try LL.ExtendedAdvertisement(decoding: octets.span)
            }
        }
        #expect(throws: DecodeError.truncated) { _ = try LL.ExtendedAdvertisement(decoding: [UInt8]().span) }
    }

    @Test func pointersHaveTheirPHYsAndTheirGreatestOffset() throws {
        for (code, phy) in [(0, .oneM), (1, .twoM), (2, .codedS8), (3, nil), (7, nil)] as [(UInt8, LL.PHY?)] {
            let pointer = LL.AuxiliaryPointer(
                channel: 36, isClockAccurate: false, offset: 0x1FFF, usesLongUnits: false, phyCode: code)
            let octets = try encoded(LL.ExtendedAdvertisement(mode: .none, pointer: pointer))
            #expect(octets == [4, 0x10, 36, 0xFF, code << 5 | 0x1F])
            #expect(pointer.phy == phy && pointer.span == .microseconds(8191 * 30))
        }
    }

    /// A pointer made from a time is rounded down to units of 30 µs below 245.7 ms and of 300 µs from there on (2.3.4.5). A time that the 13 bits do
    /// not hold names no PDU, and not another one.
    @Test func timesArePointersInUnits() {
        let times: [(microseconds: Int, offset: UInt16, isLong: Bool)] = [
            (0, 0, false), (29, 0, false), (30, 1, false), (359, 11, false), (245_699, 8189, false),
            (245_700, 819, true), (245_999, 819, true), (246_000, 820, true), (2_457_599, 8191, true),
            (2_457_600, 0, false), (-1, 0, false), (-30, 0, false),
        ]
        for (microseconds, offset, isLong) in times {
            let pointer = LL.AuxiliaryPointer(channel: 7, after: .microseconds(microseconds), on: .oneM)
            let expected = LL.AuxiliaryPointer(
                channel: 7, isClockAccurate: true, offset: offset, usesLongUnits: isLong, phyCode: 0)
            #expect(pointer == expected, "\(microseconds) µs")
        }
        for (phy, code) in [(.oneM, 0), (.twoM, 1), (.codedS8, 2), (.codedS2, 2)] as [(LL.PHY, UInt8)] {
            let pointer = LL.AuxiliaryPointer(channel: 7, isClockAccurate: false, after: .milliseconds(300), on: phy)
            #expect(pointer.phyCode == code && !pointer.isClockAccurate && pointer.span == .milliseconds(300))
            #expect(pointer.phy?.hears(phy) == true)
        }
    }

    /// The header's length has six bits (2.3.4), the payload's eight (2.3).
    @Test func headersAndPayloadsThatAreTooLongAreRefused() throws {
        let data = [UInt8](repeating: 7, count: 254)
        #expect(try encoded(LL.ExtendedAdvertisement(mode: .none, data: data.span)).count == 255)
        #expect(throws: EncodeError.fieldTooLong) {
            try encoded(LL.ExtendedAdvertisement(mode: .none, txPower: 0, data: data.span))
        }
        #expect(
            try encoded(LL.ExtendedAdvertisement(mode: .none, controllerData: data.span.extracting(first: 62))).count
                == 64)
        #expect(throws: EncodeError.fieldTooLong) {
            try encoded(LL.ExtendedAdvertisement(mode: .none, controllerData: data.span.extracting(first: 63)))
        }
    }
}
