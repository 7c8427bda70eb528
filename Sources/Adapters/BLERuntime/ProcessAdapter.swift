import BLEAdapter
import BLEBlueZAdapter
import BLEGatewayAdapter
import BLEHost
import BLEHostAdapter
import BLEStore
import BLETransport
import BLEVirtualRadio
import Dispatch
import Glibc
import Synchronization

/// The adapter of this process, which `BLUETOOTH_CONTROLLER` selects once.
package enum ProcessAdapter {
    static let shared: any BluetoothAdapter = {
        isUsed.store(true, ordering: .relaxed)
        return make(choice, report: .ofProcess)
    }()

    /// Whether `shared` exists, or is being made.
    fileprivate static let isUsed = Atomic(false)

    /// The controller that `BLUETOOTH_CONTROLLER` selects now.
    package static var choice: ControllerChoice {
        ControllerChoice(ProcessEnvironment.text("BLUETOOTH_CONTROLLER"))
    }

    /// - Parameters:
    ///   - store: The persistent data of the adapter. Evaluated only for an adapter that can work.
    ///   - privacy: The use of private addresses.
    ///   - extendedAdvertising: The use of a controller's extended advertising.
    ///   - enhancedBearers: The limit of enhanced ATT bearers on a link, 0 to 5; nil for that of the platform.
    ///   - report: Receives the failures of the controller.
    package static func make(
        _ choice: ControllerChoice, store: @autoclosure () -> DeviceStore = ProcessStore.shared,
        privacy: PrivacyConfiguration = ProcessEnvironment.setting(
            "BLUETOOTH_PRIVATE_ADDRESS", PrivateAddressSetting.configuration),
        extendedAdvertising: ExtendedAdvertisingSetting = ProcessEnvironment.setting(
            "BLUETOOTH_EXTENDED_ADVERTISING", ExtendedAdvertisingSetting.parse),
        enhancedBearers: Int? = ProcessEnvironment.setting("BLUETOOTH_ENHANCED_BEARERS", EnhancedBearerSetting.parse),
        report: ControllerReport = ControllerReport()
    ) -> any BluetoothAdapter {
        var random = SystemRandomNumberGenerator()
        let seed = random.next()
        let name = LocalDeviceName.text(on: choice)
        do {
            let platform = try RadioPlatformSetting.platform(
                ProcessEnvironment.text(RequestedPlatform.variable), on: choice)
            let isPrivacyChosen = ProcessEnvironment.text("BLUETOOTH_PRIVATE_ADDRESS")?.isEmpty == false
            var configuration = RadioPlatformSetting.configuration(
                platform, privacy: privacy, isPrivacyChosen: isPrivacyChosen)
            configuration.deviceName = Array(name.utf8)
            configuration.usesExtendedAdvertising = extendedAdvertising != .off
            configuration.scansCodedPHY = extendedAdvertising == .coded
            if let enhancedBearers { configuration.enhancedBearers = enhancedBearers }
            let source: any ControllerSource
            switch choice {
            case .virtual:
                return LoopbackAdapter(
                    named: name, seed: seed, store: store(),
                    privateAddressInterval: privacy.usesPrivateAddress ? privacy.addressLifetime : nil)
            case .socket(let address): source = SocketControllerSource(address)
            case .adapter(let index): source = SystemAdapterSource(index: index)
            case .radio(let place): source = SharedRadioSource(place)
            case .bluez(let name):
                if let line = captureNotice(choice) { LibraryLog.logger().error("\(line)") }
                return BlueZAdapter(adapter: name, identification: store()) { failure in
                    if let failure { report.add(ControllerError(choice, failure)) } else { report.clear() }
                }
            case .gateway(let place): return try gateway(place, store(), report)
            case .none(let failure): throw failure
            }
            return try ControllerSupervisor.adapter(
                for: source, seed: seed, configuration: configuration, store: store(),
                capture: ProcessCapture.make(format: .h4),
                callbackRules: platform?.callbackRules ?? CallbackRules(), onPower: { report.clear() },
                report: { report.add(ControllerError(choice, $0, $1)) })
        } catch let failure as ControllerError {
            report.add(failure)
        } catch {
            report.add(ControllerError(choice, .unavailable, "\(error)"))
        }
        return UnavailableAdapter()
    }

    /// Says that the packets of a controller cannot be recorded; nil if no recording is wanted.
    static func captureNotice(
        _ choice: ControllerChoice, path: String? = ProcessEnvironment.text("BLUETOOTH_CAPTURE")
    ) -> String? {
        guard case .bluez = choice, let path, !path.isEmpty else { return nil }
        return "BLUETOOTH_CAPTURE has no effect with \(choice): bluetoothd has the packets. "
            + "Try: sudo btmon --write \(ShellWord.quoted(path))"
    }

    private static func gateway(
        _ place: GatewayAddress, _ store: DeviceStore, _ report: ControllerReport
    ) throws(ControllerError) -> any BluetoothAdapter {
        let key = try GatewayKeyVariable.key(for: place)
        let scheduler = QueueScheduler(DispatchQueue(label: "bluetooth.gateway-client"))
        return GatewayAdapter(
            LocalGatewayNetwork(place, scheduler: scheduler), key: key, identification: store, scheduler: scheduler
        ) { loss in
            if let loss { report.add(ControllerError(gateway: place, loss)) } else { report.clear() }
        }
    }
}

extension AdapterBinding {
    /// The adapter for a new manager: the adapter of the current scope, otherwise that of the process, which
    /// `BLUETOOTH_CONTROLLER` selects. If no controller can be used, the adapter's state is `.unsupported`, and a line
    /// in the log says what to do.
    package static func current() -> any BluetoothAdapter { scoped ?? ProcessAdapter.shared }

    /// The same adapter, but nil if no manager has used that of the process yet: a question about it does not open the controller.
    package static var used: (any BluetoothAdapter)? {
        scoped ?? (ProcessAdapter.isUsed.load(ordering: .relaxed) ? ProcessAdapter.shared : nil)
    }
}
