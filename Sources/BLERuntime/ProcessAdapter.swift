import BLEAdapter
import BLECapture
import BLEHost
import BLEHostAdapter
import BLEStore
import BLETransport
import Glibc

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
}

extension AdapterBinding {
    /// The adapter for a new manager: the adapter of the current scope, otherwise that of the process, which
    /// `BLUETOOTH_CONTROLLER` selects. If no controller can be used, the adapter's state is `.unsupported`, and a line
    /// in the log says what to do.
    package static func current() -> any BluetoothAdapter { scoped ?? ProcessAdapter.shared }
}
