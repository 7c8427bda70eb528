import BLEAdapter
import BLEPeriodic
import BLESimulator
import Foundation
import TestConditions
import Testing

/// Two programs on the virtual radio: one sends a train, the other receives it.
struct PeriodicWorldTests {
    private let world = World(seed: 7)

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

    /// The next reports of a train, which have arrived.
    private func reports(_ sync: PeriodicSync, _ count: Int) async throws -> [PeriodicReport] {
        var reports: [PeriodicReport] = []
        for try await report in sync {
            reports.append(report)
            if reports.count == count { break }
        }
        return reports
    }

    @Test(.timeLimit(.minutes(10)), arguments: [PeriodicPHY.le1M, .le2M]) func aTrainReachesAnotherProgram(
        _ phy: PeriodicPHY
    ) async throws {
        let sensor = world.addDevice("sensor")
        let phone = world.addDevice("phone", at: Position(x: 2))
        let advertiser = try sensor.run {
            try PeriodicAdvertiser(name: "sensor", set: 4, interval: .milliseconds(100), phy: phy)
        }
        let scanner = phone.run { PeriodicScanner() }
        for round in 1...2 as ClosedRange<UInt8> {
            let first = Data([3, 0xFF, round, 1])
            try await finish { try await advertiser.start(first) }
            let sync = try await finish { try await scanner.synchronize(with: .named("sensor", set: 4)) }
            #expect(sync.name == "sensor" && sync.set == 4 && sync.interval == .milliseconds(100) && sync.phy == phy)
            await world.run(for: .seconds(2))
            let early = try await reports(sync, 5)
            #expect(early.allSatisfy { $0.data == first && !$0.isTruncated && ($0.rssi ?? 0) < -20 })
            #expect(early.map(\.number) == Array(0..<5))
            // The train goes on with other data.
            let second = Data([3, 0xFF, round, 2]) + Data(repeating: round, count: 200)
            try await finish { try await advertiser.update(second) }
            await world.run(for: .seconds(3))
            var last = try await reports(sync, 1)
            while let report = last.first, report.data != second, report.number < 30 {
                last = try await reports(sync, 1)
            }
            #expect(last.first?.data == second)
            if round == 1 {
                try await longDataBeginsAnotherTrain(advertiser, scanner, sync)
                advertiser.stop()
            } else {
                sensor.powerOff()
                await world.run(for: .seconds(15))
                await #expect(throws: PeriodicError.lost) { for try await _ in sync {} }
            }
        }
        // It begins again with Bluetooth.
        sensor.powerOn()
        let again = try await finish { try await scanner.synchronize(with: .named("sensor")) }
        #expect(again.set == 4)
        again.end()
    }

    /// A controller takes data of several commands only while the train is off (Vol 4, Part E, 7.8.62).
    private func longDataBeginsAnotherTrain(
        _ advertiser: PeriodicAdvertiser, _ scanner: PeriodicScanner, _ sync: PeriodicSync
    ) async throws {
        let long = Data((0..<404).map { UInt8(truncatingIfNeeded: $0) })
        try await finish { try await advertiser.update(long) }
        await world.run(for: .seconds(15))
        await #expect(throws: PeriodicError.lost) { for try await _ in sync {} }
        let next = try await finish { try await scanner.synchronize(with: .named("sensor", set: 4)) }
        await world.run(for: .seconds(1))
        #expect(try await reports(next, 1).first?.data == long)
        next.end()
    }
}
