internal import BLERuntime
internal import BLEWire
import BLEAdapter

/// The peripherals of a manager, by their identifiers.
///
/// The references are weak: a peripheral ends when the program releases it. While a scan reports every packet, the table also keeps the
/// latest advertisers that the program does not use, with their advertisement dictionaries. Otherwise each packet of a device would make
/// and release an object and a dictionary.
struct PeripheralTable {
    /// The number of advertisers that are kept. One needs about a kilobyte.
    static let keptLimit = 512

    /// One object of the program. Only the owner of the table uses it, under its lock.
    private final class Entry {
        weak let object: CBPeripheral?
        let identity: ObjectIdentifier
        @exclusivity(unchecked) var kept: CBPeripheral?
        /// The advertisement of the kept object.
        @exclusivity(unchecked) var data: [UInt8] = []
        @exclusivity(unchecked) var scanResponse: [UInt8] = []
        @exclusivity(unchecked) var isConnectable = false
        @exclusivity(unchecked) var dictionary: [String: Any] = [:]
        /// Whether the entry is in `ring`.
        @exclusivity(unchecked) var isInRing = false
        /// Whether the advertiser was heard again since the hand of the ring passed it.
        @exclusivity(unchecked) var wasHeard = false

        init(_ object: CBPeripheral) {
            self.object = object
            identity = ObjectIdentifier(object)
        }
    }

    private var entries: [PeerIdentifier: Entry] = [:]
    /// The entries that are kept, or were. A new one takes the place of the next one that was not heard again.
    private var ring: [Entry] = []
    private var hand = 0

    /// The object for a peer, if the program or the table keeps one.
    subscript(peer: PeerIdentifier) -> CBPeripheral? { entries[peer]?.object }

    /// The objects that exist.
    var objects: [CBPeripheral] { entries.values.compactMap { $0.object } }

    mutating func insert(_ object: CBPeripheral) { entries[object.peer] = Entry(object) }

    /// Removes an object that ends. Returns another object for the same peer, if there is one.
    mutating func remove(_ peer: PeerIdentifier, _ identity: ObjectIdentifier) -> CBPeripheral? {
        guard let entry = entries[peer] else { return nil }
        guard entry.identity == identity else { return entry.object }
        entries[peer] = nil
        return nil
    }

    /// The kept object of an advertiser, and its dictionary if that is still right.
    func kept(_ discovery: Discovery) -> (peripheral: CBPeripheral, advertisement: [String: Any])? {
        guard !ring.isEmpty, let entry = entries[discovery.peer.identifier], let kept = entry.kept,
            // Arrays with the same storage are equal without a comparison.
            entry.isConnectable == discovery.isConnectable, entry.data == discovery.data,
            entry.scanResponse == discovery.scanResponse
        else { return nil }
        entry.wasHeard = true
        return (kept, entry.dictionary)
    }

    /// The object for an advertiser, a new one if there is none.
    ///
    /// - Parameter dictionary: The advertisement if the object is kept; nil if it is not.
    /// - Returns: `former`: the object that is no longer kept; release it outside the lock.
    mutating func object(
        for discovery: Discovery, keeping dictionary: [String: Any]?, _ make: () -> CBPeripheral
    ) -> (object: CBPeripheral, isNew: Bool, former: CBPeripheral?) {
        if let entry = entries[discovery.peer.identifier], let object = entry.object {
            return (object, false, dictionary.flatMap { keep(object, entry, discovery, $0) })
        }
        let object = make()
        let entry = Entry(object)
        entries[discovery.peer.identifier] = entry
        return (object, true, dictionary.flatMap { keep(object, entry, discovery, $0) })
    }

    private mutating func keep(
        _ object: CBPeripheral, _ entry: Entry, _ discovery: Discovery, _ dictionary: [String: Any]
    ) -> CBPeripheral? {
        entry.kept = object
        entry.data = discovery.data
        entry.scanResponse = discovery.scanResponse
        entry.isConnectable = discovery.isConnectable
        entry.dictionary = dictionary
        guard !entry.isInRing else {
            entry.wasHeard = true
            return nil
        }
        entry.isInRing = true
        guard ring.count == Self.keptLimit else {
            ring.append(entry)
            return nil
        }
        while ring[hand].wasHeard {
            ring[hand].wasHeard = false
            advance()
        }
        let former = ring[hand]
        ring[hand] = entry
        advance()
        former.isInRing = false
        return Self.take(former)
    }

    private mutating func advance() { hand = hand + 1 < ring.count ? hand + 1 : 0 }

    /// Ends the keeping of an object. Release the result outside the lock.
    mutating func drop(_ peer: PeerIdentifier) -> CBPeripheral? { entries[peer].flatMap(Self.take) }

    private static func take(_ entry: Entry) -> CBPeripheral? {
        let object = entry.kept
        entry.kept = nil
        entry.data = []
        entry.scanResponse = []
        entry.dictionary = [:]
        return object
    }

    /// Ends the keeping of all objects. Release the result outside the lock.
    mutating func dropAll() -> [CBPeripheral] {
        let objects = ring.compactMap(Self.take)
        for entry in ring {
            entry.isInRing = false
            entry.wasHeard = false
        }
        ring = []
        hand = 0
        return objects
    }

    /// Forgets all objects. Returns those that were kept; release them outside the lock.
    mutating func removeAll() -> [CBPeripheral] {
        let kept = dropAll()
        entries = [:]
        return kept
    }
}
