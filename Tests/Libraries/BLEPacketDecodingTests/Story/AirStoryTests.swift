import BLETransport
import BLEWire
import Testing

@testable import BLEPacketDecoding

/// The story of packets on the air.
struct AirStoryTests {
    private func link(_ make: (inout AirFile) -> Void) throws -> LinkStory {
        var file = AirFile()
        file.connect()
        make(&file)
        return try #require(try file.story().links.first)
    }

    @Test func aLinkOnTheAirIsTold() throws {
        var file = AirFile()
        for _ in 0..<3 { file.advertise(after: 100_000) }
        file.connect()
        file.exchange()
        // LL_LENGTH_REQ and LL_LENGTH_RSP.
        file.control([0x14, 0xFB, 0, 0x48, 8, 0xFB, 0, 0x48, 8], from: .central)
        file.control([0x15, 0x1B, 0, 0x48, 1, 0x64, 0, 0x48, 8], from: .peripheral)
        // LL_PHY_UPDATE_IND: 2M for the central's packets.
        file.control([0x18, 2, 0, 20, 0], from: .central)
        file.att([0x02, 0xF7, 0], from: .central)
        file.att([0x03, 0xB9, 0], from: .peripheral)
        file.att([0x1B, 3, 0, 9], from: .peripheral)
        // LL_CONNECTION_PARAM_REQ of the peripheral: 15 to 30 ms, timeout 4 s.
        file.control(
            [0x0F, 12, 0, 24, 0, 0, 0, 0x90, 1, 0, 0, 0] + [UInt8](repeating: 0xFF, count: 12), from: .peripheral)
        file.control([0x00, 1, 0, 0, 24, 0, 0, 0, 0x90, 1, 30, 0], from: .central)
        file.control([0x02, 0x13], from: .peripheral)
        let story = try file.story()
        #expect(story.advertisers.map(\.packets) == [6] && story.name(of: HostCapture.peer) == "Bulb")
        let link = try #require(story.links.first)
        #expect(story.links.count == 1 && link.local == nil && link.key == .air(accessAddress: AirFile.accessAddress))
        #expect(link.addresses == [DeviceAddress(kind: .random, value: 0xD615_1413_1211), HostCapture.peer])
        let asked = RequestedParameters(minimum: 12, maximum: 24, latency: 0, timeout: 400)
        #expect(
            link.events.dropLast() == [
                .began(LinkParameters(interval: 24, latency: 0, timeout: 200)),
                .dataLength(central: 27, peripheral: 100), .phy(central: 2, peripheral: 0),
                .mtu(client: 247, server: 185), .updateRequested(asked, by: .peripheral),
                .updated(LinkParameters(interval: 24, latency: 0, timeout: 400), askedBy: .peripheral),
            ])
        #expect(link.ending?.cause == .side(.peripheral) && link.ending?.reason == .remoteUserTerminatedConnection)
        let kind = CaptureFinding.Kind.updateWithoutSubscription(handle: 3, nil, isIndication: false)
        #expect(story.allFindings.map(\.kind) == [kind])
        let text = story.lines(in: .english).map(\.text)
        #expect(text.contains { $0.hasPrefix("Link 1: central = D6:15:14:13:12:11 (static random), peripheral = ") })
        #expect(text.contains { $0.contains("the peripheral ends the link") })
    }

    /// The acknowledgement of the PDU that ended a link is no second link, and neither is a repetition of that PDU.
    @Test func whatFollowsTheEndBelongsToTheLink() throws {
        var file = AirFile()
        for round in 0..<2 {
            if round > 0 { file.advertise(after: 100_000) }
            file.connect()
            file.control([0x02, 0x13], from: .central)
            file.data(.continuation, [], from: .peripheral)
            file.again(.control, [0x02, 0x13], from: .central)
            file.data(.continuation, [], from: .peripheral)
        }
        let links = try file.story().links
        #expect(links.map(\.ending?.cause) == [.side(.central), .side(.central)])
    }

    /// A file without directions: the times say who sent a packet.
    @Test func theTimesTellTheSides() throws {
        var file = AirFile()
        file.hasDirections = false
        file.connect()
        file.exchange()
        file.att([0x02, 0xF7, 0], from: .central)
        file.att([0x03, 0xB9, 0], from: .peripheral)
        file.exchange()
        file.data(.continuation, [], from: .central)
        file.control([0x02, 0x16], from: .peripheral)
        let link = try #require(try file.story().links.first)
        #expect(link.events.contains(.mtu(client: 247, server: 185)))
        #expect(link.ending?.cause == .side(.peripheral))
    }

    @Test func repetitionsAreCountedAndManyAreFound() throws {
        func link(_ repetitions: Int) throws -> LinkStory {
            try self.link { file in
                for number in 0..<60 {
                    file.att([0x52, 3, 0, UInt8(number)], from: .central)
                    if number < repetitions {
                        file.again(.start, [4, 0, 4, 0, 0x52, 3, 0, UInt8(number)], from: .central)
                    }
                    // Empty packets have nothing to repeat.
                    file.data(.continuation, [], from: .peripheral)
                }
                file.control([0x02, 0x13], from: .central)
            }
        }
        let many = try link(30)
        #expect(many.streams[0].retransmissions == 30 && many.streams[0].packets == 61)
        #expect(many.servers[LinkSide.peripheral.rawValue].uses[3]?.commands == 60)
        #expect(many.output.findings.all.map(\.kind) == [.retransmissions(.central, percent: 32)])
        #expect(try link(19).output.findings.all.isEmpty)
    }

    /// An equal value after an empty packet is a new packet, although its sequence number is the same again.
    @Test func anEqualValueIsNoRepetition() throws {
        let link = try link { file in
            for _ in 0..<4 {
                file.att([0x1B, 3, 0, 72], from: .peripheral)
                file.data(.continuation, [], from: .peripheral)
            }
        }
        #expect(link.streams[1].retransmissions == 0 && link.streams[1].packets == 4)
        #expect(link.servers[LinkSide.peripheral.rawValue].uses[3]?.notifications == 4)
    }

    /// The same sequence number with other content: the recorder missed a packet.
    @Test func aMissedPacketIsNoRepetition() throws {
        let link = try link { file in
            file.att([0x52, 3, 0, 1], from: .central)
            file.again(.start, [4, 0, 4, 0, 0x52, 3, 0, 2], from: .central)
        }
        #expect(link.streams[0].retransmissions == 0)
        #expect(link.servers[LinkSide.peripheral.rawValue].uses[3]?.commands == 2)
    }

    @Test func encryptedPacketsAreCounted() throws {
        let link = try link { file in
            // LL_ENC_REQ, LL_ENC_RSP, LL_START_ENC_REQ; then what no key of the file decrypts.
            file.control([0x03] + [UInt8](repeating: 1, count: 22), from: .central)
            file.control([0x04] + [UInt8](repeating: 2, count: 12), from: .peripheral)
            file.control([0x05], from: .peripheral)
            file.control([9, 8, 7, 6, 5], from: .central)
            file.data(.start, [UInt8](repeating: 9, count: 12), from: .peripheral)
        }
        #expect(link.events == [.began(LinkParameters(interval: 24, latency: 0, timeout: 200)), .encrypted])
        #expect(link.encryption.hiddenPackets == 2 && link.encryption.isBonded)
    }

    /// Some recorders decrypt packets and leave their MICs.
    @Test func aMICBehindADecryptedPacketIsLeftOut() throws {
        var story = CaptureStory()
        var file = AirFile()
        file.connect()
        var reader = CaptureReader()
        reader.append(file.file)
        story.add(try #require(try reader.next()))
        let pdus: [[UInt8]] = [
            [2, 12, 4, 0, 4, 0, 0x1B, 3, 0, 9, 1, 2, 3, 4], [0x0B, 6, 2, 0x13, 1, 2, 3, 4],
        ]
        for (number, pdu) in pdus.enumerated() {
            let air = CapturedPacket.Air(
                accessAddress: AirFile.accessAddress, octets: pdu, direction: .peripheralToCentral, isDecrypted: true)
            story.add(CapturedPacket(number: number + 2, time: Int64(number + 1), content: .air(air)))
        }
        let link = try #require(story.links.first)
        #expect(link.servers[LinkSide.peripheral.rawValue].uses[3]?.octets == 1)
        #expect(link.ending?.cause == .side(.peripheral) && link.ending?.reason == .remoteUserTerminatedConnection)
    }

    /// LL_REJECT_EXT_IND for LL_ENC_REQ, and LL_REJECT_IND, which names no request: PIN or Key Missing.
    @Test(arguments: [[0x11, 0x03, 0x06], [0x0D, 0x06]] as [[UInt8]])
    func aRefusedKeyIsFound(answer: [UInt8]) throws {
        let link = try link { file in
            // Nothing asked for anything yet.
            file.control([0x0D, 0x1A], from: .peripheral)
            file.control([0x03] + [UInt8](repeating: 1, count: 22), from: .central)
            file.control(answer, from: .peripheral)
        }
        #expect(link.output.findings.all.map(\.kind) == [.keyMissing(.pinOrKeyMissing)])
    }

    @Test func aRefusedUpdateIsFound() throws {
        let link = try link { file in
            file.control(
                [0x0F, 24, 0, 48, 0, 0, 0, 0x90, 1, 0, 0, 0] + [UInt8](repeating: 0xFF, count: 12), from: .peripheral)
            file.control([0x11, 0x0F, 0x3B], from: .central)
        }
        let kind = CaptureFinding.Kind.updateRefused(.unacceptableConnectionParameters, askedBy: .peripheral)
        #expect(link.output.findings.all.map(\.kind) == [kind])
    }

    @Test func aLinkThatFallsSilentIsFound() throws {
        func ending(_ make: (inout AirFile) -> Void) throws -> (LinkEnding.Cause?, [CaptureFinding.Kind]) {
            var file = AirFile()
            file.connect()
            make(&file)
            file.advertise(after: 2_500_000)
            let link = try #require(try file.story().links.first)
            return (link.ending?.cause, link.output.findings.all.map(\.kind))
        }
        let lost = try ending { $0.exchange() }
        #expect(lost.0 == .silence && lost.1 == [.fellSilent])
        let never = try ending { $0.data(.continuation, [], from: .central) }
        #expect(never.0 == .silence && never.1 == [.notEstablished])
        // Its LL_TERMINATE_IND may be the packet that has no plaintext.
        let hidden = try ending { file in
            file.control([0x05], from: .peripheral)
            file.control([9, 8, 7, 6, 5, 4], from: .central)
        }
        #expect(hidden.0 == .silence && hidden.1.isEmpty)
        // The capture ends first.
        #expect(try link { $0.exchange() }.ending == nil)
    }

    @Test func advertisingBelowTheShortestIntervalIsFound() throws {
        var fast = AirFile()
        for _ in 0..<8 { fast.advertise(after: 9_000) }
        let kinds = try fast.story().allFindings.map(\.kind)
        guard case .advertisingTooFast(let address?, let interval)? = kinds.first else {
            Issue.record("found \(kinds)")
            return
        }
        #expect(kinds.count == 1 && address == HostCapture.peer && (9_000...12_000).contains(interval))
        var slow = AirFile()
        for _ in 0..<8 { slow.advertise(after: 20_000) }
        #expect(try slow.story().allFindings.isEmpty)
    }

    /// Without times nothing is too fast or too late.
    @Test(arguments: [nil, 0] as [Int64?])
    func aFileWithoutTimesHasNoFindingsAboutThem(time: Int64?) {
        var story = CaptureStory()
        for number in 1...8 {
            let air = CapturedPacket.Air(
                accessAddress: LL.advertisingAccessAddress, octets: [0x40, 6, 1, 2, 3, 4, 5, 0xC6], channel: 37)
            story.add(CapturedPacket(number: number, time: time, content: .air(air)))
        }
        story.finish()
        #expect(story.advertisers.map(\.packets) == [8] && story.allFindings.isEmpty)
        #expect(story.origin == time && story.last.map(story.seconds) == 0)
    }

    @Test func arbitraryPacketsDoNotTrap() throws {
        var random = SeededRandom(seed: 13)
        for _ in 0..<60 {
            var file = AirFile()
            file.hasDirections = Bool.random(using: &random)
            file.connect()
            for _ in 0..<60 {
                let octets = (0..<Int.random(in: 0...40, using: &random)).map { _ in
                    UInt8.random(in: 0...255, using: &random)
                }
                let side: LinkSide = Bool.random(using: &random) ? .central : .peripheral
                switch UInt8.random(in: 0...3, using: &random) {
                case 0: file.control([UInt8.random(in: 0...0x2D, using: &random)] + octets, from: side)
                case 1: file.data(.start, octets, from: side)
                case 2: file.data(.continuation, octets, from: side)
                default: file.att([UInt8.random(in: 1...0x23, using: &random)] + octets, from: side)
                }
            }
            let story = try file.story()
            #expect(story.counts.all == file.frames && !story.lines(in: .english).isEmpty)
        }
    }
}
