import BLERuntime
import BLETransport

/// What `bluelab doctor` knows about the machine. `MachineProbe` collects it; tests set it.
struct MachineFacts {
    /// A virtual radio of this user.
    struct Radio {
        let endpoint: SharedRadioEndpoint
        /// The reason why it cannot be joined; nil if it runs.
        let failure: String?
    }

    /// The value of BLUETOOTH_CONTROLLER or `--controller`; nil if there is none.
    var selection: String?
    var choice: ControllerChoice
    var hasBluetooth = true
    var isContainer = false
    var adapters: [LocalAdapter] = []
    /// The kernel's drivers by the numbers of the adapters.
    var drivers: [UInt16: String] = [:]
    /// Whether a switch has removed all adapters.
    var isBlocked = false
    var mayTakeAdapters = true
    /// The command that gives the program the right to take an adapter.
    var capabilityCommand = ""
    /// Programs with HCI sockets, bluetoothd first.
    var holders: [SystemBluetooth.Holder] = []
    /// The adapters on which bluetoothd scans for a program.
    var scanning: Set<UInt16> = []
    var kernel: String?
    var distribution: String?
    /// The version of BlueZ; nil if it is not installed.
    var blueZ: String?
    /// The folder of identifiers and bonds; nil if there is none.
    var store: String?
    /// The reason why the store cannot be written.
    var storeFailure: String?
    var radios: [Radio] = []
    /// The reason why the selected radio, gateway, socket, serial port or adapter of bluetoothd cannot be used.
    var controllerFailure: ControllerError?
    /// The reason why the first adapter of a bluetoothd that runs cannot be used.
    var daemonFailure: ControllerError?
    /// Whether bluetoothd has an adapter, although this user does not see its process.
    var isDaemonReached = false
}

extension MachineFacts {
    /// bluetoothd, if it runs.
    var daemon: SystemBluetooth.Holder? { holders.first { $0.name == SystemBluetooth.daemon } }

    /// A virtual radio that runs.
    var runningRadio: ControllerChoice? { radios.first { $0.failure == nil }.map { .radio($0.endpoint) } }

    /// Whether programs use an adapter of bluetoothd.
    var usesDaemon: Bool {
        if case .bluez = choice { true } else { false }
    }

    /// Whether bluetoothd has an adapter for programs.
    var isDaemonUsable: Bool {
        isDaemonReached || (daemon != nil && daemonFailure == nil) || (usesDaemon && controllerFailure == nil)
    }
}

/// A finding of `bluelab doctor`, and a record of `--json`.
struct Finding: Encodable, Hashable {
    enum State: String, Encodable {
        case ok, note, warning
        /// Prevents the use of the selected controller.
        case problem
    }

    enum Topic: String, Encodable {
        case controller, way, versions, kernel, adapter, radio, rights, holder, bluetoothd, bluez, scans, store,
            virtualRadio
    }

    let type = "finding"
    let topic: Topic
    var state: State
    let text: String
    /// A command.
    let fix: String?

    init(_ topic: Topic, _ state: State, _ text: String, fix: String? = nil) {
        self.topic = topic
        self.state = state
        self.text = text
        self.fix = fix
    }

    enum CodingKeys: CodingKey { case type, topic, state, text, fix }
}
