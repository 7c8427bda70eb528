import BLEAdapter
import BLEAttribute
import BLECrypto
import BLEHostAdapter
import BLESimulator
import BLEWire
import Synchronization

/// A program that scans, and connects to a given number of the devices that it finds.
final class Phone: CentralObserver {
    private struct Content {
        var session: (any CentralSession)?
        var known: Set<PeerIdentifier> = []
        var connected = 0
        var values = 0
    }

    private let content = Mutex(Content())
    private let wanted: Int
    private let handle: UInt16

    /// - Parameters:
    ///   - wanted: how many links.
    ///   - handle: where the peers' notified value is; every band has the same database.
    init(_ device: VirtualDevice, wanted: Int = 0, handle: UInt16 = 0) {
        self.wanted = wanted
        self.handle = handle
        let session = device.adapter.openCentral(observer: self)
        content.withLock { $0.session = session }
    }

    private var session: (any CentralSession)? { content.withLock { $0.session } }
    var known: Int { content.withLock { $0.known.count } }
    var connected: Int { content.withLock { $0.connected } }
    var values: Int { content.withLock { $0.values } }

    func adapterStateChanged(_ state: AdapterState) {
        if state == .poweredOn { session?.startScan(ScanRequest(services: [Band.service])) }
    }

    func discovered(_ discovery: Discovery) {
        let peer = discovery.content.identifier
        let (isNew, count) = content.withLock { ($0.known.insert(peer).inserted, $0.known.count) }
        guard isNew, count <= wanted else { return }
        session?.connect(peer, options: ConnectionOptions())
        if count == wanted { session?.stopScan() }
    }

    func connected(_ peer: PeerRecord) {
        session?.submit(
            .setNotify(valueHandle: handle, end: handle + 1, mode: .notification), to: peer.identifier)
    }

    func completed(_ operation: GATTOperation, of peer: PeerIdentifier, _ result: Result<GATTResult, GATTError>) {
        if case .success = result { content.withLock { $0.connected += 1 } }
    }

    func received(_ value: Span<UInt8>, handle: UInt16, from peer: PeerIdentifier) {
        content.withLock { $0.values += 1 }
    }

    func connectionFailed(_ peer: PeerIdentifier, _ failure: ConnectionError) {}
    func disconnected(_ peer: PeerIdentifier, _ end: LinkEnd, isReconnecting: Bool) {
        content.withLock { $0.connected -= 1 }
    }
    func readyForWriteCommands(to peer: PeerIdentifier) {}
    func servicesChanged(_ range: HandleRange, of peer: PeerIdentifier) {}
    func nameChanged(_ name: String?, of peer: PeerIdentifier) {}
    func channelOpened(_ result: Result<ChannelHandle, ChannelError>, psm: UInt16, of peer: PeerIdentifier) {}
}

/// A program that advertises a service with a value that it notifies.
final class Band: PeripheralObserver {
    static let service = BluetoothUUID(UInt16(0xFEE7))
    static let definition = ServiceDefinition(
        uuid: service, isPrimary: true, includedServices: [],
        characteristics: [
            CharacteristicDefinition(
                uuid: BluetoothUUID(UInt16(0xFEC8)), properties: 0x10, permissions: 1, value: nil, descriptors: [])
        ])
    /// Where the value is, behind the services of GAP and GATT.
    static let handle: UInt16 = {
        var database = AttributeDatabase(crypto: SwiftCryptoProvider())
        return database.add(definition, included: [])?.characteristics.first?.valueHandle ?? 0
    }()

    private let session = Mutex<(any PeripheralSession)?>(nil)
    private let advertises: Bool

    init(_ device: VirtualDevice, advertises: Bool = true) {
        self.advertises = advertises
        let opened = device.adapter.openPeripheral(observer: self)
        session.withLock { $0 = opened }
    }

    func notify(_ value: [UInt8]) {
        let session = session.withLock { $0 }
        _ = session?.update(value.span, of: CharacteristicReference(service: 1, index: 0), centrals: nil)
    }

    func adapterStateChanged(_ state: AdapterState) {
        guard state == .poweredOn else { return }
        session.withLock { $0 }?.add(Self.definition, token: 1)
    }

    func serviceAdded(token: Int, _ failure: PublishingError?) {
        guard advertises else { return }
        session.withLock { $0 }?.startAdvertising(Advertisement(localName: nil, services: [Self.service]))
    }

    func subscribed(_ central: CentralRecord, to characteristic: CharacteristicReference) {
        session.withLock { $0 }?.stopAdvertising()
    }

    func advertisingStarted(_ failure: AdvertisingError?) {}
    func unsubscribed(_ central: CentralRecord, from characteristic: CharacteristicReference) {}
    func receivedRead(
        _ request: RequestIdentifier, of characteristic: CharacteristicReference, offset: Int,
        from central: CentralRecord
    ) {}
    func receivedWrite(
        _ request: RequestIdentifier, _ items: [WriteItem], needsResponse: Bool, from central: CentralRecord
    ) {}
    func readyToUpdate() {}
    func maximumUpdateLengthChanged(_ central: CentralRecord) {}
    func channelPublished(_ result: Result<UInt16, ChannelError>) {}
    func channelUnpublished(psm: UInt16, _ failure: ChannelError?) {}
    func channelOpened(_ channel: ChannelHandle, by central: CentralRecord) {}
}
