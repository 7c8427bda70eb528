import BLEWire
import Testing

@testable import BLEPacketDecoding

/// The PDUs of extended advertising: one type has four names, by what was before (Vol 6, Part B, 2.3).
struct ExtendedAdvertisingTests {
    /// ADV_EXT_IND with ADI (DID 0x123, SID 4) and AuxPtr: channel 9, 900 µs (30 of 30 µs), 2M.
    private static let primary = "07 07 06 18 23 41 49 1E 20"
    /// AUX_ADV_IND of C6:05:04:03:02:01 with the same ADI, flags, and a pointer: channel 20, 600 µs.
    private static let auxiliary = "47 10 0C 19 01 02 03 04 05 C6 23 41 54 14 20 02 01 06"
    /// AUX_CHAIN_IND with the same ADI.
    private static let chain = "07 06 03 08 23 41 AA BB"

    private struct Event {
        var air = Air()
        private(set) var summaries: [PacketSummary] = []

        mutating func run(from sender: Int = Air.peripheral) {
            summaries = [
                air.advertise(ExtendedAdvertisingTests.primary, from: sender, on: 37),
                air.advertise(ExtendedAdvertisingTests.auxiliary, from: sender, on: 9, after: 915_000),
                air.advertise(ExtendedAdvertisingTests.chain, from: sender, on: 20, after: 610_000),
            ]
        }
    }

    @Test func thePDUsOfAnEventHaveTheirNamesAndOneConversation() {
        var event = Event()
        for _ in 0..<2 {
            event.run()
            #expect(event.summaries.map(\.name) == ["ADV_EXT_IND", "AUX_ADV_IND", "AUX_CHAIN_IND"])
            #expect(Set(event.summaries.map(\.conversation)).count == 1 && event.summaries[0].conversation == 0)
        }
        #expect(
            event.summaries.map(\.text) == [
                "SID 4, DID 291, next on channel 9 after 900 \u{B5}s",
                "C6:05:04:03:02:01, SID 4, DID 291, next on channel 20 after 600 \u{B5}s, 3 octets",
                "SID 4, DID 291, 2 octets",
            ])
    }

    /// A scan response follows its request after T_IFS (4.1.1); the same octets elsewhere are no scan response.
    @Test func aScanResponseIsKnownByItsRequest() {
        var air = Air()
        let response = "47 0A 07 01 01 02 03 04 05 C6 AA BB"
        #expect(air.advertise(response, on: 9).name == "AUX_ADV_IND")
        for _ in 0..<2 {
            let request = air.advertise("C3 0C 11 12 13 14 15 D6 01 02 03 04 05 C6", from: Air.central, on: 9)
            let answer = air.advertise(response, on: 9, after: 80_000 + 150_000)
            #expect([request.name, answer.name] == ["AUX_SCAN_REQ", "AUX_SCAN_RSP"])
            #expect(request.conversation == answer.conversation && request.conversation != nil)
            let packet = air.dissector.detail(of: answer)
            #expect(packet.value("Scan response data") == "")
        }
        #expect(air.advertise("C3 0C 11 12 13 14 15 D6 01 02 03 04 05 C6", on: 37).name == "SCAN_REQ")
    }

    /// A pointer of a packet on a secondary channel names a chained PDU; without what was before, the address decides.
    @Test func withoutTheirAnnouncementPDUsHaveTheMoreLikelyName() {
        var air = Air()
        #expect(air.advertise(Self.auxiliary, on: 9).name == "AUX_ADV_IND")
        #expect(air.advertise(Self.chain, on: 21).name == "AUX_CHAIN_IND")
        // The pointer was to channel 20.
        #expect(air.advertise("08 0E 0D 03 01 02 03 04 05 C6 11 12 13 14 15 D6", on: 9).name == "AUX_CONNECT_RSP")
    }

    /// Two devices use the same set number. A capture does not say who sent a PDU without an address.
    @Test func setsOfUnknownSendersAreToldApart() {
        let other = "07 07 06 18 24 41 4A 1E 20"
        var air = Air()
        let packets = [Self.primary, other, Self.primary, other].map { air.advertise($0, from: -1) }
        #expect(packets[0].conversation != nil && packets[0].conversation != packets[1].conversation)
        #expect(packets[2...].map(\.conversation) == packets[..<2].map(\.conversation))
        // The data of one sender's set changes.
        let known = [Self.primary, other].map { air.advertise($0, from: Air.peripheral) }
        #expect(known[0].conversation == known[1].conversation)
    }

    @Test func aConnectRequestOnASecondaryChannelBeginsALink() {
        var air = Air()
        let octets =
            "C5 22 11 12 13 14 15 D6 01 02 03 04 05 C6 3A 5C 65 50 55 44 33 02 03 00 18 00 01 00 C8 00 FF FF FF FF 1F E9"
        let request = air.advertise(octets, from: Air.central, on: 9)
        #expect(request.name == "AUX_CONNECT_REQ" && request.procedure == .connecting)
        #expect(air.frame("0A 03 00", channel: 4, from: Air.central).link == Air.accessAddress)
    }

    @Test func theExtendedHeaderIsATreeOfItsFields() {
        var event = Event()
        event.run()
        let primary = event.air.dissector.detail(of: event.summaries[0])
        expectTiling(primary)
        let pointer = ("Extended header", "Auxiliary pointer")
        #expect(primary.value("Extended header", "Advertising data info", "Data ID") == "291")
        #expect(primary.value(pointer.0, pointer.1, "Secondary channel") == "9")
        #expect(primary.value(pointer.0, pointer.1, "Offset") == "900 \u{B5}s (30)")
        #expect(primary.value(pointer.0, pointer.1, "Clock accuracy") == "0 to 50 ppm")
        #expect(primary.value(pointer.0, pointer.1, "PHY") == "LE 2M")
        #expect(primary.value("Extended header", "Fields", "Auxiliary pointer") == "yes")
        let auxiliary = event.air.dissector.detail(of: event.summaries[1])
        expectTiling(auxiliary)
        #expect(auxiliary.value("Extended header", "Advertiser's address") == "C6:05:04:03:02:01 (random static)")
        #expect(auxiliary.value("Advertising data", "Flags", "Flags", "LE general discoverable mode") == "yes")
        let chain = event.air.dissector.detail(of: event.summaries[2])
        expectTiling(chain)
        #expect(chain.value("Part of the advertising data") == "AA BB")
    }

    /// A header with every field: SyncInfo, CTEInfo, power, and AD structures of the controller.
    @Test func everyFieldOfTheHeaderIsShown() {
        var air = Air()
        let octets =
            "C7 2C 2B 7F 01 02 03 04 05 C6 11 12 13 14 15 D6 14 23 41 C9 1E 20"
            + " 64 20 50 00 FF FF FF FF FF 78 56 34 12 55 44 33 07 00 F4 04 28 01 02 03"
        let packet = air.dissector.detail(of: air.advertise(octets, on: 9))
        expectTiling(packet)
        #expect(packet.value("Extended header", "Target's address") == "D6:15:14:13:12:11 (random static)")
        #expect(packet.value("Extended header", "CTE info") == "0x14")
        #expect(packet.value("Extended header", "Sync info", "Offset", "Offset") == "30000 \u{B5}s (100)")
        #expect(packet.value("Extended header", "Sync info", "Interval") == "100.00 ms (80)")
        #expect(packet.value("Extended header", "Sync info", "Channel map", "Sleep clock accuracy") == "0 to 20 ppm")
        #expect(packet.value("Extended header", "Sync info", "Access address") == "12345678")
        #expect(packet.value("Extended header", "Sync info", "Event counter") == "7")
        #expect(packet.value("Extended header", "TX power") == "-12 dBm")
        #expect(packet.value("Extended header", "Additional controller data") == "")
    }

    @Test func announcementsAreBoundedAndStrangeTimesDoNotTrap() {
        var air = Air()
        for info in 0..<(AuxiliaryPackets.limit + 100) {
            let (low, high) = (hexadecimal(UInt8(info & 0xFF), digits: 2), hexadecimal(UInt8(info >> 8), digits: 2))
            _ = air.advertise("07 07 06 18 \(low) \(high) 49 1E 20", on: 37)
        }
        #expect(air.dissector.announcementCount <= AuxiliaryPackets.limit)
        for start in [Int64.max, .min, .max - 1_000_000] {
            for text in [Self.primary, Self.auxiliary, "C3 0C 11 12 13 14 15 D6 01 02 03 04 05 C6"] {
                _ = air.dissector.add(
                    AirFrame(
                        number: 0, start: start, airTime: .max, channel: 9, phy: .oneM,
                        accessAddress: LL.advertisingAccessAddress, octets: Air.octets(text), sender: 0))
            }
        }
    }

    @Test func chineseTextsNameWhatTheEnglishOnesDo() {
        var event = Event()
        event.run()
        #expect(event.summaries[0].text(in: .chinese) == "SID 4，DID 291，下一个在信道 9，900 \u{B5}s 后")
        let packet = event.air.dissector.detail(of: event.summaries[0], in: .chinese)
        #expect(packet.value("扩展报头", "辅助指针", "次要信道") == "9")
    }
}
