internal import BLERuntime
internal import BLEWire
import BLEAdapter
import Foundation

/// Discovers devices and connects to them.
///
/// The manager uses the virtual device in whose scope it is created, else the controller that the environment variable
/// `BLUETOOTH_CONTROLLER` names, else the machine's Bluetooth adapter. It keeps a weak reference to its delegate and calls it on
/// the queue of the initialiser. The manager's release ends its scan and its connections.
open class CBCentralManager: CBManager {
    let core: CentralCore

    /// Creates a manager without a delegate. Callbacks run on the main queue.
    public convenience init() {
        self.init(delegate: nil, queue: nil, options: nil)
    }

    /// Creates a manager.
    ///
    /// - Parameters:
    ///   - delegate: The object that receives the manager's events. The manager keeps a weak reference.
    ///   - queue: The queue on which the manager calls its delegate; nil is the main queue.
    public convenience init(delegate: (any CBCentralManagerDelegate)?, queue: DispatchQueue?) {
        self.init(delegate: delegate, queue: queue, options: nil)
    }

    /// Creates a manager.
    ///
    /// - Parameters:
    ///   - delegate: The object that receives the manager's events. The manager keeps a weak reference.
    ///   - queue: The queue on which the manager calls its delegate; nil is the main queue. A serial queue keeps the callbacks in
    ///     order.
    ///   - options: `CBCentralManagerOption` keys. On Linux only ``CBCentralManagerOptionRestoreIdentifierKey`` has an effect.
    public init(delegate: (any CBCentralManagerDelegate)?, queue: DispatchQueue?, options: [String: Any]? = nil) {
        let dispatcher = CallbackDispatcher(adapter: AdapterBinding.current(), queue: queue)
        core = CentralCore(
            dispatcher: dispatcher, delegate: delegate, restorer: CentralRestorer(options, dispatcher.adapter))
        super.init(source: core)
        core.start(self)
    }

    deinit { core.close() }

    /// The object that receives the manager's events. A change applies to events delivered after it.
    open var delegate: (any CBCentralManagerDelegate)? {
        get { core.delegate }
        set { core.guarded.withLock { $0.delegate = newValue } }
    }

    /// Whether the manager scans. True from the call that starts the scan until ``stopScan()`` or the loss of power.
    open var isScanning: Bool { core.guarded.withLock { $0.isScanning } }

    /// Returns whether central managers of this machine support all of `features`. Ask after a manager has reached the state
    /// `poweredOn`: before, no feature is supported.
    ///
    /// `extendedScanAndConnect` depends on the controller. It is not known of a gateway's controller and of one that
    /// bluetoothd has, and not supported there.
    ///
    /// - Parameter features: The features.
    open class func supports(_ features: CBCentralManager.Feature) -> Bool {
        if features.isEmpty { return true }
        return features == .extendedScanAndConnect && AdapterBinding.used?.supportsExtendedAdvertising == true
    }

    /// Returns the known devices with these identifiers, in the given order. The result is empty while the manager is not powered
    /// on.
    ///
    /// - Parameter identifiers: Values of ``CBPeer/identifier``, also from earlier runs of the program.
    open func retrievePeripherals(withIdentifiers identifiers: [UUID]) -> [CBPeripheral] {
        guard let session = core.sessionForCommand(description) else { return [] }
        return session.knownPeers(identifiers.map { PeerIdentifier($0) }).map { core.peripheral(for: $0) }
    }

    /// Returns the devices that have a link to this machine, opened by any manager, and one of these services. Call
    /// ``connect(_:options:)`` before you use such a device. The result is empty while the manager is not powered on.
    ///
    /// - Parameter serviceUUIDs: The services.
    open func retrieveConnectedPeripherals(withServices serviceUUIDs: [CBUUID]) -> [CBPeripheral] {
        guard let session = core.sessionForCommand(description) else { return [] }
        return session.connectedPeers(services: serviceUUIDs.map(\.value)).map { core.peripheral(for: $0) }
    }

    /// Starts to scan, or changes the services and options of the current scan.
    ///
    /// - Parameters:
    ///   - serviceUUIDs: The services of which a device must advertise at least one. Nil or an empty list reports all devices.
    ///   - options: ``CBCentralManagerScanOptionAllowDuplicatesKey`` and
    ///     ``CBCentralManagerScanOptionSolicitedServiceUUIDsKey``.
    ///
    /// The manager must be `.poweredOn`. Otherwise the call has no effect but a line in the log.
    open func scanForPeripherals(withServices serviceUUIDs: [CBUUID]?, options: [String: Any]? = nil) {
        guard let session = core.sessionForCommand(description) else { return }
        let options = options ?? [:]
        let scan = ScanRequest(
            services: (serviceUUIDs ?? []).map(\.value),
            solicitedServices: options.uuids(CBCentralManagerScanOptionSolicitedServiceUUIDsKey).map(\.value),
            allowDuplicates: options.flag(CBCentralManagerScanOptionAllowDuplicatesKey))
        core.setScan(scan)
        core.restorer?.scanChanged(scan)
        session.startScan(scan)
    }

    /// Ends the scan. No callback confirms it, and no discovery follows.
    open func stopScan() {
        guard let session = core.sessionForCommand(description) else { return }
        core.setScan(nil)
        core.restorer?.scanChanged(nil)
        session.stopScan()
    }

    /// Connects to a device. The attempt has no timeout. It ends when it succeeds or fails, when the program cancels it, or when
    /// the program releases `peripheral`.
    ///
    /// - Parameters:
    ///   - peripheral: A device that this manager discovered or retrieved. For a device of another manager the call has no effect
    ///     but a line in the log.
    ///   - options: ``CBConnectPeripheralOptionStartDelayKey`` and ``CBConnectPeripheralOptionEnableAutoReconnect``. The other keys
    ///     are accepted and have no effect on Linux.
    open func connect(_ peripheral: CBPeripheral, options: [String: Any]? = nil) {
        guard let session = core.sessionForCommand(description), accepts(peripheral) else { return }
        let reconnects = options?.flag(CBConnectPeripheralOptionEnableAutoReconnect) ?? false
        switch peripheral.beginConnecting(reconnectsAutomatically: reconnects) {
        case .invalid:
            APIMisuse.log("\(peripheral) is no longer valid, retrieve or discover it again")
        case .started:
            let options = options ?? [:]
            // The bound of one day keeps the conversion below from trapping. The comparison excludes NaN.
            let requested = options.seconds(CBConnectPeripheralOptionStartDelayKey) ?? 0
            let delay = requested > 0 ? min(requested, 86_400) : 0
            session.connect(
                peripheral.peer,
                options: ConnectionOptions(
                    startDelay: TimeSpan(nanoseconds: Int64(delay * 1_000_000_000)),
                    reconnectsAutomatically: reconnects))
        case .pending: break
        case .connected:
            // The link exists already, so the callback is all that remains.
            core.dispatcher.post { [core] in
                guard let manager = core.manager, peripheral.state == .connected else { return }
                core.delegate?.centralManager(manager, didConnect: peripheral)
            }
        }
    }

    /// Cancels a connection or a pending attempt. The delegate receives didDisconnectPeripheral with a nil error. Pending commands
    /// may or may not complete.
    ///
    /// - Parameter peripheral: The device.
    open func cancelPeripheralConnection(_ peripheral: CBPeripheral) {
        guard let session = core.sessionForCommand(description), accepts(peripheral) else { return }
        if peripheral.beginDisconnecting() { session.cancelConnection(peripheral.peer) }
    }

    /// Registers for connection events of devices.
    ///
    /// - Parameter options: The devices, by ``CBConnectionEventMatchingOption``. Nil ends the registration.
    ///
    /// On Linux the events report only connections of this manager. A service matches if the device advertised it or if the program
    /// discovered it.
    open func registerForConnectionEvents(options: [CBConnectionEventMatchingOption: Any]? = nil) {
        guard core.sessionForCommand(description) != nil else { return }
        guard let options else { return core.guarded.withLock { $0.connectionEvents = nil } }
        guard let filter = ConnectionEventFilter(options) else {
            return APIMisuse.log("at most \(ConnectionEventFilter.maximumServiceCount) services can be matched")
        }
        core.guarded.withLock { $0.connectionEvents = filter }
    }

    private func accepts(_ peripheral: CBPeripheral) -> Bool {
        if peripheral.owner.core === core { return true }
        APIMisuse.log("\(peripheral) belongs to another manager than \(self)")
        return false
    }
}

extension CBCentralManager {
    /// Optional capabilities of central managers.
    public typealias Feature = CBCentralManagerFeature
}
