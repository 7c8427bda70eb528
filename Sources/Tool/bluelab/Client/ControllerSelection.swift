import BLERuntime
import Foundation

/// The controller that `--controller` or `BLUETOOTH_CONTROLLER` names.
enum ControllerSelection {
    /// Whether this process uses an adapter of bluetoothd.
    static var isDaemon: Bool {
        if case .bluez = ProcessAdapter.choice { true } else { false }
    }

    /// Selects the controller of this process. Call it before the first manager is created.
    ///
    /// - Parameters:
    ///   - text: The value of the option; nil leaves the variable.
    ///   - isService: Whether the command goes on without a controller. Its failures are then lines of the log.
    /// - Throws: `usage` if the text names no controller, or the key of a gateway is no key.
    static func apply(_ text: String?, isService: Bool = false) throws {
        if let text { setenv("BLUETOOTH_CONTROLLER", text, 1) }
        if !isService { ControllerReport.ofProcess.takeOver() }
        do throws(ControllerError) {
            switch ProcessAdapter.choice {
            case .none(let failure) where failure.isOfSpelling || !isService: throw failure
            case .gateway(let place): _ = try GatewayKeyVariable.key(for: place)
            default: break
            }
        } catch {
            throw ToolError(error)
        }
    }
}
