internal import BLERuntime
internal import BLEWire
import BLEAdapter

/// The latest advertisers of a scan that reports every packet, with their objects and dictionaries, by their peers.
///
/// The places are a ring, in which a new advertiser takes the place of the next one that was not heard again. Places of peers with equal
/// hashes form chains: a dictionary would need four times the instructions for a new advertiser.
struct KeptAdvertisers {
    /// An object that the table keeps, with the advertisement of its dictionary.
    struct Advertiser {
        var object: CBPeripheral
        var content: DiscoveryContent
        var dictionary: [String: Any]
    }

    /// The key of a place. It has no references, so that a search copies none.
    private struct Place {
        var peer: AdvertiserIdentity
        /// The next place with the same hash; negative at the end.
        var next = -1
        /// Whether the advertiser was heard again since the hand of the ring passed it.
        var wasHeard = false
    }

    /// The number of advertisers that are kept. One needs about a kilobyte.
    static let limit = 512
    private static let seed = Hasher().finalize()
    private let seed = Self.seed

    private var places: [Place] = []
    /// The advertisers of the places; nil in a free place.
    private var advertisers: [Advertiser?] = []
    /// The first places of the chains; empty before the first advertiser.
    private var chains: [Int] = []
    private var hand = 0
    /// The places without an object: a device in use leaves its place with each packet.
    private var free: [Int] = []

    private func chain(_ peer: AdvertiserIdentity) -> Int { peer._rawHashValue(seed: seed) & (chains.count - 1) }

    func place(of peer: AdvertiserIdentity) -> Int? {
        guard !chains.isEmpty else { return nil }
        var place = chains[chain(peer)]
        while place >= 0 {
            if places[place].peer == peer { return place }
            place = places[place].next
        }
        return nil
    }

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
        if chains.isEmpty { chains = [Int](repeating: -1, count: 2 * Self.limit) }
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
        let chain = chain(peer)
        places[place].peer = peer
        places[place].next = chains[chain]
        advertisers[place] = consume advertiser
        chains[chain] = place
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
        self = KeptAdvertisers()
        return advertisers
    }

    private mutating func take(_ place: Int) -> Advertiser? {
        let chain = chain(places[place].peer)
        if chains[chain] == place {
            chains[chain] = places[place].next
        } else {
            var before = chains[chain]
            while places[before].next != place { before = places[before].next }
            places[before].next = places[place].next
        }
        places[place].wasHeard = false
        var former: Advertiser?
        swap(&former, &advertisers[place])
        return former
    }
}
