import BLEBlueZAdapter
import BLEGatewayAdapter
import BLETransport
import BLEVirtualRadio
import NoiseChannel

/// Why a controller cannot be used: which one, what happened, and the command that helps.
package struct ControllerError: Error, Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        /// No controller is chosen, and the machine has no adapter.
        case notChosen
        /// The text names no controller. The spelling that does, if only the case of its letters is wrong.
        case unreadable(spelling: String?)
        /// The variable for the platform names none. The platform that it may mean.
        case unknownPlatform(spelling: String?)
        /// The radio is switched off.
        case blocked
        /// This program lacks the permission to use it.
        case notPermitted
        /// It is not there, or does not accept a connection.
        case unavailable
        /// It was in use, and its connection ended or it does not work as specified.
        case failed
        /// It made an error, and the host resets it: it works again at once, or fails.
        case beingReset
        /// The key for the gateway is no key.
        case unreadableKey
        /// The gateway has another key, or requires one.
        case wrongKey
        /// The gateway has no key.
        case superfluousKey
        /// It cannot advertise.
        case noPeripheralRole
    }

    /// The controller as `BLUETOOTH_CONTROLLER` names it; empty if none is chosen.
    package let controller: String
    package let kind: Kind
    /// What happened, to which controller.
    package let sentence: String
    /// The next command.
    package let command: String

    /// - Parameter reason: A sentence from what the controller is reached with.
    package init(_ choice: ControllerChoice, _ kind: Kind, _ reason: String) {
        controller = choice.description
        self.kind = kind
        sentence = reason.contains(controller) ? reason : "\(controller): \(reason)"
        command = Self.command(choice, kind)
    }

    /// A text that names no controller, or an empty one without an adapter.
    init(unreadable text: String, _ kind: Kind, _ reason: String) {
        controller = text
        self.kind = kind
        sentence = reason
        command = Self.command(nil, kind)
    }

    /// bluetoothd, or its adapter, cannot be used.
    package init(_ choice: ControllerChoice, _ failure: BlueZError) {
        controller = choice.description
        sentence = Self.sentence(failure)
        (kind, command) =
            switch failure {
            case .bus(.noBus): (.unavailable, "systemctl status dbus")
            case .bus(.unreadableAddress): (.unavailable, "unset DBUS_SYSTEM_BUS_ADDRESS")
            case .bus(.refused), .bus(.broken): (.failed, "sudo journalctl -u dbus")
            case .bus: (.failed, "systemctl status dbus")
            case .notRunning: (.unavailable, "sudo systemctl start bluetooth")
            case .gone: (.beingReset, "systemctl status bluetooth")
            case .silent: (.failed, "sudo systemctl restart bluetooth")
            case .refused: (.notPermitted, "sudo usermod -a -G bluetooth $(id -un)")
            case .noAdapter, .adapterGone: (.unavailable, "bluelab adapters")
            case .off: (.blocked, "bluetoothctl power on")
            case .blocked(_, isHard: false): (.blocked, "sudo rfkill unblock bluetooth")
            case .blocked(_, isHard: true): (.blocked, "rfkill list bluetooth")
            }
    }

    /// The descriptions of the bus end with commands of their own.
    private static func sentence(_ failure: BlueZError) -> String {
        switch failure {
        case .bus(.noBus(let address, let reason)):
            "bluetoothd cannot be reached: there is no system bus at \(address) (\(reason))."
        case .bus(.unreadableAddress(let text)):
            "bluetoothd cannot be reached: DBUS_SYSTEM_BUS_ADDRESS is \"\(text)\", which names no Unix socket."
        case .bus(.refused): "bluetoothd cannot be reached: the system bus refuses this user."
        case .bus(.silent): "bluetoothd cannot be reached: the system bus does not answer."
        case .bus(.broken(let reason)): "The connection to the system bus broke (\(reason))."
        case .bus(.violation(let what)): "The system bus sent \(what), so the connection was closed."
        default: "\(failure)"
        }
    }

    /// Whether the user has to write the controller or its key in another way.
    package var isOfSpelling: Bool {
        switch kind {
        case .unreadable, .unreadableKey, .unknownPlatform: true
        default: false
        }
    }

    /// The table of the commands that help, by controller and kind of failure.
    static func command(
        _ choice: ControllerChoice?, _ kind: Kind, system: SystemBluetooth = .current
    ) -> String {
        switch (kind, choice) {
        case (.notChosen, _): "bluelab doctor"
        case (.unreadable(let spelling?), _): "bluelab doctor --controller \(ShellWord.quoted(spelling))"
        case (.unreadable(nil), _): "bluelab help adapters"
        case (.unknownPlatform(let spelling?), _): "export \(RequestedPlatform.variable)=\(spelling)"
        case (.unknownPlatform(nil), _): "unset \(RequestedPlatform.variable)"
        case (.unreadableKey, _), (.wrongKey, _): "export BLUETOOTH_GATEWAY_KEY=$(cat gateway.key)"
        case (.superfluousKey, _): "unset BLUETOOTH_GATEWAY_KEY"
        case (.noPeripheralRole, _): "bluelab adapters"
        case (.notPermitted, .adapter(let index)): rightsCommand(index, system)
        case (.blocked, .adapter): "sudo rfkill unblock bluetooth"
        case (_, .adapter): "bluelab adapters"
        case (_, .radio(let endpoint)): endpoint.command
        case (_, .socket(.serial(let device, _))): "ls -l \(ShellWord.quoted(device))"
        case (_, .gateway): "bluelab gateway list"
        case (_, .bluez): "bluelab doctor"
        case (_, .socket(.tcp(let host, _))) where !isOfThisMachine(host): "ping -c 3 \(ShellWord.quoted(host))"
        // A simulated controller at the same address.
        case (_, .socket(let address)): "bluelab radio --listen \(ShellWord.quoted("\(address)"))"
        case (_, .virtual), (_, .some(.none)), (_, nil): "bluelab doctor"
        }
    }
}

extension ControllerError {
    /// bluetoothd gives its adapters to programs without rights; without it the program needs capabilities.
    private static func rightsCommand(_ index: UInt16, _ system: SystemBluetooth) -> String {
        system.isDaemonRunning ? "export BLUETOOTH_CONTROLLER=bluez:hci\(index)" : system.capabilityCommand
    }

    private static func isOfThisMachine(_ host: String) -> Bool {
        ["localhost", "::1"].contains(host) || host.hasPrefix("127.")
    }

    /// The variable holds no key.
    init(gateway place: GatewayAddress, _ failure: PreSharedKey.FormatError) {
        self.init(
            .gateway(place), .unreadableKey,
            "\(GatewayKeyVariable.name), the key for \(place.selection), \(failure)")
    }

    /// The gateway cannot be used, or no longer.
    package init(gateway place: GatewayAddress, _ loss: GatewayConnectionError) {
        let choice = ControllerChoice.gateway(place)
        switch loss {
        case .conversation(.wrongKey):
            self.init(
                choice, .wrongKey,
                "\(place.selection) has another key: set \(GatewayKeyVariable.name) to the key of the gateway.")
        case .conversation(.peerRequiresKey):
            self.init(
                choice, .wrongKey,
                "\(place.selection) requires a key: set \(GatewayKeyVariable.name) to the key of the gateway.")
        case .conversation(.peerIsNotEncrypted):
            self.init(
                choice, .superfluousKey,
                "\(place.selection) has no key: unset \(GatewayKeyVariable.name), or give the gateway the key.")
        case .noPeripheralRole: self.init(choice, .noPeripheralRole, "\(loss)")
        case .network, .conversation: self.init(choice, .unavailable, "\(loss)")
        }
    }
}

extension ControllerError: CustomStringConvertible {
    /// The line for the log of a program.
    package var description: String {
        if case .unreadable = kind { return "BLUETOOTH_CONTROLLER: \(sentence) Try: \(command)" }
        return "\(sentence) Try: \(command)"
    }
}
