import BLEAdapter
import BLECapture
import BLEGatewayAdapter
import BLEHost
import BLEHostAdapter
import BLEStore
import BLETransport
import Dispatch
import Glibc
import NoiseChannel

/// The adapter of this process, which `BLUETOOTH_CONTROLLER` selects once.
package enum ProcessAdapter {
    static let shared: any BluetoothAdapter = make(
        ControllerChoice(getenv("BLUETOOTH_CONTROLLER").map { String(cString: $0) }))

    /// - Parameters:
    ///   - store: The persistent data of the adapter. Evaluated only for an adapter that can work.
    ///   - privacy: The use of private addresses.
    package static func make(
        _ choice: ControllerChoice, store: @autoclosure () -> DeviceStore = ProcessStore.shared,
        privacy: PrivacyConfiguration = PrivateAddressSetting.ofProcess()
    ) -> any BluetoothAdapter {
        var random = SystemRandomNumberGenerator()
        let seed = random.next()
        var configuration = HostConfiguration()
        let name = LocalDeviceName.text(on: choice)
        configuration.deviceName = Array(name.utf8)
        configuration.privacy = privacy
        do throws(TransportError) {
            let source: any ControllerSource
            switch choice {
            case .virtual:
                return LoopbackAdapter(
                    named: name, seed: seed, store: store(),
                    privateAddressInterval: privacy.usesPrivateAddress ? privacy.addressLifetime : nil)
            case .socket(let address): source = SocketControllerSource(address)
            case .adapter(let index): source = SystemAdapterSource(index: index)
            case .radio(let place): source = SharedRadioSource(place)
            case .gateway(let place): return gateway(place, store())
            case .none(let reason):
                LibraryLog.logger().error("\(reason)")
                return UnavailableAdapter()
            }
            return try ControllerSupervisor.adapter(
                for: source, seed: seed, configuration: configuration, store: store(),
                capture: ProcessCapture.make(format: .h4))
        } catch {
            LibraryLog.logger().error("\(error)")
            return UnavailableAdapter()
        }
    }

    /// The key comes from the environment: other users of the machine can read command lines.
    private static func gateway(_ place: GatewayPlace, _ store: DeviceStore) -> any BluetoothAdapter {
        let text = getenv("BLUETOOTH_GATEWAY_KEY").map { String(cString: $0) } ?? ""
        let key = PreSharedKey(base64: text)
        guard text.isEmpty || key != nil else {
            LibraryLog.logger().error(
                "BLUETOOTH_GATEWAY_KEY is no key: set it to the 44 characters of base64 that the gateway uses.")
            return UnavailableAdapter()
        }
        let scheduler = QueueScheduler(DispatchQueue(label: "bluetooth.gateway-client"))
        return GatewayAdapter(
            LocalGatewayNetwork(place, scheduler: scheduler), key: key, identification: store, scheduler: scheduler)
    }
}

extension AdapterBinding {
    /// The adapter for a new manager: the adapter of the current scope, otherwise that of the process, which
    /// `BLUETOOTH_CONTROLLER` selects. If no controller can be used, the adapter's state is `.unsupported`, and a line
    /// in the log says what to do.
    package static func current() -> any BluetoothAdapter { scoped ?? ProcessAdapter.shared }
}
