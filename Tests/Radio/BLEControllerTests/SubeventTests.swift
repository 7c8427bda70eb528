import BLEWire
import Testing

@testable import BLEController

/// The machines of trains with responses by themselves.
struct SubeventTests {
    private typealias Entry = HCI.LESetPeriodicAdvertisingSubeventData.Entry

    private func command(_ count: UInt8, interval: UInt8 = 8) -> HCI.LESetPeriodicAdvertisingParametersV2 {
        HCI.LESetPeriodicAdvertisingParametersV2(
            advertisingHandle: 1, intervalMinimum: 400, intervalMaximum: 400, subeventCount: count,
            subeventInterval: interval, responseSlotDelay: 2, responseSlotSpacing: 4, responseSlotCount: 10)
    }

    private func subevents(_ count: UInt8) throws -> TrainSubevents {
        let settings = try #require(try TrainSubevents.Settings(command(count)))
        return TrainSubevents(settings, responseAccessAddress: 0x1234_5678)
    }

    private func entry(_ subevent: UInt8, slots: UInt8 = 0, count: Int = 3) -> Entry {
        Entry(
            subevent: subevent, responseSlotStart: 0, responseSlotCount: slots,
            data: [UInt8](repeating: subevent, count: count))
    }

    /// At most 15 subevents are requested at a time, one after the other, and with 0 after the last one.
    @Test func requestsGoRound() throws {
        var train = try subevents(20)
        let requestedFirst = train.requestData()
        let first = try #require(requestedFirst)
        #expect(first.start == 0 && first.count == 15)
        let isComplete = train.requestData() == nil
        #expect(isComplete)
        for step in 0..<60 {
            let current = UInt8(step % 20)
            #expect(train.current == current && train.offset == TimeSpan.milliseconds(10) * Int(current))
            let refused = [UInt8((step + 15) % 20), UInt8((step + 19) % 20)]
            for subevent in refused {
                #expect(throws: HCI.ErrorCode.commandDisallowed) {
                    try train.setData([entry(subevent)], hasTxPower: false, on: .oneM)
                }
            }
            try train.setData([entry(UInt8((step + 14) % 20))], hasTxPower: false, on: .oneM)
            if step % 3 > 0 {
                let begins = train.begin(acad: [], hasTxPower: false, room: nil, on: .oneM)
                #expect(begins)
                // What is requested does not change when a subevent begins.
                try train.setData([entry(UInt8((step + 14) % 20))], hasTxPower: false, on: .oneM)
                #expect(throws: HCI.ErrorCode.tooLate) {
                    try train.setData([entry(current)], hasTxPower: false, on: .oneM)
                }
            }
            let following = current == 19 ? nil : TimeSpan.milliseconds(10) * (Int(current) + 1)
            #expect(train.nextOffset == following)
            let isLast = train.end()
            #expect(isLast == (current == 19))
            let requestedNext = train.requestData()
            let next = try #require(requestedNext)
            #expect(next.start == UInt8((step + 15) % 20) && next.count == 1)
        }
    }

    /// A subevent that was not sent has a report if the host expected responses, and its data is not sent later.
    @Test func aSubeventThatIsNotSentIsReported() throws {
        var train = try subevents(1)
        for _ in 0..<2 {
            _ = train.requestData()
            try train.setData([entry(0, slots: 2)], hasTxPower: false, on: .oneM)
            _ = train.end()
            let takenReport = train.takeReport()
            let report = try #require(takenReport)
            #expect(!report.wasSent && report.subevent == 0 && report.slots == 0..<2 && report.responses.isEmpty)
            let isTaken = train.takeReport() == nil
            #expect(isTaken)
            let begins = train.begin(acad: [], hasTxPower: false, room: nil, on: .oneM)
            let listens = train.indicationSent()
            #expect(begins && !listens)
            _ = train.end()
            let hasNone = train.takeReport() == nil
            #expect(hasNone)
        }
    }

    /// ACAD gives way to data, and a packet without room is not sent.
    @Test func theControllersDataNeedsRoom() throws {
        var train = try subevents(1)
        let acad = [UInt8](repeating: 0xAC, count: 9)
        for (count, length) in [(3, 3 + 10 + 3), (244, 3 + 10 + 244), (245, 3 + 245), (249, 3 + 249)] {
            _ = train.requestData()
            try train.setData([entry(0, count: count)], hasTxPower: false, on: .oneM)
            let begins = train.begin(acad: acad, hasTxPower: false, room: nil, on: .oneM)
            #expect(begins)
            var pdu: [UInt8] = []
            train.appendPDU(txPower: nil, to: &pdu)
            #expect(pdu.count == length, "\(count) octets")
            _ = train.end()
        }
        let begins = train.begin(acad: [], hasTxPower: false, room: .microseconds(87), on: .oneM)
        #expect(!begins)
        #expect(train.length(acad: 0, hasTxPower: false, on: .oneM) == .microseconds(88))
        #expect(train.length(acad: acad.count, hasTxPower: false, on: .oneM) == .microseconds(88 + 80))
        let beginsWithRoom = train.begin(acad: acad, hasTxPower: false, room: .microseconds(88), on: .oneM)
        #expect(beginsWithRoom)
        // What was left out takes no time.
        #expect(train.length(acad: acad.count, hasTxPower: false, on: .oneM) == .microseconds(88))
    }

    /// ACAD keeps the space before the first slot free, as data does: 1,250 µs have room for (1250 - 150) / 8 - 8 octets.
    @Test func theControllersDataEndsBeforeTheSlots() throws {
        var parameters = command(1)
        parameters.responseSlotDelay = 1
        let settings = try #require(try TrainSubevents.Settings(parameters))
        let acad = [UInt8](repeating: 0xAC, count: 9)
        for (count, length) in [(116, 3 + 10 + 116), (117, 3 + 117), (126, 3 + 126)] {
            var train = TrainSubevents(settings, responseAccessAddress: 0x1234_5678)
            _ = train.requestData()
            try train.setData([entry(0, slots: 1, count: count)], hasTxPower: false, on: .oneM)
            let begins = train.begin(acad: acad, hasTxPower: false, room: nil, on: .oneM)
            #expect(begins)
            var pdu: [UInt8] = []
            train.appendPDU(txPower: nil, to: &pdu)
            #expect(pdu.count == length, "\(count) octets")
        }
    }

    /// Responses belong to the nearest slot. A second one in a slot, and one outside of them, does not count.
    @Test func responsesBelongToTheirSlots() throws {
        var train = try subevents(1)
        _ = train.requestData()
        var wanted = entry(0, slots: 3)
        wanted.responseSlotStart = 1
        try train.setData([wanted], hasTxPower: false, on: .oneM)
        let begins = train.begin(acad: [], hasTxPower: false, room: nil, on: .oneM)
        let listens = train.indicationSent()
        #expect(begins && listens)
        #expect(train.length(acad: 0, hasTxPower: false, on: .oneM) == .microseconds(2_500 + 4 * 500))
        let octets: [UInt8] = [0, 7]
        for time in [0, 2_500, 3_000, 3_240, 3_760, 4_001, 4_400, 9_000] {
            let payload = try LL.ExtendedAdvertisement(decoding: octets.span)
            train.received(payload, at: .microseconds(time), rssi: -40)
        }
        let connectable: [UInt8] = [0x40, 7]
        try train.received(LL.ExtendedAdvertisement(decoding: connectable.span), at: .microseconds(3_500), rssi: -40)
        _ = train.end()
        let takenReport = train.takeReport()
        let report = try #require(takenReport)
        #expect(report.wasSent && report.slots == 1..<4)
        #expect(report.responses.keys.sorted() == [1, 3])
        #expect(report.responses[1]?.data == [7] && report.responses[1]?.rssi == -40)
    }

    /// SyncInfo names the first subevent of an event, and each subevent has its channel.
    @Test func aTrainGoesThroughItsSubevents() throws {
        var settings = try PeriodicTrain.Settings(command(3), txPower: 0)
        #expect(settings.txPower == nil && settings.subevents != nil && settings.intervals == 400...400)
        settings.txPower = 4
        var train = PeriodicTrain(settings, .init(setID: 1, phy: .oneM), map: .all)
        try train.enable()
        let start = Instant.zero + .milliseconds(10)
        train.start(at: start, accessAddress: 0xA5F0_1234, crcInit: 1, responseAccessAddress: 0x9876_5431)
        let timing = try #require(train.subevents?.timing)
        #expect(timing.responseAccessAddress == 0x9876_5431 && train.responseTimingData.count == 10)
        for step in 0..<9 {
            let (event, subevent) = (step / 3, step % 3)
            let due = start + TimeSpan.milliseconds(500) * event + TimeSpan.milliseconds(10) * subevent
            #expect(train.due == due && train.event == UInt16(event))
            let next = try #require(train.nextEvent)
            #expect(next.event == UInt16(subevent == 0 ? event : event + 1))
            #expect(next.time == start + TimeSpan.milliseconds(500) * Int(next.event))
            var selection = ChannelSelection.second(accessAddress: 0xA5F0_1234)
            let channel = selection.channel(event: UInt16(event) ^ UInt16(subevent), map: .all)
            let begun = train.begin()
            #expect(begun == .send(fragment: 0, channel: channel))
            #expect(train.nextEvent?.event == UInt16(event + 1))
            let action = train.sent()
            #expect(action == .rest)
        }
        train.stop()
        #expect(train.due == nil && train.subevents == nil && train.responseTimingData.isEmpty)
    }

    /// Response timing that no train has is not believed.
    @Test func unusableTimingIsRefused() {
        let sync = LL.SyncInfo(
            offset: 100, usesLongUnits: false, adjustsOffset: false, interval: 80, channelMap: .all,
            sleepClockAccuracy: 7, accessAddress: 0xA5F0_1234, crcInit: 1, eventCounter: 0)
        func isUsable(_ change: (inout AD.PeriodicResponseTiming) -> Void) -> Bool {
            var timing = AD.PeriodicResponseTiming(
                responseAccessAddress: 0x9876_5431, subeventCount: 4, subeventInterval: 16, responseSlotDelay: 4,
                responseSlotSpacing: 8)
            change(&timing)
            return PeriodicSync.Train(sync, on: .oneM, timing) != nil
        }
        #expect(isUsable { _ in })
        #expect(isUsable { ($0.responseSlotDelay, $0.responseSlotSpacing) = (0, 0) })
        #expect(!isUsable { $0.subeventCount = 0 })
        #expect(!isUsable { $0.subeventCount = 129 })
        #expect(!isUsable { $0.subeventCount = 6 })
        #expect(!isUsable { $0.subeventInterval = 5 })
        #expect(!isUsable { $0.responseSlotDelay = 16 })
        #expect(!isUsable { $0.responseAccessAddress = 0xA5F0_1234 })
        #expect(!isUsable { $0.responseAccessAddress = LL.advertisingAccessAddress })
    }

    /// Windows, reports and responses go on when the event counter wraps, also from the last of 128 subevents to one of the next event.
    @Test func theEventCounterWraps() throws {
        let timing = AD.PeriodicResponseTiming(
            responseAccessAddress: 0x9876_5431, subeventCount: 128, subeventInterval: 6, responseSlotDelay: 2,
            responseSlotSpacing: 8)
        let info = LL.SyncInfo(
            offset: 100, usesLongUnits: false, adjustsOffset: false, interval: 800, channelMap: .all,
            sleepClockAccuracy: 7, accessAddress: 0xA5F0_1234, crcInit: 1, eventCounter: 0xFFFF)
        let announced = Instant.zero + .seconds(1)
        let reception = try PeriodicSync.Reception(skip: 0, timeout: 1_000, excluded: [], enable: .reports)
        var sync = try #require(
            PeriodicSync(
                info, timing, from: announced, on: .oneM,
                of: PeerAddress(DeviceAddress(kind: .random, value: 0xC605_0403_0201)), setID: 5, reception,
                now: announced))
        // SyncInfo counts 30 µs; a subevent has 7.5 ms.
        let start = announced + .milliseconds(3)
        let answer: [UInt8] = [2, 0xFF]
        func time(_ event: Int, _ subevent: Int) -> Instant {
            start + .seconds(event) + TimeSpan.microseconds(7_500) * subevent
        }
        func hear(_ event: Int, _ subevent: Int) throws -> [PeriodicSync.Action] {
            let (window, counter) = (sync.window, 0xFFFF &+ UInt16(event))
            #expect(sync.event == counter && window.opens <= time(event, subevent))
            #expect(window.closes >= time(event, subevent))
            #expect(window.channel == sync.channel(of: counter, subevent: UInt8(subevent)))
            let octets: [UInt8] = [0, 7]
            let payload = try LL.ExtendedAdvertisement(decoding: octets.span)
            return sync.received(payload, at: time(event, subevent), rssi: -40)
        }
        let first = try hear(0, 0)
        #expect(first == [.establish] && sync.event == 0)
        try sync.choose([127, 3], [], at: start + .milliseconds(1))
        for event in 0..<3 {
            for subevent in [3, 127] {
                let actions = try hear(event, subevent)
                #expect(actions == [.report(PeriodicSync.Report(rssi: -40, data: [7]))])
                #expect(sync.heard.event == 0xFFFF &+ UInt16(event) && sync.heard.subevent == UInt8(subevent))
            }
            let now = time(event, 127) + .milliseconds(1)
            let command = HCI.LESetPeriodicAdvertisingResponseData(
                syncHandle: 0, requestEvent: 0xFFFF &+ UInt16(event), requestSubevent: 127, responseSubevent: 3,
                responseSlot: 4, data: answer.span)
            let slot = time(event + 1, 3) + .microseconds(2_500 + 4 * 1_000)
            var late = sync
            do {
                try late.respond(command, txPower: 0, at: slot)
                Issue.record("a response at the start of its slot")
            } catch {
                #expect(error == .tooLate)
            }
            try late.respond(command, txPower: 0, at: slot - .nanoseconds(1))
            try sync.respond(command, txPower: 0, at: now)
            let early = sync.takeResponse(at: slot - .nanoseconds(1))
            #expect(early == nil)
            let taken = sync.takeResponse(at: slot)
            let response = try #require(taken)
            #expect(response.time == slot && response.event == UInt16(event) && response.subevent == 3)
            #expect(response.channel == sync.channel(of: UInt16(event), subevent: 3))
        }
    }

    /// Only packets of this event and of the one before can be answered: a receiver that skips events may reach old counters again.
    @Test func oldPacketsHaveNoAnswers() {
        var subevents = SyncSubevents()
        let isAhead = subevents.choose([127], includesTxPower: false) { _ in true }
        #expect(isAhead)
        func has(_ event: UInt16) -> Bool { subevents.hasReceived(.init(event: event, subevent: 127)) }
        for event in [0xFFFE, 0xFFFF, 0] as [UInt16] { subevents.received(in: event) }
        #expect(!has(0xFFFE) && has(0xFFFF) && has(0) && !has(1))
        subevents.received(in: 500)
        #expect(!has(0xFFFF) && !has(0) && has(500))
    }

    /// The packets of an interval can be answered, and no more.
    @Test func thePacketsOfAnIntervalHaveAnswers() {
        var subevents = SyncSubevents()
        let isAhead = subevents.choose(Array(0..<128), includesTxPower: false) { _ in true }
        #expect(isAhead)
        func has(_ event: UInt16, _ subevent: UInt8) -> Bool {
            subevents.hasReceived(.init(event: event, subevent: subevent))
        }
        for subevent in 0..<128 as Range<UInt8> {
            #expect(subevents.current == subevent)
            subevents.received(in: 9)
            let isInEvent = subevents.advance()
            #expect(isInEvent == (subevent < 127))
        }
        #expect((0..<128).allSatisfy { has(9, $0) })
        subevents.received(in: 10)
        #expect(!has(9, 0) && has(9, 1) && has(9, 127) && has(10, 0))
    }

    /// AUX_ADV_IND has the response timing of the train that SyncInfo names, also of one that began after ADV_EXT_IND was sent.
    @Test func announcementsNameTheTrainThatRuns() throws {
        var set = AdvertisingSet(handle: 1)
        set.parameters = HCI.LESetExtendedAdvertisingParameters(
            advertisingHandle: 1, properties: [], intervalMinimum: 0x50, intervalMaximum: 0x50,
            ownAddressType: .random, advertisingSID: 1)
        let settings = try PeriodicTrain.Settings(command(3), txPower: 0)
        var train = PeriodicTrain(settings, .init(setID: 1, phy: .oneM), map: .all)
        for round in 1...2 as ClosedRange<UInt32> {
            try train.enable()
            train.start(
                at: .zero + .milliseconds(10), accessAddress: 0xA5F0_1230 + round, crcInit: 1,
                responseAccessAddress: 0x9876_5430 + round)
            set.periodic = train
            if round == 1 { set.prepare(map: .all, accuracy: .ppm20) }
            var octets: [UInt8] = []
            set.appendAuxiliary(0, at: .zero, to: &octets)
            let pdu = octets
            guard case .extended(_, let payload) = try LL.AdvertisingPDU(decoding: pdu.span) else {
                Issue.record("round \(round): no extended PDU")
                continue
            }
            #expect(payload.syncInfo?.accessAddress == 0xA5F0_1230 + round)
            #expect(payload.responseTiming?.responseAccessAddress == 0x9876_5430 + round)
            train.stop()
        }
    }
}
