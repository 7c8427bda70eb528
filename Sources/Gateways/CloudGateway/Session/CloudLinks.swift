import BLEAdapter
import BLEWire

/// The links of the cloud gateway, with the operations of each in the order in which the adapter completes them.
struct CloudLinks: Sendable {
    struct Service: Sendable {
        var found: DiscoveredService
        var characteristics: [DiscoveredCharacteristic] = []
    }

    enum Pending: Sendable {
        case services
        case characteristics(service: Int)
        case read(ReplyDestination, characteristic: BluetoothUUID?)
        case write(ReplyDestination)
        case subscribe(ReplyDestination, valueHandle: UInt16, isOn: Bool)
    }

    enum State: Sendable, Equatable {
        case connecting(deadline: Instant)
        case discovering(deadline: Instant)
        case up
        /// Cancelled. The adapter reports the end.
        case ending(deadline: Instant)

        var isEnding: Bool { if case .ending = self { true } else { false } }

        var deadline: Instant? {
            switch self {
            case .connecting(let deadline), .discovering(let deadline), .ending(let deadline): deadline
            case .up: nil
            }
        }
    }

    struct Link: Sendable {
        let address: UInt64
        var state: State
        /// The commands that the connection answers.
        var waiting: [ReplyDestination] = []
        var ending: [ReplyDestination] = []
        var pending: [Pending] = []
        var services: [Service] = []
        var subscriptions: Set<UInt16> = []

        func characteristic(handle: UInt16) -> DiscoveredCharacteristic? {
            for service in services {
                if let found = service.characteristics.first(where: { $0.valueHandle == handle }) { return found }
            }
            return nil
        }
    }

    private(set) var links: [PeerIdentifier: Link] = [:]
    private(set) var addresses: [UInt64: PeerIdentifier] = [:]

    var count: Int { links.count }

    subscript(_ peer: PeerIdentifier) -> Link? {
        get { links[peer] }
        _modify { yield &links[peer] }
    }

    func peer(of address: UInt64) -> PeerIdentifier? { addresses[address] }

    mutating func add(_ link: Link, _ peer: PeerIdentifier) {
        links[peer] = link
        addresses[link.address] = peer
    }

    mutating func remove(_ peer: PeerIdentifier) -> Link? {
        guard let link = links.removeValue(forKey: peer) else { return nil }
        addresses[link.address] = nil
        return link
    }

    /// In the order of the addresses, so that equal events give equal actions.
    var peers: [PeerIdentifier] { addresses.sorted { $0.key < $1.key }.map(\.value) }

    var deadline: Instant? {
        var earliest: Instant?
        for link in links.values {
            if let deadline = link.state.deadline { earliest = min(earliest ?? deadline, deadline) }
        }
        return earliest
    }
}
