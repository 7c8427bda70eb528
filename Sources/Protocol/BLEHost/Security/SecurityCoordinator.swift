import BLELink
import BLESecurity
import BLEWire

/// The security of a host (Vol 3, Part C, 10): its cryptography, its bonds, the settings and limits of pairings, and the Security Managers of
/// the links.
struct SecurityCoordinator {
    /// Nil if this host cannot pair.
    var crypto: (any CryptoProvider)?
    private(set) var bonds = BondTable()
    /// The signature keys of the bonds that have some. A counter belongs to the keys, whatever the link.
    var signing: [DeviceAddress: DataSigning] = [:]
    /// Settings of pairings that begin later.
    var pairingSettings = PairingSettings()
    /// The failures of peers that are not connected.
    var failedAttempts = FailedAttemptsTable()
    /// The out-of-band data of pairings that begin later.
    var outOfBand = OutOfBandTable()
    /// The number of links on which the peer has not acknowledged the last PDU of a pairing yet.
    var undelivered = 0
    /// Whether the local database has signed writes: pairings request the peer's signature key.
    var hasSignedWrites = false
    /// Whether bonds changed since `takeBondChange`.
    private var areBondsChanged = false
    /// The key pair that a pairing has used since `withdrawUsedData`.
    var usedCommitment: UInt128?

    init(crypto: (any CryptoProvider)?) { self.crypto = crypto }

    /// Forgets what belongs to a controller that is lost. The links have ended.
    mutating func reset() { undelivered = 0 }

    // MARK: Bonds

    /// Adds a bond, or replaces the bond with the same peer. Returns false if the table is full.
    ///
    /// - Parameter signCounters: The octets of the latest `signCountersChanged`; nil if there are none.
    mutating func addBond(_ bond: Bond, signCounters: [UInt8]?) -> Bool {
        guard crypto != nil, bonds.keep(bond) else { return false }
        signing[bond.peer] = DataSigning(bond, counters: signCounters)
        areBondsChanged = true
        return true
    }

    /// Forgets the keys of a peer. An encrypted link stays encrypted.
    mutating func removeBond(_ peer: DeviceAddress, _ connections: ConnectionTable) {
        guard bonds.remove(peer) else { return }
        areBondsChanged = true
        signing[peer] = nil
        for connection in connections where connection.securityManager?.peer == peer {
            connection.security.isBonded = false
        }
    }

    func bond(of connection: Connection) -> Bond? { connection.securityManager.flatMap { bonds[$0.peer] } }

    /// Whether bonds changed since the last call.
    mutating func takeBondChange() -> Bool {
        defer { areBondsChanged = false }
        return areBondsChanged
    }

    // MARK: Out-of-band data (Vol 3, Part H, 2.3.5.6.4)

    /// Draws this host's data. Returns nil if this host cannot pair.
    mutating func makeOutOfBandData(_ kind: OutOfBandBlock.Kind) -> OutOfBandBlock? {
        guard var crypto else { return nil }
        defer { self.crypto = crypto }
        return switch kind {
        case .secureConnections: outOfBand.makeLocal(using: &crypto)
        case .legacy: .legacy(TemporaryKey(value: crypto.random()))
        }
    }

    mutating func setOutOfBandData(_ block: OutOfBandBlock?, of peer: DeviceAddress?) { outOfBand.set(block, of: peer) }

    /// The addresses under which the data of a link's peer may be known.
    func addresses(of connection: Connection) -> [DeviceAddress] {
        [connection.securityManager?.peer ?? connection.peer, connection.peer, connection.onAir.peer]
    }

    func commitment(of connection: Connection) -> UInt128? {
        connection.securityManager?.pairing.parameters.outOfBand.local?.commitment
    }

    /// Takes a key pair that a pairing has used from the pairings of the other links.
    mutating func withdrawUsedData(_ connections: ConnectionTable) {
        guard let used = usedCommitment else { return }
        usedCommitment = nil
        for connection in connections where commitment(of: connection) == used {
            connection.securityManager?.pairing.parameters.outOfBand.local = nil
        }
    }

    // MARK: Links

    /// Prepares the Security Manager of a new link.
    ///
    /// - Parameter capabilities: The controller's. Without encryption a link has no Security Manager.
    func open(_ connection: Connection, _ capabilities: ControllerCapabilities) {
        guard crypto != nil, capabilities.features.contains(.encryption) else { return }
        let peer = connection.peer
        var parameters = PairingParameters(
            role: connection.role == .central ? .initiator : .responder, localAddress: connection.onAir.local,
            peerAddress: connection.onAir.peer, ioCapability: pairingSettings.ioCapability)
        parameters.peerIdentity = peer.isIdentity ? peer : nil
        let attempts = failedAttempts[parameters.peerIdentity ?? peer]
        connection.securityManager = SecurityManager(pairing: Pairing(parameters: parameters, attempts: attempts))
        // On an unencrypted link the flag says that the devices share a key. The server then answers Insufficient
        // Encryption instead of Insufficient Authentication (Vol 3, Part C, 10.3.1).
        connection.security.isBonded = bond(of: connection) != nil
    }

    /// Ends the pairing of a link that has ended.
    mutating func close(_ connection: Connection, at now: Instant, _ output: inout HostOutput) {
        guard var manager = connection.securityManager else { return }
        let actions = manager.pairing.linkClosed(at: now)
        failedAttempts.store(manager.pairing.attempts, of: manager.peer, at: now)
        if manager.isUndelivered { undelivered -= 1 }
        let isAwaited = (manager.wanted != nil || manager.delivery != nil) && actions.isEmpty
        connection.securityManager = manager
        perform(actions, on: connection, at: now, &output)
        if isAwaited { output.events.emit(.failed(.disconnected), of: connection) }
        connection.securityManager = nil
    }
}
