import BLESecurity
import BLEWire

/// The calls of the Security Manager (Vol 3, Part H).
extension HostStack {
    /// Brings a link to a security level: at once if it has the level, with the keys of the bond if they suffice,
    /// otherwise by pairing. As peripheral, the host requests that with a Security Request (Vol 3, Part H, 2.4.6).
    /// `pairing` with `secured`, `completed` or `failed` follows. If a pairing runs, its end answers.
    package mutating func secure(_ link: LinkIdentifier, minimum: LinkSecurity.Level, at now: Instant) {
        guard let connection = connections[link], !connection.isEnding, !connection.isSilent else {
            output.events.append(.pairing(link, .failed(.disconnected)))
            return
        }
        guard connection.securityManager != nil else {
            output.events.append(.pairing(link, .failed(.local(.pairingNotSupported))))
            return
        }
        security.secure(connection, minimum: minimum, at: now, &output)
        settleSecurity()
        finish(at: now)
    }

    /// Passes the user's answer to a link's pairing.
    package mutating func answerPairing(_ link: LinkIdentifier, _ answer: AgentAnswer, at now: Instant) {
        guard let connection = connections[link], connection.securityManager != nil else { return }
        security.answer(answer, on: connection, at: now, &output)
        settleSecurity()
        finish(at: now)
    }

    /// Ends a running pairing. `pairing` with `failed` follows.
    package mutating func cancelPairing(_ link: LinkIdentifier, at now: Instant) {
        guard let connection = connections[link], connection.securityManager != nil else { return }
        security.cancel(connection, at: now, &output)
        settleSecurity()
        finish(at: now)
    }

    /// Adds a bond, or replaces the bond with the same peer. Returns false if the table is full. Links that exist do
    /// not use it.
    ///
    /// - Parameter signCounters: The octets of the latest `signCountersChanged` for this bond; nil if there are none. With octets that cannot be decoded
    ///   this host signs nothing for the peer and takes no signature of it.
    @discardableResult
    package mutating func addBond(_ bond: Bond, signCounters: [UInt8]? = nil) -> Bool {
        defer { settleSecurity() }
        return security.addBond(bond, signCounters: signCounters)
    }

    /// Forgets the keys of a peer. An encrypted link stays encrypted.
    package mutating func removeBond(_ peer: DeviceAddress) {
        security.removeBond(peer, connections)
        settleSecurity()
    }

    /// The bond with the peer of a link.
    package func bond(of link: LinkIdentifier) -> Bond? { connections[link].flatMap { security.bond(of: $0) } }

    /// Draws this host's data for a transfer to a peer. The data of Secure Connections is the commitment to the key pair of the next
    /// pairing whose peer has it, and replaces earlier data; a TK applies as soon as `setOutOfBandData` sets it on both devices.
    ///
    /// - Returns: Nil if this host cannot pair.
    package mutating func makeOutOfBandData(_ kind: OutOfBandBlock.Kind) -> OutOfBandBlock? {
        security.makeOutOfBandData(kind)
    }

    /// Sets the data that a peer transferred, for pairings that begin later; nil removes it. Without a peer, the data applies to all
    /// peers without data of their own. It lasts until a pairing with it has succeeded.
    package mutating func setOutOfBandData(_ block: OutOfBandBlock?, of peer: DeviceAddress?) {
        security.setOutOfBandData(block, of: peer)
    }
}
