import BLETransport
import BLEWire
import Testing

@testable import BLEPacketDecoding

/// Packets between a host and its controller in a list of packets.
struct HostPacketTests {
    /// A generator for octets of no meaning.
    private struct Chance {
        var state: UInt64

        mutating func next(below limit: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % limit
        }
    }

    private var dissector = AirDissector()

    private mutating func add(_ octets: [UInt8], isSent: Bool? = nil, controller: UInt16 = 0) -> PacketSummary {
        dissector.add(host: octets, isSent: isSent, controller: controller, at: 0).summary
    }

    private mutating func add(_ capture: HostCapture) throws -> [PacketSummary] {
        var reader = CaptureReader()
        reader.append(capture.file)
        var summaries: [PacketSummary] = []
        while let packet = try reader.next() {
            guard case .host(let host) = packet.content else { continue }
            summaries.append(
                dissector.add(host: host.octets, isSent: host.isSent, controller: 0, at: packet.time ?? 0).summary)
        }
        return summaries
    }

    /// A first fragment of the host, or a continuing one.
    private static func fragment(_ octets: [UInt8], isFirst: Bool) -> [UInt8] {
        [2, 0x40, isFirst ? 0 : 0x10, UInt8(octets.count), 0] + octets
    }

    @Test mutating func dataHasTheNamesThatADiscoveryShowed() throws {
        var capture = HostCapture()
        capture.connect()
        capture.discover()
        capture.subscribe()
        capture.receiveATT([0x1B, 3, 0, 0, 72])
        let summaries = try add(capture)
        #expect(summaries.count == capture.frames)
        let value = try #require(summaries.last)
        #expect(value.name == "ATT_HANDLE_VALUE_NTF" && value.layer == .att && value.procedure == .subscription)
        #expect(value.text.contains("Heart Rate Measurement"))
        #expect(value.sender == .peripheral && value.isCentralKnown)
        let subscription = try #require(summaries.first { $0.name == "ATT_WRITE_REQ" })
        #expect(subscription.sender == .central && subscription.conversation == value.conversation)
        for summary in summaries {
            let detail = dissector.detail(of: summary)
            expectTiling(detail)
            #expect(detail.sections.first?.octets == summary.octets)
        }
        let detail = dissector.detail(of: value)
        #expect(detail.value("Packet type") == "ACL data")
        #expect(detail.value("ACL header", "Handle and flags", "Connection handle") == "0040")
        #expect(detail.value("ACL header", "Length") == "9 octets")
        #expect(detail.value("L2CAP frame", "Attribute PDU") == "ATT_HANDLE_VALUE_NTF")
    }

    @Test mutating func fragmentsAreJoinedAlsoWithoutADirection() throws {
        let value = [UInt8](repeating: 7, count: 33)
        let frame: [UInt8] = [36, 0, 4, 0, 0x52, 3, 0] + value
        let first = add(Self.fragment(Array(frame.prefix(30)), isFirst: true))
        let last = add(Self.fragment(Array(frame.dropFirst(30)), isFirst: false))
        #expect(first.content == .part(received: 30, expected: 40) && first.sender == .central)
        #expect(last.content == .lastPart(frame) && last.name == "ATT_WRITE_CMD" && last.sender == .central)
        #expect(first.conversation == last.conversation)
        let sections = dissector.detail(of: last).sections
        #expect(sections.map(\.kind) == [.packet, .frame] && sections.last?.octets == frame)
        // A continuation whose start is missing.
        let orphan = add(Self.fragment([1, 2], isFirst: false))
        #expect(orphan.content == .orphan)
    }

    @Test mutating func aFurtherFragmentIsOfTheSideWithAnIncompleteFrame() {
        let frame: [UInt8] = [36, 0, 4, 0, 0x52, 3, 0] + [UInt8](repeating: 7, count: 33)
        _ = add(Self.fragment(Array(frame.prefix(30)), isFirst: true))
        let value = add([2, 0x40, 0x20, 8, 0, 4, 0, 4, 0, 0x1B, 3, 0, 9])
        let last = add(Self.fragment(Array(frame.dropFirst(30)), isFirst: false))
        #expect(value.name == "ATT_HANDLE_VALUE_NTF" && value.sender == .peripheral)
        #expect(last.content == .lastPart(frame) && last.sender == .central)
    }

    /// A signal and a dynamic channel of BR/EDR, and a continuation.
    @Test(arguments: [(0x20, 1), (0x20, 0x40), (0x10, 4)] as [(UInt8, UInt8)])
    mutating func dataOfAnotherLinkIsNoLELink(boundary: UInt8, channel: UInt8) {
        let packet = add([2, 0x0B, boundary, 8, 0, 4, 0, channel, 0, 0x0A, 1, 0, 0], isSent: false)
        #expect(packet.content == .host && packet.link == nil && packet.layer == .data && packet.name == "ACL data")
        expectTiling(dissector.detail(of: packet))
        #expect(dissector.linkCount == 0 && dissector.hostLinks.count == 0)
    }

    @Test mutating func octetsBehindTheLengthAreNotOfThePacket() {
        let packet = add([2, 0x40, 0x20, 8, 0, 4, 0, 4, 0, 0x1B, 3, 0, 9, 0xAA, 0xBB])
        #expect(packet.name == "ATT_HANDLE_VALUE_NTF" && packet.payloadRange == 5..<13)
        #expect(!packet.text.contains("undecodable"))
        expectTiling(dissector.detail(of: packet))
        #expect(dissector.detail(of: packet).value("Not decoded") == "AA BB")
    }

    @Test mutating func aHandleThatIsUsedAgainIsAnotherLink() throws {
        var capture = HostCapture()
        capture.connect()
        capture.discover()
        capture.receiveATT([0x1B, 3, 0, 0, 72])
        capture.disconnect(0x13)
        capture.connect(isCentral: false)
        capture.sendATT([0x1B, 3, 0, 0, 72])
        let values = try add(capture).filter { $0.name == "ATT_HANDLE_VALUE_NTF" }
        try #require(values.count == 2)
        #expect(values[0].link != values[1].link)
        #expect(values[0].text.contains("Heart Rate Measurement") && !values[1].text.contains("Heart Rate"))
        #expect(values.map(\.sender) == [.peripheral, .peripheral])
    }

    @Test mutating func commandsAndEventsHaveNamesAndTexts() {
        let reset = add([1, 0x03, 0x0C, 0], isSent: true)
        #expect(reset.layer == .hci && reset.name == "Reset" && reset.text == "" && reset.conversation == nil)
        let complete = add([4, 0x0E, 4, 1, 0x03, 0x0C, 0x0C])
        #expect(complete.name == "Command Complete" && complete.text == "Reset: Command Disallowed")
        let detail = dissector.detail(of: complete)
        #expect(detail.value("Command") == "Reset (0x0C03)")
        #expect(detail.value("Return parameters", "Status")?.hasSuffix("(0x0C)") == true)
        let end = add([4, 5, 4, 0, 0x40, 0, 0x13])
        #expect(end.name == "Disconnection Complete" && end.text.hasPrefix("handle 0040, "))
        #expect(end.text(in: .chinese) == "句柄 0040，对方用户终止了连接")
        let report = add([4, 0x3E, 18, 2, 1, 0, 1, 1, 2, 3, 4, 5, 0xC6, 6, 5, 9, 0x42, 0x75, 0x6C, 0x62, 0xC4])
        #expect(report.text == "C6:05:04:03:02:01 (random static) \"Bulb\"")
        let begin = add([4, 0x3E, 19, 1, 0, 0x40, 0, 1, 1, 1, 2, 3, 4, 5, 0xC6, 24, 0, 0, 0, 0xF4, 1, 0])
        #expect(begin.text == "handle 0040, peripheral, C6:05:04:03:02:01 (random static), interval 30.00 ms")
        #expect(dissector.detail(of: begin, in: .chinese).value("地址") == "C6:05:04:03:02:01 (静态随机)")
    }

    /// The second version has the handles of trains at its end.
    @Test mutating func bothVersionsOfTheEnhancedEventHaveTheirFields() {
        let parameters: [UInt8] =
            [0, 0x40, 0, 1, 1, 1, 2, 3, 4, 5, 0xC6] + [UInt8](repeating: 0, count: 12) + [24, 0, 0, 0, 0xF4, 1, 0]
        for (code, rest, name) in [(0x0A, [], "v1"), (0x29, [0xFF, 0xFF, 0xFF], "v2")] as [(UInt8, [UInt8], String)] {
            let event = add([4, 0x3E, UInt8(1 + parameters.count + rest.count), code] + parameters + rest)
            #expect(event.name == "LE Enhanced Connection Complete [\(name)]")
            #expect(event.text == "handle 0040, peripheral, C6:05:04:03:02:01 (random static), interval 30.00 ms")
            let detail = dissector.detail(of: event)
            expectTiling(detail)
            #expect(detail.value("Role") == "peripheral" && detail.value("Connection handle") == "0040")
            #expect(dissector.detail(of: event, in: .chinese).value("地址") == "C6:05:04:03:02:01 (静态随机)")
        }
    }

    @Test mutating func packetsThatAreCutOrMeaninglessAreShown() throws {
        var capture = HostCapture()
        capture.connect()
        capture.discover()
        capture.command(0x0406, [0x40, 0, 0x13])
        capture.disconnect(0x13)
        var packets = try add(capture).map(\.octets)
        packets += packets.flatMap { packet in (0..<packet.count).map { Array(packet.prefix($0)) } }
        var chance = Chance(state: 1)
        for _ in 0..<2000 {
            let count = chance.next(below: 40)
            packets.append([UInt8(chance.next(below: 7))] + (0..<count).map { _ in UInt8(chance.next(below: 256)) })
        }
        for packet in packets {
            let summary = add(packet, controller: UInt16(packet.count % 3))
            #expect(!summary.name.isEmpty)
            let (english, chinese) = (dissector.detail(of: summary), dissector.detail(of: summary, in: .chinese))
            expectTiling(english)
            #expect(english.sections.map { $0.fields.map(\.range) } == chinese.sections.map { $0.fields.map(\.range) })
        }
    }

    @Test mutating func theLinksOfAHostileCaptureAreBounded() {
        for number in 0..<5000 {
            _ = add(
                [2, UInt8(number & 0xFF), 0x20 | UInt8(number >> 8 & 0x0F), 5, 0, 1, 0, 4, 0, 0x13],
                controller: UInt16(number / 100))
        }
        #expect(dissector.hostLinks.count <= HostLinks.limit && dissector.hostLinks.count > 0)
        #expect(dissector.linkCount <= AirDissector.linkLimit)
    }
}
