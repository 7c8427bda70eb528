import BLERuntime

extension ToolError {
    init(_ failure: ControllerError) {
        self.init(
            failure.isOfSpelling ? .usage : .noAdapter, Self.continued(failure.ending), "Try: \(failure.command)")
    }

    /// The failure of a command whose controller cannot be used.
    static var unusableController: ToolError { controller("\(Self.name) cannot be used.") }

    /// The failure of a command whose controller was not ready in time.
    static func lateController(_ limit: Duration) -> ToolError {
        controller("\(Self.name) was not ready within \(inSeconds(limit)).")
    }

    /// The failure of a command whose controller was lost.
    static var lostController: ToolError { controller("\(Self.name) was removed or switched off.") }

    /// The failure that the controller reported; without one, `sentence`.
    private static func controller(_ sentence: String) -> ToolError {
        ControllerReport.ofProcess.latest.map { ToolError($0) }
            ?? ToolError(.noAdapter, sentence, "Try: bluelab doctor")
    }

    private static var name: String { "the Bluetooth controller \(ProcessAdapter.choice)" }

    /// A sentence after "bluelab: ".
    private static func continued(_ sentence: String) -> String {
        guard sentence.dropFirst().first?.isLowercase == true else { return sentence }
        return sentence.prefix(1).lowercased() + sentence.dropFirst()
    }
}

extension ControllerError {
    /// The sentence of a command that ends with the failure. A program of CoreBluetooth waits for the radio instead.
    fileprivate var ending: String { sentence.replacing(", and this program goes on", with: "") }
}
