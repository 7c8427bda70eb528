import BLEWire
import Testing

@testable import BLEController

/// LL_PERIODIC_SYNC_IND: what one device writes, and what the peer of its link receives by it (Vol 6, Part B, 5.1.13).
struct PeriodicSyncTransferTests {
    private let advertiser = DeviceAddress(kind: .random, value: 0xC605_0403_0201)

    private func reception() throws -> PeriodicSync.Reception {
        try PeriodicSync.Reception(skip: 0, timeout: 0x4000, excluded: [], enable: .reports)
    }

    private func train(_ interval: UInt16, at time: Instant) throws -> PeriodicTrain {
        var train = PeriodicTrainTests.train(interval...interval)
        try train.start(at: time, accessAddress: 0x1234_5678)
        return train
    }

    /// Both ends know the anchors, not each other's clocks: the receiver's window contains the event.
    @Test(arguments: [6, 80, 799, 8_000, 65_535] as [UInt16], [6, 40, 3_200] as [UInt16])
    func theReceiverFindsTheTrain(interval: UInt16, connectionInterval: UInt16) throws {
        for (offset, event) in [(1, 0), (29, 0xFFFF), (30, 7), (7_000, 0x7FFF), (81_000_000, 0xFFFE)] as [(Int, UInt16)]
        {
            let anchor = Instant.zero + .seconds(1_000)
            let span = TimeSpan.microseconds(1_250 * Int(interval))
            // The event after three others is less than an interval after the anchor.
            let distance = min(.microseconds(offset), span - .microseconds(1))
            var train = try train(interval, at: anchor + distance - span * 3)
            for _ in 0..<3 { train.miss() }
            let link = TransferLink(event: event, anchor: anchor, interval: connectionInterval)
            let transfer = try #require(PeriodicSyncTransfer(train, of: advertiser))
            let pdu = transfer.pdu(0x1234, on: link)
            #expect(pdu.identifier == 0x1234 && pdu.phy == .oneM && pdu.advertiserAddress == advertiser)
            #expect(pdu.advertiserInfo.setID == 5 && pdu.advertiserInfo.sleepClockAccuracy == 7)
            #expect(pdu.syncConnectionEvent == event && pdu.lastPeriodicEvent == 2)
            // The offset counts from less than a connection interval before the event (5.1.13), so it fits into the field.
            #expect(pdu.syncInfo.offset > 0 || pdu.syncInfo.adjustsOffset)
            #expect((-1..<0x4000).contains(Int16(bitPattern: pdu.connectionEvent &- event)))
            // The receiver gets the PDU a connection event later.
            let later = TransferLink(
                event: event &+ 1, anchor: anchor + link.intervalSpan, interval: connectionInterval)
            let sync = try #require(
                PeriodicSync(
                    pdu, on: later, of: PeerAddress(advertiser), supported: .oneM, try reception(), now: later.anchor))
            while train.event != sync.event { train.miss() }
            let window = sync.window
            #expect(window.opens <= train.anchor && train.anchor <= window.closes)
            #expect(train.anchor > later.anchor)
            guard case .send(_, let channel) = train.begin() else {
                Issue.record("nothing is sent")
                return
            }
            #expect(window.channel == channel && sync.setID == 5)
        }
    }

    /// A receiver passes on what it receives; the peer's window is wider, because more clocks are in it.
    @Test func aSyncIsPassedOn() throws {
        var train = try train(80, at: .zero + .milliseconds(50))
        let info = train.syncInfo(from: .zero, to: .zero)
        // The PDU has the private address, whatever the host knows.
        let identity = PeerAddress(advertiser, identity: DeviceAddress(kind: .public, value: 7))
        var sync = try #require(
            PeriodicSync(info, from: .zero, on: .oneM, of: identity, setID: 5, try reception(), now: .zero))
        for _ in 0..<3 {
            let start = train.anchor
            for pdu in PeriodicTrainTests.event(&train) {
                let octets = pdu.octets
                guard case .extended(_, let payload) = try LL.AdvertisingPDU(decoding: octets.span) else {
                    Issue.record("another type")
                    return
                }
                _ = sync.received(payload, at: start, rssi: -40)
            }
        }
        let link = TransferLink(event: 500, anchor: .zero + .milliseconds(260), interval: 24)
        let pdu = PeriodicSyncTransfer(sync, at: link.anchor).pdu(1, on: link)
        #expect(pdu.advertiserAddress == advertiser)
        #expect(pdu.lastPeriodicEvent == 2 && pdu.syncInfo.eventCounter == 3)
        #expect(pdu.syncInfo.accessAddress == 0x1234_5678 && pdu.syncInfo.crcInit == 0x12_3456)
        let second = try #require(
            PeriodicSync(
                pdu, on: link, of: PeerAddress(advertiser), supported: .oneM, try reception(), now: link.anchor))
        let (first, window) = (sync.window, second.window)
        #expect(second.event == 3 && window.opens <= first.opens && first.closes < window.closes)
        #expect(window.channel == first.channel)
    }

    /// The clocks of the advertiser, of the sender and of the receiver widen the window, each for its own time.
    @Test func eachClockWidensTheWindow() throws {
        let train = try train(80, at: .zero + .seconds(1))
        let link = TransferLink(event: 10, anchor: .zero + .milliseconds(900), interval: 24)
        let good = try #require(PeriodicSyncTransfer(train, of: advertiser)).pdu(1, on: link)
        func width(
            accuracy: HCI.ClockAccuracy = .ppm20, expectsDrift: Bool = false,
            _ change: (inout LL.PeriodicSyncInd) -> Void
        ) throws -> Int64 {
            var pdu = good
            change(&pdu)
            let sync = try #require(
                PeriodicSync(
                    pdu, on: link, of: PeerAddress(advertiser), supported: .oneM, try reception(),
                    accuracy: accuracy, expectsDrift: expectsDrift, now: link.anchor))
            return (sync.window.closes - sync.window.opens).nanoseconds
        }
        let base = try width { _ in }
        #expect(try width { $0.lastPeriodicEvent &-= 10 } > base)
        // The sender counted that time: 480 ppm more of 11 intervals of 100 ms on each side, whatever the receiver's clock is.
        let unheard = try width { $0.lastPeriodicEvent &-= 10 }
        #expect(try width(accuracy: .ppm500) { $0.lastPeriodicEvent &-= 10 } == unheard)
        let vague = LL.PeriodicAdvertiserInfo(setID: 5, isRandom: true, sleepClockAccuracy: 0)
        #expect(
            try width {
                $0.lastPeriodicEvent &-= 10
                $0.advertiserInfo = vague
            } == unheard + 2 * 528_000)
        // The event is 99.99 ms after the anchor point, in whole units of 30 us: 40 ppm of that on each side.
        #expect(try width(expectsDrift: true) { _ in } == base + 2 * 4_000)
        #expect(try width { $0.syncInfo.sleepClockAccuracy = 0 } > base)
        #expect(try width { $0.syncConnectionEvent &-= 100 } > base)
        #expect(
            try width {
                $0.syncConnectionEvent &-= 100
                $0.advertiserInfo = vague
            } > width { $0.syncConnectionEvent &-= 100 })
    }

    @Test func unusableTransfersAreRefused() throws {
        let train = try train(80, at: .zero + .seconds(1))
        #expect(PeriodicSyncTransfer(PeriodicTrainTests.train(), of: advertiser) == nil)
        let link = TransferLink(event: 10, anchor: .zero + .milliseconds(900), interval: 24)
        let good = try #require(PeriodicSyncTransfer(train, of: advertiser)).pdu(1, on: link)
        let changes: [(inout LL.PeriodicSyncInd) -> Void] = [
            { $0.phy = [] }, { $0.phy = [.oneM, .twoM] }, { $0.phy = .twoM }, { $0.phy = .init(rawValue: 8) },
            { $0.syncInfo.interval = 5 }, { $0.syncInfo.offset = 0 },
            { $0.syncInfo.channelMap = LL.ChannelMap(rawValue: 1) },
        ]
        for change in changes {
            var bad = good
            change(&bad)
            #expect(
                PeriodicSync(
                    bad, on: link, of: PeerAddress(advertiser), supported: .oneM, try reception(), now: link.anchor)
                    == nil)
        }
        // Events that are far from the present one.
        let far: [(inout LL.PeriodicSyncInd) -> Void] = [
            { $0.connectionEvent &+= 0x4000 }, { $0.connectionEvent &-= 0x4004 }, { $0.connectionEvent &+= 0x3FFF },
            { $0.connectionEvent &+= 0x7FFF }, { $0.connectionEvent &+= 0x8000 }, { $0.lastPeriodicEvent &-= 60 },
            { $0.lastPeriodicEvent &+= 0x8000 },
            // 40 s are 1333 connection events.
            { $0.syncConnectionEvent &-= 1_334 }, { $0.syncConnectionEvent &+= 1_334 },
            { $0.syncConnectionEvent &+= 0x8000 },
        ]
        for change in far {
            var bad = good
            change(&bad)
            #expect(
                PeriodicSync(
                    bad, on: link, of: PeerAddress(advertiser), supported: .oneM, try reception(), now: link.anchor)
                    == nil)
        }
        // The limits: 40 s of connection events, and 5 s of events of the train, of which one has passed already.
        let wide = TransferLink(event: 10, anchor: .zero + .milliseconds(900), interval: 32)
        let base = try #require(PeriodicSyncTransfer(train, of: advertiser)).pdu(1, on: wide)
        for (isUsable, change) in [
            (true, { $0.syncConnectionEvent &-= 1_000 }), (false, { $0.syncConnectionEvent &-= 1_001 }),
            (true, { $0.lastPeriodicEvent &-= 49 }), (false, { $0.lastPeriodicEvent &-= 50 }),
        ] as [(Bool, (inout LL.PeriodicSyncInd) -> Void)] {
            var pdu = base
            change(&pdu)
            let sync = PeriodicSync(
                pdu, on: wide, of: PeerAddress(advertiser), supported: .oneM, try reception(), now: wide.anchor)
            #expect((sync != nil) == isUsable)
        }
        var late = good
        late.syncConnectionEvent &-= 1_333
        #expect(
            PeriodicSync(
                late, on: link, of: PeerAddress(advertiser), supported: .oneM, try reception(), now: link.anchor)
                != nil)
        // Counters that no device would send do not trap, and no window is longer away than an interval.
        var taken = 0
        for counter in stride(from: 0, through: 0xFFFF, by: 0xFFF) {
            var strange = good
            strange.connectionEvent = UInt16(counter)
            strange.syncConnectionEvent = ~UInt16(counter)
            strange.lastPeriodicEvent = UInt16(counter)
            for interval in [6, 0xFFFF] as [UInt16] {
                strange.syncInfo.interval = interval
                let slow = TransferLink(event: 0, anchor: .zero + .seconds(100_000), interval: 3_200)
                let sync = PeriodicSync(
                    strange, on: slow, of: PeerAddress(advertiser), supported: .oneM, try reception(),
                    now: slow.anchor)
                let latest = slow.anchor + max(.seconds(5), TimeSpan.microseconds(1_250 * Int(interval)))
                let windows = sync.map { [$0.window] } ?? []
                #expect(
                    windows.allSatisfy {
                        $0.opens < $0.closes && $0.closes >= slow.anchor && $0.opens <= latest
                    })
                taken += windows.count
            }
        }
        #expect(taken > 0)
    }

    /// The time of a received event behind the link's present one counts as well: the events since are passed over.
    @Test func anEventInThePastIsCountedOn() throws {
        var train = try train(80, at: .zero + .seconds(1))
        let link = TransferLink(event: 10, anchor: .zero + .milliseconds(900), interval: 24)
        let pdu = try #require(PeriodicSyncTransfer(train, of: advertiser)).pdu(1, on: link)
        // The PDU is retransmitted for 5 s.
        let later = TransferLink(event: 10 + 167, anchor: link.anchor + link.intervalSpan * 167, interval: 24)
        let sync = try #require(
            PeriodicSync(
                pdu, on: later, of: PeerAddress(advertiser), supported: .oneM, try reception(), now: later.anchor))
        while train.event != sync.event { train.miss() }
        #expect(train.anchor > later.anchor && train.anchor <= later.anchor + train.intervalSpan)
        let (opens, closes) = (sync.window.opens, sync.window.closes)
        #expect(opens <= train.anchor && train.anchor <= closes)
        // Both clocks for 5 s: at least 40 ppm of 5 s on each side.
        #expect((closes - opens).nanoseconds >= 2 * 200_000)
    }
}
