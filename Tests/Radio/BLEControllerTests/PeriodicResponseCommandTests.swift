import BLEWire
import Testing

@testable import BLEController

/// The limits and the errors of the commands about trains with responses (Vol 4, Part E, 7.8.61 and 7.8.125 to 7.8.127).
struct PeriodicResponseCommandTests {
    private typealias Parameters = HCI.LESetPeriodicAdvertisingParametersV2
    private typealias Entry = HCI.LESetPeriodicAdvertisingSubeventData.Entry

    private func entry(_ subevent: UInt8, _ count: Int = 3, slots: ClosedRange<UInt8>? = nil) -> Entry {
        Entry(
            subevent: subevent, responseSlotStart: slots?.lowerBound ?? 0,
            responseSlotCount: slots.map { UInt8($0.count) } ?? 0, data: [UInt8](repeating: 0xFF, count: count))
    }

    @Test func parametersHaveTheirRanges() {
        let bench = ResponseBench()
        func status(_ change: (inout Parameters) -> Void) -> HCI.ErrorCode? {
            var parameters = bench.parameters
            change(&parameters)
            return bench.advertiser.status(bench.bench, of: parameters)
        }
        #expect(status { _ in } == .unknownAdvertisingIdentifier)
        bench.advertiser.advertiseExtended(bench.bench, [], handle: 1, enables: false)
        let wrong: [(inout Parameters) -> Void] = [
            { $0.subeventCount = 129 }, { $0.subeventCount = 6 }, { $0.subeventInterval = 5 },
            { $0.subeventInterval = 0 }, { $0.subeventInterval = 21 }, { $0.responseSlotDelay = 0 },
            { $0.responseSlotDelay = 16 }, { $0.responseSlotSpacing = 1 }, { $0.responseSlotSpacing = 13 },
            { $0.responseSlotCount = 16 }, { $0.intervalMinimum = 63 }, { $0.intervalMaximum = 79 },
            { $0.properties = HCI.PeriodicAdvertisingProperties(rawValue: 1) },
        ]
        for change in wrong { #expect(status(change) == .invalidHCICommandParameters) }
        let right: [(inout Parameters) -> Void] = [
            { _ in }, { $0.subeventCount = 5 }, { $0.subeventInterval = 20 }, { $0.responseSlotSpacing = 12 },
            { $0.responseSlotCount = 15 }, { $0.intervalMinimum = 64 },
            // Without slots or subevents, the other parameters have no meaning.
            { ($0.responseSlotCount, $0.responseSlotDelay, $0.responseSlotSpacing) = (0, 0xFF, 1) },
            { ($0.responseSlotCount, $0.responseSlotSpacing) = (1, 0) },
            { ($0.subeventCount, $0.subeventInterval, $0.responseSlotDelay) = (0, 0, 0xFF) },
            {
                ($0.subeventCount, $0.subeventInterval) = (128, 6)
                ($0.intervalMinimum, $0.intervalMaximum) = (768, 0xFFFF)
                ($0.responseSlotDelay, $0.responseSlotSpacing, $0.responseSlotCount) = (1, 2, 25)
            },
            {
                ($0.subeventCount, $0.subeventInterval) = (1, 0xFF)
                ($0.intervalMinimum, $0.intervalMaximum) = (255, 255)
                ($0.responseSlotDelay, $0.responseSlotSpacing, $0.responseSlotCount) = (0xFE, 0xFF, 1)
            },
        ]
        for change in right { #expect(status(change) == .success) }
        bench.advertiser.enablePeriodic(bench.bench)
        #expect(status { _ in } == .commandDisallowed)
        // Answers have the handle, also with an error.
        #expect(bench.advertiser.events.last.map { [UInt8]($0.suffix(2)) } == [0x0C, 1])
        bench.advertiser.enablePeriodic(bench.bench, 1, [])
        bench.advertiser.advertiseExtended(bench.bench, .connectable, handle: 2, enables: false)
        #expect(status { $0.advertisingHandle = 2 } == .invalidHCICommandParameters)
    }

    @Test func subeventDataHasItsErrors() throws {
        let bench = ResponseBench()
        bench.content = { _ in nil }
        #expect(bench.setData([entry(0)]) == .unknownAdvertisingIdentifier)
        bench.advertiser.advertiseExtended(bench.bench, [], handle: 1, enables: false)
        #expect(bench.setData([entry(0)]) == .commandDisallowed)
        #expect(bench.start() == .success)
        // The train begins in 2.5 ms or later, and all its subevents are requested.
        #expect(bench.setData([entry(0), entry(0)]) == .invalidHCICommandParameters)
        #expect(bench.setData([]) == .invalidHCICommandParameters)
        // The train has no such subevent, so it was not requested.
        #expect(bench.setData([entry(4)]) == .commandDisallowed)
        #expect(bench.setData([entry(0), entry(0x7F)]) == .commandDisallowed)
        #expect(bench.setData([entry(0x80)]) == .invalidHCICommandParameters)
        #expect(bench.setData([entry(0, slots: 5...10)]) == .invalidHCICommandParameters)
        #expect(bench.setData([entry(0, slots: 0...9)]) == .success)
        // Later data replaces it.
        #expect(bench.setData((0..<4).map { entry($0, slots: 9...9) }) == .success)
        bench.run(for: .milliseconds(60))
        bench.forget()
        let end = bench.bench.radio.now + .milliseconds(200)
        while bench.air.isEmpty, bench.bench.radio.now < end { bench.run(for: .microseconds(200)) }
        try #require(!bench.air.isEmpty)
        // The slots of the subevent are over, and the next one has not begun.
        bench.run(for: .milliseconds(18))
        for subevent in 0..<4 as Range<UInt8> { #expect(bench.setData([entry(subevent)]) == .success) }
    }

    /// Data has room before the first slot, or in the subevent without slots.
    @Test func longDataIsRefused() {
        let bench = ResponseBench()
        bench.content = { _ in nil }
        // 2.5 ms: (2500 - 150) / 8 - 8 - 3 octets.
        bench.parameters.responseSlotDelay = 2
        #expect(bench.start() == .success)
        #expect(bench.setData([entry(0, 249, slots: 0...0)]) == .success)
        #expect(bench.setData([entry(1, 249)]) == .success)
        let other = ResponseBench()
        other.content = { _ in nil }
        // 1.25 ms.
        other.parameters.responseSlotDelay = 1
        #expect(other.start() == .success)
        #expect(other.setData([entry(0, 126, slots: 0...0)]) == .success)
        #expect(other.setData([entry(0, 127, slots: 0...0)]) == .packetTooLong)
        #expect(other.setData([entry(0, 127)]) == .success)
        // All entries, or none.
        #expect(other.setData([entry(1), entry(2, 127, slots: 0...0)]) == .packetTooLong)
    }

    /// A controller that has begun a subevent takes no more data for it until it has ended.
    @Test func dataOfARunningSubeventIsLate() throws {
        let bench = ResponseBench()
        bench.parameters.subeventCount = 1
        bench.parameters.responseSlotCount = 15
        bench.content = { _ in ([2, 0xFF, 1], 0..<15) }
        #expect(bench.start() == .success)
        // The request is answered before the train begins.
        bench.run(for: .milliseconds(1))
        #expect(bench.dataStatuses == [.success])
        for _ in 0..<2 {
            bench.forget()
            let end = bench.bench.radio.now + .milliseconds(200)
            while bench.air.isEmpty, bench.bench.radio.now < end { bench.run(for: .microseconds(100)) }
            try #require(!bench.air.isEmpty)
            bench.run(for: .milliseconds(2))
            #expect(bench.setData([entry(0)]) == .tooLate)
            bench.run(for: .milliseconds(30))
            #expect(bench.setData([entry(0, slots: 0...14)]) == .success)
        }
    }

    @Test func theChoiceOfSubeventsHasItsErrors() throws {
        let bench = ResponseBench()
        #expect(bench.start() == .success)
        #expect(bench.choose([0], 0) == .unknownAdvertisingIdentifier)
        let handle = try bench.synchronize(0, nil)
        for wrong in [[], [4], [1, 1], [0x7F]] as [[UInt8]] {
            #expect(bench.choose(wrong, handle) == .invalidHCICommandParameters)
        }
        #expect(bench.choose([0], handle + 1) == .unknownAdvertisingIdentifier)
        let reserved = HCI.PeriodicAdvertisingProperties(rawValue: 1)
        let command = HCI.LESetPeriodicSyncSubevent(syncHandle: handle, properties: reserved, subevents: [0])
        #expect(bench.receivers[0].status(bench.bench, of: command) == .invalidHCICommandParameters)
        #expect(bench.choose([3, 0, 1], handle) == .success)
        bench.run(for: .seconds(1))
        #expect(Set(bench.packets.map(\.subevent)) == [0, 1, 3])
    }

    @Test func responseDataHasItsErrors() throws {
        let bench = ResponseBench()
        #expect(bench.start() == .success)
        #expect(bench.respond(0, to: 0, 0, slot: 0, []) == .unknownAdvertisingIdentifier)
        let handle = try bench.synchronize(0, nil)
        #expect(bench.respond(handle, to: 0, 0, slot: 0, []) == .commandDisallowed)
        #expect(bench.choose([1], handle) == .success)
        for _ in 0..<2 {
            let event = try bench.nextPacket().event
            #expect(bench.respond(handle + 1, to: event, 1, slot: 0, []) == .unknownAdvertisingIdentifier)
            // A subevent that it does not follow, or that the train does not have.
            #expect(bench.respond(handle, to: event, 0, slot: 0, []) == .commandDisallowed)
            #expect(bench.respond(handle, to: event, 4, slot: 0, []) == .invalidHCICommandParameters)
            #expect(bench.respond(handle, to: event, 1, in: 4, slot: 0, []) == .invalidHCICommandParameters)
            // 15 slots have room.
            #expect(bench.respond(handle, to: event, 1, slot: 15, []) == .invalidHCICommandParameters)
            // An event that is not over, and one that is.
            #expect(bench.respond(handle, to: event &+ 1, 1, slot: 0, []) == .commandDisallowed)
            #expect(bench.respond(handle, to: event &- 1, 1, slot: 0, []) == .tooLate)
            // A slot of 1 ms: (1000 - 150) / 8 - 8 - 3 octets.
            let most = [UInt8](repeating: 1, count: 95)
            #expect(bench.respond(handle, to: event, 1, slot: 0, most + [1]) == .packetTooLong)
            #expect(bench.respond(handle, to: event, 1, slot: 0, most) == .success)
            #expect(
                bench.respond(handle, to: event, 1, slot: 1, [UInt8](repeating: 1, count: 247)) == .packetTooLong)
            // A length of 251 octets does not fit into a command.
            let opcode = HCI.LESetPeriodicAdvertisingResponseData.opcode
            let header = [UInt8(handle), 0, UInt8(event & 0xFF), UInt8(event >> 8), 1, 1, 1, 251]
            bench.receivers[0].send(raw: [1, 0x83, 0x20, 18] + header + [UInt8](repeating: 1, count: 10))
            bench.bench.deliver()
            #expect(bench.receivers[0].status(of: opcode) == .invalidHCICommandParameters)
            // Another response for the same slot replaces the first one.
            #expect(bench.respond(handle, to: event, 1, slot: 0, [2, 0xFF, 2]) == .success)
            bench.forget()
            bench.run(for: .milliseconds(7))
            #expect(bench.respond(handle, to: event, 1, slot: 0, [2, 0xFF, 3]) == .tooLate)
            #expect(bench.respond(handle, to: event, 1, slot: 9, [2, 0xFF, 4]) == .success)
            bench.run(for: .milliseconds(20))
            #expect(bench.responses.map(\.data) == [[2, 0xFF, 2], [2, 0xFF, 4]])
        }
    }

    /// The memory for responses has a limit.
    @Test func responsesDoNotPileUp() throws {
        let bench = ResponseBench()
        #expect(bench.start() == .success)
        let handle = try bench.synchronize(0, [1])
        for _ in 0..<2 {
            let event = try bench.nextPacket().event
            // All slots of two later subevents.
            let statuses = (0..<30).map { (place: UInt8) in
                bench.respond(handle, to: event, 1, in: 2 + place / 15, slot: place % 15, [])
            }
            #expect(statuses.count { $0 == .success } == SyncSubevents.responseLimit)
            #expect(statuses.dropFirst(SyncSubevents.responseLimit).allSatisfy { $0 == .memoryCapacityExceeded })
            bench.forget()
            bench.run(for: .milliseconds(70))
            #expect(bench.sent(by: bench.receivers[0]).count == SyncSubevents.responseLimit)
        }
    }

    /// A train without responses has neither subevents nor slots, in all forms of events.
    @Test func aPlainTrainHasNoSubevents() throws {
        let bench = ResponseBench()
        bench.parameters.subeventCount = 0
        #expect(bench.start() == .success)
        #expect(bench.setData([entry(0)]) == .commandDisallowed)
        let handle = try bench.synchronize(0, nil)
        let sync = try #require(bench.receivers[0].establishedWithSubevents.last)
        #expect(sync.subeventCount == 0 && sync.subeventInterval == 0 && sync.responseSlotDelay == 0)
        #expect(sync.responseSlotSpacing == 0)
        #expect(bench.choose([0], handle) == .commandDisallowed)
        bench.forget()
        bench.run(for: .seconds(1))
        #expect(bench.packets.count >= 9 && bench.packets.allSatisfy { $0.subevent == 0xFF && $0.data == [] })
        let events = bench.packets.map(\.event)
        #expect(zip(events, events.dropFirst()).allSatisfy { $1 == $0 &+ 1 })
        #expect(bench.respond(handle, to: events.last ?? 0, 0, slot: 0, []) == .commandDisallowed)
        #expect(bench.requested.isEmpty && bench.receivers[0].periodicReports.isEmpty)
    }

    /// A host that masks the second forms gets the first ones.
    @Test func theMaskChoosesTheForm() throws {
        let bench = ResponseBench()
        #expect(bench.start() == .success)
        let receiver = bench.receivers[0]
        receiver.unmaskPeriodic()
        receiver.scanExtended()
        #expect(receiver.createSync(bench.bench, with: bench.advertiser) == .success)
        bench.run(for: .seconds(2))
        let sync = try #require(receiver.established.first)
        #expect(sync.status == .success && receiver.establishedWithSubevents.isEmpty)
        #expect(bench.choose([2], sync.syncHandle) == .success)
        bench.run(for: .seconds(1))
        #expect(receiver.periodicReports.count >= 9 && bench.packets.isEmpty)
        #expect(receiver.periodicReports.allSatisfy { $0.data == [2, 0xFF, 2] })
    }
}
