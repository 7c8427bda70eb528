import BLEWire
import Testing

@testable import BLEController

/// One end of a link alone: its clock, its events, and the PDUs that it writes.
struct LinkConnectionTests {
    private func link(
        _ role: HCI.Role = .peripheral, interval: UInt16 = 24, latency: UInt16 = 0, accuracy: UInt8 = 7,
        length: DataLength.Limits = .minimum
    ) -> LinkLayerConnection {
        let request = LL.ConnectInd(
            initiator: 1, advertiser: 2, accessAddress: 0x1234_5678, crcInit: 0, windowSize: 1, windowOffset: 0,
            interval: interval, latency: latency, timeout: 3200, channelMap: .all, hop: 5, sleepClockAccuracy: accuracy)
        let result = LinkLayerConnection(
            handle: 1, role: role, peer: DeviceAddress(kind: .public, value: 1), request: request,
            selection: .first(hop: 5), anchor: .zero + .seconds(1), window: .zero,
            procedures: LinkLayerProcedures(
                role: role, features: [.extendedReject, .twoM, .coded],
                version: LL.VersionInd(version: 13, company: 1, subversion: 2),
                dataLength: DataLength(tx: length, rx: length), phys: ([.oneM, .twoM], [.oneM, .twoM])))
        return result
    }

    // MARK: The clock

    /// The greatest error of both clocks, by the field SCA of CONNECT_IND (Vol 6, Part B, 2.3.3.1), with 20 ppm of the own clock, and the
    /// resulting window widening (4.2.4) with its 16 us: (ppm / 10^6) * interval + 16 us.
    @Test(
        arguments: [
            (0, 520, 31_600), (1, 270, 24_100), (2, 170, 21_100), (3, 120, 19_600), (4, 95, 18_850), (5, 70, 18_100),
            (6, 50, 17_500), (7, 40, 17_200),
        ] as [(UInt8, Int, Int)])
    func thePeripheralListensEarlierByTheErrorOfTheClocks(accuracy: UInt8, error: Int, widening: Int) {
        let link = link(interval: 24, accuracy: accuracy)
        #expect(link.timing.clockError == error)
        #expect(link.widening == .nanoseconds(widening))
        #expect(link.start == link.timing.anchor - .nanoseconds(widening))
    }

    @Test func theWideningStaysWithinTheInterFrameSpace() {
        // 4 s at 520 ppm are 2 ms.
        #expect(link(interval: 3200, accuracy: 0).widening == .microseconds(100))
        #expect(link(interval: 6, accuracy: 7).widening == .nanoseconds(16_300))
        // A central sends by its own clock.
        #expect(link(.central, interval: 3200, accuracy: 0).widening == .zero)
    }

    /// A peripheral's event ends before the window of the next one opens: 520 ppm of 30 ms, and 16 us, before its anchor.
    @Test func anEventLeavesTheNextWindowFree() {
        let cases: [(HCI.Role, Bool, Int)] = [
            (.peripheral, true, 31_600), (.peripheral, false, 0), (.central, true, 0),
        ]
        for (role, expectsDrift, early) in cases {
            let link = link(role, interval: 24, accuracy: 0)
            link.timing.expectsDrift = expectsDrift
            #expect(link.followingStart == link.timing.anchor + .milliseconds(30) - .nanoseconds(early))
            // Two empty PDUs, and three inter frame spaces.
            let last = link.followingStart - .microseconds(2 * 80 + 3 * 150)
            #expect(link.fitsAnotherExchange(after: last))
            #expect(!link.fitsAnotherExchange(after: last + .nanoseconds(1)))
        }
    }

    /// With clocks that drift: (ppm / 10^6) * the time since the last anchor point + 16 us, below half of an interval.
    @Test func theWideningGrowsWithTheTimeSinceTheLastAnchor() {
        let link = link(interval: 24, accuracy: 0)
        link.timing.expectsDrift = true
        // The first event is at the anchor that the connection request names.
        #expect(link.widening == .microseconds(16))
        for events in [1, 2, 10] {
            link.timing.heard = link.timing.anchor - .milliseconds(30) * events
            #expect(link.widening == .nanoseconds(16_000 + events * 15_600))
            #expect(link.start == link.timing.anchor - link.widening)
        }
        link.timing.heard = link.timing.anchor - .seconds(32)
        #expect(link.widening == .microseconds(15_000 - 150))
        // The peer's accuracy, then the own one.
        link.timing.heard = link.timing.anchor - .seconds(1)
        link.timing.learn(accuracy: 7)
        #expect(link.timing.clockError == 40 && link.widening == .microseconds(16 + 40))
        link.timing.use(.ppm250)
        #expect(link.timing.clockError == 270 && link.widening == .microseconds(16 + 270))
    }

    @Test func theUnitsOfTheParameters() {
        let link = link(interval: 6)
        #expect(link.timing.intervalSpan == .microseconds(7_500))
        link.timing.timeout = 10
        #expect(link.timing.timeoutSpan == .milliseconds(100))
        link.encryption.payloadTimeout = 3000
        #expect(link.payloadTimeoutSpan == .seconds(30))
    }

    // MARK: Room

    /// Both ends always have data, and each event has room for its shortest PDU and no more: the longest control PDU, LL_PERIODIC_SYNC_IND of 35
    /// octets, goes in the next event all the same, a second time as well.
    @Test(arguments: LL.PHY.allCases, [false, true]) func dataDoesNotHoldUpAControlPDU(
        phy: LL.PHY, hasControl: Bool
    ) throws {
        let (central, peripheral) = (link(.central, interval: 6), link(interval: 6))
        let data = [UInt8](repeating: 7, count: LL.minimumDataLength)
        let control = [UInt8](repeating: 0x1C, count: 35)
        let exchange =
            phy.airTime(pduLength: 2 + data.count) + phy.airTime(pduLength: 2) + LL.interFrameSpace * 2
        for end in [central, peripheral] {
            end.phys = LinkLayerConnection.PHYs(startingOn: phy)
            end.updatePayloads()
            for _ in 0..<20 { end.transmitter.queue.append(data.span, isStart: true) }
        }
        var actions: [LinkLayerProcedures.Action] = []
        for event in 0..<12 {
            let start = Instant.zero + .milliseconds(1_000 + 8 * event)
            for end in [central, peripheral] {
                if hasControl, event % 5 == 2 { end.procedures.queue(octets: control) }
                end.active = LinkLayerConnection.Event(channel: 0)
                end.active?.limit = start + exchange
            }
            var at = start
            for (sender, receiver) in [(central, peripheral), (peripheral, central)] {
                var pdu: [UInt8] = []
                sender.compose(room: sender.roomForPacket(at: at), into: &pdu)
                let header = try LL.DataHeader(decoding: pdu.span.extracting(0..<2))
                let isControl = hasControl && event % 5 == 2
                #expect((header.kind == .control) == isControl, "\(event)")
                #expect(header.length == (isControl ? 35 : 27) && header.moreData == true)
                #expect(receiver.receive(header, &actions))
                at = at + phy.airTime(pduLength: pdu.count) + LL.interFrameSpace
            }
        }
        // What the event did not have room for still waits.
        #expect(!central.transmitter.queue.isEmpty && actions.isEmpty)
    }

    /// After the first PDU of an event there is no more room than the event has.
    @Test func onlyTheFirstPDUHasRoomInAnyCase() {
        for (role, data, control) in [(HCI.Role.central, nil, 37), (.peripheral, 29, 37)] as [(HCI.Role, Int?, Int)] {
            let link = link(role, interval: 6)
            link.active = LinkLayerConnection.Event(channel: 0)
            link.active?.limit = .zero + .seconds(1)
            let start = Instant.zero + .seconds(1)
            let plain = data.map { LL.PHY.oneM.airTime(pduLength: $0) } ?? .zero
            #expect(link.roomForPacket(at: start) == plain)
            link.procedures.queue(octets: [UInt8](repeating: 0x1C, count: 35))
            #expect(link.roomForPacket(at: start) == LL.PHY.oneM.airTime(pduLength: control))
            link.active?.sent = 1
            #expect(link.roomForPacket(at: start) < .zero)
        }
    }

    // MARK: Events

    /// An established link of a peripheral with nothing to say.
    private func sleepy(latency: UInt16, event: UInt16 = 100) -> LinkLayerConnection {
        let link = link(latency: latency)
        _ = link.state.receive(at: .zero)
        link.timing.event = event
        return link
    }

    /// The peripheral may skip as many events as its latency after one in which it received the central (Vol 6, Part B, 4.5.1). The
    /// counter has 16 bits.
    @Test(arguments: [(UInt16(0), 1), (1, 2), (4, 5), (499, 500)], [UInt16(0), 100, 65_035, 65_036, 65_535])
    func thePeripheralSkipsTheEventsOfItsLatency(latency: (UInt16, Int), event: UInt16) {
        let link = sleepy(latency: latency.0, event: event)
        let anchor = link.timing.anchor
        link.advance(wasReceived: true)
        #expect(link.timing.event == event &+ UInt16(latency.1))
        #expect(link.timing.anchor == anchor + .milliseconds(30) * latency.1)
        #expect(link.timing.isAsleep == (latency.1 > 1))
        // Without a packet of the central the peripheral listens to the next event.
        let next = (event: link.timing.event, anchor: link.timing.anchor)
        link.advance(wasReceived: false)
        #expect(
            link.timing.event == next.event &+ 1 && link.timing.anchor == next.anchor + .milliseconds(30)
                && !link.timing.isAsleep)
    }

    @Test func whatKeepsAPeripheralAwake() {
        let cases: [(String, (LinkLayerConnection) -> Void)] = [
            ("not established", { $0.state = .created }),
            ("data", { $0.transmitter.queue.append([1].span, isStart: true) }),
            ("an unacknowledged PDU", { $0.transmitter.inFlight = .data(1) }),
            ("a change", { $0.changes = [.channelMap(LL.ChannelMapInd(channelMap: .all, instant: 130))] }),
            ("a procedure", { $0.procedures.local = .ping }),
            ("a procedure of the peer", { $0.procedures.remote = .change }),
        ]
        for (name, prepare) in cases {
            let link = sleepy(latency: 9)
            prepare(link)
            link.advance(wasReceived: true)
            #expect(link.timing.event == 101 && !link.timing.isAsleep, "\(name)")
        }
        // An empty PDU needs no acknowledgement, and a central never sleeps.
        let idle = sleepy(latency: 9)
        idle.transmitter.inFlight = .empty
        idle.advance(wasReceived: true)
        #expect(idle.timing.event == 110)
        let central = link(.central, latency: 9)
        _ = central.state.receive(at: .zero)
        central.advance(wasReceived: true)
        #expect(central.timing.event == 1)
    }

    /// Data for the central is sent at the first event that has not begun.
    @Test(arguments: [UInt16(100), 65_530]) func aPeripheralWakesForData(event: UInt16) {
        for (elapsed, expected) in [(0, 1), (1, 1), (29, 1), (31, 2), (95, 4), (290, 10), (500, 10)] as [(Int, UInt16)]
        {
            let link = sleepy(latency: 9, event: event)
            let anchor = link.timing.anchor
            link.advance(wasReceived: true)
            #expect(link.timing.event == event &+ 10)
            #expect(link.wake(now: anchor + .milliseconds(elapsed)) == (expected < 10), "\(elapsed)")
            #expect(link.timing.event == event &+ expected, "\(elapsed)")
            #expect(link.timing.anchor == anchor + .milliseconds(30) * Int(expected), "\(elapsed)")
            // Once only.
            #expect(!link.timing.isAsleep && !link.wake(now: anchor))
            #expect(link.timing.event == event &+ expected)
        }
        // In its own event it is awake.
        let link = sleepy(latency: 9, event: event)
        link.advance(wasReceived: true)
        link.active = LinkLayerConnection.Event(channel: 1)
        #expect(!link.wake(now: .zero) && link.timing.event == event &+ 10)
        // It sleeps again afterwards.
        link.active = nil
        #expect(link.wake(now: .zero))
        link.advance(wasReceived: true)
        #expect(link.timing.isAsleep)
    }

    // MARK: PDUs

    private func compose(_ link: LinkLayerConnection) throws -> (header: LL.DataHeader, payload: [UInt8]) {
        var pdu: [UInt8] = []
        link.compose(room: .milliseconds(20), into: &pdu)
        let header = try LL.DataHeader(decoding: pdu.span.extracting(first: 2))
        #expect(Int(header.length) == pdu.count - 2)
        return (header, Array(pdu.dropFirst(2)))
    }

    /// A new PDU of the peer that acknowledges ours.
    private func acknowledge(_ link: LinkLayerConnection) {
        var actions: [LinkLayerProcedures.Action] = []
        let own = link.transmitter.acknowledgement
        #expect(
            link.receive(
                LL.DataHeader(kind: .continuation, nextExpected: !own.sequence, sequence: own.nextExpected), &actions)
                == true)
    }

    /// The MD bit says that another PDU with a payload follows (Vol 6, Part B, 4.5.6); the PDU itself does not count.
    @Test func theMDBitAnnouncesTheNextPDU() throws {
        for controls in 0...2 {
            for packets in 0...2 {
                let link = link()
                for _ in 0..<controls { link.procedures.queue(LL.PingReq()) }
                for _ in 0..<packets {
                    link.transmitter.queue.append([UInt8](repeating: 7, count: 27).span, isStart: true)
                }
                var sent = 0
                for number in 0..<controls + packets {
                    let (header, payload) = try compose(link)
                    #expect(header.kind == (number < controls ? .control : .start))
                    #expect(payload == (number < controls ? [0x12] : [UInt8](repeating: 7, count: 27)))
                    #expect(header.moreData == (number + 1 < controls + packets), "\(controls) \(packets) \(number)")
                    // A retransmission is the same.
                    #expect(try compose(link) == (header, payload))
                    acknowledge(link)
                    sent += 1
                }
                #expect(sent == controls + packets && !link.hasNews)
                let (header, payload) = try compose(link)
                #expect(payload.isEmpty && header.kind == .continuation && !header.moreData)
                #expect(Int(link.transmitter.completed) == packets)
            }
        }
    }

    /// A packet of the host is sent in fragments; only the first one has the start bits.
    @Test func aPacketIsSentInFragments() throws {
        let link = link()
        let octets = (0..<60).map { UInt8($0) }
        link.transmitter.queue.append(octets.span, isStart: true)
        link.transmitter.queue.append([9, 9].span, isStart: false)
        var received: [UInt8] = []
        for (number, (count, kind)) in [
            (27, LL.DataHeader.Kind.start), (27, .continuation), (6, .continuation), (2, .continuation),
        ].enumerated() {
            let (header, payload) = try compose(link)
            #expect(payload.count == count && header.kind == kind && header.moreData == (number < 3))
            received += payload
            acknowledge(link)
            #expect(link.transmitter.completed == (number < 2 ? 0 : UInt16(number - 1)))
        }
        #expect(received == octets + [9, 9] && !link.hasNews)
    }

    /// A PDU of one length and an empty answer must end before the next anchor: on Coded (720 + 64 n) us and 720 us, with two inter frame
    /// spaces, in 7.5 ms, but 27 octets at least.
    @Test func aShortIntervalLimitsThePayload() {
        let link = link(.central, interval: 6, length: .init(octets: 251, time: 17_040))
        #expect(link.procedures.dataLength.receiveLongest() == true)
        link.updatePayloads()
        #expect(link.payloads.tx == 251 && link.payloads.rx == 251)
        for (phy, payload) in [(LL.PHY.codedS8, 90), (.codedS2, 251), (.oneM, 251), (.twoM, 251)] {
            (link.phys.tx, link.phys.rx) = (phy, phy)
            link.updatePayloads()
            #expect(link.payloads.tx == payload, "\(phy)")
            #expect(link.longestAnswer == phy.airTime(pduLength: 2 + 251), "\(phy)")
        }
        (link.phys.tx, link.phys.rx) = (.codedS8, .codedS8)
        link.timing.interval = 24
        link.updatePayloads()
        // 30 ms hold all 251 octets.
        #expect(link.payloads.tx == 251)
    }

    /// Each side takes its direction of LL_PHY_UPDATE_IND; an empty set changes nothing (Vol 6, Part B, 2.4.2.23).
    @Test func aPHYUpdateHasTwoDirections() {
        for role in [HCI.Role.central, .peripheral] {
            for (toPeripheral, toCentral) in [(LL.PHYSet.twoM, LL.PHYSet([])), ([], .twoM), (.twoM, .coded), ([], [])] {
                let link = link(role)
                link.changes = [
                    .phy(
                        LL.PHYUpdateInd(
                            centralToPeripheral: toPeripheral, peripheralToCentral: toCentral, instant: 0))
                ]
                #expect(link.applyDueChanges(isAnchored: false).count == 1)
                let (own, peer) = role == .central ? (toPeripheral, toCentral) : (toCentral, toPeripheral)
                func phy(_ set: LL.PHYSet) -> LL.PHY { set == .twoM ? .twoM : set == .coded ? .codedS8 : .oneM }
                #expect(link.phys.tx == phy(own) && link.phys.rx == phy(peer))
            }
        }
    }

    /// The coding that the host prefers applies to the own PDUs: at once on the Coded PHY, otherwise with the change to it.
    @Test func theHostChoosesTheCodingOfItsPDUs() {
        let coded = LinkLayerProcedures.Change.phy(
            LL.PHYUpdateInd(centralToPeripheral: .coded, peripheralToCentral: .coded, instant: 0))
        let link = link()
        link.choose(coding: .codedS2)
        #expect(link.phys.tx == .oneM)
        link.changes = [coded]
        #expect(link.applyDueChanges(isAnchored: false) == [coded])
        #expect(link.phys.tx == .codedS2 && link.phys.rx == .codedS8)
        link.choose(coding: .codedS8)
        #expect(link.phys.tx == .codedS8)
        link.choose(coding: .codedS2)
        #expect(link.phys.tx == .codedS2)
        // The peer's packets show its coding.
        link.note(phy: .codedS2)
        #expect(link.phys.rx == .codedS2)
        link.note(phy: .codedS8)
        #expect(link.phys.rx == .codedS8)
        link.note(phy: .oneM)
        #expect(link.phys.rx == .codedS8)
    }
}

extension DataLength {
    /// Takes the greatest values of a peer.
    fileprivate mutating func receiveLongest() -> Bool {
        receive(rxOctets: 251, rxTime: 17_040, txOctets: 251, txTime: 17_040)
    }
}
