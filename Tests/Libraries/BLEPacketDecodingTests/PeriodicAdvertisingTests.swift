import BLEWire
import Testing

@testable import BLEPacketDecoding

/// Trains of periodic advertising: their PDUs have an access address of their own, which SyncInfo announced (Vol 6, Part B, 2.3.4.6).
struct PeriodicAdvertisingTests {
    private static let train: UInt32 = 0x1234_5678
    private static let responses: UInt32 = 0xDEAD_BEEF
    /// AUX_ADV_IND of C6:05:04:03:02:01 with ADI and SyncInfo: interval 100 ms, access address 12345678.
    private static let auxiliary =
        "47 1C 1B 29 01 02 03 04 05 C6 23 41 64 20 50 00 FF FF FF FF FF 78 56 34 12 55 44 33 07 00"
    /// The same with the timing of responses in ACAD: access address DEADBEEF.
    private static let auxiliaryWithTiming =
        "47 26 25 29 01 02 03 04 05 C6 23 41 64 20 50 00 FF FF FF FF FF 78 56 34 12 55 44 33 07 00"
        + "09 32 EF BE AD DE 05 08 04 10"
    /// AUX_SYNC_IND with an ADI and a pointer: channel 20, 600 µs.
    private static let first = "07 0A 06 18 24 41 54 14 20 AA BB CC"
    private static let chain = "07 06 03 08 24 41 DD EE"

    private func sync(_ air: inout Air, _ text: String, on channel: UInt8, after gap: Int64) -> PacketSummary {
        air.add(Air.octets(text), from: 0, accessAddress: Self.train, channel: channel, after: gap)
    }

    @Test func thePDUsOfATrainHaveTheirNames() {
        var air = Air()
        let advertisement = air.advertise(Self.auxiliary, on: 9)
        #expect(
            advertisement.text == "C6:05:04:03:02:01, SID 4, DID 291, periodic advertising every 100.00 ms")
        for _ in 0..<2 {
            let event = [
                sync(&air, Self.first, on: 5, after: 99_000_000), sync(&air, Self.chain, on: 20, after: 610_000),
            ]
            #expect(event.map(\.name) == ["AUX_SYNC_IND", "AUX_CHAIN_IND"])
            #expect(event.allSatisfy { $0.conversation == advertisement.conversation && $0.layer == .adv })
            #expect(event[0].text == "SID 4, DID 292, next on channel 20 after 600 \u{B5}s, 3 octets")
            expectTiling(air.dissector.detail(of: event[0]))
            #expect(air.dissector.detail(of: event[1]).value("Part of the advertising data") == "DD EE")
        }
        // Where and when no chained PDU was announced, a PDU is the first of an event.
        #expect(sync(&air, Self.chain, on: 20, after: 99_000_000).name == "AUX_SYNC_IND")
    }

    /// The pointer of a set's own PDU announces nothing in a train.
    @Test func pointersBelongToTheirAccessAddress() {
        var air = Air()
        _ = air.advertise(Self.auxiliary, on: 9)
        _ = air.advertise("47 10 0C 19 01 02 03 04 05 C6 24 41 54 14 20 02 01 06", on: 9)
        #expect(sync(&air, Self.chain, on: 20, after: 610_000).name == "AUX_SYNC_IND")
    }

    @Test func aTrainWithResponsesHasOtherNames() {
        var air = Air()
        let advertisement = air.advertise(Self.auxiliaryWithTiming, on: 9)
        let packet = air.dissector.detail(of: advertisement)
        expectTiling(packet)
        let path = ("Extended header", "Additional controller data", "Periodic Advertising Response Timing Information")
        #expect(packet.value(path.0, path.1, path.2, "Response access address") == "DEADBEEF")
        #expect(packet.value(path.0, path.1, path.2, "Subevent interval") == "10.00 ms (8)")
        #expect(packet.value(path.0, path.1, path.2, "Response slot spacing") == "2000 \u{B5}s (16)")
        #expect(sync(&air, Self.first, on: 5, after: 99_000_000).name == "AUX_SYNC_SUBEVENT_IND")
        let response = air.add(
            Air.octets("07 02 00 AA"), from: 1, accessAddress: Self.responses, channel: 5, after: 2_000_000)
        #expect(response.name == "AUX_SYNC_SUBEVENT_RSP" && response.conversation == advertisement.conversation)
    }

    /// Vol 6, Part B, 4.4.2.12.
    @Test func aChannelMapUpdateIsATreeOfItsFields() {
        var air = Air()
        _ = air.advertise(Self.auxiliary, on: 9)
        let summary = sync(&air, "07 0B 0A 00 08 28 FF FF FF FF 0F 34 12", on: 5, after: 99_000_000)
        let packet = air.dissector.detail(of: summary)
        expectTiling(packet)
        let path = ("Extended header", "Additional controller data", "Channel Map Update Indication")
        #expect(packet.value(path.0, path.1, path.2, "Channel map") == "36 of 37 channels")
        #expect(packet.value(path.0, path.1, path.2, "Instant") == "4660")
    }

    @Test func aLinkTakesTheAccessAddressOfATrain() {
        var air = Air()
        let request = "C5 22 11 12 13 14 15 D6 01 02 03 04 05 C6 78 56 34 12"
        _ = air.advertise(Self.auxiliary, on: 9)
        _ = air.advertise(
            request + "55 44 33 02 03 00 18 00 01 00 C8 00 FF FF FF FF 1F E9", from: Air.central, on: 9)
        // A SyncInfo with the access address of a link hides no data.
        for _ in 0..<2 {
            let data = air.add(Air.octets("01 00"), from: 1, accessAddress: Self.train)
            #expect(data.link == Self.train && data.content == .empty)
            _ = air.advertise(Self.auxiliary, on: 9)
        }
    }

    /// A capture may begin with a train before it is announced.
    @Test func aTrainIsRecognizedAfterItsAnnouncement() {
        var air = Air()
        #expect(sync(&air, Self.first, on: 5, after: 99_000_000).layer != .adv)
        _ = air.advertise(Self.auxiliary, on: 9)
        #expect(sync(&air, Self.first, on: 5, after: 99_000_000).name == "AUX_SYNC_IND")
    }

    @Test func trainsAreBounded() {
        var air = Air()
        for number in 0..<PeriodicTrains.limit + 100 {
            let (low, high) = (hexadecimal(UInt8(number & 0xFF), digits: 2), hexadecimal(UInt8(number >> 8), digits: 2))
            let text = Self.auxiliary.replacing("78 56 34 12", with: "\(low) \(high) 34 12")
            _ = air.advertise(text, on: 9)
        }
        #expect((1...PeriodicTrains.limit).contains(air.dissector.trainCount))
        // The access address of all advertising is no train's.
        _ = air.advertise(Self.auxiliary.replacing("78 56 34 12", with: "D6 BE 89 8E"), on: 9)
        #expect(air.advInd().name == "ADV_IND")
    }

    @Test func theTransferOfASyncIsDescribed() {
        var air = Air()
        _ = air.connect()
        let sync =
            "34 12 64 60 50 00 FF FF FF FF BF 78 56 34 12 55 44 33 07 00 22 11 06 00 B5 02 01 02 03 04 05 C6 20 11"
        let transfer = air.control("1C" + sync, from: Air.central)
        #expect(transfer.name == "LL_PERIODIC_SYNC_IND")
        #expect(transfer.text == "C6:05:04:03:02:01, SID 5, interval 100.00 ms, access address 12345678")
        #expect(transfer.text(in: .chinese) == "C6:05:04:03:02:01，SID 5，间隔 100.00 ms，接入地址 12345678")
        let packet = air.dissector.detail(of: transfer)
        expectTiling(packet)
        #expect(packet.value("Control PDU", "Sync info", "Offset", "Offset adjustment") == "2.4576 s")
        #expect(packet.value("Control PDU", "Advertiser info", "Set ID") == "5")
        #expect(packet.value("Control PDU", "Advertiser info", "Sender's clock accuracy") == "31 to 50 ppm")
        #expect(packet.value("Control PDU", "Advertiser") == "C6:05:04:03:02:01")
        #expect(packet.value("Control PDU", "PHY") == "2M")
        let withResponses = air.control("2A" + sync + "EF BE AD DE 05 08 04 10", from: Air.central)
        #expect(withResponses.name == "LL_PERIODIC_SYNC_WR_IND" && withResponses.text.hasSuffix(", 5 subevents"))
        #expect(air.dissector.detail(of: withResponses).value("Control PDU", "Response slot delay") == "5.00 ms (4)")
    }
}
