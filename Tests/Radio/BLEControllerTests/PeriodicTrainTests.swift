import BLEWire
import Testing

@testable import BLEController

extension PeriodicTrain {
    /// Turns the train on and starts it, by default with the access address of the sample data for channel selection algorithm #2 (Vol 6, Part C,
    /// 3).
    mutating func start(
        at time: Instant, includesDataInfo: Bool = true, accessAddress: UInt32 = 0x8E89_BED6
    ) throws(HCI.ErrorCode) {
        try enable(includesDataInfo: includesDataInfo)
        start(at: time, accessAddress: accessAddress, crcInit: 0x12_3456)
    }
}

/// The advertiser's side of periodic advertising (Vol 6, Part B, 4.4.2.12).
struct PeriodicTrainTests {
    static func train(
        _ intervals: ClosedRange<UInt16> = 80...80, phy: LL.PHY = .oneM, assumed: LL.PHY? = nil,
        map: LL.ChannelMap = .all
    ) -> PeriodicTrain {
        PeriodicTrain(.init(intervals: intervals), .init(setID: 5, phy: phy, assumedPHY: assumed), map: map)
    }

    /// The PDUs of the next event, with their channels.
    static func event(_ train: inout PeriodicTrain) -> [(channel: UInt8, octets: [UInt8])] {
        var pdus: [(channel: UInt8, octets: [UInt8])] = []
        var action = train.begin()
        while case .send(let fragment, let channel) = action {
            var octets: [UInt8] = []
            train.appendPDU(fragment, to: &octets)
            pdus.append((channel, octets))
            action = train.sent()
        }
        #expect(action == .rest)
        return pdus
    }

    private static func data(_ train: inout PeriodicTrain, _ octets: [UInt8]) throws {
        var rest = octets[...]
        repeat {
            let piece = rest.prefix(252)
            rest = rest.dropFirst(252)
            let isFirst = piece.count == octets.count - rest.count
            let operation: HCI.DataOperation =
                isFirst ? rest.isEmpty ? .complete : .first : rest.isEmpty ? .last : .intermediate
            try train.setData(operation, Array(piece).span)
        } while !rest.isEmpty
    }

    private static func octets(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) } }

    @Test func eventsAreAnIntervalApartOnTheChannelsOfAlgorithm2() throws {
        var train = Self.train()
        #expect(train.due == nil && train.begin() == .nothing)
        try train.start(at: .zero + .milliseconds(5))
        for (number, channel) in [25, 20, 6, 21].enumerated() {
            #expect(train.due == Instant.zero + .milliseconds(5 + 100 * number))
            #expect(train.event == UInt16(number))
            #expect(Self.event(&train).map(\.channel) == [UInt8(channel)])
        }
        // With nine channels.
        var second = Self.train(map: LL.ChannelMap(rawValue: 0x1E_00E0_0600))
        try second.start(at: .zero)
        let channels = (0..<9).map { _ in Self.event(&second)[0].channel }
        #expect(channels.suffix(3) == [23, 9, 34])
    }

    @Test func theEventCounterWraps() throws {
        var train = Self.train(6...6)
        try train.start(at: .zero)
        for _ in 0..<0xFFFF { train.miss() }
        #expect(train.event == 0xFFFF && train.anchor == Instant.zero + TimeSpan.microseconds(7_500) * 0xFFFF)
        _ = Self.event(&train)
        #expect(train.event == 0)
        #expect(Self.event(&train)[0].channel == 25)
    }

    /// 2.3.1.7: AUX_SYNC_IND has no addresses; ADI and power only if the host wants them.
    @Test func auxSyncIndHasItsFields() throws {
        var train = Self.train()
        try Self.data(&train, [2, 1, 6])
        try train.start(at: .zero, includesDataInfo: false)
        #expect(Self.event(&train).map(\.octets) == [[0x07, 4, 0, 2, 1, 6]])
        try train.enable(includesDataInfo: true)
        #expect(Self.event(&train).map(\.octets) == [[0x07, 7, 3, 0x08, 1, 0x50, 2, 1, 6]])
        train.stop()
        #expect(train.due == nil)
        try train.set(.init(intervals: 80...80, txPower: -4))
        try train.start(at: .zero + .seconds(1), includesDataInfo: false)
        #expect(Self.event(&train).map(\.octets) == [[0x07, 6, 2, 0x40, 0xFC, 2, 1, 6]])
        #expect(throws: HCI.ErrorCode.commandDisallowed) {
            try train.set(.init(intervals: 80...80))
        }
    }

    /// 2.3.4.9: up to 1,650 octets in a chain. Each pointer names the start of the next PDU, in whole units, and T_MAFS after the end of the one with it
    /// (2.3.4.5).
    @Test(arguments: [0, 1, 237, 238, 241, 242, 243, 252, 500, 1_650], [LL.PHY.oneM, .twoM, .codedS8])
    func longDataIsSentInAChain(count: Int, phy: LL.PHY) throws {
        for includesDataInfo in [false, true] {
            var train = Self.train(800...800, phy: phy)
            let data = Self.octets(count)
            try Self.data(&train, data)
            try train.start(at: .zero, includesDataInfo: includesDataInfo)
            for _ in 0..<2 {
                let pdus = Self.event(&train)
                var received: [UInt8] = []
                for (index, pdu) in pdus.enumerated() {
                    let octets = pdu.octets
                    guard case .extended(_, let payload) = try LL.AdvertisingPDU(decoding: octets.span) else {
                        Issue.record("another type")
                        return
                    }
                    received.append(payload.data)
                    let isPlain = payload.mode == .none && payload.advertiser == nil && payload.syncInfo == nil
                    let (hasInfo, next) = (payload.dataInfo != nil, payload.pointer)
                    #expect(isPlain && hasInfo == includesDataInfo)
                    guard index + 1 < pdus.count else {
                        #expect(next == nil)
                        continue
                    }
                    let pointer = try #require(next)
                    let time = phy.airTime(pduLength: pdu.octets.count) + .microseconds(300)
                    #expect(time <= pointer.span && pointer.span < time + pointer.unit)
                    #expect(pointer.channel == pdus[index + 1].channel && pointer.phy?.hears(phy) == true)
                }
                #expect(received == data && pdus.count <= 1 + count / 240)
            }
        }
    }

    /// What the host sets during an event takes effect with the next one, with another DID (4.4.2.11).
    @Test func newDataWaitsForTheNextEvent() throws {
        var train = Self.train()
        try Self.data(&train, [UInt8](repeating: 1, count: 400))
        try train.start(at: .zero)
        for round in 2...4 as ClosedRange<UInt8> {
            #expect(train.begin() != .nothing)
            try train.setData(.complete, [UInt8](repeating: round, count: 200).span)
            var octets: [UInt8] = []
            train.appendPDU(0, to: &octets)
            while case .send(let fragment, _) = train.sent() { train.appendPDU(fragment, to: &octets) }
            #expect(!octets.suffix(150).contains(round) && octets.suffix(150).contains(round - 1))
            let next = Self.event(&train)
            #expect(next.count == 1 && next[0].octets.suffix(200) == ArraySlice([UInt8](repeating: round, count: 200)))
            #expect(next[0].octets[4] == UInt8(truncatingIfNeeded: train.dataID))
        }
    }

    /// Vol 4, Part E, 7.8.62.
    @Test func dataHasItsRules() throws {
        var train = Self.train()
        let (none, some) = ([], [1, 1]) as ([UInt8], [UInt8])
        #expect(throws: HCI.ErrorCode.invalidHCICommandParameters) { try train.setData(.unchanged, none.span) }
        #expect(throws: HCI.ErrorCode.invalidHCICommandParameters) { try train.setData(.first, none.span) }
        #expect(throws: HCI.ErrorCode.invalidHCICommandParameters) {
            try train.setData(HCI.DataOperation(rawValue: 5), some.span)
        }
        try train.setData(.first, some.span)
        #expect(throws: HCI.ErrorCode.commandDisallowed) { try train.start(at: .zero) }
        try train.setData(.last, some.span)
        try train.start(at: .zero)
        for operation in [HCI.DataOperation.first, .intermediate, .last] {
            #expect(throws: HCI.ErrorCode.commandDisallowed) { try train.setData(operation, some.span) }
        }
        let before = train.dataID
        try train.setData(.unchanged, none.span)
        #expect(train.dataID == before + 1 && train.data.octets == [1, 1, 1, 1])
        #expect(throws: HCI.ErrorCode.invalidHCICommandParameters) { try train.setData(.unchanged, some.span) }
        // The DID has 12 bits.
        for _ in 0..<0x1000 { try train.setData(.unchanged, none.span) }
        #expect(train.dataID == before + 1)
    }

    /// HCI/DDI/BI-50-C and BI-51-C: data that needs more time than the interval has is discarded (Vol 4, Part E, 7.8.62), and parameters that do
    /// not suit the data are refused (7.8.61).
    @Test func dataMustFitIntoTheInterval() throws {
        var train = Self.train(6...6)
        #expect(throws: HCI.ErrorCode.packetTooLong) { try Self.data(&train, Self.octets(1_650)) }
        #expect(train.data == .complete([]))
        try train.set(.init(intervals: 6...80))
        try Self.data(&train, Self.octets(1_650))
        #expect(throws: HCI.ErrorCode.packetTooLong) { try train.set(.init(intervals: 6...6)) }
        #expect(train.settings.intervals == 6...80)
        try train.start(at: .zero)
        #expect(train.interval == 80)
        var coded = Self.train(6...6, phy: .codedS8)
        try coded.start(at: .zero)
        #expect(throws: HCI.ErrorCode.packetTooLong) { try coded.setData(.complete, Self.octets(200).span) }
        #expect(coded.data.octets.isEmpty)
        try coded.setData(.complete, Self.octets(10).span)
    }

    /// 7.8.61: S=8 is assumed unless the host requires S=2.
    @Test func theAssumedCodingCounts() throws {
        for (assumed, isTooLong) in [(LL.PHY.codedS8, true), (.codedS2, false)] {
            var train = Self.train(12...12, phy: .codedS2, assumed: assumed)
            let isRefused = (try? train.setData(.complete, Self.octets(240).span)) == nil
            #expect(isRefused == isTooLong)
        }
    }

    /// 7.8.63: a train that waits for its set is enabled; the start needs another access address each time.
    @Test func anArmedTrainIsEnabled() throws {
        var train = Self.train()
        for round in 1...2 as ClosedRange<UInt32> {
            try train.enable()
            #expect(train.isOn && train.isArmed && !train.isRunning && train.due == nil && train.begin() == .nothing)
            #expect(throws: HCI.ErrorCode.commandDisallowed) { try train.setData(.first, Self.octets(1).span) }
            #expect(throws: HCI.ErrorCode.commandDisallowed) { try train.set(.init(intervals: 80...80)) }
            try train.setData(.complete, Self.octets(1).span)
            try train.setData(.unchanged, [UInt8]().span)
            // Nothing is sent, so the map changes without an announcement.
            train.use(LL.ChannelMap(rawValue: 3))
            #expect(train.map == LL.ChannelMap(rawValue: 3))
            train.start(at: .zero + .seconds(Int(round)), accessAddress: round, crcInit: round)
            #expect(train.isRunning && train.accessAddress == round && train.event == 0)
            _ = Self.event(&train)
            train.start(at: .zero, accessAddress: 9, crcInit: 9)
            #expect(train.accessAddress == round && train.event == 1)
            train.stop()
            #expect(!train.isOn)
        }
        try train.setData(.first, Self.octets(1).span)
        #expect(throws: HCI.ErrorCode.commandDisallowed) { try train.enable() }
    }

    /// ADI may not make the PDUs of a running train too long (7.8.63).
    @Test func theDataInfoMustFitAsWell() throws {
        var train = Self.train(6...6, phy: .codedS8)
        var count = 0
        while (try? train.setData(.complete, Self.octets(count + 1).span)) != nil { count += 1 }
        try train.setData(.complete, Self.octets(count).span)
        try train.start(at: .zero, includesDataInfo: false)
        #expect(throws: HCI.ErrorCode.packetTooLong) { try train.enable(includesDataInfo: true) }
        #expect(Self.event(&train)[0].octets.count == 2 + 1 + count)
        try train.setData(.complete, Self.octets(count - 2).span)
        try train.enable(includesDataInfo: true)
    }

    /// A shortened event says that data is missing (2.3.4.5), and ends in time; the next one is whole.
    @Test(arguments: [3, 5, 10, 13]) func anEventIsShortened(milliseconds: Int) throws {
        var train = Self.train(80...80)
        let data = Self.octets(1_650)
        try Self.data(&train, data)
        try train.start(at: .zero)
        var action = train.begin(room: .milliseconds(milliseconds))
        var (received, time, last) = ([UInt8](), TimeSpan.zero, LL.AuxiliaryPointer?.none)
        while case .send(let fragment, _) = action {
            var octets: [UInt8] = []
            train.appendPDU(fragment, to: &octets)
            guard case .extended(_, let payload) = try LL.AdvertisingPDU(decoding: octets.span) else {
                Issue.record("another type")
                return
            }
            received.append(payload.data)
            last = payload.pointer
            time = time + LL.PHY.oneM.airTime(pduLength: octets.count) + (fragment > 0 ? .microseconds(300) : .zero)
            action = train.sent()
        }
        #expect(last?.offset == 0 && time <= .milliseconds(milliseconds))
        #expect(!received.isEmpty && received.count < 1_650 && received == Array(data.prefix(received.count)))
        #expect(Self.event(&train).count == 7)
        // Not even a PDU without data.
        #expect(train.begin(room: .microseconds(10)) == .nothing && train.event == 2)
    }

    private func update(_ octets: [UInt8]) throws -> AD.ChannelMapUpdate? {
        guard case .extended(_, let payload) = try LL.AdvertisingPDU(decoding: octets.span) else { return nil }
        var structures = AD.Structures(payload.controllerData)
        return structures.next()?.content()
    }

    /// A new channel map is announced in at least six events, and used from its instant on; a change during a change comes after it.
    @Test(arguments: [0, 0xFFFA]) func channelMapsChangeAtTheirInstant(first: Int) throws {
        var train = Self.train(6...6)
        try train.start(at: .zero)
        for _ in 0..<first { train.miss() }
        let maps = [LL.ChannelMap(rawValue: 3), LL.ChannelMap(rawValue: 0xF0)]
        for map in maps { train.use(map) }
        for map in maps {
            var announced = 0
            var instant: UInt16?
            while true {
                let event = train.event
                let pdu = Self.event(&train)[0]
                if event == instant {
                    #expect(map.contains(pdu.channel))
                    break
                }
                let update = try #require(try update(pdu.octets))
                #expect(update.channelMap == map && instant == nil || instant == update.instant)
                instant = update.instant
                announced += 1
            }
            #expect(announced >= 6)
        }
        #expect(train.map == maps[1])
        #expect(try update(Self.event(&train)[0].octets) == nil)
        // Without a train in the air, nothing is announced.
        train.stop()
        train.use(.all)
        try train.start(at: train.anchor)
        #expect(train.map == .all)
        #expect(try update(Self.event(&train)[0].octets) == nil)
    }

    /// A train that stops before the instant of a map begins anew with it.
    @Test func aNewStartUsesTheLastChannelMap() throws {
        for count in 1...2 {
            var train = Self.train(6...6)
            try train.start(at: .zero)
            for _ in 0..<40_000 { train.miss() }
            for number in 1...count { train.use(LL.ChannelMap(rawValue: 3 << UInt64(number))) }
            _ = Self.event(&train)
            train.stop()
            try train.start(at: train.anchor)
            #expect(train.map == LL.ChannelMap(rawValue: 3 << UInt64(count)))
            #expect(try update(Self.event(&train)[0].octets) == nil)
        }
    }

    /// 2.3.4.6: AUX_SYNC_IND starts within one unit after the offset, whose unit depends on the distance.
    @Test func syncInfoNamesTheNextEvent() throws {
        var train = Self.train(8_000...8_000)
        // A train that does not run is nowhere.
        #expect(train.syncInfo(from: .zero, to: .zero).offset == 0)
        try train.start(at: .zero + .seconds(10))
        for microseconds in [400, 30_000, 245_699, 245_700, 245_731, 2_457_300, 2_457_599] {
            let start = Instant.zero + .seconds(10) - .microseconds(microseconds)
            let sync = train.syncInfo(from: start, to: start)
            #expect(sync.usesLongUnits == (microseconds >= 245_700) && !sync.adjustsOffset)
            let offset = try #require(sync.offsetSpan(mayAdjust: false))
            #expect(start + offset <= train.anchor && train.anchor < start + offset + sync.offsetUnit)
            #expect(sync.eventCounter == 0 && sync.interval == 8_000 && sync.accessAddress == 0x8E89_BED6)
            #expect(sync.crcInit == 0x12_3456 && sync.channelMap == .all && sync.sleepClockAccuracy == 7)
        }
        // Too far: an offset of 0, because an advertising PDU has no Offset Adjust.
        for microseconds in [2_457_600, 2_457_900, 4_914_000, 10_000_000] {
            let start = Instant.zero + .seconds(10) - .microseconds(microseconds)
            let far = train.syncInfo(from: start, to: start)
            #expect(far.offset == 0 && !far.adjustsOffset)
        }
        // An event that the PDU with the field would overlap is not the one.
        let late = train.syncInfo(from: .zero + .milliseconds(9_995), to: .zero + .seconds(10))
        #expect(late.eventCounter == 1)
        // During an event, the next one.
        _ = train.begin()
        #expect(train.syncInfo(from: .zero + .seconds(15), to: .zero + .seconds(15)).eventCounter == 1)
    }
}
