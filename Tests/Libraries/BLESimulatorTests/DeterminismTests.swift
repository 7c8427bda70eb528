import BLEAdapter
import BLEHostAdapter
import BLESimulator
import BLEWire
import Testing

struct DeterminismTests {
    /// A conversation with loss and fading, written down.
    private func log(seed: UInt64) async throws -> (octets: [UInt8], peer: PeerIdentifier, count: Int) {
        let world = World(seed: seed, environment: RadioEnvironment(fading: 4, packetLoss: 0.1))
        let log = world.recordEvents()
        let pair = try await ConversationTests.Pair(world)
        let handle = try await pair.handles()[1].valueHandle
        for number in 0..<100 {
            _ = pair.central.session.writeCommand([UInt8(number)].span, handle: handle, to: pair.peer)
        }
        try await pair.central.perform(.write(handle: handle, value: [UInt8](repeating: 1, count: 512)), on: pair.peer)
        await world.run(for: .seconds(5))
        return (log.octets, pair.peer, log.count)
    }

    @Test func aSeedDeterminesTheEventLog() async throws {
        let first = try await log(seed: 7)
        let second = try await log(seed: 7)
        let third = try await log(seed: 8)
        #expect(first.count > 500)
        #expect(first.octets == second.octets)
        #expect(first.peer == second.peer)
        #expect(first.octets != third.octets)
        #expect(first.peer != third.peer)
    }
}
