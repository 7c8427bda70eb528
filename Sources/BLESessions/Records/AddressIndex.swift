import BLEWire

/// The slots of a table by device addresses: open addressing with linear probing.
///
/// A dictionary would need three times the instructions for a new advertiser. The index uses the seed of the process, which peers do not know, so
/// a peer cannot choose addresses that collide.
struct AddressIndex {
    private struct Place {
        var key: UInt64 = 0
        /// Negative in a free place.
        var slot = -1
    }

    private static let seed = Hasher().finalize()
    private static let minimumPlaces = 64

    /// A power of two, at least half of them free. Empty before the first insertion.
    private var places: [Place] = []
    private var count = 0
    private let seed = Self.seed

    private static func key(_ address: DeviceAddress) -> UInt64 { address.value | UInt64(address.kind.rawValue) << 48 }

    func slot(of address: DeviceAddress) -> Int? {
        guard count > 0 else { return nil }
        let key = Self.key(address)
        var place = home(key)
        while places[place].slot >= 0 {
            if places[place].key == key { return places[place].slot }
            place = next(place)
        }
        return nil
    }

    /// Adds an address that the index does not have.
    mutating func insert(_ address: DeviceAddress, slot: Int) {
        if (count + 1) * 2 > places.count { grow() }
        insert(Place(key: Self.key(address), slot: slot))
        count += 1
    }

    private mutating func insert(_ new: Place) {
        var place = home(new.key)
        while places[place].slot >= 0 { place = next(place) }
        places[place] = new
    }

    private mutating func grow() {
        let former = places
        places = [Place](repeating: Place(), count: max(Self.minimumPlaces, former.count * 2))
        for place in former where place.slot >= 0 { insert(place) }
    }

    mutating func remove(_ address: DeviceAddress) {
        guard count > 0 else { return }
        let key = Self.key(address)
        var free = home(key)
        while places[free].key != key || places[free].slot < 0 {
            if places[free].slot < 0 { return }
            free = next(free)
        }
        count -= 1
        // A later place of the run moves here unless its own run begins after this place.
        var place = next(free)
        while places[place].slot >= 0 {
            if distance(from: home(places[place].key), to: place) >= distance(from: free, to: place) {
                places[free] = places[place]
                free = place
            }
            place = next(place)
        }
        places[free] = Place()
    }

    private func home(_ key: UInt64) -> Int { mixedHash(key, seed: seed) & (places.count - 1) }

    private func distance(from first: Int, to second: Int) -> Int { (second &- first) & (places.count - 1) }

    private func next(_ place: Int) -> Int { (place + 1) & (places.count - 1) }
}
