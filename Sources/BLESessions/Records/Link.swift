import BLEHost
import BLEWire

/// What the session layer knows of a link, in either role. Parameters, the ATT_MTU and the peer's address on the air are in the host.
struct Link {
    enum Phase: Hashable {
        /// As central: the ATT_MTU is not settled yet.
        case settingUp
        case ready
        /// The host was asked to end the link.
        case ending
    }

    /// An operation that the host has not completed. The host owns the queue.
    struct PendingOperation {
        let id: UInt32
        let session: Int
        let operation: GATTOperation
    }

    let identifier: LinkIdentifier
    let peer: PeerKey
    /// This host's role. The host no longer knows it when it reports the end of the link.
    let role: LinkRole
    var phase: Phase
    /// As central Write Commands, as peripheral updates, for which the host has no room yet.
    var backlog = ValueBacklog()

    // As central
    /// Whether the session layer's own read of the device name is under way; one at a time.
    var isReadingName = false
    var operations: [PendingOperation] = []

    // As peripheral
    /// What sessions were last told: ATT_MTU - 3, octets.
    var maximumUpdateLength = 20
    /// Value handles to which the client is subscribed, in the order of the subscriptions.
    var subscriptions: [UInt16] = []
    /// Indications that have gone to the host and are not confirmed.
    var unconfirmed = 0

    init(_ identifier: LinkIdentifier, to peer: PeerKey, role: LinkRole) {
        self.identifier = identifier
        self.peer = peer
        self.role = role
        phase = role == .central ? .settingUp : .ready
    }
}
