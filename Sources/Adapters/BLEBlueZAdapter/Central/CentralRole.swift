import BLEAdapter
import BLETransport
import BLEWire
import Logging
import SystemBus

/// The central role over bluetoothd: `RemoteCentral` decides what is wanted, and this turns it into calls, and signals into reports.
///
/// Threads: everything runs on the adapter's scheduler.
final class CentralRole: BlueZRole, @unchecked Sendable {
    typealias ChannelOpening = (
        UInt16, DeviceAddress, @escaping (Result<ChannelHandle, ChannelError>) -> Void
    ) -> Void

    /// The time in which bluetoothd answers a call of GATT. It gives up after 30 s itself (Vol 3, Part F, 3.3.3).
    static let attributeTimeout = TimeSpan.seconds(45)

    let scheduler: any SerialScheduler
    let makeSocket: (Descriptor) -> any ValueSocket
    let openChannel: ChannelOpening
    let log = LibraryLog.logger()
    let uplink: BlueZUplink
    var central: RemoteCentral
    private let discovery: DeviceDiscovery
    var links: [PeerIdentifier: DeviceLink] = [:]
    /// Called when there is a first link, and when there is none any more.
    var onLinks: (() -> Void)?
    private var hadLinks = false
    /// The peers of links, by the paths of their devices.
    var peers: [String: PeerIdentifier] = [:]
    private var lastNumber = 0
    private var isScanning = false
    private var timers = DeadlinePlan()

    init(
        _ uplink: BlueZUplink, _ snapshot: RemoteSnapshot, scheduler: any SerialScheduler,
        makeSocket: @escaping (Descriptor) -> any ValueSocket,
        openChannel: @escaping ChannelOpening
    ) {
        self.uplink = uplink
        self.scheduler = scheduler
        self.makeSocket = makeSocket
        self.openChannel = openChannel
        central = RemoteCentral(snapshot)
        discovery = DeviceDiscovery(uplink, scheduler, log)
        discovery.onAnswer = { [weak self] in self?.plan() }
    }

    var identification: any PeerIdentification { central.snapshot.identification }
    var now: Instant { scheduler.now }
    var hasLinks: Bool { !links.isEmpty }
    /// The path of the adapter; nil unless it is powered on.
    var adapter: String? { central.state == .poweredOn ? uplink.watch.path : nil }

    func nextNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }

    // MARK: The adapter

    func begin(on bus: any Bus, adapter: String, _ objects: BlueZObjects) {
        // Programs ask for connected peers when they learn the state.
        for device in objects.devices(of: adapter) { updateServices(device) }
        discovery.begin(adapter)
        central.set(.poweredOn)
        settle()
    }

    func end(_ state: AdapterState) {
        for peer in Array(links.keys) { closeSockets(peer) }
        (links, peers) = ([:], [:])
        discovery.end()
        isScanning = false
        central.set(state)
        settle()
    }

    func apply(_ change: BlueZObjects.Change, _ objects: BlueZObjects) {
        switch change {
        case .changed(let path, BlueZ.adapter, let names) where path == adapter && names.contains("Discovering"):
            discovery.changed(objects.isTrue("Discovering", path, BlueZ.adapter))
        case .added(let path, BlueZ.device): appeared(path, objects)
        case .changed(let path, BlueZ.device, let names): changed(path, names, objects)
        case .removed(let path, BlueZ.device): vanished(path)
        case .added(let path, BlueZ.bearerLE), .changed(let path, BlueZ.bearerLE, _),
            .removed(let path, BlueZ.bearerLE):
            linkChanged(path)
        case .changed(let path, BlueZ.characteristic, let names): changed(path, names)
        case .added(let path, _), .removed(let path, _): attributeChanged(path)
        default: break
        }
        settle()
    }

    // MARK: Requests

    /// Runs a call of a session.
    func run(_ body: (inout RemoteCentral, Instant) -> Void) {
        body(&central, now)
        settle()
    }

    /// Carries out what is wanted, and plans the next step.
    func settle() {
        while case let requests = central.takeRequests(), !requests.isEmpty {
            for request in requests { perform(request) }
        }
        if hadLinks == links.isEmpty {
            hadLinks = !links.isEmpty
            onLinks?()
        }
        plan()
    }

    private func perform(_ request: RemoteRequest) {
        switch request {
        case .scan(let isOn):
            isScanning = isOn
            updateDiscovery()
        case .repeatReports(let session): repeatReports(to: session)
        case .connect(let peer): connect(peer)
        case .disconnect(let peer): disconnect(peer)
        case .perform(let operation, let peer): perform(operation, peer)
        case .write(let value, let handle, let peer): write(value, handle, peer)
        case .openChannel(let psm, let use):
            guard let address = identification.address(of: use.peer) else {
                return central.channelOpened(.failure(.notConnected), psm: psm, use)
            }
            openChannel(psm, address) { [weak self] in self?.central.channelOpened($0, psm: psm, use) }
        case .forget(let peer): remove(peer)
        }
    }

    func plan() {
        let deadlines = links.values.compactMap(\.deadline) + [central.deadline, discovery.deadline].compactMap(\.self)
        timers.advance(to: deadlines.min(), on: scheduler) { [weak self] in self?.timeout($0) }
    }

    private func timeout(_ moment: Instant) {
        timers.fired(moment)
        central.handleTimeout(at: now)
        discovery.handleTimeout()
        for peer in Array(links.keys) { handleTimeout(peer) }
        settle()
    }

    // MARK: Discovery

    func updateDiscovery() {
        discovery.want(isScanning || links.values.contains { $0.phase == .searching })
    }

    /// bluetoothd reports changes: a device whose signal and data stay the same is silent, and another program's discovery may have found it.
    private func repeatReports(to session: Int) {
        guard let adapter else { return }
        for device in uplink.objects.devices(of: adapter) { report(device, to: session) }
    }

    func report(_ device: BlueZDevice, to session: Int? = nil) {
        guard isScanning, let rssi = device.rssi else { return }
        let names = central.snapshot.names(of: identification.identity(for: device.address))
        // bluetoothd keeps one name: that of the GAP service after it was read, else the advertised one.
        let name = device.name == names.deviceName ? names.advertisedName : device.name
        central.report(device.address, rssi: rssi, DeviceReport(device, name: name).octets.span, to: session)
    }

    /// What `connectedPeers` returns: devices that any program has connected.
    func updateServices(_ device: BlueZDevice) {
        let peer = identification.identifier(for: device.address)
        central.snapshot.setServices(uplink.objects.isLinked(device.path) ? Set(device.uuids) : nil, of: peer)
    }
}
