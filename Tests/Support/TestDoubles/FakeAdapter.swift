import BLEAdapter
import BLESecurity
import BLEWire

/// An adapter that records its sessions and their commands.
package final class FakeAdapter: BluetoothAdapter, PeerIdentification, @unchecked Sendable {
    // `@unchecked Sendable`: the variables are set before the adapter is used, and the sessions have a lock.

    package var callbackScheduler: (any CallbackScheduling)?
    package var knowsAddresses = true

    private struct Sessions {
        var centrals: [FakeCentral] = []
        var pairings: [FakePairing] = []
        var live: [Weak] = []
    }

    private struct Weak { weak var session: FakeCentralSession? }

    private let sessions = Lock(Sessions())

    package init() {}

    /// The central sessions, also those that were released, in the order of their opening.
    package var centrals: [FakeCentral] { sessions.withLock { $0.centrals } }
    package var pairings: [FakePairing] { sessions.withLock { $0.pairings } }
    /// The central sessions that were not released.
    package var liveCentralCount: Int { sessions.withLock { $0.live }.count { $0.session != nil } }

    /// Returns the commands of all central sessions since the last call.
    package func takeCommands() -> [FakeCentral.Command] { centrals.flatMap { $0.take() } }

    /// Calls the observer of the central session that was opened last.
    package func report(_ body: (any CentralObserver) -> Void) {
        if let observer = centrals.last?.observer { body(observer) }
    }

    package func openCentral(observer: any CentralObserver) -> any CentralSession {
        let central = FakeCentral(observer)
        let session = FakeCentralSession(central)
        sessions.withLock { sessions in
            sessions.centrals.append(central)
            sessions.live.append(Weak(session: session))
        }
        return session
    }

    package func openPairing(observer: any PairingObserver) -> any PairingSession {
        let pairing = FakePairing(observer)
        sessions.withLock { $0.pairings.append(pairing) }
        return pairing
    }

    package func openPeripheral(observer: any PeripheralObserver) -> any PeripheralSession { UnavailableSession() }

    package static func identifier(for address: DeviceAddress) -> PeerIdentifier {
        PeerIdentifier(high: UInt64(address.kind.rawValue), low: address.value)
    }

    package var peerIdentification: (any PeerIdentification)? { knowsAddresses ? self : nil }
    package func identifier(for address: DeviceAddress) -> PeerIdentifier { Self.identifier(for: address) }
    package func address(of identifier: PeerIdentifier) -> DeviceAddress? { nil }
}

/// A central session as the test sees it. It does not hold the session, whose release ends it.
package final class FakeCentral: Sendable {
    package enum Command: Equatable, Sendable {
        case startScan(ScanRequest)
        case stopScan
        case connect(PeerIdentifier, ConnectionOptions)
        case cancelConnection(PeerIdentifier)
        case submit(GATTOperation, PeerIdentifier)
        case write([UInt8], handle: UInt16, PeerIdentifier)
    }

    private struct State {
        weak var observer: (any CentralObserver)?
        var commands: [Command] = []
        var hasRoom = true
        var mtu: Int? = 247
    }

    private let state: Lock<State>

    fileprivate init(_ observer: any CentralObserver) { state = Lock(State(observer: observer)) }

    package var observer: (any CentralObserver)? { state.withLock { $0.observer } }

    /// Whether the adapter takes further write commands.
    package var hasRoom: Bool {
        get { state.withLock { $0.hasRoom } }
        set { state.withLock { $0.hasRoom = newValue } }
    }

    /// The ATT_MTU of each link; nil without a link.
    package var mtu: Int? {
        get { state.withLock { $0.mtu } }
        set { state.withLock { $0.mtu = newValue } }
    }

    /// Returns the commands since the last call.
    package func take() -> [Command] {
        state.withLock { state in
            defer { state.commands = [] }
            return state.commands
        }
    }

    fileprivate func add(_ command: Command) { state.withLock { $0.commands.append(command) } }
}

/// The session that the user of the adapter has.
private final class FakeCentralSession: CentralSession {
    private let central: FakeCentral

    init(_ central: FakeCentral) { self.central = central }

    func startScan(_ scan: ScanRequest) { central.add(.startScan(scan)) }
    func stopScan() { central.add(.stopScan) }
    func connect(_ peer: PeerIdentifier, options: ConnectionOptions) { central.add(.connect(peer, options)) }
    func cancelConnection(_ peer: PeerIdentifier) { central.add(.cancelConnection(peer)) }
    func submit(_ operation: GATTOperation, to peer: PeerIdentifier) { central.add(.submit(operation, peer)) }
    func writeCommand(_ value: Span<UInt8>, handle: UInt16, to peer: PeerIdentifier) -> Bool {
        central.add(.write([UInt8](value), handle: handle, peer))
        return central.hasRoom
    }
    func canWriteCommand(to peer: PeerIdentifier) -> Bool { central.hasRoom }
    func knownPeers(_ identifiers: [PeerIdentifier]) -> [PeerRecord] { [] }
    func connectedPeers(services: [BluetoothUUID]) -> [PeerRecord] { [] }
    func maximumTransmissionUnit(of peer: PeerIdentifier) -> Int? { central.mtu }
    func openChannel(psm: UInt16, to peer: PeerIdentifier) {}
}

/// A session for pairings that records its calls.
package final class FakePairing: PairingSession, @unchecked Sendable {
    // `@unchecked Sendable`: used on the thread of the test only.

    package private(set) weak var observer: (any PairingObserver)?
    package private(set) var pairs: [(peer: PeerIdentifier, minimum: LinkSecurity.Level)] = []
    package private(set) var unpaired: [PeerIdentifier] = []

    fileprivate init(_ observer: any PairingObserver) { self.observer = observer }

    package func pair(_ peer: PeerIdentifier, minimum: LinkSecurity.Level) { pairs.append((peer, minimum)) }
    package func unpair(_ peer: PeerIdentifier) { unpaired.append(peer) }
    package func setAgent(_ agent: PairingAgentCapability?) {}
    package func setPolicy(_ policy: PairingPolicy) {}
    package func cancelPairing(with peer: PeerIdentifier) {}
    package func answer(_ question: PairingQuestionNumber, _ answer: AgentAnswer) {}
    package func makeOutOfBandData(
        _ kind: OutOfBandBlock.Kind, completion: @escaping @Sendable (OutOfBandBlock?) -> Void
    ) {}
    package func setOutOfBandData(_ block: OutOfBandBlock?, of peer: PeerIdentifier?) {}
    package var bonds: [BondRecord] { [] }
}
