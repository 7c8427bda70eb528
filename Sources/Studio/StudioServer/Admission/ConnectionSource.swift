import BLETransport

/// What connections of one user, or of one machine, have in common.
enum ConnectionSource: Hashable, Sendable {
    /// A user of this machine.
    case user(UInt32)
    /// The octets of `NumericAddress.machine(of:)`.
    case network([UInt8])
    case unknown

    /// The source of a connection.
    ///
    /// - Parameters:
    ///   - peer: The address of the other end as numbers.
    ///   - host: The address at which the server listens.
    init(peer: (host: String, port: UInt16), server: (host: String, port: UInt16), users: SocketUsers?) {
        guard let octets = NumericAddress.octets(of: peer.host) else {
            self = .unknown
            return
        }
        if let users, let own = NumericAddress.octets(of: server.host), own.count == octets.count,
            let user = users.owner(of: (octets, peer.port), connectedTo: (own, server.port))
        {
            self = .user(user)
            return
        }
        self = .network(NumericAddress.machine(of: octets))
    }
}
