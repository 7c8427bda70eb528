import BLEWire
import Testing

@testable import BLEPacketDecoding
@testable import pdu_samples

struct FieldTests {
    // MARK: Vectors

    @Test func anAdvertisementIsATreeOfItsStructures() {
        var air = Air()
        let summary = air.advertise(
            "60 1D 01 02 03 04 05 C6 02 01 06 03 03 0D 18 05 09 42 61 6E 64 02 0A F4 07 FF 4C 00 01 02 03 04")
        let packet = air.dissector.detail(of: summary)
        expectTiling(packet)
        #expect(packet.value("Advertising header", "Type and flags", "PDU type") == "ADV_IND")
        #expect(packet.value("Advertiser's address") == "C6:05:04:03:02:01 (random static)")
        #expect(
            packet.value("Advertising data", "Flags", "Flags", "LE general discoverable mode") == "yes")
        #expect(packet.value("Advertising data", "Complete Local Name", "Name") == "\"Band\"")
        #expect(packet.value("Advertising data", "Tx Power Level", "Level") == "-12 dBm")
        #expect(
            packet.value("Advertising data", "Manufacturer Specific Data", "Company") == "Apple, Inc. (0x004C)")
        #expect(
            packet.value("Advertising data", "Complete List of 16-bit Service Class UUIDs", "Service")
                == "Heart Rate (180D)")
    }

    @Test func aConnectRequestShowsAllOfItsLinkData() {
        var air = Air()
        let packet = air.dissector.detail(of: air.connect())
        expectTiling(packet)
        #expect(packet.value("Link layer data", "Access address") == "50655C3A")
        #expect(packet.value("Link layer data", "Interval") == "30.00 ms (24)")
        #expect(packet.value("Link layer data", "Timeout") == "2000 ms (200)")
        #expect(packet.value("Link layer data", "Channel map") == "37 of 37 channels")
        #expect(packet.value("Link layer data", "Hop and clock", "Hop increment") == "9")
        #expect(packet.value("Link layer data", "Hop and clock", "Central's clock accuracy") == "0 to 20 ppm")
    }

    @Test func controlPDUsShowTheirDeclaredFieldsWithUnits() {
        var air = Air()
        _ = air.connect()
        let update = air.dissector.detail(of: air.control("00 02 0300 1800 0100 C800 3412", from: Air.central))
        expectTiling(update)
        #expect(update.value("Control PDU") == "LL_CONNECTION_UPDATE_IND")
        #expect(update.value("Control PDU", "Window offset") == "3.75 ms (3)")
        #expect(update.value("Control PDU", "Instant") == "4660")
        let features = air.dissector.detail(of: air.control("08 FF41 0000 0000 0000", from: Air.central))
        expectTiling(features)
        #expect(features.value("Control PDU", "Features", "LE 2M PHY") == "yes")
        #expect(features.value("Control PDU", "Features", "LE Coded PHY") == "no")
        let phy = air.dissector.detail(of: air.control("16 03 02", from: Air.central))
        #expect(phy.value("Control PDU", "TX PHYs") == "1M/2M")
        let end = air.dissector.detail(of: air.control("02 13", from: Air.central))
        #expect(end.value("Control PDU", "Reason")?.contains("0x13") == true)
        #expect(end.value("Data header", "Type and flags", "LLID") == "control PDU")
    }

    @Test func signalsAndSecurityPDUsShowTheirFields() {
        var air = Air()
        _ = air.connect()
        let signal = air.dissector.detail(
            of: air.frame("14 03 0A00 8000 4000 F700 E700 0A00", channel: 5, from: Air.central))
        expectTiling(signal)
        #expect(signal.value("L2CAP frame", "Channel") == "0x0005 (LE signalling)")
        #expect(signal.value("L2CAP frame", "Signal", "SPSM") == "128")
        #expect(signal.value("L2CAP frame", "Signal", "Source channel") == "0x0040 (dynamic)")
        #expect(signal.value("L2CAP frame", "Signal", "MTU") == "247 octets")
        let request = air.dissector.detail(of: air.frame("01 04 00 0D 10 0B 03", channel: 6, from: Air.central))
        expectTiling(request)
        let path = ("L2CAP frame", "Security Manager PDU")
        #expect(request.value(path.0, path.1, "IO capability") == "KeyboardDisplay")
        #expect(request.value(path.0, path.1, "Requirements", "Secure Connections") == "yes")
        #expect(request.value(path.0, path.1, "Initiator keys", "Signing key (CSRK)") == "no")
        let reject = air.dissector.detail(of: air.frame("01 21 0600 0200 4000 4100", channel: 5, from: Air.central))
        #expect(reject.value("L2CAP frame", "Signal", "Reason") == "invalid channel identifier")
        #expect(reject.value("L2CAP frame", "Signal", "Remote channel") == "0x0041 (dynamic)")
    }

    @Test func attributesHaveTheNamesAndValuesOfTheirDiscovery() {
        var air = Air()
        _ = air.connect()
        _ = air.att("08 0100 0A00 0328", from: Air.central)
        let found = air.att("09 07 0200 12 0300 372A", from: Air.peripheral)
        let declaration = air.dissector.detail(of: found)
        expectTiling(declaration)
        let pdu = ("L2CAP frame", "Attribute PDU")
        #expect(declaration.value(pdu.0, pdu.1, "Characteristic") == "Heart Rate Measurement (2A37)")
        #expect(declaration.value(pdu.0, pdu.1, "Characteristic", "Properties", "Notify") == "yes")
        #expect(found.text == "Heart Rate Measurement")
        let notification = air.att("1B 0300 00 48", from: Air.peripheral)
        #expect(notification.text == "Heart Rate Measurement = 72 bpm")
        let packet = air.dissector.detail(of: notification)
        expectTiling(packet)
        #expect(packet.value(pdu.0, pdu.1, "Handle") == "0003 (Heart Rate Measurement)")
        #expect(packet.value(pdu.0, pdu.1, "Value") == "72 bpm")
        #expect(packet.sections[0].fields.last?.children.last?.children.last?.children.last?.range == 10..<11)
        _ = air.att("0A 0300", from: Air.central)
        let answer = air.att("0B 00 50", from: Air.peripheral)
        #expect(answer.text == "Heart Rate Measurement = 80 bpm")
        let error = air.att("01 0A 0300 02", from: Air.peripheral)
        #expect(
            air.dissector.detail(of: error).value(pdu.0, pdu.1, "Handle") == "0003 (Heart Rate Measurement)")
    }

    @Test func theLastPartOfAFrameHasASectionForTheWholeFrame() {
        var air = Air()
        _ = air.connect()
        let value = [UInt8](repeating: 0x61, count: 40)
        let frame: [UInt8] = [43, 0, 4, 0, 0x1B, 9, 0] + value
        let first = air.data(.start, Array(frame.prefix(27)), from: Air.peripheral)
        #expect(first.content == .part(received: 27, expected: 47))
        #expect(first.layer == .att)
        expectTiling(air.dissector.detail(of: first))
        let last = air.data(.continuation, Array(frame.dropFirst(27)), from: Air.peripheral)
        #expect(last.name == "ATT_HANDLE_VALUE_NTF")
        #expect(last.conversation == first.conversation)
        let packet = air.dissector.detail(of: last)
        expectTiling(packet)
        #expect(packet.sections.map(\.kind) == [.packet, .frame])
        #expect(packet.sections[1].octets == frame)
    }

    @Test func encryptedPacketsAreOpaqueUntilTheirPlaintextIsKnown() {
        var air = Air()
        _ = air.connect()
        _ = air.control("05", from: Air.peripheral)
        let cipher = Air.octets("AA BB CC DD EE FF 00 11 22 33 44")
        let opaque = air.data(.start, cipher, from: Air.central)
        #expect(opaque.isEncrypted)
        #expect(opaque.content == .encrypted)
        #expect(opaque.line == "encrypted, 11 octets")
        let hidden = air.dissector.detail(of: opaque)
        expectTiling(hidden)
        #expect(hidden.value("Message integrity check") == "11 22 33 44")
        let plain = air.data(.start, cipher, from: Air.central, plaintext: Air.octets("03 00 04 00 0A 0C 00"))
        #expect(plain.isEncrypted)
        #expect(plain.name == "ATT_READ_REQ")
        let shown = air.dissector.detail(of: plain)
        expectTiling(shown)
        #expect(shown.sections[0].octets.count == cipher.count + 2)
        #expect(shown.value("Message integrity check") == "11 22 33 44")
    }

    // MARK: Any octets

    /// The PDUs of `pdu-samples`: those on the air, and the frames of its host as packets on the air.
    private static func samples() throws -> [(accessAddress: UInt32, octets: [UInt8])] {
        var recorder = Recorder()
        try pdu_samples.Air.record(in: &recorder)
        try Channels.record(in: &recorder)
        return recorder.packets.compactMap { packet in
            if let accessAddress = packet.accessAddress { return (accessAddress, packet.octets) }
            // An ACL packet: type, handle, length, frame (Vol 4, Part A, 2 and Part E, 5.4.2).
            guard packet.octets.first == 2 else { return nil }
            let frame = packet.octets.dropFirst(5)
            return (Air.accessAddress, [0x02, UInt8(frame.count)] + frame)
        }
    }

    @Test func theFieldsCoverEachBitOfEverySample() throws {
        let samples = try Self.samples()
        #expect(samples.count > 70)
        var air = Air()
        for (index, sample) in samples.enumerated() {
            let summary = air.add(sample.octets, from: index % 2, accessAddress: sample.accessAddress)
            expectTiling(air.dissector.detail(of: summary), "\(summary.name)")
            #expect(summary.octets == sample.octets)
            #expect(!summary.words.line.contains("undecodable"), "\(summary.words.line)")
            #expect(!Self.isIncomplete(air.dissector.detail(of: summary)), "\(summary.name)")
        }
    }

    /// Whether octets of a packet are not decoded.
    private static func isIncomplete(_ packet: DissectedPacket) -> Bool {
        func visit(_ field: DissectedField) -> Bool {
            field.name == "Not decoded" || field.value.hasPrefix("incomplete") || field.children.contains(where: visit)
        }
        return packet.sections.contains { $0.fields.contains(where: visit) }
    }

    @Test func theFieldsCoverTruncatedAndChangedSamples() throws {
        var random = SeededRandom(seed: 5)
        for sample in try Self.samples() {
            for count in 0...sample.octets.count {
                var dissector = AirDissector()
                var octets = Array(sample.octets.prefix(count))
                check(octets, sample.accessAddress, &dissector)
                // A length that fits lets the rest through to the decoders above.
                guard octets.count >= 6 else { continue }
                octets[1] = UInt8(octets.count - 2)
                if sample.accessAddress == Air.accessAddress { octets[2] = UInt8(octets.count - 6) }
                check(octets, sample.accessAddress, &dissector)
                for _ in 0..<8 {
                    octets[Int.random(in: 0..<octets.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
                    check(octets, sample.accessAddress, &dissector)
                }
            }
        }
    }

    private func check(_ octets: [UInt8], _ accessAddress: UInt32, _ dissector: inout AirDissector) {
        let summary = dissector.add(
            AirFrame(
                number: 0, start: 0, airTime: 0, channel: 0, phy: .oneM, accessAddress: accessAddress, octets: octets,
                sender: Int(octets.first ?? 0) >> 4 & 1))
        _ = (summary.text, summary.line)
        #expect(summary.name == summary.words.name)
        expectTiling(dissector.detail(of: summary), "\(octets)")
    }

    @Test func declaredFieldsHaveTheLengthsOfTheirPDUs() {
        #expect(
            FieldLayouts.control(.connectionUpdateInd)?.reduce(0) { $0 + $1.octets }
                == LL.ConnectionUpdateInd.octetCount)
        #expect(
            FieldLayouts.control(.connectionParamRsp)?.reduce(0) { $0 + $1.octets } == LL.ConnectionParamRsp.octetCount)
        #expect(
            FieldLayouts.signal(.flowControlCredit)?.reduce(0) { $0 + $1.octets } == L2CAP.FlowControlCredit.octetCount)
        #expect(FieldLayouts.pairingFeatures.reduce(0) { $0 + $1.octets } == SMP.PairingFeatures.octetCount)
    }
}
