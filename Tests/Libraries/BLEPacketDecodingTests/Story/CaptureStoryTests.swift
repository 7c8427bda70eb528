import BLEWire
import Testing

@testable import BLEPacketDecoding

/// The story of a host's packets.
struct CaptureStoryTests {
    /// A phone that connects, pairs, discovers, subscribes and reads.
    private func visit() -> HostCapture {
        var capture = HostCapture()
        // LE Advertising Report: ADV_IND with the name "Bulb", -60 dBm.
        capture.event(
            0x3E, [2, 1, 0, 1, 1, 2, 3, 4, 5, 0xC6, 6, 5, 9] + Array("Bulb".utf8) + [UInt8(bitPattern: -60)])
        capture.connect()
        // Read Remote Version Information Complete: 5.2, company 0059.
        capture.event(0x0C, [0, 0x40, 0, 11, 0x59, 0, 1, 0])
        capture.event(0x3E, [7, 0x40, 0, 251, 0, 0x48, 8, 27, 0, 0x48, 1])
        // LE PHY Update Complete: this host sends 2M and receives 1M.
        capture.event(0x3E, [12, 0, 0x40, 0, 2, 1])
        capture.sendATT([0x02, 0xF7, 0])
        capture.receiveATT([0x03, 0xB9, 0])
        capture.discover()
        capture.frame(6, [0x01, 4, 0, 0x0D, 16, 3, 3], isSent: true)
        capture.frame(6, [0x02, 4, 0, 0x0D, 16, 3, 3], isSent: false)
        capture.encrypt()
        capture.subscribe()
        for _ in 0..<11 { capture.receiveATT([0x1B, 3, 0, 0, 72]) }
        capture.sendATT([0x0A, 3, 0])
        capture.receiveATT([0x01, 0x0A, 3, 0, 0x02])
        // The peripheral asks for 15 to 30 ms, and gets 30 ms.
        capture.frame(5, [0x12, 1, 8, 0, 12, 0, 24, 0, 0, 0, 0x90, 1], isSent: false)
        capture.frame(5, [0x13, 1, 2, 0, 0, 0], isSent: true)
        capture.command(0x2013, [0x40, 0, 12, 0, 24, 0, 0, 0, 0x90, 1, 0, 0, 0, 0])
        capture.event(0x3E, [3, 0, 0x40, 0, 24, 0, 0, 0, 0x90, 1])
        capture.command(0x0406, [0x40, 0, 0x13])
        capture.disconnect(0x16)
        return capture
    }

    @Test func aVisitIsToldInOrder() throws {
        let story = try visit().story()
        let link = try #require(story.links.first)
        #expect(story.links.count == 1 && link.isWhole && link.local == .central && link.isRoleKnown)
        #expect(link.addresses == [nil, HostCapture.peer])
        #expect(story.name(of: HostCapture.peer) == "Bulb")
        let asked = RequestedParameters(minimum: 12, maximum: 24, latency: 0, timeout: 400)
        let measurement = BluetoothUUID(0x2A37 as UInt16)
        #expect(
            link.events.dropLast() == [
                .began(LinkParameters(interval: 24, latency: 0, timeout: 500)),
                .version(.peripheral, .v5_2, company: 0x59), .dataLength(central: 251, peripheral: 27),
                .phy(central: 2, peripheral: 1), .mtu(client: 247, server: 185), .discovery(by: .central), .pairing,
                .pairingMethod(.numericComparison, secureConnections: true), .encrypted,
                .subscription(handle: 3, measurement, configuration: 1, by: .central),
                .updateRequested(asked, by: .peripheral),
                .updated(LinkParameters(interval: 24, latency: 0, timeout: 400), askedBy: .peripheral),
            ])
        let ending = try #require(link.ending)
        #expect(ending.cause == .side(.central) && ending.reason == .connectionTerminatedByLocalHost)
        #expect(link.mtu == 185 && link.parameters.dataLength == [251, 27])
        #expect(story.allFindings.isEmpty)
    }

    @Test func attributesAreCountedByHandle() throws {
        let story = try visit().story()
        let link = try #require(story.links.first)
        let server = link.servers[LinkSide.peripheral.rawValue]
        #expect(server.declared.map(\.handle) == [1, 3, 0x10, 0x12])
        #expect(server.declared.map(\.kind) == [.service, .value, .service, .value])
        #expect(server.declared[1].properties == 0x10 && server.declared[0].end == 0x0F)
        let use = try #require(server.uses[3])
        #expect(use.notifications == 11 && use.octets == 22 && use.configuration == 1 && use.reads == 0)
        // Eleven in 100 ms.
        #expect(use.rate == 100)
        #expect(server.uses[4]?.writes == 1)
        let refusal = try #require(server.refusals.first)
        #expect(server.refusals.count == 1 && refusal.code == .readNotPermitted && refusal.request == .readRequest)
        #expect(refusal.attribute?.uuid == BluetoothUUID(0x2A37 as UInt16))
        #expect(link.servers[LinkSide.central.rawValue].uses.isEmpty)
    }

    /// Service Changed, and what happens to security and channels after a pairing.
    @Test func eventsOfSecurityChannelsAndTheServerAreTold() throws {
        var capture = HostCapture()
        capture.connect()
        capture.discover()
        // Security Request: bonding. Encryption Change with Pin or Key Missing, then a success.
        capture.frame(6, [0x0B, 1], isSent: false)
        capture.encrypt(status: 0x06)
        capture.encrypt()
        // Encryption Key Refresh Complete.
        capture.event(0x30, [0, 0x40, 0])
        // LE Credit Based Connection Request for PSM 0080, and Enhanced Credit Based Connection Request for EATT.
        capture.frame(5, [0x14, 1, 10, 0, 0x80, 0, 0x40, 0, 23, 0, 23, 0, 1, 0], isSent: true)
        capture.frame(5, [0x17, 2, 10, 0, 0x27, 0, 64, 0, 64, 0, 1, 0, 0x41, 0], isSent: false)
        // An indication of Service Changed, and its confirmation.
        capture.receiveATT([0x1D, 0x12, 0, 1, 0, 0xFF, 0xFF])
        capture.sendATT([0x1E])
        // Encryption Change: off.
        capture.event(0x08, [0, 0x40, 0, 0])
        let story = try capture.story()
        let link = try #require(story.links.first)
        #expect(
            link.events.dropFirst(2) == [
                .securityRequest, .encryptionFailed(.pinOrKeyMissing), .encrypted, .keyRefreshed,
                .channel(psm: 0x80, by: .central), .channel(psm: 0x27, by: .peripheral), .serviceChanged, .unencrypted,
            ])
        let lines = story.lines(in: .english).map(\.text)
        for text in [
            "the peripheral requests security", "encryption fails: PIN or Key Missing", "the link is encrypted",
            "the link is encrypted with another key", "this host opens a channel for PSM 0080",
            "the peer opens a channel for PSM 0027", "Service Changed: the attributes of the server changed",
            "encryption ends",
        ] { #expect(lines.contains { $0.hasSuffix(text) }, "\(text) is not in \(lines)") }
    }

    /// Read Using Characteristic UUID: the name of the device.
    @Test func aReadByATypeIsARead() throws {
        var capture = HostCapture()
        capture.connect()
        capture.sendATT([0x08, 1, 0, 0xFF, 0xFF, 0, 0x2A])
        capture.receiveATT([0x09, 6, 0x30, 0] + Array("Bulb".utf8))
        let server = try #require(try capture.story().links.first).servers[LinkSide.peripheral.rawValue]
        let use = try #require(server.uses[0x30])
        #expect(use.reads == 1 && use.octets == 4 && use.attribute?.uuid == BluetoothUUID(0x2A00 as UInt16))
        #expect(server.uses.count == 1 && server.declared.isEmpty)
    }

    @Test func theTextNamesThePackets() throws {
        let story = try visit().story()
        let english = story.lines(in: .english).map(\.text)
        #expect(english.first?.hasSuffix("1 link, 1 advertising device, 0 problems") == true)
        #expect(
            english.contains {
                $0.hasSuffix("this host subscribes to notifications of Heart Rate Measurement (handle 0003)")
            })
        #expect(
            english.contains { $0.contains("Link 1: central = this host, peripheral = C6:05:04:03:02:01 \"Bulb\"") })
        #expect(
            english.contains {
                $0.contains("frame 2 ") && $0.contains("begins: interval 30.00 ms, latency 0, timeout 5000 ms")
            })
        #expect(
            english.contains { $0.contains("Heart Rate Measurement (handle 0003)  11 notifications, 100.0 per second") }
        )
        #expect(
            english.contains { $0.contains("ATT_READ_REQ Heart Rate Measurement (handle 0003): Read Not Permitted") })
        #expect(english.contains { $0.contains("this host ends the link (Connection Terminated By Local Host, 0x16)") })
        let chinese = story.lines(in: .chinese).map(\.text)
        #expect(chinese.count == english.count)
        #expect(chinese.contains { $0.contains("本机断开连接（本地主机终止了连接，0x16）") })
        #expect(chinese.contains { $0.contains("Heart Rate Measurement (句柄 0003)  通知 11 次，每秒 100.0 次") })
    }

    @Test func theLinesNameTheirPackets() throws {
        let story = try visit().story()
        let english = story.lines(in: .english)
        func frames(_ lines: [StoryLine]) -> [[Int]] { lines.map { $0.parts.compactMap(\.frame) } }
        #expect(frames(english) == frames(story.lines(in: .chinese)))
        let begin = try #require(english.first { $0.text.contains("begins: ") })
        #expect(begin.text == "  frame 2      0.010 s      begins: interval 30.00 ms, latency 0, timeout 5000 ms")
        #expect(begin.parts.first { $0.frame != nil } == StoryLine.Part("frame 2", frame: 2))
        let link = try #require(story.links.first)
        let refused = try #require(
            link.servers[LinkSide.peripheral.rawValue].refusals.first { $0.request == .readRequest })
        let named = Set(frames(english).joined())
        #expect(named.isSuperset(of: link.output.events.map(\.moment.frame)))
        #expect(named.isSuperset(of: link.output.findings.all.flatMap(\.frames)))
        #expect(named.contains(refused.first.frame))
    }

    @Test func aFindingNamesEachOfItsPackets() throws {
        var capture = HostCapture()
        capture.connect()
        for _ in 0..<2 { capture.receiveATT([0x1B, 9, 0, 1]) }
        let lines = try capture.story().lines(in: .english)
        let finding = try #require(lines.first { $0.text.contains(" Frames 2, 3. [Vol 3, Part G, 3.3.3.3]") })
        #expect(finding.parts.compactMap(\.frame) == [2, 3])
    }

    @Test(
        arguments: [
            (0x13, LinkEnding.Cause.side(.peripheral)), (0x15, .side(.peripheral)), (0x3B, .side(.peripheral)),
            (0x16, .side(.central)), (0x08, .lost),
        ] as [(UInt8, LinkEnding.Cause)])
    func theReasonSaysWhichSideEndedALink(reason: UInt8, cause: LinkEnding.Cause) throws {
        var capture = HostCapture()
        capture.connect()
        capture.disconnect(reason)
        #expect(try capture.story().links.first?.ending?.cause == cause)
    }

    @Test func aCommandOfTheHostSaysWhoEndedALinkForAnotherReason() throws {
        var capture = HostCapture()
        capture.connect()
        capture.command(0x0406, [0x40, 0, 0x3B])
        capture.disconnect(0x3B)
        #expect(try capture.story().links.first?.ending?.cause == .side(.central))
    }

    @Test func aResetEndsTheLinksOfItsController() throws {
        var capture = HostCapture()
        capture.connect()
        capture.command(0x0C03, [])
        let link = try #require(try capture.story().links.first)
        #expect(link.ending?.cause == .reset && link.ending?.reason == nil)
    }

    /// Packets of a link whose start is not in the file, and of BR/EDR, whose channels are others.
    @Test func aLinkMayBeOlderThanTheCapture() throws {
        var capture = HostCapture()
        capture.frame(0x41, [1, 2, 3], isSent: true)
        #expect(try capture.story().links.isEmpty)
        capture.receiveATT([0x1B, 3, 0, 72])
        let link = try #require(try capture.story().links.first)
        #expect(!link.isWhole && !link.isRoleKnown && link.events == [.began(nil)])
        #expect(link.servers[LinkSide.peripheral.rawValue].uses[3]?.notifications == 1)
    }

    @Test func aFrameInFragmentsIsOnePDU() throws {
        var capture = HostCapture()
        capture.connect()
        let value = [UInt8](repeating: 5, count: 40)
        let frame: [UInt8] = [43, 0, 4, 0, 0x52, 3, 0] + value
        capture.send([2, 0x40, 0, 27, 0] + frame[..<27])
        capture.send([2, 0x40, 0x10, 20, 0] + frame[27...])
        // A continuation without its start.
        capture.send([2, 0x40, 0x10, 20, 0] + frame[27...])
        let use = try #require(try capture.story().links.first?.servers[LinkSide.peripheral.rawValue].uses[3])
        #expect(use.commands == 1 && use.octets == 40)
    }

    /// A PDU is counted by what the recorder kept of it. Its next fragment does not complete it in another way.
    @Test func aPacketThatTheRecorderCutIsCountedByItsFirstOctets() throws {
        let value = [UInt8](repeating: 7, count: 100)
        let frame: [UInt8] = [103, 0, 4, 0, 0x1B, 3, 0] + value
        var capture = HostCapture()
        capture.connect()
        capture.receive([2, 0x40, 0x20, 107, 0] + frame, keeping: 12)
        // The header of L2CAP alone.
        capture.receive([2, 0x40, 0x20, 107, 0] + frame, keeping: 9)
        capture.receive([2, 0x40, 0x20, 60, 0] + frame[..<60], keeping: 20)
        capture.receive([2, 0x40, 0x10, 47, 0] + frame[60...])
        let story = try capture.story()
        let link = try #require(story.links.first)
        #expect(link.servers[LinkSide.peripheral.rawValue].uses[3]?.notifications == 2)
        #expect(link.streams[LinkSide.peripheral.rawValue].octets == 321 && story.counts.truncated == 3)
        #expect(story.lines(in: .english).contains { $0.text.contains("3 packets cut short by the recorder") })
    }

    /// The links of one run, and the limit.
    @Test func linksBeyondTheLimitAreCounted() throws {
        var capture = HostCapture()
        for _ in 0..<CaptureStory.linkLimit + 3 {
            capture.connect()
            // Data does not make one more link of the same one.
            for _ in 0..<3 { capture.receiveATT([0x1B, 3, 0, 72]) }
            capture.disconnect(0x13)
        }
        let story = try capture.story()
        #expect(story.links.count == CaptureStory.linkLimit && story.leftOutLinks == 3)
        #expect(story.lines(in: .english).last?.text == "3 more links, left out")
    }

    @Test func advertisersBeyondTheLimitAreCounted() throws {
        var capture = HostCapture()
        for number in 0..<CaptureStory.advertiserLimit + 2 {
            let (low, high) = (UInt8(number & 0xFF), UInt8(number >> 8))
            capture.event(0x3E, [2, 1, 0, 1, low, high, 3, 4, 5, 0xC6, 0, 127])
        }
        let story = try capture.story()
        #expect(story.advertisers.count == CaptureStory.advertiserLimit && story.leftOutReports == 2)
        // 127 means that the signal is not known.
        #expect(story.advertisers.allSatisfy { $0.signal == nil && $0.packets == 1 && $0.isConnectable })
    }

    @Test func eventsBeyondTheLimitAreCountedAndTheEndIsTold() throws {
        var capture = HostCapture()
        capture.connect()
        for _ in 0..<LinkOutput.eventLimit + 5 { capture.encrypt() }
        capture.disconnect(0x13)
        let link = try #require(try capture.story().links.first)
        #expect(link.output.events.count == LinkOutput.eventLimit + 1 && link.output.leftOutEvents == 6)
        #expect(link.output.events.last?.kind == link.ending.map { .ended($0) })
    }

    /// Any octets in any packets: no trap, and equal files give equal stories.
    @Test func arbitraryPacketsDoNotTrap() throws {
        var random = SeededRandom(seed: 12)
        for _ in 0..<60 {
            var capture = HostCapture()
            capture.connect(isCentral: Bool.random(using: &random))
            for _ in 0..<60 {
                let octets = (0..<Int.random(in: 0...40, using: &random)).map { _ in
                    UInt8.random(in: 0...255, using: &random)
                }
                switch UInt8.random(in: 0...4, using: &random) {
                case 0: capture.event(UInt8.random(in: 0...255, using: &random), octets)
                case 1: capture.event(0x3E, [UInt8.random(in: 1...0x29, using: &random), 0, 0x40, 0] + octets)
                case 2:
                    capture.frame(
                        UInt8.random(in: 4...6, using: &random), octets, isSent: Bool.random(using: &random))
                case 3:
                    let opcode = UInt8.random(in: 1...0x23, using: &random)
                    capture.frame(4, [opcode] + octets, isSent: Bool.random(using: &random))
                default: capture.receive([UInt8.random(in: 0...5, using: &random)] + octets)
                }
            }
            let (one, other) = (try capture.story(), try BLEPacketDecodingTests.story(of: capture.file, pieces: 7))
            #expect(one.lines(in: .chinese) == other.lines(in: .chinese) && one.counts.all == capture.frames)
        }
    }
}
