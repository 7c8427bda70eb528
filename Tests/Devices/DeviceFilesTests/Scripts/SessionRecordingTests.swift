import BLEValues
import BLEWire
import Testing

@testable import DeviceFiles

@Suite struct SessionRecordingTests {
    private func read(_ octets: [UInt8], of characteristic: String = "FFF1", _ format: ValueFormat? = nil)
        -> SessionRecording.Entry
    {
        .read(characteristic: characteristic, octets: octets, format: format, shown: Hexadecimal.text(octets))
    }

    private func write(_ octets: [UInt8], to characteristic: String = "FFF1") -> SessionRecording.Entry {
        .write(characteristic: characteristic, octets: octets, response: nil)
    }

    /// The conditions of the reads in the script of a recording.
    private func conditions(_ entries: [SessionRecording.Entry]) -> [ValueExpectation.Condition] {
        var recording = SessionRecording()
        for entry in entries { recording.add(entry) }
        return recording.script(name: nil).steps.compactMap {
            guard case .read(_, let expectation, _) = $0.action else { return nil }
            return expectation.condition
        }
    }

    @Test func aReadBecomesAnAssertion() {
        #expect(conditions([read([1, 2]), read([1, 2])]) == [.equals("01 02"), .equals("01 02")])
        #expect(conditions([read([0x40, 0x1F], ValueFormat(.unsigned(bits: 16)))]) == [.equals("8000")])
        // Octets that are no value of the format stay octets.
        #expect(conditions([read([0xFF], ValueFormat(.utf8))]) == [.equals("ff")])
    }

    @Test func aValueThatChangesByItselfIsNoAssertion() {
        #expect(conditions([read([1]), read([2])]) == [.any, .any])
        #expect(conditions([write([9]), read([1], of: "FFF2"), read([2], of: "FFF2")]) == [.any, .any])
    }

    @Test func aReadBeforeAWriteHoldsOnlyIfTheSessionRestoresTheValue() {
        // A later run finds 2.
        #expect(conditions([read([1]), write([2]), read([2])]) == [.any, .equals("02")])
        #expect(conditions([read([1]), write([2])]) == [.any])
        // A later run finds 1 again.
        #expect(conditions([read([1]), write([2]), read([2]), write([1])]) == [.equals("01"), .equals("02")])
        // The write of one value changes another.
        #expect(conditions([read([1]), write([5], to: "FFF2"), read([3])]) == [.any, .equals("03")])
        #expect(conditions([read([1], of: "FFF2"), write([2])]) == [.equals("01")])
    }

    /// A notification that was on its way at the end of its subscription is no step: a run could not wait for it.
    @Test func aNotificationAfterTheEndOfItsSubscriptionIsNoStep() {
        var recording = SessionRecording()
        for _ in 0..<2 {
            recording.add(.action(.subscribe(characteristic: "FFF1", isRefused: false)))
            recording.add(.notification(characteristic: "FFF1", shown: "1"))
            recording.add(.action(.unsubscribe(characteristic: "FFF1")))
            recording.add(.notification(characteristic: "FFF1", shown: "2"))
            recording.add(.notification(characteristic: "2A37", shown: "3"))
        }
        let waits = recording.script(name: nil).steps.map { step -> String in
            switch step.action {
            case .subscribe: "on"
            case .unsubscribe: "off"
            case .waitForNotification(let characteristic, _, let count, _): "\(characteristic) \(count)"
            default: "other"
            }
        }
        #expect(waits == ["on", "FFF1 1", "off", "2A37 1", "on", "FFF1 1", "off", "2A37 1"])
    }

    @Test func aLongSubscriptionTakesOneEntry() {
        var recording = SessionRecording()
        for number in 0..<2 * SessionRecording.limit {
            recording.add(.notification(characteristic: number.isMultiple(of: 2) ? "2A37" : "FFF3", shown: "\(number)"))
        }
        #expect(recording.entries.count == 2 && !recording.isFull)
        recording.add(.action(.disconnect))
        let steps = recording.script(name: nil).steps
        #expect(steps.count == 3 && steps[0].comment == "seen: 0; 2; 4; 6; 8; 10; 12; 14; ...")
    }

    @Test func notificationsBecomeWaitsForTheirNumber() {
        var recording = SessionRecording()
        recording.add(.action(.subscribe(characteristic: "2A37", isRefused: false)))
        for pulse in [72, 74] { recording.add(.notification(characteristic: "2A37", shown: "\(pulse) bpm")) }
        recording.add(.notification(characteristic: "FFF3", shown: "01"))
        recording.add(.notification(characteristic: "2A37", shown: "75 bpm"))
        recording.add(.action(.disconnect))
        let steps = recording.script(name: nil).steps
        #expect(steps.count == 4)
        #expect(
            steps[1].action
                == .waitForNotification(characteristic: "2A37", .init(), count: 3, within: .seconds(25)))
        #expect(steps[1].comment == "seen: 72 bpm; 74 bpm; 75 bpm")
        #expect(
            steps[2].action
                == .waitForNotification(characteristic: "FFF3", .init(), count: 1, within: .seconds(15)))
    }

    @Test func theScriptOfARecordingIsValid() throws {
        var recording = SessionRecording()
        recording.add(.action(.connect(device: "Band: 7\u{7}", within: .seconds(10))))
        for entry in [read([]), write([0, 255]), read([0, 255])] { recording.add(entry) }
        recording.add(.notification(characteristic: "FFF1", shown: "a\nb"))
        let text = recording.script(name: "A session").text
        let script = try DeviceScript(YAMLDocument(text: text, file: "session.yaml"))
        #expect(script.steps.count == 5)
        #expect(script.steps[0].action == .connect(device: "Band: 7\u{7}", within: .seconds(10)))
        #expect(text.contains("    # seen: a b\n") || text.contains("  # seen: a b\n"))
    }

    @Test func aRecordingIsBounded() {
        var recording = SessionRecording()
        for _ in 0..<SessionRecording.limit + 5 { recording.add(.action(.discover)) }
        #expect(recording.entries.count == SessionRecording.limit && recording.isFull)
    }
}
