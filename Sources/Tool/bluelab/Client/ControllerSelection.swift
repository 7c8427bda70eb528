import BLEAdapter
import BLERuntime
import BLETransport
import Foundation

/// The controller that `--controller` or `BLUETOOTH_CONTROLLER` names.
enum ControllerSelection {
    /// The value of the option `--controller` of this run.
    private static let option = Lock<String?>(nil)

    /// A line such as `Try: bluelab scan` with the option `--controller` of this run, if the command has that option.
    static func repeated(in line: String) -> String { repeated(in: line, option.withLock { $0 }) }

    static func repeated(in line: String, _ controller: String?) -> String {
        guard let controller, let start = line.firstRange(of: "Try: bluelab ")?.lowerBound else { return line }
        var text = String(line[start...])
        for separator in [", then ", ", or "] {
            text = text.components(separatedBy: separator).map { completed($0, controller) }.joined(
                separator: separator)
        }
        return line[..<start] + text
    }

    /// The part of a suggestion with the option, if it is a command that takes the option and uses the controller.
    private static func completed(_ part: String, _ controller: String) -> String {
        let words = part.split(separator: " ").drop { $0 == "Try:" }.map(String.init)
        let isForAnother = words.contains { ["--controller", "--list", "--print", "--check"].contains($0) }
        guard words.first == "bluelab", !isForAnother, CommandDescription.takesController(words.dropFirst()) else {
            return part
        }
        return "\(part) --controller \(ShellWord.quoted(controller))"
    }

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
        if let text {
            setenv("BLUETOOTH_CONTROLLER", text, 1)
            option.withLock { $0 = text }
        }
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
