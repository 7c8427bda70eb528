internal import BLERuntime
internal import BLEWire
import BLEAdapter

/// The peripherals of a manager, by their identifiers.
///
/// A peripheral ends when the program releases it, so the references to those that the program uses are weak. While a scan reports every
/// packet, the table itself keeps the latest advertisers, with their advertisement dictionaries. Otherwise each packet of a device would
/// make and release an object and a dictionary. An advertiser has a weak reference only if the program still has it when the table drops
/// it, because weak references make every other reference to the object expensive.
struct PeripheralTable {
    /// The number of advertisers that are kept. One needs about a kilobyte.
    static let keptLimit = 512

    /// A peer with a hash that costs less than its own, because it is compiled into the table.
    private struct Key: Hashable {
        let high: UInt64
        let low: UInt64

        init(_ peer: PeerIdentifier) {
            high = peer.high
            low = peer.low
        }

        func _rawHashValue(seed: Int) -> Int { mixedHash(high ^ low, seed: seed) }
    }

    /// An object that the program keeps.
    private final class WeakReference {
        weak let object: CBPeripheral?
        let identity: ObjectIdentifier

        init(_ object: CBPeripheral) {
            self.object = object
            identity = ObjectIdentifier(object)
        }
    }

    /// An object that the table keeps, with the advertisement of its dictionary.
    private struct Kept {
        /// Nil in a free place.
        var object: CBPeripheral?
        var content: DiscoveryContent
        var dictionary: [String: Any]
        /// Whether the advertiser was heard again since the hand of the ring passed it.
        var wasHeard = false
    }

    private enum Reference {
        case weak(WeakReference)
        /// A place in `ring`.
        case kept(Int)
    }

    private var references: [Key: Reference] = [:]
    /// A new advertiser takes the place of the next one that was not heard again.
    private var ring: [Kept] = []
    private var hand = 0
    /// The places without an object: a device in use leaves its place with each packet.
    private var free: [Int] = []

    /// The object for a peer, if the program or the table keeps one.
    subscript(peer: PeerIdentifier) -> CBPeripheral? { references[Key(peer)].flatMap(object) }

    /// The objects that exist.
    var objects: [CBPeripheral] { references.values.compactMap(object) }

    private func object(_ reference: Reference) -> CBPeripheral? {
        switch reference {
        case .weak(let reference): reference.object
        case .kept(let place): ring[place].object
        }
    }

    /// Adds an object that the program keeps.
    mutating func insert(_ object: CBPeripheral) {
        references[Key(object.peer)] = .weak(WeakReference(object))
        object.isListed = true
    }

    /// Removes an object that ends. Returns another object for the same peer, if there is one.
    mutating func remove(_ peer: PeerIdentifier, _ identity: ObjectIdentifier) -> CBPeripheral? {
        let key = Key(peer)
        guard let reference = references[key] else { return nil }
        guard case .weak(let reference) = reference, reference.identity == identity else { return object(reference) }
        references[key] = nil
        return nil
    }

    /// The kept object of an advertiser, and its dictionary if that is still right.
    mutating func kept(_ discovery: Discovery) -> (peripheral: CBPeripheral, advertisement: [String: Any])? {
        guard !ring.isEmpty, case .kept(let place)? = references[Key(discovery.content.peer.identifier)],
            ring[place].content.hasSameAdvertisement(as: discovery.content), let object = ring[place].object
        else { return nil }
        ring[place].wasHeard = true
        return (object, ring[place].dictionary)
    }

    /// The object for an advertiser, a new one if there is none.
    ///
    /// - Parameter dictionary: The advertisement if the object is kept; nil if it is not.
    /// - Returns: `former`: the object that is no longer kept; release it outside the lock.
    mutating func object(
        for discovery: Discovery, keeping dictionary: [String: Any]?, _ make: () -> CBPeripheral
    ) -> (object: CBPeripheral, isNew: Bool, former: CBPeripheral?) {
        let key = Key(discovery.content.peer.identifier)
        let reference = references[key]
        let known = reference.flatMap(object)
        let object = known ?? make()
        guard let dictionary else {
            if known == nil { insert(object) }
            return (object, known == nil, nil)
        }
        if case .kept(let place)? = reference {
            ring[place].content = discovery.content
            ring[place].dictionary = dictionary
            ring[place].wasHeard = true
            return (object, false, nil)
        }
        let (place, former) = freePlace()
        let kept = Kept(object: object, content: discovery.content, dictionary: dictionary)
        if place < ring.count { ring[place] = kept } else { ring.append(kept) }
        references[key] = .kept(place)
        return (object, known == nil, former)
    }

    /// A free place in the ring, and the object that had it.
    private mutating func freePlace() -> (Int, CBPeripheral?) {
        if let place = free.popLast() { return (place, nil) }
        guard ring.count == Self.keptLimit else { return (ring.count, nil) }
        while ring[hand].wasHeard {
            ring[hand].wasHeard = false
            advance()
        }
        let place = hand
        advance()
        return (place, take(place))
    }

    private mutating func advance() { hand = hand + 1 < ring.count ? hand + 1 : 0 }

    /// Ends the keeping of an object. Release the result outside the lock.
    mutating func drop(_ peer: PeerIdentifier) -> CBPeripheral? {
        guard case .kept(let place)? = references[Key(peer)] else { return nil }
        free.append(place)
        return take(place)
    }

    /// Frees a place. The table forgets the object if no other reference to it exists.
    private mutating func take(_ place: Int) -> CBPeripheral? {
        let isUnused = isKnownUniquelyReferenced(&ring[place].object)
        guard let object = ring[place].object.take() else { return nil }
        ring[place].dictionary = [:]
        ring[place].wasHeard = false
        if isUnused {
            references[Key(object.peer)] = nil
            object.isListed = false
        } else {
            insert(object)
        }
        return object
    }

    /// Ends the keeping of all objects. Release the result outside the lock.
    mutating func dropAll() -> [CBPeripheral] {
        var objects: [CBPeripheral] = []
        for place in ring.indices { if let object = take(place) { objects.append(object) } }
        ring = []
        hand = 0
        free = []
        return objects
    }

    /// Forgets all objects. Returns those that were kept; release them outside the lock.
    mutating func removeAll() -> [CBPeripheral] {
        let kept = dropAll()
        references = [:]
        return kept
    }

    /// Takes the program's request to connect an object: from here on the program's release of the object ends the connection. Release the results
    /// outside the lock.
    mutating func use(_ object: CBPeripheral) -> (kept: CBPeripheral?, other: CBPeripheral?) {
        let kept = drop(object.peer)
        // The program can get an object by a weak reference of its own while the table forgets it.
        let other = self[object.peer]
        if !object.isListed, other == nil { insert(object) }
        object.isListed = true
        return (kept, other)
    }
}
