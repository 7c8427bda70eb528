import Phrases
import Testing

@testable import StudioRoom

/// The logs and clocks of a room beyond twice their limits, and in their second round.
@Suite struct RoomLimitTests {
    /// The log keeps its limit for any number of events, and numbers go on.
    @Test func theLogOfEventsKeepsTheLatestOfAnyNumber() {
        var log = RoomEventLog()
        let happening = ProgramEvent(.note, Phrase("x", "x"))
        for count in 1...4 * RoomEventLog.limit {
            log.append(happening, device: nil, at: Int64(count))
            guard count % 1777 == 0 || count == 4 * RoomEventLog.limit else { continue }
            let kept = log.events(from: 0)
            let least = min(count, RoomEventLog.limit)
            #expect(kept.count >= least && kept.count < RoomEventLog.limit + RoomEventLog.limit / 4, "\(count)")
            #expect(kept.last?.n == count - 1 && kept.first?.n == count - kept.count)
            #expect(log.events(from: count - 3).map(\.n) == [count - 3, count - 2, count - 1])
            #expect(log.events(from: count).isEmpty && log.count == count)
        }
    }

    /// A log that was cut has its room again, of commands and of texts.
    @Test func aCutGivesTheRoomBackEachTime() {
        var log = CommandLog(limit: 10)
        let text = String(repeating: "x", count: 1000)
        for round in 0..<3 {
            for number in 0..<10 {
                #expect(log.obstacle(to: .rename(device: "d", text), at: log.entries.count) == nil, "round \(round)")
                log.append(.rename(device: "d", text), at: Int64(number))
                #expect(log.textRoom(at: log.entries.count) == CommandLog.textLimit - 1000 * (number + 1))
            }
            #expect(log.obstacle(to: .remove(device: "d"), at: 10) == .commands)
            #expect(log.obstacle(to: .remove(device: "d"), at: 9) == nil)
            #expect(log.obstacle(to: .remove(device: "d"), at: 5, after: 4) == nil)
            #expect(log.obstacle(to: .remove(device: "d"), at: 5, after: 5) == .commands)
            #expect(log.textRoom(at: 3) == CommandLog.textLimit - 3000)
            log.cut(from: 20)
            #expect(log.entries.count == 10)
            log.cut(from: 0)
            #expect(log.entries.isEmpty && log.room(at: 0) == 10 && log.textRoom(at: 0) == CommandLog.textLimit)
        }
    }

    /// A pause of the clock is no time of the room, and the speed is measured anew after it: twice.
    @Test func eachStartOfTheClockBeginsAnew() {
        let second: Int64 = 1_000_000_000
        var pace = PaceController()
        var real: Int64 = 5 * second
        var virtual: Int64 = 0
        for (round, speed) in [1.0, 2.0, 0.5].enumerated() {
            pace.setSpeed(speed)
            #expect(pace.actualSpeed == nil, "round \(round)")
            #expect(pace.goal(real: real, virtual: virtual) == virtual, "round \(round)")
            for _ in 0..<30 {
                real += second / 10
                virtual = pace.goal(real: real, virtual: virtual)
                pace.reached(virtual: virtual, real: real)
            }
            #expect(pace.actualSpeed == speed, "round \(round)")
            pace.stop()
            #expect(pace.actualSpeed == nil)
            // An hour without the room.
            real += 3600 * second
        }
        // The measurement is of the last second, not of all seconds.
        pace.setSpeed(1)
        _ = pace.goal(real: real, virtual: virtual)
        for step in 1...50 {
            real += second / 10
            // The room stands still in its second half.
            if step <= 25 { virtual += second / 10 }
            pace.reached(virtual: virtual, real: real)
        }
        #expect(pace.actualSpeed ?? 1 < 0.2)
    }

    /// Resets that wait add up to the lowest of them, in any order.
    @Test func theLowestResetCounts() {
        let resets: [(Int, Int)] = [(5, 50), (9, 20), (7, 90)]
        for order in [[0, 1, 2], [2, 1, 0], [1, 0, 2], [0, 2, 1]] {
            var changes = RoomChanges()
            for index in order {
                var other = RoomChanges()
                other.reset = .init(packets: resets[index].0, happened: resets[index].1)
                changes.formUnion(other)
                changes.formUnion(RoomChanges())
            }
            #expect(changes.reset == .init(packets: 5, happened: 20), "\(order)")
        }
    }
}
