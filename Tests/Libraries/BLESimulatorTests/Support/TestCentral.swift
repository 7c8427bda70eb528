import BLEAdapter
import BLEHostAdapter
import BLESimulator
import BLEWire

/// A central session with an observer that records every event.
final class TestCentral: CentralObserver {
    enum Event: Equatable {
        case state(AdapterState)
        case discovered(PeerIdentifier, name: String?, data: [UInt8], isConnectable: Bool)
        case connected(PeerIdentifier)
        case connectionFailed(PeerIdentifier, ConnectionError)
        case disconnected(PeerIdentifier, LinkEnd, isReconnecting: Bool)
        case completed(PeerIdentifier, GATTOperation, Result<GATTResult, GATTError>)
        case value(PeerIdentifier, handle: UInt16, [UInt8])
        case readyForWriteCommands(PeerIdentifier)
        case servicesChanged(PeerIdentifier)
        case name(PeerIdentifier, String?)
        case channel(PeerIdentifier, psm: UInt16, ChannelError?)

        /// Whether a connection attempt failed or a link ended.
        var isLoss: Bool {
            switch self {
            case .connectionFailed, .disconnected: true
            default: false
            }
        }
    }

    let world: World
    /// The channels that were opened.
    let channels = Lock<[ChannelHandle]>([])
    /// The confirmations of indications, if they are kept.
    private let confirmations = Lock<[IndicationConfirmation]?>(nil)
    private let content = Lock<(events: [Event], session: (any CentralSession)?)>(([], nil))
    private let reaction: Lock<(@Sendable (Event) -> Void)?>
    private let adapter: any BluetoothAdapter

    convenience init(
        _ device: VirtualDevice, in world: World, reaction: (@Sendable (Event) -> Void)? = nil
    ) {
        self.init(device.adapter, in: world, reaction: reaction)
    }

    /// - Parameter reaction: as with `react`, for events before `react` can be called.
    init(_ adapter: any BluetoothAdapter, in world: World, reaction: (@Sendable (Event) -> Void)? = nil) {
        self.reaction = Lock(reaction)
        self.world = world
        self.adapter = adapter
        let session = adapter.openCentral(observer: self)
        content.withLock { $0.session = session }
    }

    var session: any CentralSession { content.withLock { $0.session! } }
    var events: [Event] { content.withLock { $0.events } }

    /// Ends the session, as a manager that is released does.
    func close() { content.withLock { $0.session = nil } }

    /// Keeps confirmations from now on, so that peers wait for them, or releases them and keeps none any more.
    func keepConfirmations(_ keeps: Bool) {
        let old = confirmations.withLock { confirmations in
            let old = confirmations
            confirmations = keeps ? [] : nil
            return old
        }
        withExtendedLifetime(old) {}
    }

    /// Does something at each event, on the executor.
    func react(_ reaction: (@Sendable (Event) -> Void)?) { self.reaction.withLock { $0 = reaction } }

    private func record(_ event: Event) {
        content.withLock { $0.events.append(event) }
        reaction.withLock { $0 }?(event)
    }

    func adapterStateChanged(_ state: AdapterState) { record(.state(state)) }
    func discovered(_ discovery: Discovery) {
        record(
            .discovered(
                discovery.peer.identifier, name: discovery.peer.name,
                data: [UInt8](discovery.octets.data) + [UInt8](discovery.octets.scanResponse),
                isConnectable: discovery.isConnectable))
    }
    func connected(_ peer: PeerRecord) { record(.connected(peer.identifier)) }
    func connectionFailed(_ peer: PeerIdentifier, _ failure: ConnectionError) {
        record(.connectionFailed(peer, failure))
    }
    func disconnected(_ peer: PeerIdentifier, _ end: LinkEnd, isReconnecting: Bool) {
        record(.disconnected(peer, end, isReconnecting: isReconnecting))
    }
    func completed(_ operation: GATTOperation, of peer: PeerIdentifier, _ result: Result<GATTResult, GATTError>) {
        record(.completed(peer, operation, result))
    }
    func received(_ value: Span<UInt8>, handle: UInt16, from peer: PeerIdentifier) {
        record(.value(peer, handle: handle, [UInt8](value)))
    }
    func indicated(
        _ value: Span<UInt8>, handle: UInt16, from peer: PeerIdentifier, confirmation: IndicationConfirmation
    ) {
        confirmations.withLock { $0?.append(confirmation) }
        received(value, handle: handle, from: peer)
    }
    func readyForWriteCommands(to peer: PeerIdentifier) { record(.readyForWriteCommands(peer)) }
    func servicesChanged(_ range: HandleRange, of peer: PeerIdentifier) { record(.servicesChanged(peer)) }
    func channelOpened(_ result: Result<ChannelHandle, ChannelError>, psm: UInt16, of peer: PeerIdentifier) {
        switch result {
        case .success(let channel):
            channels.withLock { $0.append(channel) }
            record(.channel(peer, psm: psm, nil))
        case .failure(let failure): record(.channel(peer, psm: psm, failure))
        }
    }
    func nameChanged(_ name: String?, of peer: PeerIdentifier) { record(.name(peer, name)) }
}

struct MissingResultError: Error, CustomStringConvertible {
    var description: String
}

extension TestCentral {
    /// Runs the world until an event that `pick` makes something of came at or after the event number `start`.
    @discardableResult
    func wait<Value: Sendable>(
        from start: Int = 0, timeout: Duration = .seconds(60), _ what: String,
        _ pick: @escaping @Sendable (Event) -> Value?
    ) async throws -> Value {
        @Sendable func found() -> Value? { events.dropFirst(start).lazy.compactMap(pick).first }
        await world.run(timeout: timeout) { found() != nil }
        guard let value = found() else {
            throw MissingResultError(description: "\(what) did not come; \(events.dropFirst(start))")
        }
        return value
    }

    func poweredOn() async throws {
        try await wait("powered on") { $0 == .state(.poweredOn) ? true : nil }
    }

    /// Scans until a device with this name is seen.
    func find(_ name: String, _ request: ScanRequest = ScanRequest()) async throws -> PeerIdentifier {
        let start = events.count
        session.startScan(request)
        let peer = try await wait(from: start, name) { event -> PeerIdentifier? in
            if case .discovered(let peer, name, _, _) = event { peer } else { nil }
        }
        session.stopScan()
        return peer
    }

    func connect(_ peer: PeerIdentifier, options: ConnectionOptions = ConnectionOptions()) async throws {
        let start = events.count
        session.connect(peer, options: options)
        try await wait(from: start, "connection") { $0 == .connected(peer) ? true : nil }
    }

    /// Runs an operation to its end.
    @discardableResult
    func perform(_ operation: GATTOperation, on peer: PeerIdentifier) async throws -> GATTResult {
        let start = events.count
        session.submit(operation, to: peer)
        let result = try await wait(from: start, "\(operation)") { event -> Result<GATTResult, GATTError>? in
            if case .completed(peer, operation, let result) = event { result } else { nil }
        }
        return try result.get()
    }

    /// The signal strength of a link in dBm.
    func signal(of peer: PeerIdentifier) async throws -> Int {
        let result = try await perform(.readRSSI, on: peer)
        guard case .rssi(let value) = result else {
            throw MissingResultError(description: "a signal strength, not \(result)")
        }
        return Int(value)
    }

    /// Discovers all services.
    func services(of peer: PeerIdentifier) async throws -> [DiscoveredService] {
        let result = try await perform(.discoverServices(nil), on: peer)
        guard case .services(let services) = result else {
            throw MissingResultError(description: "services, not \(result)")
        }
        return services
    }

    /// Discovers the characteristics of a service that was discovered.
    func characteristics(in service: DiscoveredService, of peer: PeerIdentifier) async throws
        -> [DiscoveredCharacteristic]
    {
        let result = try await perform(.discoverCharacteristics(service: service.range, nil), on: peer)
        guard case .characteristics(let found) = result else {
            throw MissingResultError(description: "characteristics, not \(result)")
        }
        return found
    }

    /// Discovers a service's characteristics.
    func characteristics(of service: BluetoothUUID, on peer: PeerIdentifier) async throws -> [DiscoveredCharacteristic]
    {
        guard case .services(let services) = try await perform(.discoverServices([service]), on: peer),
            let found = services.first
        else { throw MissingResultError(description: "service") }
        let result = try await perform(.discoverCharacteristics(service: found.range, nil), on: peer)
        guard case .characteristics(let characteristics) = result else {
            throw MissingResultError(description: "characteristics")
        }
        return characteristics
    }

    func values(of handle: UInt16) -> [[UInt8]] {
        events.compactMap { if case .value(_, handle, let value) = $0 { value } else { nil } }
    }
}
