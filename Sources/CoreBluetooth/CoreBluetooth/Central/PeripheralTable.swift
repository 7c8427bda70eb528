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
    /// The objects that the program keeps. None of them is in `kept`.
    private var references = PeripheralReferences()
    private var kept = PeripheralCache()

    /// The object for a peer, if the program or the table keeps one.
    subscript(peer: AdvertiserIdentity) -> CBPeripheral? {
        if let reference = references[peer] { return reference.object }
        return kept.place(of: peer).map { kept.object(at: $0) }
    }

    /// The object for a peer, if the program requested a connection of it.
    subscript(requested peer: PeerIdentifier) -> CBPeripheral? { references[requested: peer] }

    /// The objects that exist.
    var objects: [CBPeripheral] { references.objects + kept.objects }

    /// Adds an object that the program keeps.
    mutating func insert(_ object: CBPeripheral) {
        references.insert(object)
        object.isListed = true
    }

    /// Removes an object that ends. Returns another object for the same peer, if there is one.
    mutating func remove(_ peer: AdvertiserIdentity, _ identity: ObjectIdentifier) -> CBPeripheral? {
        guard let reference = references[peer], reference.identity == identity else { return self[peer] }
        references.remove(peer)
        return nil
    }

    /// The kept object of an advertiser, and its dictionary if that is still right.
    ///
    /// - Returns: `isSame`: whether the report has the content of the one before.
    mutating func kept(
        _ content: DiscoveryContent
    ) -> (peripheral: CBPeripheral, advertisement: [String: Any], isSame: Bool)? {
        guard let place = kept.place(of: content.identity), let isSame = kept.hear(content, at: place) else {
            return nil
        }
        let advertiser = kept[place]
        return (advertiser.object, advertiser.dictionary, isSame)
    }

    /// The object for an advertiser, a new one if there is none.
    ///
    /// - Parameter dictionary: The advertisement if the object is kept; nil if it is not.
    /// - Returns: `former`: the advertiser that is no longer kept; release it outside the lock.
    mutating func object(
        for content: DiscoveryContent, keeping dictionary: [String: Any]?, _ make: () -> CBPeripheral
    ) -> (object: CBPeripheral, isNew: Bool, former: PeripheralCache.Advertiser?) {
        let peer = content.identity
        if let place = kept.place(of: peer) {
            if let dictionary { kept.update(content, dictionary, at: place) }
            return (kept.object(at: place), false, nil)
        }
        let reference = references[peer]
        let known = reference?.object
        let object = known ?? make()
        guard let dictionary else {
            if known == nil { insert(object) }
            return (object, known == nil, nil)
        }
        if reference != nil { references.remove(peer) }
        var former = kept.insert(
            PeripheralCache.Advertiser(object: object, content: content, dictionary: dictionary), of: peer)
        if former != nil { dropped(&former!.object) }
        return (object, known == nil, former)
    }

    /// Ends the keeping of an object. Release the result outside the lock.
    mutating func drop(_ peer: AdvertiserIdentity) -> PeripheralCache.Advertiser? {
        guard var former = kept.remove(peer) else { return nil }
        dropped(&former.object)
        return former
    }

    /// Takes an object that is no longer kept. The table forgets it if no other reference to it exists.
    private mutating func dropped(_ object: inout CBPeripheral) {
        if isKnownUniquelyReferenced(&object) { object.isListed = false } else { insert(object) }
    }

    /// Ends the keeping of all objects. Release the result outside the lock.
    mutating func dropAll() -> [PeripheralCache.Advertiser] {
        var former = kept.removeAll()
        for index in former.indices { dropped(&former[index].object) }
        return former
    }

    /// Forgets all objects. Returns those that were kept; release them outside the lock.
    mutating func removeAll() -> [PeripheralCache.Advertiser] {
        let kept = dropAll()
        references = PeripheralReferences()
        return kept
    }

    /// Takes the program's request to connect an object: from here on the program's release of the object ends the connection. Release the results
    /// outside the lock.
    mutating func use(_ object: CBPeripheral) -> (kept: CBPeripheral?, other: CBPeripheral?) {
        object.isRequested = true
        let kept = drop(object.identity)?.object
        // The program can get an object by a weak reference of its own while the table forgets it.
        let other = self[object.identity]
        if !object.isListed, other == nil { insert(object) }
        object.isListed = true
        references.request(object)
        return (kept, other)
    }
}
