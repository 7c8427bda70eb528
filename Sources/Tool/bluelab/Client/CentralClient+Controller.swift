import BLERuntime
import CoreBluetooth
import Foundation

extension CentralClient {
    /// The time of a command that runs until the user ends it.
    static let unlimited = Duration.seconds(1_000_000_000)

    /// Waits for the controller after its loss, and says so on the error stream: for commands that run until the user ends them.
    ///
    /// - Parameter loss: The failure of the step that the loss ended, of the kind `noAdapter`.
    /// - Returns: Whether the controller came back within `limit`. Peripherals from before have to be retrieved again.
    func awaitController(after loss: ToolError, within limit: Duration) async throws -> Bool {
        printError(ValueText.printable("bluelab: \(loss.lines.first ?? "") Waiting for the controller."))
        var isBack = manager.state == .poweredOn
        if !isBack {
            isBack = try await wait(limit) { event in
                guard case .state(let state) = event else { return false }
                // Another key or another permission takes effect at the next start.
                if state == .unauthorized { throw ToolError.unusableController }
                return state == .poweredOn
            }
        }
        if isBack { printError("bluelab: the Bluetooth controller \(ProcessAdapter.choice) is back.") }
        return isBack
    }
}
