import BLEWire

/// The content of a bond store, as a value. It enforces `BondLimits`.
package struct BondTable: Hashable, Sendable {
    /// The octets of one bond.
    package struct Attributes: Hashable, Sendable {
        package let peer: DeviceAddress
        package let kind: BondAttributes

        package init(peer: DeviceAddress, kind: BondAttributes) {
            self.peer = peer
            self.kind = kind
        }
    }

    /// One bond for each peer, oldest first.
    package private(set) var bonds: [Bond] = []
    package private(set) var attributes: [Attributes: [UInt8]] = [:]
    package var localIdentityKey: IdentityResolvingKey?

    package init() {}

    package subscript(peer: DeviceAddress) -> Bond? { bonds.first { $0.peer == peer } }

    /// Keeps a bond in place of the bond with the same peer. Returns false if the table is full.
    package mutating func keep(_ bond: Bond) -> Bool {
        if let index = bonds.firstIndex(where: { $0.peer == bond.peer }) {
            bonds[index] = bond
            return true
        }
        guard bonds.count < BondLimits.bonds else { return false }
        bonds.append(bond)
        return true
    }

    /// Removes a bond and its octets. Returns whether there was a bond.
    @discardableResult
    package mutating func remove(_ peer: DeviceAddress) -> Bool {
        for kind in BondAttributes.allCases { attributes[Attributes(peer: peer, kind: kind)] = nil }
        guard let index = bonds.firstIndex(where: { $0.peer == peer }) else { return false }
        bonds.remove(at: index)
        return true
    }

    /// The outcome of keeping octets.
    package enum Keeping: Hashable, Sendable {
        case kept
        /// The table has these octets already, or there is no bond with the peer.
        case unchanged
        /// The octets exceed the limit; the earlier ones were removed.
        case tooLong
    }

    /// Keeps octets of a bond in place of the earlier ones. Empty octets remove them.
    package mutating func keep(_ octets: [UInt8], as kind: BondAttributes, of peer: DeviceAddress) -> Keeping {
        let key = Attributes(peer: peer, kind: kind)
        guard self[peer] != nil else { return .unchanged }
        guard octets.count <= BondLimits.octets(kind) else {
            attributes[key] = nil
            return .tooLong
        }
        let value = octets.isEmpty ? nil : octets
        guard attributes[key] != value else { return .unchanged }
        attributes[key] = value
        return .kept
    }
}
