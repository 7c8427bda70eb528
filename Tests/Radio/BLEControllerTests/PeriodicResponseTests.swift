import BLEWire
import Testing

@testable import BLEController

/// Periodic advertising with responses, controller against controller (Vol 6, Part B, 4.4.2.12).
struct PeriodicResponseTests {
    /// Sync Established tells the subevents, and a train without a choice has no reports.
    @Test(arguments: [HCI.PHY.le1M, .le2M, .leCoded]) func aReceiverLearnsTheSubevents(phy: HCI.PHY) throws {
        let bench = ResponseBench()
        // With few slots, the announcements on LE Coded have room between two subevents, and take none of them.
        bench.content = { ([2, 0xFF, $0], 0..<2) }
        #expect(bench.start(phy: phy) == .success)
        let handle = try bench.synchronize(0, nil, phy: phy == .leCoded ? .leCoded : .le1M)
        let sync = try #require(bench.receivers[0].establishedWithSubevents.last)
        #expect(sync.advertiserPHY == phy && sync.interval == 80 && sync.advertisingSID == 1)
        #expect(sync.subeventCount == 4 && sync.subeventInterval == 16)
        #expect(sync.responseSlotDelay == 4 && sync.responseSlotSpacing == 8)
        #expect(bench.receivers[0].established.isEmpty)
        bench.run(for: .seconds(3))
        #expect(bench.packets.isEmpty && bench.receivers[0].lostSyncs.isEmpty)
        for round in 1...2 {
            bench.forget()
            #expect(bench.choose(round == 1 ? [2] : [0, 3], handle) == .success)
            bench.run(for: .seconds(1))
            let wanted: Set<UInt8> = round == 1 ? [2] : [0, 3]
            #expect(Set(bench.packets.map(\.subevent)) == wanted)
            #expect(bench.packets.count >= 9 * wanted.count)
            #expect(bench.packets.allSatisfy { $0.data == [2, 0xFF, $0.subevent] && $0.handle == handle })
        }
    }

    /// A response arrives in its slot, on the channel of its subevent, at the time that the parameters say.
    @Test(arguments: [0, 3, 9] as [UInt8]) func aResponseReachesItsSlot(slot: UInt8) throws {
        let bench = ResponseBench()
        #expect(bench.start() == .success)
        _ = try bench.synchronize(0, [2])
        bench.answer = { packet in (slot, [3, 0xFF, packet.subevent, UInt8(packet.event & 0xFF)]) }
        bench.forget()
        bench.run(for: .seconds(2))
        #expect(bench.answerStatuses.count >= 19 && bench.answerStatuses.allSatisfy { $0 == .success })
        let responses = bench.responses
        #expect(responses.count >= 19 && responses.allSatisfy { $0.subevent == 2 && $0.slot == slot })
        // Each slot that the host expects has a report.
        let all = bench.slots.filter { $0.subevent == 2 }
        #expect(all.count == 10 * (all.count / 10) && all.count / 10 >= responses.count)
        #expect(Set(all.map(\.slot)) == Set(0..<10))
        let indications = bench.sent(by: bench.advertiser)
        let delay = TimeSpan.milliseconds(5 + Int(slot))
        for response in bench.sent(by: bench.receivers[0]) {
            let indication = try #require(indications.last { $0.start < response.start })
            #expect(response.start - indication.start == delay)
            #expect(response.channel == indication.channel)
            #expect(response.accessAddress != indication.accessAddress)
        }
        #expect(Set(bench.air.map(\.accessAddress)).count == 2)
    }

    /// The subevents of an event are equally far apart, and hop.
    @Test func subeventsHaveTheirTimes() throws {
        let bench = ResponseBench()
        #expect(bench.start() == .success)
        bench.run(for: .seconds(5))
        let starts = bench.air.map(\.start)
        try #require(starts.count >= 190)
        for (index, (one, other)) in zip(starts, starts.dropFirst()).enumerated() {
            #expect(other - one == (index % 4 == 3 ? .milliseconds(40) : .milliseconds(20)))
        }
        // The counters of 50 events with 4 subevents have some 52 values.
        #expect(Set(bench.air.map(\.channel)).count > 20)
    }

    /// Two receivers share a subevent, each with a slot; then one of them takes the other's slot.
    @Test func twoReceiversNeedTwoSlots() throws {
        let bench = ResponseBench(receivers: 2)
        #expect(bench.start() == .success)
        for index in 0..<2 { _ = try bench.synchronize(index, [1]) }
        for round in 1...2 {
            bench.answer = { (UInt8(4 + $0.receiver), [2, 0xFF, UInt8($0.receiver)]) }
            bench.forget()
            bench.run(for: .seconds(1))
            for index in 0..<2 as Range<UInt8> {
                let responses = bench.responses.filter { $0.slot == 4 + index }
                #expect(responses.count >= 9, "round \(round)")
                #expect(responses.allSatisfy { $0.data == [2, 0xFF, index] })
            }
            bench.answer = { (4, [2, 0xFF, UInt8($0.receiver)]) }
            bench.run(for: .milliseconds(200))
            bench.forget()
            bench.run(for: .seconds(1))
            #expect(bench.answerStatuses.count >= 18 && bench.responses.isEmpty)
            #expect(bench.slots.contains { $0.subevent == 1 && $0.slot == 4 && $0.data == nil })
        }
    }

    /// Two receivers in two subevents use the same slot number.
    @Test func subeventsHaveSlotsOfTheirOwn() throws {
        let bench = ResponseBench(receivers: 2)
        #expect(bench.start() == .success)
        for index in 0..<2 { _ = try bench.synchronize(index, [UInt8(index)]) }
        bench.answer = { (7, [2, 0xFF, UInt8($0.receiver)]) }
        bench.forget()
        bench.run(for: .seconds(1))
        for index in 0..<2 as Range<UInt8> {
            #expect(bench.responses.count { $0.subevent == index && $0.data == [2, 0xFF, index] } >= 9)
        }
        #expect(bench.responses.allSatisfy { $0.slot == 7 })
    }

    /// A lost packet is reported, and the slot stays empty; then all goes on.
    @Test func aLostRequestHasNoResponse() throws {
        let bench = ResponseBench()
        #expect(bench.start() == .success)
        _ = try bench.synchronize(0, [0])
        bench.answer = { _ in (0, [2, 0xFF, 1]) }
        for _ in 0..<2 {
            bench.bench.radio.setLoss(1, of: bench.advertiser.identifier)
            // The response to a packet that was received before has its slot.
            bench.run(for: .milliseconds(20))
            bench.forget()
            bench.run(for: .milliseconds(500))
            #expect(bench.packets.count >= 4 && bench.packets.allSatisfy { $0.data == nil && $0.subevent == 0 })
            #expect(bench.answerStatuses.isEmpty && bench.responses.isEmpty)
            #expect(bench.slots.count { $0.subevent == 0 && $0.slot == 0 } >= 4)
            bench.bench.radio.setLoss(0, of: bench.advertiser.identifier)
            bench.forget()
            bench.run(for: .milliseconds(500))
            #expect(bench.responses.count >= 4 && bench.receivers[0].lostSyncs.isEmpty)
        }
    }

    /// A response outside the slots that the host expects, and in an earlier subevent, which is one of the next event.
    @Test func aResponseMayHaveAnotherPlace() throws {
        let bench = ResponseBench()
        bench.content = { subevent in ([2, 0xFF, subevent], 0..<2) }
        #expect(bench.start() == .success)
        let handle = try bench.synchronize(0, [2])
        bench.answer = { _ in (5, [2, 0xFF, 1]) }
        bench.forget()
        bench.run(for: .seconds(1))
        #expect(bench.answerStatuses.count >= 9 && bench.answerStatuses.allSatisfy { $0 == .success })
        #expect(bench.sent(by: bench.receivers[0]).count >= 9)
        #expect(bench.responses.isEmpty && Set(bench.slots.map(\.slot)) == [0, 1])
        bench.answer = { _ in nil }
        bench.run(for: .milliseconds(200))
        bench.forget()
        let packet = try bench.nextPacket()
        #expect(bench.respond(handle, to: packet.event, 2, in: 1, slot: 1, [2, 0xFF, 9]) == .success)
        bench.run(for: .milliseconds(200))
        #expect(bench.responses == [SlotReport(subevent: 1, slot: 1, data: [2, 0xFF, 9])])
    }

    /// Long responses need several events, and the transmit power is on request.
    @Test func longResponsesAreWhole() throws {
        let bench = ResponseBench()
        // Two slots of 5 ms.
        bench.parameters.responseSlotSpacing = 40
        bench.parameters.responseSlotCount = 2
        bench.content = { subevent in (Array(repeating: subevent, count: 249), 0..<2) }
        bench.parameters.properties = .includesTxPower
        #expect(bench.start() == .success)
        let handle = try bench.synchronize(0, nil)
        let command = HCI.LESetPeriodicSyncSubevent(syncHandle: handle, properties: .includesTxPower, subevents: [3])
        #expect(bench.receivers[0].status(bench.bench, of: command) == .success)
        let data = (0..<247).map { UInt8($0) }
        bench.answer = { _ in (1, data) }
        bench.forget()
        bench.run(for: .seconds(1))
        #expect(bench.answerStatuses.allSatisfy { $0 == .success })
        #expect(bench.responses.count >= 9)
        #expect(bench.responses.allSatisfy { $0.data == data && $0.txPower == 0 && $0.slot == 1 })
        #expect(bench.dataStatuses.count >= 9 && bench.dataStatuses.allSatisfy { $0 == .success })
    }

    /// Data is sent once. A subevent without data is sent empty, without slots.
    @Test func dataIsSentOnce() throws {
        let bench = ResponseBench()
        #expect(bench.start() == .success)
        _ = try bench.synchronize(0, [0, 1, 2, 3])
        bench.run(for: .milliseconds(500))
        bench.content = { $0 == 1 ? ([2, 0xFF, 7], 0..<1) : nil }
        // Until the data that the controller has is sent.
        bench.run(for: .milliseconds(300))
        bench.forget()
        bench.run(for: .seconds(1))
        #expect(bench.packets.filter { $0.subevent == 1 }.allSatisfy { $0.data == [2, 0xFF, 7] })
        #expect(bench.packets.filter { $0.subevent != 1 }.allSatisfy { $0.data == [] })
        #expect(bench.packets.count >= 38 && Set(bench.slots.map(\.subevent)) == [1])
        // Each subevent is requested once for each event.
        #expect(
            bench.requested.count >= 38
                && zip(bench.requested, bench.requested.dropFirst()).allSatisfy { pair in
                    pair.1 == (pair.0 + 1) % 4
                })
    }

    /// The train ends and begins again, and the receiver loses it and finds it.
    @Test func aSecondRound() throws {
        let bench = ResponseBench()
        for round in 1...2 {
            #expect(bench.start() == .success, "round \(round)")
            let handle = try bench.synchronize(0, [1])
            bench.answer = { _ in (2, [2, 0xFF, UInt8(round)]) }
            bench.forget()
            bench.run(for: .seconds(1))
            #expect(bench.responses.count >= 9 && bench.responses.allSatisfy { $0.data == [2, 0xFF, UInt8(round)] })
            #expect(bench.advertiser.enablePeriodic(bench.bench, 1, []) == .success)
            // A response may wait for its slot.
            bench.run(for: .milliseconds(100))
            bench.forget()
            bench.run(for: .seconds(2))
            #expect(bench.receivers[0].lostSyncs == [handle] && bench.air.isEmpty && bench.requested.isEmpty)
            #expect(bench.bench.radio.medium.subscribers.isEmpty)
            let disable = HCI.LESetExtendedAdvertisingEnable(enable: false, sets: [])
            #expect(bench.advertiser.status(bench.bench, of: disable) == .success)
        }
        // A reset in the middle of everything.
        #expect(bench.start() == .success)
        _ = try bench.synchronize(0, [1])
        bench.run(for: .milliseconds(333))
        for host in [bench.advertiser] + bench.receivers { host.send(HCI.Reset()) }
        bench.forget()
        bench.run(for: .seconds(2))
        #expect(bench.air.isEmpty && bench.bench.radio.medium.subscribers.isEmpty)
    }

    /// A packet that begins in the last slot does not delay the next subevent.
    @Test func aLongPacketInTheLastSlotDelaysNothing() throws {
        let bench = ResponseBench()
        // The slots fill the subevent.
        bench.parameters.responseSlotCount = 15
        bench.content = { ([2, 0xFF, $0], 0..<15) }
        #expect(bench.start() == .success)
        _ = try bench.synchronize(0, [1])
        bench.answer = { _ in (0, [2, 0xFF, 1]) }
        bench.forget()
        bench.run(for: .milliseconds(200))
        let response = try #require(bench.sent(by: bench.receivers[0]).last)
        // The next subevent 1 begins 95 ms after the response.
        let last = response.start + .milliseconds(95) + .microseconds(19_600)
        let before = bench.sent(by: bench.advertiser).count
        bench.run(for: last - bench.bench.radio.now - .microseconds(100))
        let indication = try #require(bench.sent(by: bench.advertiser).last)
        try #require(last - indication.start < .milliseconds(20))
        let device = Int32(bench.receivers[0].identifier.rawValue)
        bench.bench.radio.medium.transmit(
            from: device, at: last, on: indication.channel, accessAddress: response.accessAddress, crcInit: 0
        ) { $0 = [7, 255] + [UInt8](repeating: 0, count: 255) }
        bench.run(for: .milliseconds(500))
        let starts = bench.sent(by: bench.advertiser).map(\.start)
        try #require(starts.count > before + 15)
        for (one, other) in zip(starts, starts.dropFirst()) {
            #expect(other - one == .milliseconds(20) || other - one == .milliseconds(40))
        }
    }

    /// A peer of a link tells of the train (Vol 6, Part B, 5.1.13).
    @Test func aTransferHasTheSubevents() throws {
        let bench = ResponseBench()
        bench.content = { ([2, 0xFF, $0], 0..<2) }
        let receiver = bench.receivers[0]
        receiver.advertiseExtended(bench.bench, .connectable, handle: 0)
        bench.advertiser.connectExtended(to: receiver.address, interval: 240)
        #expect(
            bench.bench.run(atMost: .seconds(5)) {
                !bench.advertiser.connections.isEmpty && !receiver.connections.isEmpty
            })
        bench.run(for: .seconds(3))
        let own = try #require(bench.advertiser.connections.last).connectionHandle
        let other = try #require(receiver.connections.last).connectionHandle
        #expect(bench.start() == .success)
        let parameters = HCI.LESetPeriodicAdvertisingSyncTransferParameters(
            connectionHandle: other, mode: .report, skip: 0, syncTimeout: 300)
        #expect(receiver.status(bench.bench, of: parameters) == .success)
        let command = HCI.LEPeriodicAdvertisingSetInfoTransfer(
            connectionHandle: own, serviceData: 0x1234, advertisingHandle: 1)
        #expect(bench.advertiser.status(bench.bench, of: command) == .success)
        bench.run(for: .seconds(5))
        let received = receiver.all(HCI.LEPeriodicAdvertisingSyncTransferReceivedV2.self)
        try #require(received.count == 1)
        #expect(received[0].status == .success && received[0].serviceData == 0x1234)
        #expect(received[0].subeventCount == 4 && received[0].subeventInterval == 16)
        #expect(received[0].responseSlotDelay == 4 && received[0].responseSlotSpacing == 8)
        #expect(receiver.transferred.isEmpty)
        #expect(bench.choose([3], received[0].syncHandle) == .success)
        bench.answer = { _ in (1, [2, 0xFF, 5]) }
        bench.forget()
        // The link takes the radio now and then.
        bench.run(for: .seconds(3))
        #expect(bench.responses.count >= 10 && bench.responses.allSatisfy { $0.subevent == 3 && $0.slot == 1 })
    }
}
