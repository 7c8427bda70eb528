#if !canImport(Darwin)
internal import BLERuntime
internal import BLEWire
import BLEAdapter
import Foundation

/// Looks for devices and connects to them.
///
/// The manager uses the machine's Bluetooth adapter, or what the environment variable `BLUETOOTH_CONTROLLER` names, or the virtual
/// device in whose scope it is made. It holds its delegate weakly and calls it on the queue of the initialiser. Releasing the
/// manager ends its scan and its connections.
open class CBCentralManager: CBManager {
    let core: CentralCore

    /// Makes a manager without a delegate, on the main queue.
    public convenience init() {
        self.init(delegate: nil, queue: nil, options: nil)
    }

    /// Makes a manager.
    ///
    /// - Parameters:
    ///   - delegate: Who is told what happens; held weakly.
    ///   - queue: Where the delegate is called; nil is the main queue.
    public convenience init(delegate: (any CBCentralManagerDelegate)?, queue: DispatchQueue?) {
        self.init(delegate: delegate, queue: queue, options: nil)
    }

    /// Makes a manager.
    ///
    /// - Parameters:
    ///   - delegate: Who is told what happens; held weakly.
    ///   - queue: Where the delegate is called; nil is the main queue. A serial queue keeps the callbacks in order.
    ///   - options: `CBCentralManagerOption` keys. On Linux ``CBCentralManagerOptionRestoreIdentifierKey`` alone has an effect.
    public init(delegate: (any CBCentralManagerDelegate)?, queue: DispatchQueue?, options: [String: Any]? = nil) {
        let delivery = Delivery(adapter: AdapterBinding.current(), queue: queue)
        core = CentralCore(
            delivery: delivery, delegate: delegate, restorer: CentralRestorer(options, delivery.adapter))
        super.init(delivery: delivery)
        core.start(self)
    }

    deinit { core.close() }

    override var currentState: CBManagerState { core.state }
    override func add(_ observer: ChangeObserver) { core.guarded.add(observer) }
    override func remove(_ observer: ChangeObserver) { core.guarded.remove(observer) }

    /// Who is told what happens. A change holds from the next event on.
    open var delegate: (any CBCentralManagerDelegate)? {
        get { core.delegate }
        set { core.guarded.withLock { $0.delegate = newValue } }
    }

    /// Whether the manager scans: from the call until ``stopScan()`` or the loss of power.
    open var isScanning: Bool { core.guarded.withLock { $0.isScanning } }

    /// Whether a central manager of this machine has all of `features`. On Linux none of them is there yet.
    ///
    /// - Parameter features: The abilities asked for.
    open class func supports(_ features: CBCentralManager.Feature) -> Bool { features.isEmpty }

    /// Gives the devices with these identifiers as far as this machine knows them, in the given order. Empty while not powered on.
    ///
    /// - Parameter identifiers: Identifiers from an earlier ``CBPeer/identifier``, perhaps of an earlier run.
    open func retrievePeripherals(withIdentifiers identifiers: [UUID]) -> [CBPeripheral] {
        guard let session = core.sessionForCommand(description) else { return [] }
        return session.knownPeers(identifiers.map { PeerIdentifier($0) }).map { core.peripheral(for: $0) }
    }

    /// Gives the devices that are connected to this machine by anyone and have one of these services. Each has still to be
    /// connected to with ``connect(_:options:)`` before it is used. Empty while not powered on.
    ///
    /// - Parameter serviceUUIDs: The services.
    open func retrieveConnectedPeripherals(withServices serviceUUIDs: [CBUUID]) -> [CBPeripheral] {
        guard let session = core.sessionForCommand(description) else { return [] }
        return session.connectedPeers(services: serviceUUIDs.map(\.value)).map { core.peripheral(for: $0) }
    }

    /// Starts to look for devices, or goes on with other services and options.
    ///
    /// - Parameters:
    ///   - serviceUUIDs: Report devices that advertise one of these services; nil or an empty list: all devices.
    ///   - options: ``CBCentralManagerScanOptionAllowDuplicatesKey`` and
    ///     ``CBCentralManagerScanOptionSolicitedServiceUUIDsKey``.
    ///
    /// Needs the state `.poweredOn`; otherwise the call is dropped with a line in the log.
    open func scanForPeripherals(withServices serviceUUIDs: [CBUUID]?, options: [String: Any]? = nil) {
        guard let session = core.sessionForCommand(description) else { return }
        let options = options ?? [:]
        let scan = ScanRequest(
            services: (serviceUUIDs ?? []).map(\.value),
            solicitedServices: options.uuids(CBCentralManagerScanOptionSolicitedServiceUUIDsKey).map(\.value),
            allowDuplicates: options.flag(CBCentralManagerScanOptionAllowDuplicatesKey))
        core.guarded.withLock { $0.scan = scan }
        core.restorer?.scanChanged(scan)
        session.startScan(scan)
    }

    /// Ends the scan. No callback follows, and no more discoveries.
    open func stopScan() {
        guard let session = core.sessionForCommand(description) else { return }
        core.guarded.withLock { $0.scan = nil }
        core.restorer?.scanChanged(nil)
        session.stopScan()
    }

    /// Connects to a device. The attempt never times out: it stays until it succeeds, fails or is cancelled, or until the
    /// program lets go of `peripheral`.
    ///
    /// - Parameters:
    ///   - peripheral: A device that this manager found or retrieved. Another manager's is refused with a line in the log.
    ///   - options: ``CBConnectPeripheralOptionStartDelayKey`` and ``CBConnectPeripheralOptionEnableAutoReconnect``; the others are
    ///     accepted and have no effect on Linux.
    open func connect(_ peripheral: CBPeripheral, options: [String: Any]? = nil) {
        guard let session = core.sessionForCommand(description), accepts(peripheral) else { return }
        let reconnects = options?.flag(CBConnectPeripheralOptionEnableAutoReconnect) ?? false
        switch peripheral.beginConnecting(reconnectsAutomatically: reconnects) {
        case .invalid:
            APIMisuse.log("\(peripheral) is no longer valid, retrieve or discover it again")
        case .started:
            let options = options ?? [:]
            // More than a day is no delay that anyone means; the bounds keep the conversion from trapping, for NaN as well.
            let wish = options.seconds(CBConnectPeripheralOptionStartDelayKey) ?? 0
            let delay = wish > 0 ? min(wish, 86_400) : 0
            session.connect(
                peripheral.peer,
                options: ConnectionOptions(
                    startDelay: TimeSpan(nanoseconds: Int64(delay * 1_000_000_000)),
                    reconnectsAutomatically: reconnects))
        case .pending: break
        case .connected:
            // The link is there already, which is all that the program wants to hear.
            core.delivery.post { [core] in
                guard let manager = core.manager, peripheral.state == .connected else { return }
                core.delegate?.centralManager(manager, didConnect: peripheral)
            }
        }
    }

    /// Ends a connection or an attempt at one. The delegate gets didDisconnectPeripheral with a nil error; what was still asked of
    /// the device may or may not be carried out.
    ///
    /// - Parameter peripheral: The device.
    open func cancelPeripheralConnection(_ peripheral: CBPeripheral) {
        guard let session = core.sessionForCommand(description), accepts(peripheral) else { return }
        if peripheral.beginDisconnecting() { session.cancelConnection(peripheral.peer) }
    }

    /// Asks to be told of connections and disconnections of devices.
    ///
    /// - Parameter options: Which devices: ``CBConnectionEventMatchingOption``. Nil ends it.
    ///
    /// On Linux the events tell of this manager's own connections, and a service matches if the device advertised it or it was
    /// discovered.
    open func registerForConnectionEvents(options: [CBConnectionEventMatchingOption: Any]? = nil) {
        guard core.sessionForCommand(description) != nil else { return }
        guard let options else { return core.guarded.withLock { $0.connectionEvents = nil } }
        guard let filter = ConnectionEventFilter(options) else {
            return APIMisuse.log("at most \(ConnectionEventFilter.maximumServiceCount) services can be matched")
        }
        core.guarded.withLock { $0.connectionEvents = filter }
    }

    private func accepts(_ peripheral: CBPeripheral) -> Bool {
        if peripheral.core === core { return true }
        APIMisuse.log("\(peripheral) belongs to another manager than \(self)")
        return false
    }
}

extension CBCentralManager {
    /// Abilities beyond the common ones.
    public typealias Feature = CBCentralManagerFeature
}
#endif
