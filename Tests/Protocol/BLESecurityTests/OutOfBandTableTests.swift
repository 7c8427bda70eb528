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

    @Test func moreThanTheCapacityReplacesTheOldest() throws {
        var table = OutOfBandTable()
        let block = try makeBlock(1)
        func address(_ number: Int) -> DeviceAddress { DeviceAddress(kind: .random, value: UInt64(number)) }
        for number in 0..<OutOfBandTable.capacity { table.set(block, of: address(number)) }
        // Data in place of earlier data needs no other place.
        table.set(block, of: address(0))
        #expect(table.data(for: [address(1)]).peer != nil)
        table.set(block, of: address(OutOfBandTable.capacity))
        let missing = (0...OutOfBandTable.capacity).filter { table.data(for: [address($0)]).isEmpty }
        #expect(missing == [1])
    }

    /// This host's data serves the pairing whose commitment it is.
    @Test func ownDataIsUsedOnce() throws {
        var table = OutOfBandTable()
        var crypto = SwiftCryptoProvider(generator: SeededRandom(seed: 4))
        #expect(table.isEmpty && table.data(for: [peer]).isEmpty)
        for _ in 0..<2 {
            let made = table.makeLocal(using: &crypto)
            let local = try #require(table.local)
            #expect(made == local.block && !table.isEmpty)
            table.usedLocal(local.commitment ^ 1)
            #expect(table.data(for: [peer]).local?.commitment == local.commitment)
            table.usedLocal(local.commitment)
            #expect(table.local == nil && table.isEmpty)
        }
    }
}
