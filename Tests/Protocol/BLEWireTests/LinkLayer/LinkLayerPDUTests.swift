import BLEWire
import Testing

@Test func advertisingPDUsRoundTripAndRejectWrongLengths() {
    checkPDU(LL.AdvertisingHeader.self, "60 0C", .fixed)
    checkPDU(LL.AdvInd.self, "01 02 03 04 05 C6 02 01 06")
    checkPDU(LL.AdvNonconnInd.self, "01 02 03 04 05 C6")
    checkPDU(LL.AdvScanInd.self, "01 02 03 04 05 C6 02 01 06")
    checkPDU(LL.ScanRsp.self, "01 02 03 04 05 C6 03 09 41 42")
    checkPDU(LL.AdvDirectInd.self, "01 02 03 04 05 C6 11 12 13 14 15 D6", .fixed)
    checkPDU(LL.ScanReq.self, "01 02 03 04 05 C6 11 12 13 14 15 D6", .fixed)
    checkPDU(
        LL.ConnectInd.self,
        "01 02 03 04 05 C6 11 12 13 14 15 D6 78 56 34 12 55 44 33 02 03 00 18 00 00 00 C8 00 FF FF FF FF 1F E9", .fixed)
    for text in [
        "40 09 01 02 03 04 05 C6 02 01 06", "C1 0C 01 02 03 04 05 C6 11 12 13 14 15 D6", "02 06 01 02 03 04 05 C6",
        "C3 0C 01 02 03 04 05 C6 11 12 13 14 15 D6", "44 06 01 02 03 04 05 C6", "46 06 01 02 03 04 05 C6",
        "E5 22 01 02 03 04 05 C6 11 12 13 14 15 D6 78 56 34 12 55 44 33 02 03 00 18 00 00 00 C8 00 FF FF FF FF 1F E9",
        "07 07 06 18 23 41 49 1E 20", "07 01 00", "47 0A 07 01 01 02 03 04 05 C6 AA BB",
        "C8 0E 0D 03 01 02 03 04 05 C6 11 12 13 14 15 D6", "09 03 01 02 03",
    ] {
        checkPDU(LL.AdvertisingPDU.self, text, .fixed)
    }
}

@Test func dataAndControlPDUsRoundTripAndRejectWrongLengths() {
    checkPDU(LL.DataHeader.self, "1E FB", .fixed)
    for text in [
        "00 02 03 00 18 00 01 00 C8 00 34 12", "01 FF FF FF FF 1F 34 12", "02 13", "07 2A",
        "08 FF 41 00 00 00 00 00 00",
        "09 FF 41 00 00 00 00 00 00", "0C 0D FF FF 01 00", "0D 23", "0E FF 41 00 00 00 00 00 00",
        "0F 18 00 28 00 00 00 C8 00 00 12 00 FF FF FF FF FF FF FF FF FF FF FF FF",
        "10 18 00 28 00 00 00 C8 00 00 12 00 FF FF FF FF FF FF FF FF FF FF FF FF", "11 16 2A", "12", "13",
        "03 90 78 56 34 12 EF CD AB 74 24 13 02 F1 E0 DF CE BD AC 24 AB DC BA",
        "04 79 68 57 46 35 24 13 02 BE BA AF DE",
        "05", "06", "0A", "0B",
        "14 FB 00 48 08 FB 00 48 08", "15 1B 00 48 01 1B 00 48 01", "16 03 03", "17 02 02", "18 02 02 34 12",
        "19 03 0A", "1D 07", "1E 05", "23 02 F6 08", "24 01 F6 EC 0F", "25 0C 02 05 08", "28 01 05 96",
        "29 03 00 00 00 00 40 00 00 00 01", "26 05 00 0A 00 04 00 03 00 90 01", "27 0A 00 34 12 04 00 03 00 90 01",
    ] {
        checkPDU(LL.ControlPDU.self, text, .fixed)
    }
    checkPDU(LL.ControlPDU.self, "2B 01 02 03")
}

/// The fields of the encryption sample (Vol 6, Part C, 1).
@Test func encryptionPDUsHaveTheFieldsOfTheSample() throws {
    let request = try LL.EncReq(
        decoding: octets("90 78 56 34 12 EF CD AB 74 24 13 02 F1 E0 DF CE BD AC 24 AB DC BA").span)
    #expect(request.randomNumber == 0xABCD_EF12_3456_7890 && request.encryptedDiversifier == 0x2474)
    #expect(request.part == LL.SessionPart(diversifier: 0xACBD_CEDF_E0F1_0213, vector: 0xBADC_AB24))
    let response = try LL.EncRsp(decoding: octets("79 68 57 46 35 24 13 02 BE BA AF DE").span)
    #expect(response.part == LL.SessionPart(diversifier: 0x0213_2435_4657_6879, vector: 0xDEAF_BABE))
}

@Test func headerBitsHaveTheSpecifiedPositions() throws {
    let header = try LL.DataHeader(decoding: octets("1E FB").span)
    #expect(header == LL.DataHeader(kind: .start, nextExpected: true, sequence: true, moreData: true, length: 251))
    let advertising = try LL.AdvertisingHeader(decoding: octets("65 22").span)
    #expect(advertising.type == .connectInd && advertising.channelSelection2 && advertising.transmitterIsRandom)
    #expect(!advertising.receiverIsRandom && advertising.length == 34)
}

@Test func connectIndFieldsHaveTheSpecifiedPositions() throws {
    let request = try LL.ConnectInd(
        decoding: octets(
            "01 02 03 04 05 C6 11 12 13 14 15 D6 78 56 34 12 55 44 33 02 03 00 18 00 01 00 C8 00 FF FF FF FF 1F E9"
        ).span)
    #expect(request.initiator == 0xC605_0403_0201 && request.advertiser == 0xD615_1413_1211)
    #expect(request.accessAddress == 0x1234_5678 && request.crcInit == 0x33_4455)
    #expect(request.windowSize == 2 && request.windowOffset == 3 && request.interval == 24)
    #expect(request.latency == 1 && request.timeout == 200 && request.channelMap == .all)
    #expect(request.hop == 9 && request.sleepClockAccuracy == 7)
    #expect(request.isValid)
}

@Test func invalidConnectionRequestsAreDetected() {
    let good = LL.ConnectInd(
        initiator: 1, advertiser: 2, accessAddress: 3, crcInit: 4, windowSize: 2, windowOffset: 0, interval: 24,
        latency: 0, timeout: 100, channelMap: .all, hop: 9, sleepClockAccuracy: 0)
    #expect(good.isValid)
    let changes: [(inout LL.ConnectInd) -> Void] = [
        { $0.interval = 5 }, { $0.interval = 3201 }, { $0.latency = 500 }, { $0.timeout = 9 }, { $0.timeout = 3201 },
        { $0.channelMap = LL.ChannelMap(rawValue: 1) }, { $0.hop = 4 }, { $0.hop = 17 }, { $0.windowSize = 0 },
        { $0.windowSize = 9 }, { $0.windowOffset = 25 }, { $0.latency = 100 },
        { ($0.interval, $0.windowSize) = (6, 6) }, { ($0.interval, $0.timeout) = (40, 10) },
    ]
    for change in changes {
        var bad = good
        change(&bad)
        #expect(!bad.isValid, "\(bad)")
    }
    // The ends of the ranges.
    let limits: [(inout LL.ConnectInd) -> Void] = [
        { ($0.interval, $0.windowSize) = (6, 5) }, { ($0.interval, $0.timeout) = (3200, 3200) },
        { ($0.latency, $0.timeout) = (499, 3200) }, { ($0.interval, $0.timeout) = (39, 10) },
        { $0.channelMap = LL.ChannelMap(rawValue: 3) }, { $0.hop = 5 }, { $0.hop = 16 }, { $0.windowSize = 1 },
        { $0.windowSize = 8 }, { $0.windowOffset = 24 },
    ]
    for change in limits {
        var request = good
        change(&request)
        #expect(request.isValid, "\(request)")
    }
}

@Test func airTimesAreThoseOfTheSpecification() {
    // As in the throughput tables: 251 octets, and an empty packet.
    #expect(LL.PHY.oneM.airTime(pduLength: 253) == .microseconds(2088))
    #expect(LL.PHY.oneM.airTime(pduLength: 2) == .microseconds(80))
    #expect(LL.PHY.twoM.airTime(pduLength: 253) == .microseconds(1048))
    #expect(LL.PHY.twoM.airTime(pduLength: 2) == .microseconds(44))
    #expect(LL.PHY.codedS8.airTime(pduLength: 2 + 255) == .microseconds(17040))
    #expect(LL.PHY.codedS2.airTime(pduLength: 2 + 255) == .microseconds(4542))
    #expect(LL.PHY.oneM.airTime(pduLength: 2 + 34) == .microseconds(352))
}

@Test func theCRCMatchesTheSampleOfTheSpecification() {
    // Vol 6, Part C, 4.2.1: B5 2D D7 in the order of the bits on the air.
    let crc = LL.crc(of: octets("42 09 A6 A5 A4 A3 A2 C1 01 02 03").span, initial: LL.advertisingCRCInit)
    #expect(crc == 0xEB_B4AD)
    // A single flipped bit always shows.
    var seen: Set<UInt32> = [crc]
    for bit in 0..<88 {
        var flipped = octets("42 09 A6 A5 A4 A3 A2 C1 01 02 03")
        flipped[bit / 8] ^= 1 << UInt8(bit % 8)
        seen.insert(LL.crc(of: flipped.span, initial: LL.advertisingCRCInit))
    }
    #expect(seen.count == 89)
}
