internal import BLERuntime
internal import BLEWire
import BLEAdapter

/// The latest advertisers of a scan that reports every packet, with their objects and dictionaries, by their peers.
///
/// The places are a ring, in which a new advertiser takes the place of the next one that was not heard again.
struct PeripheralCache {
    /// An object that the table keeps, with the advertisement of its dictionary.
    struct Advertiser {
        var object: CBPeripheral
        var content: DiscoveryContent
        var dictionary: [String: Any]
    }

    /// The key of a place. It has no references, so that a search copies none.
    private struct Place {
        var peer: AdvertiserIdentity
        /// Whether the advertiser was heard again since the hand of the ring passed it.
        var wasHeard = false
    }

    /// The number of advertisers that are kept. One needs about a kilobyte.
    static let limit = 512

    private var slots = SlotIndex()
    private var places: [Place] = []
    /// The advertisers of the places; nil in a free place.
    private var advertisers: [Advertiser?] = []
    private var hand = 0
    /// The places without an object: a device in use leaves its place with each packet.
    private var free: [Int] = []

    func place(of peer: AdvertiserIdentity) -> Int? { slots.slot(of: peer.key) { places[$0].peer == peer } }

    /// The advertiser at a place that has one.
    subscript(place: Int) -> Advertiser { advertisers[place]! }

    func object(at place: Int) -> CBPeripheral { advertisers[place]!.object }

    var objects: [CBPeripheral] { advertisers.compactMap { $0?.object } }

    /// Takes a report of the advertiser at a place. Returns nil if its advertisement has changed, else whether it has the content of the report before.
    mutating func hear(_ content: DiscoveryContent, at place: Int) -> Bool? {
        guard let known = advertisers[place]?.content else { return nil }
        let isSame = known === content
        if !isSame {
            guard known.hasSameAdvertisement(as: content) else { return nil }
            advertisers[place]?.content = content
        }
        places[place].wasHeard = true
        return isSame
    }

    /// Replaces the content and the dictionary of an advertiser.
    mutating func update(_ content: DiscoveryContent, _ dictionary: [String: Any], at place: Int) {
        advertisers[place]?.content = content
        advertisers[place]?.dictionary = dictionary
        places[place].wasHeard = true
    }

    /// Adds an advertiser that the table does not have. Returns the one that had its place.
    mutating func insert(_ advertiser: consuming Advertiser, of peer: AdvertiserIdentity) -> Advertiser? {
        var former: Advertiser?
        let place: Int
        if let unused = free.popLast() {
            place = unused
        } else if places.count < Self.limit {
            place = places.count
            places.append(Place(peer: peer))
            advertisers.append(nil)
        } else {
            place = nextUnheard()
            former = take(place)
        }
        places[place].peer = peer
        advertisers[place] = consume advertiser
        slots.insert(peer.key, slot: place)
        return former
    }

    private mutating func nextUnheard() -> Int {
        while places[hand].wasHeard {
            places[hand].wasHeard = false
            advance()
        }
        defer { advance() }
        return hand
    }

    private mutating func advance() { hand = hand + 1 < places.count ? hand + 1 : 0 }

    /// Removes the advertiser of a peer, if the table has one.
    mutating func remove(_ peer: AdvertiserIdentity) -> Advertiser? {
        guard let place = place(of: peer) else { return nil }
        free.append(place)
        return take(place)
    }

    /// Removes all advertisers.
    mutating func removeAll() -> [Advertiser] {
        let advertisers = advertisers.compactMap { $0 }
        self = PeripheralCache()
        return advertisers
    }

    private mutating func take(_ place: Int) -> Advertiser? {
        slots.remove(places[place].peer.key, slot: place)
        places[place].wasHeard = false
        var former: Advertiser?
        swap(&former, &advertisers[place])
        return former
    }
}
