import BLEAdapter
import BLEPeriodic
import BLESimulator
import Foundation
import TestConditions
import Testing

/// Programs on the virtual radio: one asks, others answer in response slots.
struct PeriodicResponseWorldTests {
    private let world = World(seed: 11)

    private final class Flag: Sendable {
        private let value = Lock(false)
        var isSet: Bool { value.withLock { $0 } }
        func set() { value.withLock { $0 = true } }
    }

    /// Lets time pass until a call has ended.
    private func finish<Result: Sendable>(
        _ call: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        let flag = Flag()
        let task = Task {
            defer { flag.set() }
            return try await call()
        }
        let hasEnded = await eventually {
            await world.run(for: .milliseconds(20))
            return flag.isSet
        }
        #expect(hasEnded, "the call has not ended")
        if !hasEnded { task.cancel() }
        return try await task.value
    }

    /// Responses of a round that have arrived.
    private func responses(_ advertiser: PeriodicAdvertiser, _ count: Int, of round: UInt8) async -> [PeriodicResponse]
    {
        var responses: [PeriodicResponse] = []
        for await response in advertiser.responses where Array(response.data)[2] == round {
            responses.append(response)
            if responses.count == count { break }
        }
        return responses
    }

    private func subevents() throws -> PeriodicSubevents {
        try PeriodicSubevents(
            count: 3, interval: .milliseconds(50), responseSlots: 4, responseDelay: .milliseconds(20),
            responseSpacing: .milliseconds(5))
    }

    @Test(.timeLimit(.minutes(10))) func twoProgramsAnswerAThird() async throws {
        let subevents = try subevents()
        let shelf = world.addDevice("shelf")
        let labels = (0..<2).map { world.addDevice("label \($0)", at: Position(x: Double(1 + $0))) }
        let advertiser = try shelf.run { try PeriodicAdvertiser(name: "shelf", set: 3, interval: .milliseconds(200)) }
        let scanners = labels.map { label in label.run { PeriodicScanner() } }
        for round in 1...2 as ClosedRange<UInt8> {
            try await finish {
                try await advertiser.start(subevents) { subevent in
                    PeriodicRequest(Data([3, 0xFF, round, UInt8(subevent)]), slots: 0..<4)
                }
            }
            var syncs: [PeriodicSync] = []
            for (index, scanner) in scanners.enumerated() {
                let sync = try await finish { try await scanner.synchronize(with: .named("shelf", set: 3)) }
                let found = try #require(sync.subevents)
                #expect(found.count == 3 && found.interval == .milliseconds(50) && found.responseSlots == 6)
                #expect(found.responseDelay == .milliseconds(20) && found.responseSpacing == .milliseconds(5))
                // Both in subevent 1, each in its slot; the second program also in subevent 2.
                try await finish {
                    try await sync.receive(subevents: index == 0 ? [1] : [1, 2]) { report in
                        PeriodicAnswer(Data([3, 0xFF, round, UInt8(index)]), slot: 2 + index)
                    }
                }
                syncs.append(sync)
            }
            await world.run(for: .seconds(3))
            let received = await responses(advertiser, 30, of: round)
            let places = Set(received.map { [$0.subevent, $0.slot] })
            #expect(places == [[1, 2], [1, 3], [2, 3]])
            #expect(received.allSatisfy { $0.data == Data([3, 0xFF, round, UInt8($0.slot - 2)]) && $0.rssi != nil })
            var reports: [PeriodicReport] = []
            for try await report in syncs[0] {
                reports.append(report)
                if reports.count == 5 { break }
            }
            #expect(reports.allSatisfy { $0.subevent == 1 && $0.data == Data([3, 0xFF, round, 1]) })
            #expect(syncs.allSatisfy { $0.refusedAnswers == 0 } && advertiser.refusedRequests == 0)
            for sync in syncs { sync.end() }
            advertiser.stop()
            await world.run(for: .seconds(1))
        }
    }

    @Test(.timeLimit(.minutes(10))) func answersThatAreNotSentAreCounted() async throws {
        let subevents = try subevents()
        let shelf = world.addDevice("shelf")
        let label = world.addDevice("label", at: Position(x: 1))
        let advertiser = try shelf.run { try PeriodicAdvertiser(name: "shelf", interval: .milliseconds(200)) }
        try await finish {
            // Slots that the train does not have.
            try await advertiser.start(subevents) { PeriodicRequest(Data([2, 0xFF, UInt8($0)]), slots: 0..<300) }
        }
        let scanner = label.run { PeriodicScanner() }
        let sync = try await finish { try await scanner.synchronize(with: .named("shelf")) }
        await #expect(throws: PeriodicError.subevents) { try await sync.receive(subevents: [3]) }
        await #expect(throws: PeriodicError.subevents) { try await sync.receive(subevents: []) }
        await #expect(throws: PeriodicError.subevents) { try await sync.receive(subevents: [-1]) }
        try await finish {
            // There is no slot 7, and the data is too long for any.
            try await sync.receive(subevents: [0, 1]) { report in
                PeriodicAnswer(Data(repeating: 1, count: report.subevent == 0 ? 1 : 1_000), slot: 7)
            }
        }
        await world.run(for: .seconds(2))
        #expect(sync.refusedAnswers >= 10 && advertiser.refusedRequests >= 10)
        sync.end()
        await #expect(throws: PeriodicError.noTrain) { try await sync.receive(subevents: [0]) }
    }

    @Test(.timeLimit(.minutes(10))) func aPlainTrainHasNoSubevents() async throws {
        let sensor = world.addDevice("sensor")
        let phone = world.addDevice("phone", at: Position(x: 1))
        let advertiser = try sensor.run { try PeriodicAdvertiser(name: "sensor") }
        try await finish { try await advertiser.start(Data([2, 0xFF, 1])) }
        let scanner = phone.run { PeriodicScanner() }
        let sync = try await finish { try await scanner.synchronize(with: .named("sensor")) }
        #expect(sync.subevents == nil)
        await #expect(throws: PeriodicError.noResponses) { try await sync.receive(subevents: [0]) }
        // The subevents need 150 ms.
        let subevents = try subevents()
        await #expect(throws: PeriodicError.subevents) { try await advertiser.start(subevents) { _ in nil } }
        await world.run(for: .seconds(1))
        var iterator = sync.makeAsyncIterator()
        let report = try await iterator.next()
        #expect(report?.subevent == nil && report?.data == Data([2, 0xFF, 1]))
    }

    @Test func subeventsHaveTheirRanges() throws {
        func isPossible(
            _ count: Int, _ interval: Duration, _ slots: Int = 0, _ delay: Duration = .zero, _ spacing: Duration = .zero
        ) -> Bool {
            let subevents = try? PeriodicSubevents(
                count: count, interval: interval, responseSlots: slots, responseDelay: delay, responseSpacing: spacing)
            return subevents != nil
        }
        let long = Duration.milliseconds(50)
        #expect(isPossible(1, .microseconds(7_500)) && isPossible(128, .microseconds(318_750)))
        #expect(!isPossible(0, long) && !isPossible(129, long) && !isPossible(-1, long))
        #expect(!isPossible(1, .microseconds(6_250)) && !isPossible(1, .microseconds(320_000)))
        #expect(isPossible(1, long, 30, .milliseconds(20), .milliseconds(1)))
        #expect(!isPossible(1, long, 31, .milliseconds(20), .milliseconds(1)))
        #expect(!isPossible(1, long, 1, .zero, .milliseconds(1)) && !isPossible(1, long, 1, long, .milliseconds(1)))
        #expect(!isPossible(1, long, 1, .milliseconds(20), .microseconds(125)) && !isPossible(1, long, 256))
        #expect(!isPossible(1, .seconds(1_000_000)) && !isPossible(1, .milliseconds(-50)))
    }
}
