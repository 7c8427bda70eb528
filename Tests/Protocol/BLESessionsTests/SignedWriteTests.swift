import BLEAdapter
import BLECrypto
import BLEHost
import BLESecurity
import BLEWire
import Testing

@testable import BLESessions

/// Signed writes of bonded centrals, and their counters in the bond store.
struct SignedWriteTests {
    private let store = MemoryBondStore()
    private let bench: SessionBench
    private let peer: PairingPeer

    init() {
        store.localIdentityKey = IdentityResolvingKey(value: 0x1234)
        bench = SessionBench(bondStore: store)
        peer = PairingPeer(bench)
        bench.attach()
        bench.call { $0.openPeripheral(3, at: $1) }
        bench.run(.milliseconds(5))
    }

    /// A central that distributes its signature key to this peripheral, and uses it on links without encryption (Vol 3, Part C, 10.4).
    @Test("GATT/SR/GAW/BV-02-C: a signed write is taken once, also after a restart")
    func aSignedWriteIsTakenOnceAcrossRestarts() throws {
        let definition = ServiceDefinition(
            uuid: BluetoothUUID(UInt16(0xFEE7)), isPrimary: true, includedServices: [],
            characteristics: [
                CharacteristicDefinition(
                    uuid: BluetoothUUID(UInt16(0x36F5)), properties: 0x40, permissions: 2, value: nil, descriptors: [])
            ])
        bench.call { $0.add(definition, token: 7, session: 3, at: $1) }
        let reference = CharacteristicReference(service: 7, index: 0)
        let value = try #require(bench.sessions.server.services.valueHandle(of: reference, session: 3))
        peer.policy.localKeys.insert(.signing)
        let first = bench.controller.acceptLink(from: PairingPeer.address)
        bench.settle()
        peer.pair(as: first)
        bench.settle()
        let bond = try #require(peer.bond)
        #expect(bond.localSignatureKey != nil && store.bonds.first?.peerSignatureKey == bond.localSignatureKey)
        var signing = try #require(DataSigning(bond, counters: nil))
        func command(_ octet: UInt8) throws -> [UInt8] {
            let pdu = [0xD2, UInt8(value), 0, octet]
            let signed = signing.sign(pdu.span, using: SwiftCryptoProvider())
            let signature = try #require(signed)
            return pdu + signature.indices.map { signature[$0] }
        }
        bench.controller.end(first, 0x13)
        bench.settle()
        peer.linkEnded()

        let second = bench.controller.acceptLink(from: PairingPeer.address)
        bench.settle()
        let one = try command(1)
        for _ in 0..<2 { bench.controller.attribute(one, on: second) }
        bench.settle()
        #expect(bench.written == [[[1]]])
        #expect(store.attributes(.signCounters, of: peer.address) != nil)

        // Another run with the same store.
        let later = SessionBench(bondStore: store)
        later.controller.encrypts = true
        later.attach()
        later.call { $0.openPeripheral(3, at: $1) }
        later.run(.milliseconds(5))
        later.call { $0.add(definition, token: 7, session: 3, at: $1) }
        let third = later.controller.acceptLink(from: PairingPeer.address)
        later.settle()
        later.controller.attribute(one, on: third)
        later.controller.attribute(try command(2), on: third)
        later.settle()
        #expect(later.written == [[[2]]])
    }
}
