import BLELink
import BLEWire

/// The links of a host, in the order in which they were established.
struct ConnectionTable: RandomAccessCollection {
    private var links: [Connection] = []
    private var nextLink: UInt32 = 1
    /// The number of links that are `unconfirmed`.
    private(set) var unconfirmed = 0
    /// An attempt that waits for the end of the last link to its peer. A controller refuses a second link to the same peer.
    struct PostponedAttempt {
        let peer: DeviceAddress
        /// On which the peer was last heard.
        let phy: HCI.PHY?
    }

    private var postponed: [PostponedAttempt] = []
    private var unknownLinks = UnknownLinks()

    var startIndex: Int { 0 }
    var endIndex: Int { links.count }
    subscript(position: Int) -> Connection { links[position] }

    subscript(link: LinkIdentifier) -> Connection? {
        // By index: a loop over the elements would retain the array.
        for index in links.indices where links[index].identifier == link { return links[index] }
        return nil
    }

    subscript(handle handle: UInt16) -> Connection? {
        for index in links.indices where links[index].handle == handle { return links[index] }
        return nil
    }

    /// The link to a peer that the driver knows of or waits for, unless it is ending.
    func current(to peer: DeviceAddress) -> Connection? {
        first { $0.peer == peer && $0.visibility != .silent && !$0.isEnding }
    }

    func contains(_ peer: DeviceAddress) -> Bool { contains { $0.peer == peer } }

    // MARK: Links

    /// Takes the identifier of a new link.
    mutating func makeIdentifier() -> LinkIdentifier {
        defer { nextLink += 1 }
        return LinkIdentifier(rawValue: nextLink)
    }

    mutating func append(_ connection: Connection) {
        links.append(connection)
        if connection.visibility == .unconfirmed { unconfirmed += 1 }
    }

    mutating func remove(_ connection: Connection) { links.removeAll { $0 === connection } }

    /// Reports a link of a central at its peer's first packet or acknowledgement. CONNECT_IND is not acknowledged, so a
    /// link may exist at the central alone until then (Vol 6, Part B, 4.5).
    mutating func confirm(_ connection: Connection, _ output: inout HostOutput) {
        guard connection.visibility == .unconfirmed else { return }
        connection.visibility = .open
        unconfirmed -= 1
        output.events.append(
            .connected(connection.identifier, connection.role, connection.peer, connection.linkLayer.parameters))
    }

    /// Makes an unconfirmed link silent. Returns false for another link.
    mutating func silence(_ connection: Connection) -> Bool {
        guard connection.visibility == .unconfirmed else { return false }
        connection.visibility = .silent
        unconfirmed -= 1
        return true
    }

    // MARK: Postponed attempts

    mutating func postpone(_ peer: DeviceAddress, heardOn phy: HCI.PHY?) {
        cancelPostponed(peer)
        postponed.append(PostponedAttempt(peer: peer, phy: phy))
    }

    mutating func cancelPostponed(_ peer: DeviceAddress) { postponed.removeAll { $0.peer == peer } }

    mutating func cancelAllPostponed() { postponed.removeAll() }

    /// The attempt that waited for the end of the last link to a peer.
    mutating func takePostponed(_ peer: DeviceAddress) -> PostponedAttempt? {
        guard let index = postponed.firstIndex(where: { $0.peer == peer }), !contains(peer) else { return nil }
        return postponed.remove(at: index)
    }

    // MARK: Links that are unknown

    /// Takes data for a link that is unknown. Returns the action that is due.
    mutating func dataOfUnknownLink() -> UnknownLinks.Action { unknownLinks.data() }

    /// The controller refused a command that would end the unknown link, or did so.
    mutating func unknownLinkEnded() { unknownLinks.isEnding = false }

    mutating func endsUnknownLink() { unknownLinks.isEnding = true }

    /// The controller reports new links.
    mutating func linkReported() { unknownLinks.count = 0 }

    /// Forgets what belongs to a controller that is lost. The links have ended.
    mutating func reset() {
        unconfirmed = 0
        postponed.removeAll()
        unknownLinks = UnknownLinks()
    }
}

/// Links that have data but no connection complete event. One may remain from before a reset. After three the controller
/// evidently does not report new links, perhaps because its event mask differs from the one sent.
struct UnknownLinks: Hashable, Sendable {
    enum Action: Hashable, Sendable {
        case none
        case disconnect
        /// The controller is reset, or the link ends if that happened recently.
        case recover
    }

    /// Whether Disconnect is under way for one of them.
    fileprivate var isEnding = false
    /// The number since the last connection complete event.
    fileprivate var count = 0

    mutating func data() -> Action {
        guard !isEnding else { return .none }
        count += 1
        return count >= 3 ? .recover : .disconnect
    }
}
