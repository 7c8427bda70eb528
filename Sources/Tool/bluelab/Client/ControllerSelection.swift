import BLERuntime
import BLETransport
import Foundation

/// The controller that `--controller` or `BLUETOOTH_CONTROLLER` names.
enum ControllerSelection {
    /// Whether the adapter of this process knows the keys of its bonds. bluetoothd and gateways do not tell them.
    static var knowsKeys: Bool {
        switch ProcessAdapter.choice {
        case .bluez, .gateway: false
        case .socket, .adapter, .radio, .virtual, .none: true
        }
    }

    /// The values of `--controller` for completions: the ways to the adapters of this machine, and the words.
    static var words: [String] {
        let names = SystemBluetooth.current.adapters().map { "hci\($0)" }
        return ["bluez"] + names.map { "bluez:\($0)" } + names + ["radio", "virtual", "gateway"]
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
