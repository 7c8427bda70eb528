import BLEValues
import BLEWire

/// Collects what a session does, and makes a script of it.
///
/// A read becomes an assertion of its value if a later run sees the same value: see `isStable`. Notifications become a wait for their
/// number, because their values usually change.
package struct SessionRecording: Sendable {
    package enum Entry: Hashable, Sendable {
        /// An action without a value.
        case action(ScriptAction)
        case read(characteristic: String, octets: [UInt8], format: ValueFormat?, shown: String)
        case write(characteristic: String, octets: [UInt8], response: Bool?)
        /// Notifications of a characteristic between two commands. `shown` has the first values.
        case notifications(characteristic: String, shown: [String], count: Int)

        /// One notification.
        package static func notification(characteristic: String, shown: String) -> Entry {
            .notifications(characteristic: characteristic, shown: [shown], count: 1)
        }
    }

    package private(set) var entries: [Entry] = []

    /// The most entries of a recording. Later ones are dropped.
    package static let limit = 10_000
    /// The most values in a comment.
    private static let shownLimit = 8

    package init() {}

    package var isFull: Bool { entries.count >= Self.limit }

    package mutating func add(_ entry: Entry) {
        if case .notifications(let characteristic, let shown, let count) = entry,
            join(characteristic, shown, count) || isUnsubscribed(characteristic)
        {
            return
        }
        if !isFull { entries.append(entry) }
    }

    /// Adds notifications to those of the same characteristic since the last command, so that a long subscription takes one entry. Returns
    /// whether there are any.
    private mutating func join(_ characteristic: String, _ more: [String], _ added: Int) -> Bool {
        var index = entries.count
        while index > 0, case .notifications(let other, var shown, let count) = entries[index - 1] {
            index -= 1
            guard other == characteristic else { continue }
            shown += more.prefix(Self.shownLimit - shown.count)
            entries[index] = .notifications(characteristic: characteristic, shown: shown, count: count + added)
            return true
        }
        return false
    }

    /// Whether a notification was on its way while its subscription ended. A run of the script could not wait for it.
    private func isUnsubscribed(_ characteristic: String) -> Bool {
        for case .action(let action) in entries.reversed() {
            switch action {
            case .unsubscribe(characteristic): return true
            case .subscribe(characteristic, _): return false
            default: continue
            }
        }
        return false
    }

    /// The script of the recording.
    package func script(name: String?) -> DeviceScript {
        var steps: [ScriptStep] = []
        for position in entries.indices {
            switch entries[position] {
            case .action(let action): steps.append(ScriptStep(action))
            case .write(let characteristic, let octets, let response):
                steps.append(
                    ScriptStep(
                        .write(
                            characteristic: characteristic, ScriptValue(octets), response: response, isRefused: false)))
            case .read(let characteristic, let octets, let format, let shown):
                let isStable = isStable(at: position)
                let expectation =
                    isStable ? Self.expectation(octets, format) : ValueExpectation(.any)
                steps.append(
                    ScriptStep(
                        .read(characteristic: characteristic, expectation, isRefused: false),
                        comment: isStable ? nil : "seen: \(shown); the value changed during the session"))
            case .notifications(let characteristic, let shown, let count):
                let more = count > shown.count ? "; ..." : ""
                steps.append(
                    ScriptStep(
                        .waitForNotification(
                            characteristic: characteristic, ValueExpectation(), count: count,
                            within: .seconds(10 + 5 * count)),
                        comment: "seen: " + shown.joined(separator: "; ") + more))
            }
        }
        return DeviceScript(name: name, steps: steps)
    }

    private static func expectation(_ octets: [UInt8], _ format: ValueFormat?) -> ValueExpectation {
        let hexadecimal = ValueFormat(.hexadecimal)
        let format = format ?? hexadecimal
        // A text that does not give the same octets, such as a rounded number, is no assertion.
        // A run would take ${ for a variable.
        if let text = format.text(octets), !text.isEmpty, !text.contains("${"), (try? format.octets(text)) == octets {
            return ValueExpectation(.equals(text), format: format)
        }
        return ValueExpectation(.equals(Hexadecimal.text(octets)), format: hexadecimal)
    }

    /// Whether a run of the script on the same device reads the same value at this position.
    ///
    /// A value that differs between two reads without a write between them changes by itself. Before the first write of the session, a
    /// later run finds what this session left: the last value that the session read or wrote.
    private func isStable(at position: Int) -> Bool {
        guard case .read(let wanted, let octets, _, _) = entries[position] else { return false }
        var isAfterWrite = false
        var last: [UInt8]?
        var isWrittenSinceLast = false
        for (index, entry) in entries.enumerated() {
            switch entry {
            case .write(let characteristic, let written, _):
                if index < position { isAfterWrite = true }
                isWrittenSinceLast = true
                if characteristic == wanted { last = written }
            case .read(wanted, let read, _, _):
                if let last, last != read, !isWrittenSinceLast { return false }
                last = read
                isWrittenSinceLast = false
            default: break
            }
        }
        return isAfterWrite || last == octets
    }
}
