import BLEWire
import Testing

@testable import BLEPacketDecoding

struct ConversationTests {
    private let central = Air.central
    private let peripheral = Air.peripheral

    @Test func anAdvertiserIsOneConversationUntilItIsConnectedOrSilent() {
        var air = Air()
        let first = air.advInd()
        let request = air.advertise("C3 0C 11 12 13 14 15 D6 01 02 03 04 05 C6", from: central)
        let response = air.advertise("44 09 01 02 03 04 05 C6 02 01 06")
        #expect([request.conversation, response.conversation] == [first.conversation, first.conversation])
        #expect(first.procedure == .advertising)
        let other = air.advertise("60 09 02 02 03 04 05 C6 02 01 06")
        #expect(other.conversation != first.conversation)
        air.now += 12_000_000_000
        #expect(air.advInd().conversation != first.conversation)
    }

    @Test func theConnectionIsSetUpWhenThePeripheralAnswers() {
        var air = Air()
        let request = air.connect()
        let packets = [air.empty(from: central), air.empty(from: central), air.empty(from: peripheral)]
        #expect(request.procedure == .connecting)
        #expect(packets.allSatisfy { $0.conversation == request.conversation && $0.procedure == .connecting })
        let idle = air.empty(from: central)
        #expect(idle.procedure == .idle)
        #expect(idle.conversation != request.conversation)
        #expect(air.empty(from: peripheral).conversation == idle.conversation)
        // A new exchange ends the run of empty packets.
        _ = air.control("12", from: central)
        #expect(air.empty(from: peripheral).conversation != idle.conversation)
    }

    @Test func aLinkLayerProcedureIsOneConversation() {
        var air = Air()
        _ = air.connect()
        let phy = [
            air.control("16 03 03", from: central), air.control("17 03 03", from: peripheral),
            air.control("18 02 02 1000", from: central),
        ]
        #expect(phy.allSatisfy { $0.conversation == phy[0].conversation && $0.procedure == .phyUpdate })
        let versions = [
            air.control("0C 0D FFFF 0100", from: central), air.control("0C 0D FFFF 0100", from: peripheral),
        ]
        #expect(versions[0].conversation == versions[1].conversation)
        #expect(versions[0].conversation != phy[0].conversation)
        let length = air.control("14 FB00 4808 FB00 4808", from: peripheral)
        let feature = air.control("08 FF41 0000 0000 0000", from: central)
        // Two procedures of the two sides run side by side.
        #expect(air.control("15 FB00 4808 FB00 4808", from: central).conversation == length.conversation)
        #expect(air.control("09 FF41 0000 0000 0000", from: peripheral).conversation == feature.conversation)
        // The same procedure of both sides is two conversations.
        let lengths = [
            air.control("14 FB00 4808 FB00 4808", from: central),
            air.control("14 FB00 4808 FB00 4808", from: peripheral),
        ]
        #expect(lengths[0].conversation != lengths[1].conversation)
        #expect(air.control("15 FB00 4808 FB00 4808", from: peripheral).conversation == lengths[0].conversation)
        #expect(air.control("15 FB00 4808 FB00 4808", from: central).conversation == lengths[1].conversation)
        let parameters = air.control("0F 1800 2800 0100 C800 02 1200 0100 0200 0300 0400 0500 0600", from: peripheral)
        #expect(air.control("11 0F 3B", from: central).conversation == parameters.conversation)
    }

    @Test func aPeripheralsRequestForParametersEndsWithTheUpdate() {
        var air = Air()
        _ = air.connect()
        let request = air.frame("12 02 0800 0600 0C00 0300 C800", channel: 5, from: peripheral)
        let response = air.frame("13 02 0200 0000", channel: 5, from: central)
        let update = air.control("00 02 0300 1800 0100 C800 3412", from: central)
        #expect(request.procedure == .connectionUpdate)
        #expect([response.conversation, update.conversation] == [request.conversation, request.conversation])
    }

    @Test func aDiscoveryOfManyPairsIsOneConversation() {
        var air = Air()
        _ = air.connect()
        let services = [
            air.att("10 0100 FFFF 0028", from: central), air.att("11 06 0100 0500 0018", from: peripheral),
            air.att("10 0600 FFFF 0028", from: central), air.att("01 10 0600 0A", from: peripheral),
        ]
        #expect(services.allSatisfy { $0.conversation == services[0].conversation })
        #expect(services.allSatisfy { $0.procedure == .serviceDiscovery })
        #expect(services[1].text == "Generic Access")
        let characteristics = air.att("08 0100 0500 0328", from: central)
        _ = air.att("09 07 0200 02 0300 002A", from: peripheral)
        let next = air.att("08 0300 0500 0328", from: central)
        let other = air.att("08 0600 0900 0328", from: central)
        #expect(next.conversation == characteristics.conversation)
        #expect(other.conversation != characteristics.conversation)
        let read = air.att("0A 0300", from: central)
        let blob = air.att("0C 0300 1600", from: central)
        let again = air.att("0A 0300", from: central)
        #expect(read.procedure == .read)
        #expect(blob.conversation == read.conversation)
        #expect(again.conversation != read.conversation)
    }

    @Test func preparedWritesAndTheirExecutionAreOneConversation() {
        var air = Air()
        _ = air.connect()
        let parts = [
            air.att("16 0300 0000 0102", from: central), air.att("17 0300 0000 0102", from: peripheral),
            air.att("16 0300 0200 0304", from: central), air.att("17 0300 0200 0304", from: peripheral),
            air.att("18 01", from: central), air.att("19", from: peripheral),
        ]
        #expect(parts.allSatisfy { $0.conversation == parts[0].conversation && $0.procedure == .write })
        let commands = [air.att("52 0300 01", from: central), air.att("52 0300 02", from: central)]
        #expect(commands[0].conversation == commands[1].conversation)
        #expect(commands[0].procedure == .commandWrite)
    }

    @Test func aSubscriptionHasItsWriteAndItsValues() {
        var air = Air()
        _ = air.connect()
        _ = air.att("08 0100 0A00 0328", from: central)
        _ = air.att("09 07 0200 12 0300 372A", from: peripheral)
        _ = air.att("04 0400 0A00", from: central)
        _ = air.att("05 01 0400 0229", from: peripheral)
        let packets = [
            air.att("12 0400 0100", from: central), air.att("13", from: peripheral),
            air.att("1B 0300 0048", from: peripheral), air.att("1D 0300 0049", from: peripheral),
            air.att("1E", from: central),
        ]
        #expect(packets.allSatisfy { $0.conversation == packets[0].conversation && $0.procedure == .subscription })
        #expect(packets[0].text == "Client Characteristic Configuration = notifications")
    }

    @Test func aPairingIsOneConversation() {
        var air = Air()
        _ = air.connect()
        let first = [
            air.frame("0B 0D", channel: 6, from: peripheral),
            air.frame("01 04 00 0D 10 0B 03", channel: 6, from: central),
            air.frame("02 03 00 0D 10 0B 03", channel: 6, from: peripheral),
            air.frame("05 04", channel: 6, from: peripheral),
        ]
        #expect(first.allSatisfy { $0.conversation == first[0].conversation && $0.procedure == .pairing })
        #expect(first.allSatisfy { $0.layer == .smp })
        #expect(air.frame("01 04 00 0D 10 0B 03", channel: 6, from: central).conversation != first[0].conversation)
    }

    @Test func theChannelsOfOneRequestAreOneConversation() {
        var air = Air()
        _ = air.connect()
        let packets = [
            air.frame("17 03 0E00 2700 6400 6600 0A00 4000 4100 4200", channel: 5, from: central),
            air.frame("18 03 0E00 6400 6600 0A00 0400 5000 0000 5200", channel: 5, from: peripheral),
            air.frame("0300 0A0300", channel: 0x50, from: central),
            air.frame("0200 0B01", channel: 0x42, from: peripheral),
        ]
        #expect(packets.allSatisfy { $0.conversation == packets[0].conversation && $0.procedure == .channel })
        #expect(air.frame("0100 01", channel: 0x41, from: peripheral).conversation == nil, "the refused channel")
    }

    @Test func aChannelIsOneConversationFromItsRequestToItsEnd() {
        var air = Air()
        _ = air.connect()
        let packets = [
            air.frame("14 03 0A00 8000 4000 F700 E700 0A00", channel: 5, from: central),
            air.frame("15 03 0A00 4100 F600 E600 0B00 0000", channel: 5, from: peripheral),
            air.frame("0500 0102030405", channel: 0x41, from: central),
            air.frame("0400 010203", channel: 0x40, from: peripheral), air.frame("04", channel: 0x40, from: peripheral),
            air.frame("16 04 0400 4100 0500", channel: 5, from: peripheral),
            air.frame("06 05 0400 4100 4000", channel: 5, from: central),
            air.frame("07 05 0400 4100 4000", channel: 5, from: peripheral),
        ]
        #expect(packets.allSatisfy { $0.conversation == packets[0].conversation && $0.procedure == .channel })
        #expect(packets[2...4].map(\.beginsSDU) == [true, true, false])
        #expect(air.frame("0500 01", channel: 0x41, from: central).conversation == nil)
    }

    @Test func aRetransmissionBelongsToTheConversationOfItsPacket() {
        var air = Air()
        _ = air.connect()
        let octets: [UInt8] = [3, 0, 4, 0, 0x0A, 3, 0]
        let lost = air.data(.start, octets, from: central, isHeard: false)
        let heard = air.again(.start, octets, from: central)
        let repeated = air.again(.start, octets, from: central)
        #expect([lost, heard, repeated].map(\.name) == ["ATT_READ_REQ", "ATT_READ_REQ", "ATT_READ_REQ"])
        #expect(heard.conversation == lost.conversation)
        #expect([lost, heard, repeated].map(\.isRetransmission) == [false, true, true])
        #expect(
            [lost, heard, repeated].map(\.line) == [
                "data, 7 octets", "ATT Read Request  handle 0003", "data, 7 octets, again",
            ])
    }

    /// The same sequence number with other content: the recorder missed a packet.
    @Test func aPacketAfterAMissedOneIsNoRetransmission() {
        var air = Air()
        _ = air.connect()
        let first = air.att("1B 0300 48", from: peripheral)
        let next = air.again(.start, [4, 0, 4, 0, 0x1B, 9, 0, 0x49], from: peripheral)
        #expect(!next.isRetransmission && !next.isRepeated)
        #expect(next.text.contains("0009"))
        #expect(next.conversation != first.conversation && !next.line.hasSuffix("again"))
        let repeated = air.again(.start, [4, 0, 4, 0, 0x1B, 9, 0, 0x49], from: peripheral)
        #expect(repeated.isRetransmission && repeated.isRepeated && repeated.conversation == next.conversation)
    }

    @Test func encryptionStartsInOneConversation() {
        var air = Air()
        _ = air.connect()
        let zeros = String(repeating: "00", count: 12)
        let start = [
            air.control("03 0000000000000000 0000" + zeros, from: central), air.control("04" + zeros, from: peripheral),
            air.control("05", from: peripheral), air.control("AABBCCDDEE", from: central),
            air.control("AABBCCDDEF", from: peripheral),
        ]
        #expect(start.allSatisfy { $0.conversation == start[0].conversation && $0.procedure == .encryptionStart })
        #expect(start.map(\.isEncrypted) == [false, false, false, true, true])
        let data = air.data(.start, Air.octets("AABBCCDDEEFF00"), from: central)
        #expect(data.procedure == .encrypted)
        #expect(data.layer == .data)
    }

    // MARK: Bounds

    @Test func theStateOfManyLinksAndAdvertisersIsBounded() {
        var dissector = AirDissector()
        for number in 0..<20_000 {
            var octets = Air.octets("60 09 01 02 03 04 05 C6 02 01 06")
            octets[2] = UInt8(truncatingIfNeeded: number)
            octets[3] = UInt8(truncatingIfNeeded: number >> 8)
            for (access, octets) in [
                (LL.advertisingAccessAddress, octets), (UInt32(number), [0x02, 27, 200, 0, 4, 0] + octets),
            ] {
                _ = dissector.add(
                    AirFrame(
                        number: number, start: 0, airTime: 0, channel: 37, phy: .oneM, accessAddress: access,
                        octets: octets,
                        sender: 0))
            }
            #expect(dissector.linkCount <= AirDissector.linkLimit)
            #expect(dissector.advertiserCount <= AirDissector.advertiserLimit)
        }
    }

    @Test func theStateOfOneLinkIsBounded() {
        var air = Air()
        _ = air.connect()
        for handle in 0..<4096 {
            let number = [UInt8(handle & 0xFF), UInt8(handle >> 8)].map { hexadecimal($0, digits: 2) }.joined()
            _ = air.att("08 0100 FFFF 0328", from: Air.central)
            _ = air.att("09 07 \(number) 02 \(number) 002A", from: Air.peripheral)
            _ = air.att("1B \(number) 01", from: Air.peripheral)
            _ = air.frame("14 \(number.prefix(2)) 0A00 8000 \(number) F700 E700 0A00", channel: 5, from: Air.central)
            _ = air.frame("15 \(number.prefix(2)) 0A00 \(number) F600 E600 0B00 0000", channel: 5, from: Air.peripheral)
        }
        let state = air.dissector.sizes(of: Air.accessAddress)
        #expect(state.attributes == 512)
        #expect(state.subscriptions <= AttributeConversations.subscriptionLimit)
        #expect(state.channels <= SignalConversations.channelLimit)
    }

    @Test func incompleteFramesOfAllLinksAreBounded() {
        var dissector = AirDissector()
        var largest = 0
        for link in 0..<200 as Range<UInt32> {
            for part in 0..<200 {
                var octets = [UInt8](repeating: 0, count: 253)
                octets[0] = (part == 0 ? 2 : 1) | (part % 2 == 0 ? 8 : 0)
                octets[1] = 251
                if part == 0 { octets.replaceSubrange(2..<6, with: [0xFF, 0xFF, 0x40, 0]) }
                _ = dissector.add(
                    AirFrame(
                        number: 0, start: 0, airTime: 0, channel: 0, phy: .oneM, accessAddress: link, octets: octets,
                        sender: 0))
                largest = max(largest, dissector.reassembledOctets)
            }
        }
        #expect(largest > 1 << 20)
        #expect(largest <= AirDissector.reassemblyLimit + 1024)
    }
}
