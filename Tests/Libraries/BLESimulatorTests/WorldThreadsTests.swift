import BLEAdapter
import BLEController
import BLEHostAdapter
import BLEVirtualRadio
import BLEWire
import Testing

@testable import BLESimulator

struct WorldThreadsTests {
    /// What two phones hear of 300 beacons.
    private func run(threads: Int) async throws -> [[UInt8]] {
        let world = World(seed: 8, threads: threads)
        world.radio.change { $0.radio.threads.minimumWork = 1 }
        for number in 0..<300 {
            _ = try world.addAdvertiser(
                "beacon \(number)",
                RawAdvertisement(
                    data: [2, 1, 6, 5, 0xFF, 1, 2, UInt8(number & 255), UInt8(number >> 8)],
                    interval: .milliseconds(100)),
                at: Position(x: Double(number % 20) * 5, y: Double(number / 20) * 5))
        }
        let phones = (0..<2).map { TestCentral(world.addDevice("phone", at: Position(x: 30 * Double($0))), in: world) }
        for phone in phones {
            try await phone.poweredOn()
            phone.session.startScan(ScanRequest(allowDuplicates: true))
        }
        await world.run(for: .seconds(2))
        return phones.flatMap(\.events).compactMap { event in
            if case .discovered(_, _, let data, _) = event { data } else { nil }
        }
    }

    @Test func theNumberOfThreadsDoesNotChangeAWorld() async throws {
        let expected = try await run(threads: 1)
        #expect(expected.count > 200)
        let found = try await run(threads: 4)
        #expect(found == expected)
    }
}
