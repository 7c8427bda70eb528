import BLEWire

/// Keeps the bonds of a host: the keys of each peer, this host's identity key, and the attribute state of each bond.
///
/// A host reads `bonds` once at its start and keeps its own copy. Every thread may call the methods; they apply a change in
/// memory and return, and no call waits for a disk. A store with files starts to write a changed bond or identity key
/// immediately, on its own queue, so the change survives a crash as soon as the disk has synced it. It collects changed octets
/// for a second before it writes them.
///
/// The number of bonds is limited to `BondLimits.bonds`. A full store refuses a new peer and never drops a bond by itself.
package protocol BondStore: AnyObject, Sendable {
    /// All bonds, one for each peer, oldest first.
    var bonds: [Bond] { get }

    /// Keeps a bond in place of the bond with the same `peer`, whose octets stay.
    ///
    /// - Returns: False if the store is full and has no bond with this peer. It then keeps nothing: the keys last as
    ///   long as the link.
    @discardableResult
    func keep(_ bond: Bond) -> Bool

    /// Removes the bond with `peer`, and its octets.
    func remove(_ peer: DeviceAddress)

    /// The IRK that this host distributes; nil if there is none yet, and the host has to generate one and set it.
    var localIdentityKey: IdentityResolvingKey? { get set }

    /// The octets that the host kept for the bond with `peer`.
    func attributes(_ kind: BondAttributes, of peer: DeviceAddress) -> [UInt8]?

    /// Keeps octets in place of those with the same kind. Empty octets remove them.
    ///
    /// The store keeps nothing for a peer without a bond. Octets beyond the limit of their kind remove the earlier ones,
    /// which are out of date.
    func keep(_ octets: [UInt8], as kind: BondAttributes, of peer: DeviceAddress)
}

/// The kinds of octets that a store keeps for a bond. The store does not interpret them.
package enum BondAttributes: UInt8, CaseIterable, Hashable, Sendable {
    /// The state of a bonded client in this host's server: Client Characteristic Configuration, Client Supported Features and
    /// change-awareness (Vol 3, Part G, 2.5.2.1 and 3.3.3.3).
    case clientState = 1
    /// The attributes of a bonded server, and its Database Hash (Vol 3, Part G, 2.5.2).
    case attributeCache = 2
    /// The sign counters of both devices (Vol 3, Part C, 10.4.1).
    case signCounters = 3
}

/// The limits of every bond store. Together they bound its memory and its files.
package enum BondLimits {
    package static let bonds = 256

    /// The number of octets that a store keeps for one bond.
    package static func octets(_ kind: BondAttributes) -> Int {
        switch kind {
        case .clientState: 4096
        case .attributeCache: 32768
        case .signCounters: 32
        }
    }
}
