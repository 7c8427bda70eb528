import BLECrypto
import BLEWire
import Testing

@testable import BLESecurity

@Suite struct OutOfBandTableTests {
    private let peer = DeviceAddress(kind: .random, value: 0xC000_0000_0001)

    private func makeBlock(_ seed: UInt64) throws -> OutOfBandBlock {
        var crypto = SwiftCryptoProvider(generator: SeededRandom(seed: seed))
        return try #require(OutOfBandData.Local(using: &crypto)?.block)
    }

    @Test func dataThatWasSetDuringAPairingOutlivesIt() throws {
        var table = OutOfBandTable()
        let (old, new, other) = (try makeBlock(1), try makeBlock(2), try makeBlock(3))
        table.set(old, of: peer)
        table.set(other, of: nil)
        let used = table.data(for: [peer])
        #expect(used.peer == OutOfBandData(local: nil, peer: old).peer)
        table.set(new, of: peer)
        table.used(used)
        #expect(table.data(for: [peer]).peer == OutOfBandData(local: nil, peer: new).peer)
    }

    @Test func theRemovalOfUsedDataLeavesThatOfOtherPeers() throws {
        var table = OutOfBandTable()
        let (old, other) = (try makeBlock(1), try makeBlock(2))
        table.set(old, of: peer)
        table.set(other, of: nil)
        table.set(nil, of: peer)
        table.used(OutOfBandData(local: nil, peer: old))
        #expect(table.data(for: [peer]).peer == OutOfBandData(local: nil, peer: other).peer)
    }
}
