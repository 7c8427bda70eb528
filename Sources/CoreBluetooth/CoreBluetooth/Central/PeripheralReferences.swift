internal import BLERuntime
internal import BLEWire
import BLEAdapter

/// Weak references to the peripherals that the program keeps, by their peers.
struct PeripheralReferences {
    final class Reference {
        weak let object: CBPeripheral?
        let identity: ObjectIdentifier
        /// The identifier, once the program requested a connection.
        fileprivate(set) var identifier: PeerIdentifier?

        init(_ object: CBPeripheral) {
            self.object = object
            identity = ObjectIdentifier(object)
            identifier = object.isRequested ? object.peer : nil
        }
    }

    private struct Request {
        let peer: PeerIdentifier
        let reference: Reference
    }

    private var slots = SlotIndex()
    /// The peers of the slots. They are apart from the references, so that a search copies none.
    private var peers: [AdvertiserIdentity] = []
    private var references: [Reference?] = []
    private var free: [Int] = []
    /// The references to objects of which the program requested a connection: events of links have identifiers.
    private var requested: [Request] = []

    init() {
        peers.prepareStorage()
        references.prepareStorage()
        free.prepareStorage()
        requested.prepareStorage()
    }

    subscript(peer: AdvertiserIdentity) -> Reference? { slot(of: peer).flatMap { references[$0] } }

    private func slot(of peer: AdvertiserIdentity) -> Int? { slots.slot(of: peer.key) { peers[$0] == peer } }

    /// The object of which the program requested a connection.
    subscript(requested peer: PeerIdentifier) -> CBPeripheral? {
        for index in requested.indices where requested[index].peer == peer { return requested[index].reference.object }
        return nil
    }

    var objects: [CBPeripheral] { references.compactMap { $0?.object } }

    /// Adds a reference. It replaces another one to the same peer.
    mutating func insert(_ object: CBPeripheral) {
        remove(object.identity)
        let reference = Reference(object)
        let slot: Int
        if let unused = free.popLast() {
            slot = unused
            peers[slot] = object.identity
            references[slot] = reference
        } else {
            slot = references.count
            peers.append(object.identity)
            references.append(reference)
        }
        slots.insert(object.identity.key, slot: slot)
        if let identifier = reference.identifier { requested.append(Request(peer: identifier, reference: reference)) }
    }

    /// Takes the program's request to connect an object to which the table has a reference.
    mutating func request(_ object: CBPeripheral) {
        guard let reference = self[object.identity], reference.identifier == nil else { return }
        reference.identifier = object.peer
        requested.append(Request(peer: object.peer, reference: reference))
    }

    mutating func remove(_ peer: AdvertiserIdentity) {
        guard let slot = slot(of: peer) else { return }
        if references[slot]?.identifier != nil {
            let former = references[slot]
            requested.removeAll { $0.reference === former }
        }
        references[slot] = nil
        free.append(slot)
        slots.remove(peer.key, slot: slot)
    }
}
