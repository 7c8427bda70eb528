/// The slots of a table by keys of 64 bits: open addressing with linear probing.
///
/// The table has its records in slots, numbers from 0. Records may have equal keys, so the table itself compares what the key stands for. A
/// dictionary would need three times the instructions for a new record, and the first one of a type half a million, in which the Swift runtime
/// searches for a conformance. The index uses a seed of the process, which peers do not know, so a peer cannot choose addresses that collide.
package struct SlotIndex: Sendable {
    @usableFromInline
    struct Place: Sendable {
        @usableFromInline var key: UInt64
        /// Negative in a free place.
        @usableFromInline var slot: Int

        init(key: UInt64 = 0, slot: Int = -1) {
            self.key = key
            self.slot = slot
        }
    }

    @usableFromInline static let processSeed = Hasher().finalize()
    @usableFromInline static var minimumPlaces: Int { 16 }

    /// A power of two, at least half of them free. Empty before the first insertion.
    @usableFromInline var places: [Place] = []
    @usableFromInline var count = 0
    @usableFromInline let seed: Int

    package init() { self.init(seed: Self.processSeed) }

    init(seed: Int) {
        places.prepareStorage()
        self.seed = seed
    }

    /// The slot of the record with this key, if no two records have equal keys. (The function below with a condition that is always true would take
    /// twice the instructions.)
    package func slot(of key: UInt64) -> Int? {
        guard count > 0 else { return nil }
        var place = home(key)
        while places[place].slot >= 0 {
            if places[place].key == key { return places[place].slot }
            place = next(place)
        }
        return nil
    }

    /// The slot of a record with this key.
    ///
    /// - Parameter isWanted: Whether a slot has the wanted record.
    package func slot(of key: UInt64, where isWanted: (Int) -> Bool) -> Int? {
        guard count > 0 else { return nil }
        var place = home(key)
        while places[place].slot >= 0 {
            if places[place].key == key, isWanted(places[place].slot) { return places[place].slot }
            place = next(place)
        }
        return nil
    }

    /// Adds a slot that the index does not have.
    package mutating func insert(_ key: UInt64, slot: Int) {
        if (count + 1) * 2 > places.count { grow() }
        insert(Place(key: key, slot: slot))
        count += 1
    }

    mutating func insert(_ new: Place) {
        var place = home(new.key)
        while places[place].slot >= 0 { place = next(place) }
        places[place] = new
    }

    @usableFromInline
    mutating func grow() {
        let former = places
        places = [Place](repeating: Place(), count: max(Self.minimumPlaces, former.count * 2))
        for place in former where place.slot >= 0 { insert(place) }
    }

    /// Removes a slot, if the index has it.
    package mutating func remove(_ key: UInt64, slot: Int) {
        guard count > 0 else { return }
        var free = home(key)
        while places[free].slot != slot || places[free].key != key {
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

    func home(_ key: UInt64) -> Int { mixedHash(key, seed: seed) & (places.count - 1) }

    func distance(from first: Int, to second: Int) -> Int { (second &- first) & (places.count - 1) }

    func next(_ place: Int) -> Int { (place + 1) & (places.count - 1) }
}
