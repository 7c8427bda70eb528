import BLEWire
import Testing

@testable import BLESecurity

struct BondTableTests {
    private func bond(_ number: Int, keySize: UInt8 = 16) -> Bond {
        Bond(
            peer: DeviceAddress(kind: .public, value: UInt64(number)),
            security: LinkSecurity(keySize: keySize, isAuthenticated: false, isSecureConnections: true, isBonded: true),
            usesDebugKeys: false, localKey: nil, peerKey: nil, peerIdentityKey: nil, localSignatureKey: nil,
            peerSignatureKey: nil, linkKey: nil)
    }

    private func octets(_ table: BondTable, _ kind: BondAttributes, _ peer: DeviceAddress) -> [UInt8]? {
        table.attributes[BondTable.Attributes(peer: peer, kind: kind)]
    }

    @Test func aFullTableRefusesANewPeer() {
        var table = BondTable()
        for number in 0..<BondLimits.bonds {
            let isKept = table.keep(bond(number))
            #expect(isKept)
        }
        let isKept = table.keep(bond(BondLimits.bonds))
        #expect(!isKept && table.bonds.count == BondLimits.bonds)
        // A known peer keeps its place.
        let isReplaced = table.keep(bond(3, keySize: 7))
        #expect(isReplaced && table.bonds[3] == bond(3, keySize: 7) && table.bonds.count == BondLimits.bonds)
        let peers = [bond(3).peer, bond(3).peer]
        #expect(peers.map { table.remove($0) } == [true, false])
        let hasRoom = table.keep(bond(BondLimits.bonds))
        #expect(hasRoom && table.bonds.last == bond(BondLimits.bonds) && table[bond(3).peer] == nil)
    }

    @Test func octetsHaveTheLimitOfTheirKind() {
        for (kind, limit) in [(.clientState, 4096), (.attributeCache, 32768), (.signCounters, 32)]
            as [(BondAttributes, Int)]
        {
            var table = BondTable()
            let peer = bond(1).peer
            let most = [UInt8](repeating: 1, count: limit)
            #expect(table.keep([1], as: kind, of: peer) == .unchanged, "no bond")
            _ = table.keep(bond(1))
            for _ in 0..<2 {
                #expect(table.keep(most, as: kind, of: peer) == .kept)
                #expect(table.keep(most, as: kind, of: peer) == .unchanged)
                #expect(octets(table, kind, peer) == most)
                #expect(table.keep(most + [1], as: kind, of: peer) == .tooLong)
                #expect(octets(table, kind, peer) == nil)
                #expect(table.keep([], as: kind, of: peer) == .unchanged)
                #expect(table.keep([1], as: kind, of: peer) == .kept)
                #expect(table.keep([], as: kind, of: peer) == .kept)
                #expect(octets(table, kind, peer) == nil)
            }
            #expect(table.keep([1], as: kind, of: peer) == .kept)
            table.remove(peer)
            #expect(table.attributes.isEmpty)
        }
    }

    @Test func aStoreInMemoryKeepsWhatItGets() {
        let store = MemoryBondStore()
        let peer = bond(1).peer
        store.localIdentityKey = IdentityResolvingKey(value: 7)
        #expect(store.localIdentityKey?.value == 7)
        for _ in 0..<2 {
            #expect(store.bonds.isEmpty && store.attributes(.clientState, of: peer) == nil)
            #expect(store.keep(bond(1)) && store.bonds == [bond(1)])
            store.keep([1, 2], as: .clientState, of: peer)
            #expect(store.attributes(.clientState, of: peer) == [1, 2])
            store.remove(peer)
        }
    }
}
