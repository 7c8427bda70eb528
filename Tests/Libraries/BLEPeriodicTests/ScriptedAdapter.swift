import BLEAdapter
import BLEWire

/// An adapter whose sessions do at once what a test says.
final class ScriptedAdapter: BluetoothAdapter, @unchecked Sendable {
    // `@unchecked Sendable`: a test changes the variables while nothing else uses the adapter.

    /// The state that a session gets when it is opened; nil for none.
    var state: AdapterState? = .poweredOn
    /// What a scan hears.
    var heard: [Discovery] = []
    var synchronize: (any PeriodicObserver, PeriodicSyncRequest, _ token: Int) -> Void = { observer, _, token in
        observer.syncEstablished(PeriodicSyncProperties(phy: .le2M, interval: 80), token: token)
    }
    var advertise: (any PeriodicObserver, PeriodicAdvertisement) -> Void = { observer, _ in
        observer.periodicAdvertisingChanged(nil, isAdvertising: true)
    }

    var transfer: (any PeriodicObserver, PeriodicTransferSource, _ token: Int) -> Void = { observer, _, token in
        observer.transferEnded(nil, token: token)
    }
    var accept: (any PeriodicObserver, PeerIdentifier, _ token: Int) -> Void = { observer, peer, token in
        observer.trainTransferred(
            TransferredTrain(identifier: peer, name: "lamp", sid: 5, serviceData: 0xABCD),
            PeriodicSyncProperties(phy: .leCoded, interval: 160), token: token)
    }

    var choose: ([UInt8], _ token: Int) -> Void = { _, _ in }

    fileprivate(set) var isScanning = false
    fileprivate(set) var requests: [PeriodicSyncRequest] = []
    fileprivate(set) var ended: [Int] = []
    fileprivate(set) var advertisements: [PeriodicAdvertisement] = []
    fileprivate(set) var stops = 0
    fileprivate(set) var transfers: [(source: PeriodicTransferSource, serviceData: UInt16, peer: PeerIdentifier)] = []
    fileprivate(set) var acceptances: [(peer: PeerIdentifier, skip: UInt16, timeout: UInt16)] = []
    /// The sessions that exist.
    fileprivate(set) var sessionCount = 0
    private(set) weak var observer: (any PeriodicObserver)?
    fileprivate weak var central: (any CentralObserver)?

    func openCentral(observer: any CentralObserver) -> any CentralSession {
        central = observer
        return ScriptedCentral(self)
    }

    func openPeripheral(observer: any PeripheralObserver) -> any PeripheralSession { UnavailableSession() }

    func openPeriodic(_ role: PeriodicRole, observer: any PeriodicObserver) -> any PeriodicSession {
        self.observer = observer
        if let state { observer.adapterStateChanged(state) }
        return ScriptedPeriodic(self, observer)
    }

    func hear(_ discovery: Discovery) { central?.discovered(discovery) }

    /// An advertisement of a device.
    static func advertisement(
        _ address: UInt64, name: String? = nil, sid: UInt8 = 3, interval: UInt16 = 80, isLegacy: Bool = false
    ) -> Discovery {
        var form = AdvertisementForm(isLegacy: isLegacy, primaryPHY: 1, secondaryPHY: 1, sid: sid, transmitPower: 127)
        form.periodicInterval = interval
        let address = DeviceAddress(kind: .random, value: address)
        let octets: [UInt8] = name.map { [UInt8($0.utf8.count + 1), 9] + Array($0.utf8) } ?? []
        return Discovery(
            DiscoveryContent(
                identity: AdvertiserIdentity(PeerIdentifier(high: 7, low: address.value)), source: nil,
                names: PeerNames(), address: address,
                octets: AdvertisingOctets(data: octets.span, scanResponse: Span()), isConnectable: false, form: form),
            rssi: -40)
    }
}

private final class ScriptedPeriodic: PeriodicSession {
    private let adapter: ScriptedAdapter
    private weak let observer: (any PeriodicObserver)?

    init(_ adapter: ScriptedAdapter, _ observer: any PeriodicObserver) {
        self.adapter = adapter
        self.observer = observer
        adapter.sessionCount += 1
    }

    deinit { adapter.sessionCount -= 1 }

    func startAdvertising(_ advertisement: PeriodicAdvertisement) {
        adapter.advertisements.append(advertisement)
        if let observer { adapter.advertise(observer, advertisement) }
    }

    func stopAdvertising() { adapter.stops += 1 }

    func synchronize(_ request: PeriodicSyncRequest, token: Int) {
        adapter.requests.append(request)
        if let observer { adapter.synchronize(observer, request, token) }
    }

    func endSync(token: Int) { adapter.ended.append(token) }

    func chooseSubevents(_ subevents: [UInt8], includesTransmitPower: Bool, token: Int) {
        adapter.choose(subevents, token)
    }

    func transfer(_ source: PeriodicTransferSource, serviceData: UInt16, to peer: PeerIdentifier, token: Int) {
        adapter.transfers.append((source, serviceData, peer))
        if let observer { adapter.transfer(observer, source, token) }
    }

    func acceptTransfer(from peer: PeerIdentifier, skip: UInt16, timeout: UInt16, token: Int) {
        adapter.acceptances.append((peer, skip, timeout))
        if let observer { adapter.accept(observer, peer, token) }
    }
}

private final class ScriptedCentral: CentralSession {
    private let adapter: ScriptedAdapter

    init(_ adapter: ScriptedAdapter) { self.adapter = adapter }

    func startScan(_ scan: ScanRequest) {
        adapter.isScanning = true
        for discovery in adapter.heard { adapter.hear(discovery) }
    }

    func stopScan() { adapter.isScanning = false }

    func connect(_ peer: PeerIdentifier, options: ConnectionOptions) {}
    func cancelConnection(_ peer: PeerIdentifier) {}
    func knownPeers(_ identifiers: [PeerIdentifier]) -> [PeerRecord] { [] }
    func connectedPeers(services: [BluetoothUUID]) -> [PeerRecord] { [] }
    func submit(_ operation: GATTOperation, to peer: PeerIdentifier) {}
    func writeCommand(_ value: Span<UInt8>, handle: UInt16, to peer: PeerIdentifier) -> Bool { false }
    func canWriteCommand(to peer: PeerIdentifier) -> Bool { false }
    func maximumTransmissionUnit(of peer: PeerIdentifier) -> Int? { nil }
    func openChannel(psm: UInt16, to peer: PeerIdentifier) {}
}
