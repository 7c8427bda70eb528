import BLEAdapter
import BLESecurity
import BLETransport
import BLEWire
import ESPHomeAPI
import NoiseChannel

/// The adapter over a radio that is somewhere else: a gateway that speaks ESPHome's native API, such as `bluelab gateway` or an ESP32
/// with a Bluetooth proxy.
///
/// It has the central role and pairing. The protocol carries no peripheral role, no L2CAP channels and no signal strength of links.
///
/// Threads: everything runs on the scheduler, on which the adapter also calls its observers. `snapshot` has what other threads read.
package final class GatewayAdapter: BluetoothAdapter, @unchecked Sendable {
    struct Session {
        weak var observer: (any CentralObserver)?
        /// Whether the session gets changes of the state: after `firstStateDelay`.
        var isOpen = false
        var scan: ScanRequest?
        /// The content that was last reported of each advertiser, for scans without duplicates.
        var reported: [AdvertiserIdentity: Int] = [:]
    }

    /// What other threads read.
    struct Snapshot {
        var mtus: [PeerIdentifier: Int] = [:]
        var names: [AdvertiserIdentity: String] = [:]
        var writes = WriteAdmission()
    }

    struct WeakObserver { weak var observer: (any PairingObserver)? }

    /// A session of the adapter and a device.
    typealias Use = RemoteUse

    private static let firstStateDelay = TimeSpan.milliseconds(10)

    let scheduler: any SerialScheduler
    let snapshot = Lock(Snapshot())
    let network: any GatewayNetwork
    let identification: any PeerIdentification
    /// `identification` for reports of advertisers.
    let identifierSource: IdentifierSource
    let uplink: GatewayUplink
    let log = LibraryLog.logger()
    /// Receives each new reason why the gateway cannot be used, and nil when it can.
    private let report: (@Sendable (GatewayConnectionError?) -> Void)?
    private let callbacks: (any CallbackScheduling)?
    private let numbers = Lock(0)

    private(set) var state = AdapterState.unknown
    var sessions: [Int: Session] = [:]
    var pairingObservers: [Int: WeakObserver] = [:]
    var links: [PeerIdentifier: RemoteLink] = [:]
    var peers: [UInt64: PeerIdentifier] = [:]
    var pairings = RemotePairings()
    /// The requests for a link that wait for their start, each with a number of its own.
    var delayed: [Use: Int] = [:]
    var delayedCount = 0
    var isScanning = false

    /// - Parameters:
    ///   - key: The gateway's key; nil for a gateway without encryption.
    ///   - identification: The identifiers of devices on this host.
    ///   - callbacks: Runs callbacks in step with the scheduler's clock; nil for the clock of the machine.
    ///   - report: Receives each new reason why the gateway cannot be used, and nil when it can, before the state changes. Without it, reasons
    ///     are lines of the log.
    package init(
        _ network: any GatewayNetwork, key: PreSharedKey?, identification: any PeerIdentification,
        scheduler: any SerialScheduler, callbacks: (any CallbackScheduling)? = nil,
        report: (@Sendable (GatewayConnectionError?) -> Void)? = nil
    ) {
        self.network = network
        self.identification = identification
        identifierSource = IdentifierSource(identification)
        self.scheduler = scheduler
        self.callbacks = callbacks
        self.report = report
        uplink = GatewayUplink(network, key: key, scheduler: scheduler)
        scheduler.submit { [weak self] in self?.begin() }
    }

    package var peerIdentification: (any PeerIdentification)? { identification }
    package var callbackScheduler: (any CallbackScheduling)? { callbacks }

    // MARK: Sessions

    package func openCentral(observer: any CentralObserver) -> any CentralSession {
        let session = GatewayCentralSession(adapter: self, number: nextNumber())
        let number = session.number
        scheduler.submit { [self, weak observer] in
            sessions[number] = Session(observer: observer)
            scheduler.submit(after: Self.firstStateDelay) { [weak self] in self?.reportFirstState(number) }
        }
        return session
    }

    package func openPeripheral(observer: any PeripheralObserver) -> any PeripheralSession {
        tell(.noPeripheralRole)
        scheduler.submit(after: Self.firstStateDelay) { [weak observer] in
            observer?.adapterStateChanged(.unsupported)
        }
        return UnavailableSession()
    }

    package func openPairing(observer: any PairingObserver) -> any PairingSession {
        let session = GatewayPairingSession(adapter: self, number: nextNumber())
        let number = session.number
        scheduler.submit { [self, weak observer] in pairingObservers[number] = WeakObserver(observer: observer) }
        return session
    }

    private func nextNumber() -> Int {
        numbers.withLock {
            $0 += 1
            return $0
        }
    }

    private func reportFirstState(_ number: Int) {
        sessions[number]?.isOpen = true
        if state != .unknown { sessions[number]?.observer?.adapterStateChanged(state) }
    }

    func close(_ number: Int) {
        sessions[number] = nil
        pairingObservers[number] = nil
        delayed = delayed.filter { $0.key.session != number }
        for peer in Array(links.keys) { release(peer, number) }
        updateScan()
        uplink.flush()
    }

    // MARK: The gateway

    private func begin() {
        uplink.onMessage = { [weak self] (message: IncomingMessage) throws(APIError) in try self?.handle(message) }
        uplink.onLoss = { [weak self] loss in self?.lose(loss) }
        uplink.onEmpty = { [weak self] in self?.releaseWriters() }
        uplink.onTick = { [weak self] in self?.handleDeadlines() }
        uplink.start()
    }

    /// Ends all links and scans without the gateway.
    private func lose(_ loss: GatewayConnectionError) {
        isScanning = false
        for peer in pairings.peers { endPairing(peer, .disconnected) }
        links = [:]
        peers = [:]
        delayed = [:]
        for number in sessions.keys { sessions[number]?.scan = nil }
        let new: AdapterState = loss.isOfKey ? .unauthorized : .resetting
        if uplink.attempts == 0 || new != state {
            tell(loss)
        }
        snapshot.withLock { content in
            content.mtus = [:]
            content.writes.reset()
        }
        set(new)
    }

    private func tell(_ loss: GatewayConnectionError) {
        if let report {
            report(loss)
        } else {
            log.error("Bluetooth does not work over \(network): \(loss)")
        }
    }

    private func set(_ new: AdapterState) {
        guard new != state else { return }
        state = new
        for number in sessions.keys.sorted() where sessions[number]?.isOpen == true {
            sessions[number]?.observer?.adapterStateChanged(new)
        }
    }

    private func handle(_ message: IncomingMessage) throws(APIError) {
        switch message.type {
        case AdvertisementBatch.batchType: try discover(message)
        case GATTNotifyDataResponse.type: try deliver(message)
        case DeviceInfoResponse.type:
            let features = BluetoothFeatures(rawValue: try message.decode(DeviceInfoResponse.self).bluetoothFeatures)
            guard features.isSuperset(of: [.rawAdvertisements, .activeConnections, .remoteCaching]) else {
                throw .refused("It is no Bluetooth proxy with active connections.")
            }
            uplink.confirm()
            report?(nil)
            set(.poweredOn)
        case DeviceConnectionResponse.type: connectionChanged(try message.decode())
        case DevicePairingResponse.type: paired(try message.decode())
        case GATTGetServicesResponse.type:
            let response = try message.decode(GATTGetServicesResponse.self)
            update(response.address) { $0.receive(response, at: $1) }
        case GATTGetServicesDoneResponse.type:
            try update(message.decode(GATTGetServicesDoneResponse.self).address) { $0.receivedServices(at: $1) }
        case GATTReadResponse.type:
            let response = try message.decode(GATTReadResponse.self)
            update(response.address) { $0.receive(response, at: $1) }
        case GATTWriteResponse.type:
            let response = try message.decode(GATTWriteResponse.self)
            update(response.address) { $0.receive(response, at: $1) }
        case GATTNotifyResponse.type:
            let response = try message.decode(GATTNotifyResponse.self)
            update(response.address) { $0.receive(response, at: $1) }
        case GATTErrorResponse.type:
            let response = try message.decode(GATTErrorResponse.self)
            update(response.address) { $0.receive(response, at: $1) }
        default: break
        }
    }
}
