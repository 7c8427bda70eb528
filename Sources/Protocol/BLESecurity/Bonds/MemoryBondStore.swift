import BLEWire
import Synchronization

/// A bond store in memory, for tests.
package final class MemoryBondStore: BondStore {
    private let table = Mutex(BondTable())

    package init() {}

    package var bonds: [Bond] { table.withLock { $0.bonds } }

    @discardableResult
    package func keep(_ bond: Bond) -> Bool { table.withLock { $0.keep(bond) } }

    package func remove(_ peer: DeviceAddress) { table.withLock { _ = $0.remove(peer) } }

    package var localIdentityKey: IdentityResolvingKey? {
        get { table.withLock { $0.localIdentityKey } }
        set { table.withLock { $0.localIdentityKey = newValue } }
    }

    package func attributes(_ kind: BondAttributes, of peer: DeviceAddress) -> [UInt8]? {
        table.withLock { $0.attributes[BondTable.Attributes(peer: peer, kind: kind)] }
    }

    package func keep(_ octets: [UInt8], as kind: BondAttributes, of peer: DeviceAddress) {
        table.withLock { _ = $0.keep(octets, as: kind, of: peer) }
    }
}
