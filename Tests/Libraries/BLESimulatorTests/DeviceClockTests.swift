import BLEAdapter
import BLEController
import BLESimulator
import BLEWire
import Testing

/// Devices whose clocks are not exact.
struct DeviceClockTests {
    /// The starts of a beacon's events, in nanoseconds.
    private func starts(error: Int) async throws -> [Int64] {
        let world = World(seed: 2)
        let starts = Lock<[Int64]>([])
        world.observeAir { (packet: borrowing AirPacket, _: (ControllerIdentifier) -> Int?) in
            let (channel, start) = (packet.channel, packet.start.nanoseconds)
            if channel == 37 { starts.withLock { $0.append(start) } }
        }
        let beacon = try world.addAdvertiser("beacon", RawAdvertisement(structures: [.flags()]))
        beacon.setClock(error: error)
        await world.run(for: .seconds(30))
        return starts.withLock { $0 }
    }

    @Test func anAdvertiserSendsByItsClock() async throws {
        let (exact, fast) = (try await starts(error: 0), try await starts(error: 500))
        #expect(exact.count > 200)
        for (index, (expected, start)) in zip(exact, fast).enumerated() {
            // A fast clock leaves out nanoseconds, at most one before each event.
            let late = start - expected * 1_000_000 / 1_000_500
            #expect(late >= 0 && late <= index + 2, "\(index)")
        }
        // A value beyond becomes the nearest limit.
        #expect(try await starts(error: 9_999) == fast)
    }

    /// At 30 ms and a latency of 20, the peripheral sleeps 630 ms: 315 us at 500 ppm, and its window is 41 us wider.
    @Test(arguments: [0, 500]) func aLinkWithLatencyNeedsTheAnnouncedClock(error: Int) async throws {
        let world = World(seed: 4)
        let pair = try await ConversationTests.Pair(world)
        pair.band.requestConnectionParameters(
            interval: .milliseconds(30)...(.milliseconds(30)), latency: 20, supervisionTimeout: .seconds(2))
        await world.run(for: .seconds(5))
        let slot = pair.band.host.slot
        #expect(world.radio.inspect { $0.links(slot).map(\.latency) } == [20])
        pair.phone.setClock(error: error, announcing: 20)
        await world.run(for: .seconds(10))
        #expect(world.radio.inspect { $0.links(slot).count } == (error == 0 ? 1 : 0))
    }
}
