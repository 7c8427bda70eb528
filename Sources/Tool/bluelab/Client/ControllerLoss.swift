import BLERuntime
import CoreBluetooth

/// The states of the controller of a command that advertises until the user ends it, after the first `.poweredOn`.
struct ControllerLoss {
    /// The beginning of the sentence about the return of the controller, such as "The beacon is sent".
    let work: String
    private var isLost = false

    init(_ work: String) { self.work = work }

    /// Takes a state. Returns the line that says the loss, once for each loss.
    ///
    /// - Throws: `noAdapter` if the controller does not come back.
    mutating func take(_ state: CBManagerState) throws -> String? {
        // Another key or another permission takes effect at the next start.
        if state == .unauthorized { throw ToolError.unusableController }
        let wasLost = isLost
        isLost = state != .poweredOn
        guard isLost, !wasLost else { return nil }
        return "bluelab: \(ToolError.lostController.lines.first ?? "") \(work) again when the controller is back."
    }
}
