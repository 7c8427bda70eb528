import BLEWire
import CoreBluetooth

/// Prints one line for each check. Interop/interop.py counts these lines.
@MainActor final class Report {
    private var failed = false
    private var stage = "start"

    /// Sets the awaited step, which a failure message names.
    func wait(for stage: String) { self.stage = stage }

    func note(_ text: String) { show(text) }

    func check(_ name: String, _ good: Bool, _ detail: String) {
        failed = failed || !good
        show("\(good ? "PASS" : "FAIL") \(name): \(detail)")
    }

    /// Passes if both values are equal, and prints both if they are not.
    func compare<Value: Equatable>(_ name: String, _ got: Value, _ expected: Value, _ detail: String) {
        let good = got == expected
        check(name, good, good ? detail : "\(detail), but received \(text(got)), expected \(text(expected))")
    }

    /// Ends the program after a delay in which the last data leaves.
    func end() {
        DispatchQueue.main.asyncAfter(deadline: .now() + 0.3) { [failed] in exit(failed ? 1 : 0) }
    }

    /// Ends the program immediately with a failure.
    func abandon(_ why: String) -> Never {
        check("run", false, "\(why), while waiting for \(stage)")
        exit(1)
    }

    /// Ends the program with a failure after `seconds`.
    func setDeadline(_ seconds: Double) {
        DispatchQueue.main.asyncAfter(deadline: .now() + seconds) {
            MainActor.assumeIsolated { () -> Void in self.abandon("the deadline of \(seconds) s passed") }
        }
    }

    private func show(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

    private func text(_ value: Any) -> String {
        switch value {
        case let data as Data:
            return "\(data.count) octets \(Hexadecimal.text(data.prefix(24)))\(data.count > 24 ? " ..." : "")"
        case let list as [Data]:
            return "\(list.count) values [\(list.prefix(3).map { text($0) }.joined(separator: ", "))]"
        default: return "\(value)"
        }
    }
}

extension CBManagerState {
    /// The name of the state, which the scripts wait for.
    var word: String {
        let names: [CBManagerState: String] = [
            .unknown: "unknown", .resetting: "resetting", .unsupported: "unsupported", .unauthorized: "unauthorized",
            .poweredOff: "poweredOff", .poweredOn: "poweredOn",
        ]
        return names[self] ?? "?"
    }
}
