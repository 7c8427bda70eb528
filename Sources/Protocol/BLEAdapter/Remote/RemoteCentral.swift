import BLEWire

/// The central role of an adapter whose host is elsewhere, such as in a gateway or in a daemon: the scans of the sessions, the links that they
/// request, and the operations that wait. The adapter turns `RemoteRequest`s into messages of its protocol, and tells what its host reports.
///
/// Threads: everything runs on the adapter's executor. The methods call the observers, which must not call the adapter's central within the
/// call: `RemoteAdapter.submit` never runs its body at once. `snapshot` has what other threads read.
package struct RemoteCentral {
    struct Session {
        weak var observer: (any CentralObserver)?
        /// Whether the session gets changes of the state: from this moment on, and then at all.
        var opening: Instant?
        var scan: ScanRequest?
        /// The content that was last reported of each advertiser, for scans without duplicates.
        var reported: [AdvertiserIdentity: Int] = [:]

        var isOpen: Bool { opening == nil }
    }

    /// A request for a link that waits for its start.
    struct Delayed {
        let start: Instant
        let options: ConnectionOptions
    }

    /// The time from the opening of a session to the report of the state.
    package static let firstStateDelay = TimeSpan.milliseconds(10)
    /// The advertisers whose last report is kept for a session.
    private static let tableLimit = 4096
    /// In octets.
    private static let longestName = 248

    package let snapshot: RemoteSnapshot
    /// The identification for reports of advertisers.
    private let identifierSource: IdentifierSource
    package private(set) var state = AdapterState.unknown
    var sessions: [Int: Session] = [:]
    var links: [PeerIdentifier: RemoteLink] = [:]
    var delayed: [RemoteUse: Delayed] = [:]
    var requests: [RemoteRequest] = []
    /// The sessions with a scan, in their order. Those that receive an advertisement are found without an array of their own.
    private var scanning: [Int] = []

    /// - Parameter snapshot: What other threads read, with the identifiers of devices.
    package init(_ snapshot: RemoteSnapshot) {
        self.snapshot = snapshot
        identifierSource = IdentifierSource(snapshot.identification)
    }

    var identification: any PeerIdentification { snapshot.identification }

    package mutating func takeRequests() -> [RemoteRequest] {
        defer { requests = [] }
        return requests
    }

    // MARK: Sessions

    package mutating func open(_ number: Int, _ observer: (any CentralObserver)?, at now: Instant) {
        sessions[number] = Session(observer: observer, opening: now + Self.firstStateDelay)
    }

    package mutating func close(_ number: Int, at now: Instant) {
        sessions[number] = nil
        delayed = delayed.filter { $0.key.session != number }
        for peer in sorted(links.keys) { release(peer, number, at: now) }
        updateScan()
    }

    func sorted(_ peers: some Sequence<PeerIdentifier>) -> [PeerIdentifier] {
        peers.sorted { ($0.high, $0.low) < ($1.high, $1.low) }
    }

    private mutating func reportFirstStates(at now: Instant) {
        for (number, session) in sessions.sorted(by: { $0.key < $1.key }) {
            guard let opening = session.opening, opening <= now else { continue }
            sessions[number]?.opening = nil
            if state != .unknown { session.observer?.adapterStateChanged(state) }
        }
    }

    /// Takes a new state. In any other than powered on there are no links and no scans, and no request leads to their end.
    package mutating func set(_ new: AdapterState) {
        if new != .poweredOn { loseAll() }
        guard new != state else { return }
        state = new
        for number in sessions.keys.sorted() where sessions[number]?.isOpen == true {
            sessions[number]?.observer?.adapterStateChanged(new)
        }
    }

    private mutating func loseAll() {
        let dropped = requests
        requests = []
        for request in dropped {
            switch request {
            case .forget: requests.append(request)
            case .write(let value, _, _): wrote(value.count)
            default: break
            }
        }
        requests += sorted(links.keys).map { .forget($0) }
        links = [:]
        delayed = [:]
        scanning = []
        for number in sessions.keys {
            sessions[number]?.scan = nil
            sessions[number]?.reported = [:]
        }
        snapshot.reset()
    }

    // MARK: Time

    /// When `handleTimeout` is to be called.
    package var deadline: Instant? {
        let first = sessions.values.lazy.compactMap(\.opening).min()
        let start = delayed.values.lazy.map(\.start).min()
        let step = links.values.lazy.compactMap(\.nextDeadline).min()
        return [first, start, step].lazy.compactMap(\.self).min()
    }

    package mutating func handleTimeout(at now: Instant) {
        reportFirstStates(at: now)
        beginDelayed(at: now)
        endLate(at: now)
    }

    // MARK: Scans

    package mutating func startScan(_ number: Int, _ request: ScanRequest) {
        guard state == .poweredOn, sessions[number] != nil else { return }
        sessions[number]?.scan = request
        sessions[number]?.reported = [:]
        updateScan()
        requests.append(.repeatReports(session: number))
    }

    package mutating func stopScan(_ number: Int) {
        sessions[number]?.scan = nil
        updateScan()
    }

    private mutating func updateScan() {
        let wasScanning = !scanning.isEmpty
        scanning = sessions.keys.filter { sessions[$0]?.scan != nil }.sorted()
        if wasScanning == scanning.isEmpty { requests.append(.scan(!wasScanning)) }
    }

    /// Takes an advertisement with its AD structures (Vol 3, Part C, 11).
    ///
    /// - Parameters:
    ///   - rssi: In dBm; 127 means not available.
    ///   - session: The only session to report to; nil for all.
    package mutating func report(
        _ address: DeviceAddress, rssi: Int8, _ data: Span<UInt8>, to session: Int? = nil
    ) {
        guard !scanning.isEmpty else { return }
        let peer = identification.identity(for: address)
        if let name = AD.localName(in: data) { snapshot.rename(peer) { $0.advertisedName = name } }
        var discovery: Discovery?
        for number in scanning where session.map({ $0 == number }) ?? true {
            guard let scan = sessions[number]?.scan, scan.selects(data, scanResponse: Span()),
                scan.allowDuplicates || isNews(data, of: peer, for: number)
            else { continue }
            let found =
                discovery
                ?? Discovery(
                    DiscoveryContent(
                        identity: peer, source: identifierSource, names: snapshot.names(of: peer), address: address,
                        octets: AdvertisingOctets(data: data, scanResponse: Span()), isConnectable: true), rssi: rssi)
            discovery = found
            sessions[number]?.observer?.discovered(found)
        }
    }

    /// Whether a session without duplicates has not got this content last.
    private mutating func isNews(_ data: Span<UInt8>, of peer: AdvertiserIdentity, for number: Int) -> Bool {
        let content = data.withUnsafeBytes { bytes in
            var hasher = Hasher()
            hasher.combine(bytes: bytes)
            return hasher.finalize()
        }
        guard sessions[number]?.reported[peer] != content else { return false }
        if sessions[number]?.reported.count ?? 0 >= Self.tableLimit { sessions[number]?.reported = [:] }
        sessions[number]?.reported[peer] = content
        return true
    }

    /// Takes the name in the GAP service of a peer. A longer one than 248 octets is left out (Vol 3, Part C, 12.1).
    package mutating func named(_ peer: PeerIdentifier, _ name: String) {
        let identity = identification.identity(of: peer)
        guard name.utf8.count <= Self.longestName, snapshot.names(of: identity).deviceName != name else { return }
        snapshot.rename(identity) { $0.deviceName = name }
        for number in users(of: peer) { sessions[number]?.observer?.nameChanged(name, of: peer) }
    }
}
