import BLEWire
import Testing

@testable import BLEController

/// A train and its receiver, whose clocks are exact.
private struct Pair {
    var train: PeriodicTrain
    var sync: PeriodicSync
    private(set) var heardEvents: [UInt16] = []

    static let advertiser = PeerAddress(DeviceAddress(kind: .random, value: 0xC605_0403_0201))

    /// A receiver that heard SyncInfo before the first event.
    init(
        _ reception: PeriodicSync.Reception, interval: UInt16 = 80, data: [UInt8] = [2, 1, 6],
        includesDataInfo: Bool = true, first: Int = 0
    ) throws {
        train = PeriodicTrainTests.train(interval...interval)
        try train.setData(.complete, data.span)
        try train.start(
            at: .zero + .milliseconds(50), includesDataInfo: includesDataInfo, accessAddress: 0x1234_5678)
        for _ in 0..<first { train.miss() }
        let start = train.anchor - .milliseconds(40)
        let info = train.syncInfo(from: start, to: start)
        sync = try #require(
            PeriodicSync(info, from: start, on: .oneM, of: Self.advertiser, setID: 5, reception, now: start))
    }

    static func reception(
        skip: UInt16 = 0, timeout: UInt16 = 100, excluded: HCI.ExcludedToneExtensions = [],
        enable: HCI.PeriodicReceiveEnable = .reports
    ) throws -> PeriodicSync.Reception {
        try PeriodicSync.Reception(skip: skip, timeout: timeout, excluded: excluded, enable: enable)
    }

    /// The next event of the train, which the receiver hears up to a PDU of it. Nil if the receiver does not listen.
    mutating func event(pdus: Int = .max) throws -> [PeriodicSync.Action]? {
        let (event, start) = (train.event, train.anchor)
        let sent = PeriodicTrainTests.event(&train)
        guard event == sync.event else { return nil }
        heardEvents.append(event)
        let window = sync.window
        #expect(window.channel == sent[0].channel && window.opens <= start && start <= window.closes)
        guard pdus > 0 else { return sync.missed() }
        var actions: [PeriodicSync.Action] = []
        var time = start
        for (index, pdu) in sent.enumerated() {
            let octets = pdu.octets
            guard case .extended(_, let payload) = try LL.AdvertisingPDU(decoding: octets.span) else { continue }
            if index > 0 {
                guard case .follow(let pointer)? = actions.last, pointer.channel == pdu.channel else { break }
                actions.removeLast()
            }
            if index >= pdus { return actions + sync.chainMissed() }
            actions +=
                index == 0
                ? sync.received(payload, at: start, rssi: -50) : sync.receivedChain(payload, at: time)
            time = time + LL.PHY.oneM.airTime(pduLength: octets.count) + LL.minimumAuxiliaryFrameSpace
        }
        return actions
    }

    /// The data that is reported of the next events, one entry for each.
    mutating func data(_ count: Int) throws -> [[UInt8]?] {
        try (0..<count).map { _ in
            for case .report(let report) in try event() ?? [] { return report.data }
            return nil
        }
    }
}

/// The receiver's side of periodic advertising (Vol 6, Part B, 4.4.3.4 and 4.4.5).
struct PeriodicSyncTests {
    private static let report = PeriodicSync.Report(rssi: -50, data: [2, 1, 6])

    @Test func aTrainIsReceivedFromItsSyncInfo() throws {
        var pair = try Pair(Pair.reception())
        #expect(pair.sync.deadline == nil && !pair.sync.isEstablished)
        #expect(try pair.event() == [.establish, .report(Self.report)])
        #expect(pair.sync.isEstablished && pair.sync.deadline == .zero + .milliseconds(1_050))
        for _ in 0..<20 { #expect(try pair.event() == [.report(Self.report)]) }
        #expect(pair.heardEvents == Array(0...20))
    }

    /// The counter wraps, and with it the channels.
    @Test func theEventCounterWraps() throws {
        var pair = try Pair(Pair.reception(skip: 2), first: 0xFFFE)
        for _ in 0..<12 { _ = try pair.event() }
        #expect(pair.heardEvents == [0xFFFE, 1, 4, 7])
    }

    /// 4.4.5: the sync fails after six events in which nothing was received, and a train that appears in the sixth is received.
    @Test func theSyncFailsAfterSixEvents() throws {
        var pair = try Pair(Pair.reception())
        for _ in 0..<5 { #expect(try pair.event(pdus: 0) == []) }
        #expect(try pair.event(pdus: 0) == [.fail(.connectionFailedToBeEstablished)])
        #expect(pair.sync.hasEnded && pair.sync.deadline == nil)
        #expect(HCI.ErrorCode.connectionFailedToBeEstablished.rawValue == 0x3E)
        var second = try Pair(Pair.reception())
        for _ in 0..<5 { _ = try second.event(pdus: 0) }
        #expect(try second.event() == [.establish, .report(Self.report)])
    }

    /// Up to `skip` events are left out after a received one, none after a missed one (Vol 4, Part E, 7.8.67).
    @Test func eventsAreSkippedAfterAReceivedOne() throws {
        var pair = try Pair(Pair.reception(skip: 3, timeout: 1_000))
        for event in 0..<16 { _ = try pair.event(pdus: [8, 9].contains(event) ? 0 : .max) }
        #expect(pair.heardEvents == [0, 4, 8, 9, 10, 14])
    }

    /// Six events remain before the timeout, whatever the host lets the receiver skip.
    @Test func skippingEndsBeforeTheTimeout() throws {
        var pair = try Pair(Pair.reception(skip: 499, timeout: 100))
        for _ in 0..<13 { _ = try pair.event() }
        #expect(pair.heardEvents == [0, 4, 8, 12])
        // A receiver that loses five of them keeps the sync.
        for _ in 0..<3 { _ = try pair.event() }
        for _ in 0..<5 { #expect(try pair.event(pdus: 0) == []) }
        let deadline = try #require(pair.sync.deadline)
        #expect(pair.sync.window.closes < deadline && pair.sync.event == 21)
        var short = try Pair(Pair.reception(skip: 499, timeout: 10))
        for _ in 0..<5 { _ = try short.event() }
        #expect(short.heardEvents == Array(0..<5))
    }

    /// 4.2.4: the first PDU of an event sets the anchor, even with an invalid CRC, which counts as a missed event otherwise.
    @Test func aCorruptedPDUSetsTheAnchor() throws {
        var pair = try Pair(Pair.reception(timeout: 0x4000))
        _ = try pair.event()
        for _ in 0..<5 { _ = try pair.event(pdus: 0) }
        let wide = pair.sync.window
        let deadline = pair.sync.deadline
        #expect(pair.sync.corrupted(at: pair.train.anchor) == [])
        pair.train.miss()
        let narrow = pair.sync.window
        #expect((narrow.closes - narrow.opens) < (wide.closes - wide.opens) && pair.sync.deadline == deadline)
        #expect(try pair.event() == [.report(Self.report)])
        // Before the sync is established, it counts as one of six.
        var new = try Pair(Pair.reception())
        for _ in 0..<5 {
            #expect(new.sync.corrupted(at: new.train.anchor) == [])
            new.train.miss()
        }
        #expect(new.sync.corrupted(at: new.train.anchor) == [.fail(.connectionFailedToBeEstablished)])
    }

    /// A receiver that skips the announcement of a channel map learns the map from AUX_ADV_IND.
    @Test func auxAdvIndRefreshesTheChannelMap() throws {
        for isRefreshed in [true, false] {
            var pair = try Pair(Pair.reception(skip: 40, timeout: 0x4000))
            _ = try pair.event()
            pair.train.use(LL.ChannelMap(rawValue: 0x0F))
            for _ in 0..<30 { #expect(try pair.event() == nil) }
            let time = pair.train.anchor - .milliseconds(50)
            var info = pair.train.syncInfo(from: time, to: time)
            if !isRefreshed { info.accessAddress ^= 1 }
            pair.sync.refresh(info)
            while pair.train.event != pair.sync.event { pair.train.miss() }
            let channel = PeriodicTrainTests.event(&pair.train)[0].channel
            if isRefreshed { #expect(pair.sync.window.channel == channel) }
            #expect(isRefreshed == LL.ChannelMap(rawValue: 0x0F).contains(pair.sync.window.channel))
        }
    }

    /// A transfer names the first event after the present, also for a receiver that skips events, and with long intervals the last one.
    @Test func aSyncKnowsItsPosition() throws {
        var pair = try Pair(Pair.reception(skip: 400, timeout: 0x4000))
        let first = pair.train.anchor
        _ = try pair.event()
        for (milliseconds, event) in [(0, 1), (99, 1), (100, 2), (1_234, 13)] as [(Int, UInt16)] {
            let position = pair.sync.position(at: first + .milliseconds(milliseconds))
            #expect(position.event == event && position.lastEvent == 0)
            #expect(position.time == first + .milliseconds(100 * Int(event)))
        }
        var slow = try Pair(Pair.reception(timeout: 0x4000), interval: 8_000)
        let start = slow.train.anchor
        _ = try slow.event()
        let position = slow.sync.position(at: start + .seconds(25))
        #expect(position.event == 0 && position.lastEvent == 0 && position.time == start)
    }

    /// 7.7.65.16: nothing was received for the sync timeout.
    @Test func theSyncIsLostAfterItsTimeout() throws {
        var pair = try Pair(Pair.reception(timeout: 50))
        _ = try pair.event()
        _ = try pair.event()
        let last = pair.train.anchor - .milliseconds(100)
        let deadline = last + .milliseconds(500)
        for _ in 0..<4 {
            #expect(try pair.event(pdus: 0) == [])
            #expect(pair.sync.deadline == deadline)
        }
        #expect(pair.sync.timedOut(at: deadline - .nanoseconds(1)) == [])
        #expect(pair.sync.timedOut(at: deadline) == [.lose])
        #expect(pair.sync.hasEnded && pair.sync.timedOut(at: deadline) == [])
    }

    /// 4.2.4: the window grows with the time since the last received event, by the accuracy of both clocks, and 16 µs.
    @Test func theWindowWidensWithBothClocks() throws {
        for (code, parts) in [(0, 500), (1, 250), (2, 150), (3, 100), (4, 75), (5, 50), (6, 30), (7, 20)]
            as [(UInt8, Int)]
        {
            let info = LL.SyncInfo(
                offset: 1_000, usesLongUnits: false, adjustsOffset: false, interval: 800, channelMap: .all,
                sleepClockAccuracy: code, accessAddress: 0x1234_5678, crcInit: 0, eventCounter: 0)
            var sync = try #require(
                PeriodicSync(
                    info, from: .zero, on: .oneM, of: Pair.advertiser, setID: 0, try Pair.reception(timeout: 0x4000),
                    now: .zero))
            // At first also by the unit of the offset.
            let first = sync.window
            let sum = Int64(parts + 20)
            #expect((first.closes - first.opens).nanoseconds == 30_000 + 2 * (16_000 + 30 * sum))
            _ = sync.received(LL.ExtendedAdvertisement(mode: .none), at: .zero + .milliseconds(30), rssi: 0)
            for events in 1...4 {
                let window = sync.window
                let start = Instant.zero + .milliseconds(30 + 1_000 * events)
                let widening = 16_000 + Int64(events) * 1_000 * sum
                #expect((start - window.opens).nanoseconds == widening)
                #expect((window.closes - start).nanoseconds == widening)
                _ = sync.missed()
            }
        }
    }

    /// 2.3.4.6: fields that are reserved, and those that name no event.
    @Test func unusableSyncInfoIsRefused() throws {
        let good = LL.SyncInfo(
            offset: 100, usesLongUnits: false, adjustsOffset: false, interval: 6,
            channelMap: LL.ChannelMap(rawValue: 3),
            sleepClockAccuracy: 7, accessAddress: 0x1234_5678, crcInit: 0, eventCounter: 0)
        let reception = try Pair.reception()
        func sync(_ change: (inout LL.SyncInfo) -> Void) -> PeriodicSync? {
            var info = good
            change(&info)
            return PeriodicSync(
                info, from: .zero, on: .oneM, of: Pair.advertiser, setID: 0, reception, now: .zero)
        }
        #expect(sync { _ in } != nil)
        #expect(sync { $0.interval = 5 } == nil && sync { $0.offset = 0 } == nil)
        #expect(sync { $0.channelMap = LL.ChannelMap(rawValue: 4) } == nil)
        #expect(sync { $0.accessAddress = LL.advertisingAccessAddress } == nil)
        // The adjustment has no meaning in an advertising PDU.
        #expect(
            sync {
                $0.offset = 0
                $0.adjustsOffset = true
            } == nil)
        #expect(sync { $0.adjustsOffset = true }?.window == sync { _ in }?.window)
    }

    /// Events that have passed when the host asks are passed over.
    @Test func lateStartsBeginWithTheNextEvent() throws {
        let info = LL.SyncInfo(
            offset: 1_000, usesLongUnits: false, adjustsOffset: false, interval: 80, channelMap: .all,
            sleepClockAccuracy: 7, accessAddress: 0x1234_5678, crcInit: 0, eventCounter: 0xFFFF)
        for (milliseconds, event) in [(30, 0xFFFF), (31, 0), (130, 1), (1_031, 10)] as [(Int, UInt16)] {
            let now = Instant.zero + .milliseconds(milliseconds)
            let sync = PeriodicSync(
                info, from: .zero, on: .oneM, of: Pair.advertiser, setID: 0, try Pair.reception(), now: now)
            #expect(sync?.event == event, "\(milliseconds)")
        }
    }

    /// 2.3.4.9: the data of a chain is one report, in pieces of 247 octets.
    @Test func aChainIsOneReport() throws {
        let data = [UInt8](0..<250) + [1, 2]
        var pair = try Pair(Pair.reception(), data: data)
        for _ in 0..<3 {
            let reports = try #require(try pair.event())
            guard case .report(let report)? = reports.last else {
                Issue.record("no report")
                return
            }
            #expect(report.data == data && !report.isTruncated && report.rssi == -50)
            let pieces = report.pieces()
            #expect(pieces.map(\.range) == [0..<247, 247..<252])
            #expect(pieces.map(\.status) == [.moreToCome, .complete])
        }
        // The second PDU is lost.
        guard case .report(let report)? = try pair.event(pdus: 1)?.last else {
            Issue.record("no report")
            return
        }
        #expect(report.isTruncated && !report.data.isEmpty && report.data == Array(data.prefix(report.data.count)))
        #expect(report.pieces().map(\.status) == [.truncated])
        #expect(try pair.data(1) == [data])
        #expect(PeriodicSync.Report(rssi: 0).pieces().map(\.range) == [0..<0])
    }

    /// A chain is bounded, whatever its PDUs hold: by the octets of data and by the number of PDUs.
    @Test(arguments: [0, 100, 250]) func aHostileChainEnds(count: Int) throws {
        var pair = try Pair(Pair.reception())
        let data = [UInt8](repeating: 7, count: count)
        let pointer = LL.AuxiliaryPointer(
            channel: 3, isClockAccurate: true, offset: 20, usesLongUnits: false, phyCode: 0)
        let payload = LL.ExtendedAdvertisement(mode: .none, pointer: pointer, data: data.span)
        var time = pair.train.anchor
        var actions = pair.sync.received(payload, at: time, rssi: 0)
        var rounds = 0
        while case .follow? = actions.last, rounds < 1_000 {
            rounds += 1
            time = time + .microseconds(600)
            actions = pair.sync.receivedChain(payload, at: time)
        }
        guard case .report(let report)? = actions.last else {
            Issue.record("no report")
            return
        }
        #expect(rounds < 100 && report.isTruncated && report.data.count <= 1_650)
        #expect(pair.sync.receivedChain(payload, at: time) == [])
        #expect(pair.sync.event == 1)
    }

    /// A chain does not run past the next event, on another PHY, or on a reserved channel.
    @Test func pointersOfOtherEventsEndTheChain() throws {
        let good = LL.AuxiliaryPointer(
            channel: 3, isClockAccurate: true, offset: 20, usesLongUnits: false, phyCode: 0)
        let changes: [(inout LL.AuxiliaryPointer) -> Void] = [
            { $0.channel = 37 }, { $0.channel = 63 }, { $0.phyCode = 1 }, { $0.phyCode = 3 }, { $0.offset = 0 },
            { $0.offset = 9 }, { $0.offset = 3_330 }, { ($0.offset, $0.usesLongUnits) = (333, true) },
            { ($0.offset, $0.usesLongUnits) = (0x1FFF, true) },
        ]
        for index in -1..<changes.count {
            var (pair, pointer) = (try Pair(Pair.reception()), good)
            if index >= 0 { changes[index](&pointer) }
            let payload = LL.ExtendedAdvertisement(mode: .none, pointer: pointer)
            let actions = pair.sync.received(payload, at: pair.train.anchor, rssi: 0)
            guard index >= 0 else {
                #expect(actions == [.establish, .follow(good)])
                continue
            }
            #expect(actions == [.establish, .report(.init(rssi: 0, isTruncated: true))], "\(pointer)")
            #expect(pair.sync.event == 1 && pair.sync.isEstablished)
        }
    }

    /// Reports that the host turns off during a chain are not sent.
    @Test func reportsEndDuringAChain() throws {
        var pair = try Pair(Pair.reception())
        let pointer = LL.AuxiliaryPointer(
            channel: 3, isClockAccurate: true, offset: 20, usesLongUnits: false, phyCode: 0)
        let payload = LL.ExtendedAdvertisement(mode: .none, pointer: pointer)
        _ = pair.sync.received(payload, at: pair.train.anchor, rssi: 0)
        pair.sync.enable([])
        #expect(pair.sync.chainMissed() == [] && pair.sync.event == 1)
    }

    /// Vol 4, Part E, 7.8.88: data with the ADI of the last complete report is a duplicate; without ADI none is.
    @Test func duplicatesAreFilteredByADI() throws {
        let filter: HCI.PeriodicReceiveEnable = [.reports, .filtersDuplicates]
        var pair = try Pair(Pair.reception(enable: filter))
        for octet in 1...3 as ClosedRange<UInt8> {
            try pair.train.setData(.complete, [octet].span)
            #expect(try pair.data(3) == [[octet], nil, nil])
        }
        // The same data with a new DID.
        try pair.train.setData(.unchanged, [UInt8]().span)
        #expect(try pair.data(2) == [[3], nil])
        // A command begins the filter anew.
        pair.sync.enable(filter)
        #expect(try pair.data(2) == [[3], nil])
        pair.sync.enable(.reports)
        #expect(try pair.data(2) == [[3], [3]])
        var plain = try Pair(Pair.reception(enable: filter), includesDataInfo: false)
        #expect(try plain.data(3) == [[2, 1, 6], [2, 1, 6], [2, 1, 6]])
        // What is not complete is reported again.
        var long = try Pair(Pair.reception(enable: filter), data: [UInt8](repeating: 3, count: 252))
        #expect(try long.event(pdus: 1)?.count == 2)
        #expect(try long.data(2) == [[UInt8](repeating: 3, count: 252), nil])
    }

    /// Vol 4, Part E, 7.8.67 and 7.8.88: without reports the sync goes on.
    @Test func reportsAreTurnedOffAndOn() throws {
        var pair = try Pair(Pair.reception(enable: []))
        #expect(try pair.event() == [.establish])
        for _ in 0..<2 {
            for _ in 0..<15 { #expect(try pair.event() == []) }
            pair.sync.enable(.reports)
            #expect(try pair.event() == [.report(Self.report)])
            pair.sync.enable([])
        }
    }

    /// 4.4.2.12: the channel map changes at the instant, for a receiver that skips events too.
    @Test(arguments: [0, 4] as [UInt16], [0, 0xFFF8]) func theReceiverFollowsChannelMaps(skip: UInt16, first: Int)
        throws
    {
        var pair = try Pair(Pair.reception(skip: skip), first: first)
        for round in 0..<3 {
            pair.train.use(LL.ChannelMap(rawValue: round % 2 == 0 ? 0x0F : 0x1F_0000_0000))
            // `event` compares the channels.
            var heard = 0
            for _ in 0..<60 where try pair.event() != nil { heard += 1 }
            #expect(heard >= 8)
        }
    }

    @Test func reservedChannelMapsAreIgnored() throws {
        for (map, instant) in [(1, 8), (3, 0), (3, 0x9000)] as [(UInt64, UInt16)] {
            var pair = try Pair(Pair.reception())
            var acad = AD.Builder()
            try acad.append(AD.ChannelMapUpdate(channelMap: LL.ChannelMap(rawValue: map), instant: instant))
            let (bytes, start) = (acad.bytes, pair.train.anchor)
            let payload = LL.ExtendedAdvertisement(mode: .none, controllerData: bytes.span)
            _ = pair.sync.received(payload, at: start, rssi: 0)
            pair.train.miss()
            for _ in 0..<20 { _ = try pair.event() }
            #expect(pair.heardEvents.count == 20)
        }
    }

    /// Vol 4, Part E, 7.8.67: a train with an excluded type of Constant Tone Extension, or without one.
    @Test(arguments: [(0x01, 0x04), (0x02, 0x44), (0x04, 0x84), (0x10, nil)] as [(UInt8, UInt8?)])
    func excludedToneExtensionsEndTheSync(bit: UInt8, tone: UInt8?) throws {
        for isExcluded in [false, true] {
            let excluded = HCI.ExcludedToneExtensions(rawValue: isExcluded ? bit : 0x1F & ~bit)
            var pair = try Pair(Pair.reception(excluded: excluded))
            let payload = LL.ExtendedAdvertisement(mode: .none, toneExtension: tone)
            let actions = pair.sync.received(payload, at: pair.train.anchor, rssi: -40)
            #expect(actions.first == (isExcluded ? .fail(.unsupportedRemoteFeature) : .establish))
            #expect(pair.sync.hasEnded == isExcluded)
        }
    }

    /// Vol 4, Part E, 7.8.67.
    @Test func receptionHasItsRanges() throws {
        for (skip, timeout) in [(500, 10), (0, 9), (0, 0x4001)] as [(UInt16, UInt16)] {
            #expect(throws: HCI.ErrorCode.invalidHCICommandParameters) {
                try PeriodicSync.Reception(skip: skip, timeout: timeout, excluded: [], enable: .reports)
            }
        }
        // All trains are excluded. The other bits are reserved.
        for excluded in [0x1F, 0xFF] as [UInt8] {
            #expect(throws: HCI.ErrorCode.commandDisallowed) {
                try PeriodicSync.Reception(skip: 0, timeout: 10, excluded: .init(rawValue: excluded), enable: .reports)
            }
        }
        for excluded in [0x20, 0xEF] as [UInt8] {
            #expect(throws: Never.self) {
                try PeriodicSync.Reception(skip: 0, timeout: 10, excluded: .init(rawValue: excluded), enable: .reports)
            }
        }
        let longest = try PeriodicSync.Reception(skip: 499, timeout: 0x4000, excluded: .withoutExtension, enable: [])
        #expect(longest.timeout == .milliseconds(163_840))
    }
}
