import BLEController
import BLEWire
import Testing

@testable import BLEHost

/// Periodic advertising with responses, host against controller (Vol 4, Part E, 7.8.61 and 7.8.125 to 7.8.127).
struct HostResponseTests {
    private typealias Entry = HCI.LESetPeriodicAdvertisingSubeventData.Entry

    private let bench = RadioBench(seed: 5)
    private let advertiser: RadioHost
    private let receiver: RadioHost
    private let set = AdvertisingSet(handle: 3)
    /// 4 subevents of 20 ms with 10 slots of 1 ms, 5 ms after their starts.
    private let subevents = HCI.PeriodicSubevents(count: 4, interval: 16, slotDelay: 4, slotSpacing: 8, slotCount: 10)

    init() {
        advertiser = bench.ready()
        receiver = bench.ready()
    }

    private func events(_ host: RadioHost) -> [PeriodicEvent] {
        bench.settle()
        return host.events.compactMap { if case .periodic(let event) = $0.event { event } else { nil } }
    }

    private func reports(_ host: RadioHost) -> [(report: PeriodicReport, data: [UInt8])] {
        host.events.compactMap {
            if case .periodicReport(let report) = $0.event { (report, Array($0.bytes[report.data])) } else { nil }
        }
    }

    private func responses(_ host: RadioHost) -> [(response: PeriodicResponse, data: [UInt8])] {
        host.events.compactMap {
            guard case .periodic(.response(let response)) = $0.event else { return nil }
            return (response, Array($0.bytes[response.data]))
        }
    }

    private var train: PeriodicTrainIdentifier {
        get throws { PeriodicTrainIdentifier(address: try #require(advertiser.address), sid: 5) }
    }

    private func advertise(_ subevents: HCI.PeriodicSubevents?, interval: UInt16 = 80) -> HCI.ErrorCode? {
        let parameters = AdvertisingParameters(
            data: [], isConnectable: false, intervalMinimum: 160, intervalMaximum: 160,
            pdus: .extended(ExtendedAdvertising(primaryPHY: .le1M, secondaryPHY: .le1M, sid: 5)))
        let before = advertiser.events.count
        advertiser.host.setAdvertising(parameters, of: set, at: bench.now)
        bench.settle()
        advertiser.host.setPeriodicAdvertising(
            PeriodicAdvertising(data: [], intervalMinimum: interval, intervalMaximum: interval, subevents: subevents),
            of: set, at: bench.now)
        bench.settle()
        for entry in advertiser.events[before...] {
            if case .periodic(.advertisingChanged(set, let error)) = entry.event { return error }
        }
        return .unspecifiedError
    }

    /// Lets time pass while the hosts answer: the advertiser gives data, and the receiver responds in its slot.
    private func run(_ time: TimeSpan, slot: UInt8?, data: [UInt8]) throws {
        let end = bench.now + time
        var (requests, packets) = (advertiser.events.count, receiver.events.count)
        while bench.now < end {
            bench.run(.milliseconds(1))
            for entry in advertiser.events[requests...] {
                guard case .periodic(.subeventDataRequested(set, let start, let count)) = entry.event else { continue }
                let wanted = (0..<count).map { (start + $0) % subevents.count }
                advertiser.host.setSubeventData(
                    wanted.map {
                        Entry(subevent: $0, responseSlotStart: 0, responseSlotCount: 10, data: [2, 0xFF, $0])
                    }, of: set, at: bench.now)
            }
            requests = advertiser.events.count
            for entry in receiver.events[packets...] {
                guard case .periodicReport(let report) = entry.event, let request = report.request, let slot else {
                    continue
                }
                try receiver.host.respond(
                    to: request, in: request.subevent, slot: slot, data.span, of: train, at: bench.now)
            }
            packets = receiver.events.count
        }
        bench.settle()
    }

    /// A receiver learns the subevents, chooses some and responds; and again after the train has ended.
    @Test func aReceiverResponds() throws {
        let train = try train
        for round in 1...2 as ClosedRange<UInt8> {
            #expect(advertise(subevents) == nil)
            receiver.host.synchronize(train, PeriodicSyncParameters(timeout: 100), at: bench.now)
            try run(.seconds(2), slot: nil, data: [])
            let established = events(receiver).last
            guard case .established(train, let reception)? = established else {
                Issue.record("round \(round): \(String(describing: established))")
                return
            }
            // A receiver knows only how many slots have room.
            #expect(
                reception.subevents == HCI.PeriodicSubevents(received: 4, interval: 16, slotDelay: 4, slotSpacing: 8))
            #expect(reception.subevents?.slotCount == 15 && reception.interval == 80)
            let before = (reports(receiver).count, responses(advertiser).count)
            receiver.host.chooseSubevents([1, 3], of: train, at: bench.now)
            try run(.seconds(2), slot: 6, data: [2, 0xFF, round])
            #expect(events(receiver).contains(.subeventsChosen(train, nil)))
            let heard = reports(receiver).dropFirst(before.0)
            #expect(heard.count >= 36 && Set(heard.compactMap(\.report.request?.subevent)) == [1, 3])
            #expect(heard.allSatisfy { $0.data == [2, 0xFF, $0.report.request?.subevent ?? 9] })
            let answers = responses(advertiser).dropFirst(before.1)
            #expect(answers.count >= 34 && Set(answers.map(\.response.subevent)) == [1, 3])
            #expect(
                answers.allSatisfy { $0.response.slot == 6 && $0.response.set == set && $0.data == [2, 0xFF, round] })
            #expect(!events(receiver).contains { if case .responseRefused = $0 { true } else { false } })
            #expect(!events(advertiser).contains { if case .subeventDataRefused = $0 { true } else { false } })
            advertiser.host.setPeriodicAdvertising(nil, of: set, at: bench.now)
            advertiser.host.setAdvertising(nil, of: set, at: bench.now)
            try run(.seconds(2), slot: nil, data: [])
            #expect(events(receiver).last == .lost(train))
        }
    }

    /// What the controller refuses, and what the host refuses by itself.
    @Test func refusalsHaveTheirReasons() throws {
        let train = try train
        let (host, now) = (receiver, { bench.now })
        host.host.chooseSubevents([0], of: train, at: now())
        host.host.respond(to: PeriodicRequest(event: 0, subevent: 0), in: 0, slot: 0, Span(), of: train, at: now())
        #expect(
            events(host) == [
                .subeventsChosen(train, .unknownAdvertisingIdentifier),
                .responseRefused(train, .unknownAdvertisingIdentifier),
            ])
        advertiser.host.setSubeventData(
            [Entry(subevent: 0, responseSlotStart: 0, responseSlotCount: 0, data: [])], of: set, at: now())
        #expect(events(advertiser) == [.subeventDataRefused(set, .unknownAdvertisingIdentifier)])
        // The subevents need 80 ms.
        #expect(advertise(subevents, interval: 63) == .invalidHCICommandParameters)
        #expect(advertise(subevents) == nil)
        let long = [UInt8](repeating: 1, count: 250)
        advertiser.host.setSubeventData(
            [Entry(subevent: 0, responseSlotStart: 0, responseSlotCount: 0, data: long)], of: set, at: now())
        #expect(events(advertiser).last == .subeventDataRefused(set, .packetTooLong))
        host.host.synchronize(train, PeriodicSyncParameters(timeout: 100), at: now())
        try run(.seconds(2), slot: nil, data: [])
        // The host knows of 128 subevents at most, and the controller of those of the train.
        for (wrong, isSent) in [([], false), ([1, 1], false), ([128], false), ([127], true), ([4], true)]
            as [([UInt8], Bool)]
        {
            let before = events(host).count
            host.host.chooseSubevents(wrong, of: train, at: now())
            #expect(host.host.output.packets.isEmpty == !isSent)
            #expect(events(host).dropFirst(before) == [.subeventsChosen(train, .invalidHCICommandParameters)])
        }
        host.host.chooseSubevents([0], of: train, at: now())
        try run(.milliseconds(500), slot: nil, data: [])
        let request = try #require(reports(host).last?.report.request)
        host.host.respond(to: request, in: 0, slot: 0, [UInt8](repeating: 1, count: 248).span, of: train, at: now())
        #expect(events(host).last == .responseRefused(train, .packetTooLong))
        bench.run(.milliseconds(200))
        host.host.respond(to: request, in: 0, slot: 0, Span(), of: train, at: now())
        bench.settle()
        #expect(events(host).last == .responseRefused(train, .tooLate))
        // As many responses as may wait for their answers, and one more, twice.
        for _ in 0..<2 {
            let before = events(host).count
            for _ in 0...PeriodicSyncs.responseLimit {
                host.host.respond(to: request, in: 0, slot: 0, Span(), of: train, at: now())
            }
            let refused = events(host).dropFirst(before)
            #expect(refused.count { $0 == .responseRefused(train, .memoryCapacityExceeded) } == 1)
            #expect(refused.count == PeriodicSyncs.responseLimit + 1)
        }
    }

    /// The data of many subevents needs several commands.
    @Test func longDataIsDivided() throws {
        #expect(advertise(subevents) == nil)
        let entries = (0..<4).map { subevent in
            Entry(
                subevent: UInt8(subevent), responseSlotStart: 0, responseSlotCount: 0,
                data: [UInt8](repeating: UInt8(subevent), count: 120))
        }
        advertiser.host.setSubeventData(entries, of: set, at: bench.now)
        let commands = BenchHost.split(advertiser.host.output.packets)
        bench.settle()
        #expect(!commands.isEmpty && commands.allSatisfy { $0.count <= 4 + 255 })
        #expect(!events(advertiser).contains { if case .subeventDataRefused = $0 { true } else { false } })
    }

    /// A controller without the features.
    @Test func aControllerMayHaveNoResponses() {
        let fakes = Bench()
        let device = fakes.ready {
            $0.publicAddress = 5
            $0.becomePeriodic(.phy2M)
        }
        let parameters = AdvertisingParameters(
            data: [], isConnectable: false, intervalMinimum: 160, intervalMaximum: 160,
            pdus: .extended(ExtendedAdvertising()))
        device.host.setAdvertising(parameters, of: set, at: fakes.now)
        fakes.settle()
        device.clearEvents()
        device.host.setPeriodicAdvertising(
            PeriodicAdvertising(data: [], subevents: subevents), of: set, at: fakes.now)
        let train = PeriodicTrainIdentifier(address: DeviceAddress(kind: .random, value: 0xC0_0000_0000_01), sid: 1)
        device.host.chooseSubevents([0], of: train, at: fakes.now)
        device.host.respond(
            to: PeriodicRequest(event: 0, subevent: 0), in: 0, slot: 0, Span(), of: train, at: fakes.now)
        fakes.settle()
        let events = device.events.compactMap { entry -> PeriodicEvent? in
            if case .periodic(let event) = entry.event { event } else { nil }
        }
        #expect(
            events == [
                .advertisingChanged(set, .unsupportedFeatureOrParameterValue),
                .subeventsChosen(train, .unsupportedFeatureOrParameterValue),
                .responseRefused(train, .unsupportedFeatureOrParameterValue),
            ])
    }

    /// The pieces of a response, in whatever order a controller sends them.
    @Test func responsesAreJoined() {
        var responses = SubeventResponses()
        func take(_ octets: [UInt8], slot: UInt8, in subevent: UInt8 = 0, isLast: Bool) -> [UInt8]? {
            responses.received(octets.span, slot: slot, isLast ? .complete : .moreToCome, in: subevent)
        }
        for _ in 0..<2 {
            #expect(take([1, 2], slot: 4, isLast: false) == nil)
            #expect(take([3], slot: 4, isLast: true) == [1, 2, 3])
            // The rest of another slot or subevent never comes.
            #expect(take([1, 2], slot: 4, isLast: false) == nil)
            #expect(take([3], slot: 5, isLast: true) == [3])
            #expect(take([1, 2], slot: 4, isLast: false) == nil)
            #expect(take([3], slot: 4, in: 1, isLast: true) == [3])
        }
        #expect(take([1, 2], slot: 4, isLast: false) == nil)
        responses.trainStarted()
        #expect(take([3], slot: 4, isLast: true) == [3])
        let long = [UInt8](repeating: 7, count: 200)
        for piece in 1...8 { #expect(take(long, slot: 1, isLast: false) == nil, "\(piece)") }
        // More than 1,650 octets are dropped.
        #expect(take(long, slot: 1, isLast: true) == nil)
        #expect(take([3], slot: 1, isLast: true) == [3])
        for _ in 0..<SubeventResponses.commandLimit {
            let begins = responses.beginData()
            #expect(begins)
        }
        let isRefused = !responses.beginData()
        #expect(isRefused)
        responses.endData()
        let begins = responses.beginData()
        #expect(begins)
    }
}
