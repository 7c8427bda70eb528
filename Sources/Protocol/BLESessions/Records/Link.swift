import BLEAdapter
import BLEHost
import BLEWire
import DequeModule

/// A link in either role, as the session layer sees it. The host holds the parameters, the ATT_MTU and the peer's
/// address on the air.
struct Link {
    enum Phase: Hashable {
        /// As central: the ATT_MTU is not settled yet.
        case settingUp
        case ready
        /// The session layer has asked the host to end the link.
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
    let peerIdentifier: PeerIdentifier
    /// This host's role. The host no longer knows it when it reports the end of the link.
    let role: LinkRole
    var phase: Phase
    /// Values for which the host has no room yet: Write Commands as central, updates as peripheral.
    var backlog = ValueBacklog()

    /// The security of the link after the events that the session layer has handled. The host may be ahead.
    var security = LinkSecurity.none
    /// Whether a session called `pair`. The end of the procedure answers.
    var isPairingRequested = false
    /// The peer's address in the bond store, as soon as the link is encrypted with the keys of the bond. The host no
    /// longer knows it when it reports the end of the link.
    var bond: DeviceAddress?

    // As central
    /// Whether the link is being encrypted with the keys of the bond. Sessions get the link after that.
    var awaitsEncryption = false
    /// Whether the ATT_MTU is settled.
    var hasMTU = false
    /// Whether a refused operation waits for the link's security.
    var hasSuspendedOperation = false
    /// The refused L2CAP channels that wait for the link's security.
    var suspendedChannels: [UInt32] = []
    /// Whether the session layer's own read of the device name is under way. Only one runs at a time.
    var isReadingName = false
    var operations: Deque<PendingOperation> = []

    // As peripheral
    /// The length most recently reported to sessions: ATT_MTU - 3, in octets (Vol 3, Part F, 3.4.7.1).
    var maximumUpdateLength = 20
    /// Value handles to which the client is subscribed, in the order of the subscriptions (Vol 3, Part G, 3.3.3.3).
    var subscriptions: [UInt16] = []
    /// The number of indications that the host has and the client has not confirmed (Vol 3, Part F, 3.4.7.3).
    var unconfirmed = 0

    init(_ identifier: LinkIdentifier, to peer: PeerKey, _ peerIdentifier: PeerIdentifier, role: LinkRole) {
        self.identifier = identifier
        self.peer = peer
        self.peerIdentifier = peerIdentifier
        self.role = role
        phase = role == .central ? .settingUp : .ready
    }

    /// Removes an operation, which is the oldest one unless another one was refused for insufficient security or withdrawn.
    mutating func takeOperation(_ id: UInt32) -> PendingOperation? {
        if operations.first?.id == id { return operations.removeFirst() }
        return operations.firstIndex { $0.id == id }.map { operations.remove(at: $0) }
    }
}

extension [Link] {
    func index(of link: LinkIdentifier) -> Int? {
        for index in indices where self[index].identifier == link { return index }
        return nil
    }

    func index(of link: LinkIdentifier, role: LinkRole) -> Int? {
        guard let index = index(of: link), self[index].role == role else { return nil }
        return index
    }

    func index(to peer: PeerIdentifier, role: LinkRole) -> Int? {
        for index in indices where self[index].role == role && self[index].peerIdentifier == peer { return index }
        return nil
    }

    func index(to peer: PeerKey, role: LinkRole) -> Int? {
        for index in indices where self[index].role == role && self[index].peer == peer { return index }
        return nil
    }
}
