internal import BLERuntime
internal import BLEWire
import BLEAdapter

/// Weak references to the peripherals that the program keeps, by their peers: open addressing with linear probing.
///
/// It is not a dictionary, because the first dictionary of a type costs the process half a million instructions, and a connection would wait for that.
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

    /// It has no references, so that a search copies none.
    private struct Place {
        let peer: AdvertiserIdentity
        let isUsed: Bool
    }

    private static let seed = Hasher().finalize()
    private static let minimumPlaces = 16

    /// A power of two, at least half of them free. Empty before the first reference.
    private var places: [Place] = []
    private var references: [Reference?] = []
    private var count = 0
    /// The references to objects of which the program requested a connection: events of links have identifiers.
    private var requested: [Request] = []

    private struct Request {
        let peer: PeerIdentifier
        let reference: Reference
    }

    init() {
        places.prepareStorage()
        references.prepareStorage()
        requested.prepareStorage()
    }

    subscript(peer: AdvertiserIdentity) -> Reference? { place(of: peer).flatMap { references[$0] } }

    /// The object of which the program requested a connection.
    subscript(requested peer: PeerIdentifier) -> CBPeripheral? {
        for index in requested.indices where requested[index].peer == peer { return requested[index].reference.object }
        return nil
    }

    var objects: [CBPeripheral] { references.compactMap { $0?.object } }

    /// Adds a reference. It replaces another one to the same peer.
    mutating func insert(_ object: CBPeripheral) {
        remove(object.identity)
        if (count + 1) * 2 > places.count { grow() }
        let reference = Reference(object)
        add(object.identity, reference)
        if let identifier = reference.identifier { requested.append(Request(peer: identifier, reference: reference)) }
        count += 1
    }

    /// Takes the program's request to connect an object to which the table has a reference.
    mutating func request(_ object: CBPeripheral) {
        guard let reference = self[object.identity], reference.identifier == nil else { return }
        reference.identifier = object.peer
        requested.append(Request(peer: object.peer, reference: reference))
    }

    mutating func remove(_ peer: AdvertiserIdentity) {
        guard var free = place(of: peer) else { return }
        if references[free]?.identifier != nil {
            let former = references[free]
            requested.removeAll { $0.reference === former }
        }
        count -= 1
        // A later place of the run moves here unless its own run begins after this place.
        var place = next(free)
        while places[place].isUsed {
            if distance(from: home(places[place].peer), to: place) >= distance(from: free, to: place) {
                places[free] = places[place]
                references[free] = references[place]
                free = place
            }
            place = next(place)
        }
        places[free] = Place(peer: peer, isUsed: false)
        references[free] = nil
    }

    private func place(of peer: AdvertiserIdentity) -> Int? {
        guard count > 0 else { return nil }
        var place = home(peer)
        while places[place].isUsed {
            if places[place].peer == peer { return place }
            place = next(place)
        }
        return nil
    }

    private mutating func add(_ peer: AdvertiserIdentity, _ reference: Reference) {
        var place = home(peer)
        while places[place].isUsed { place = next(place) }
        places[place] = Place(peer: peer, isUsed: true)
        references[place] = reference
    }

    private mutating func grow() {
        let (formerPlaces, formerReferences) = (places, references)
        let count = max(Self.minimumPlaces, places.count * 2)
        let free = Place(peer: AdvertiserIdentity(PeerIdentifier(high: 0, low: 0)), isUsed: false)
        places = [Place](repeating: free, count: count)
        references = [Reference?](repeating: nil, count: count)
        for index in formerPlaces.indices where formerPlaces[index].isUsed {
            if let reference = formerReferences[index] { add(formerPlaces[index].peer, reference) }
        }
    }

    private func home(_ peer: AdvertiserIdentity) -> Int {
        peer._rawHashValue(seed: Self.seed) & (places.count - 1)
    }

    private func next(_ place: Int) -> Int { (place + 1) & (places.count - 1) }

    private func distance(from first: Int, to second: Int) -> Int { (second &- first) & (places.count - 1) }
}
