import Alarms
import XCTest

/// Tests of what needs Objective-C on Apple's systems. They pass there too.
final class AlarmsTests: XCTestCase {
    /// Implements every optional requirement.
    private final class Talker: NSObject, AlarmDelegate {
        var events: [String] = []
        func alarmDidRing(_ name: String) { events.append("rang \(name)") }
        func alarm(_ name: String, didSetAt date: Date) { events.append("set \(name)") }
        func loudness(of name: String) -> Loudness { .high }
        func title(of name: String, count: Int) -> String? { name.isEmpty ? nil : "\(name) \(count)" }
        var prefix: String { "no " }
    }

    /// Implements none.
    private final class Mute: NSObject, AlarmDelegate {
        var count = 0
        func alarmDidRing(_ name: String) { count += 1 }
    }

    /// Runs the run loop until a condition holds.
    private func wait(until isDone: () -> Bool) -> Bool {
        let end = Date(timeIntervalSinceNow: 20)
        while !isDone() {
            guard Date() < end else { return false }
            _ = RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: 0.01))
        }
        return true
    }

    func testOptionalRequirementsThatAreThere() {
        let (clock, talker) = (AlarmClock(), Talker())
        clock.delegate = talker
        clock.setAlarm("tea", after: 60).fire()
        XCTAssertEqual(talker.events, ["set tea", "rang tea"])
        XCTAssertEqual(clock.loudness(of: "tea"), .high)
        XCTAssertEqual(clock.title(of: "tea", count: 2), "tea 2")
        XCTAssertEqual(clock.title(of: "", count: 1), "no ")
    }

    func testOptionalRequirementsThatAreMissing() {
        let (clock, mute) = (AlarmClock(), Mute())
        clock.delegate = mute
        clock.setAlarm("tea", after: 60).fire()
        XCTAssertEqual(mute.count, 1)
        XCTAssertEqual(clock.loudness(of: "tea"), .low)
        XCTAssertEqual(clock.title(of: "tea", count: 2), "tea")
        XCTAssertEqual(AlarmClock().loudness(of: "tea"), .low)
    }

    func testATimerRetainsItsClockUntilItRang() {
        weak var clock: AlarmClock?
        var titles: [String] = []
        do {
            let new = AlarmClock()
            clock = new
            new.onRing = { titles.append($0) }
            new.setAlarm("tea", after: 0.01)
        }
        XCTAssertNotNil(clock)
        XCTAssertTrue(wait { clock == nil })
        XCTAssertEqual(titles, ["tea"])
    }

    func testATimerRepeatsUntilItIsInvalid() {
        let clock = AlarmClock()
        clock.startTicking(every: 0.001)
        XCTAssertTrue(wait { clock.ticks >= 3 })
        clock.stopTicking()
        let ticks = clock.ticks
        clock.setAlarm("tea", after: 0.01)
        XCTAssertTrue(wait { !clock.records.isEmpty })
        XCTAssertEqual(clock.ticks, ticks)
    }

    func testNotificationsReachTheClocksThatExist() {
        for _ in 0..<20 { _ = AlarmClock() }
        let clock = AlarmClock()
        NotificationCenter.default.post(name: .silence, object: nil)
        XCTAssertTrue(clock.isSilent)
        NotificationCenter.default.removeObserver(clock, name: .silence, object: nil)
    }

    func testAReminderIsCalledOff() {
        let clock = AlarmClock()
        clock.remind("tea", after: 0.001)
        clock.remind("soup", after: 0.002)
        clock.callOff("tea")
        XCTAssertTrue(wait { !clock.records.isEmpty })
        XCTAssertEqual(clock.records.map(\.name), ["soup"])
        XCTAssertEqual(AlarmClock.keys, ["name", "count"])
    }
}

#if canImport(BLESimulator)
import BLESimulator
import CoreBluetooth

/// A method that only a subclass of the delegate's class has.
final class ScannerTests: XCTestCase {
    func testASubclassHearsWhatItsSuperclassDoesNot() async throws {
        let world = World(seed: 3)
        _ = try world.addAdvertiser("beacon", RawAdvertisement(structures: [.flags(), .localName("Beacon")]))
        let scanner = world.addDevice("phone").run { NameScanner(queue: DispatchQueue(label: "phone")) }
        await world.run(timeout: .seconds(10)) { scanner.names == ["Beacon"] }
        XCTAssertEqual(scanner.names, ["Beacon"])
    }
}
#endif
