import BLESimulator
import BLEWire
import Figures

/// Beacons in a city block of 200 m by 200 m, all in range of each other and of ten phones that scan: what a second of them costs.
/// Below 1 s, the radio keeps up with real time.
func measureBlock() async throws {
    for count in isShort ? [10_000] : [10_000, 100_000] {
        let world = World(seed: 1)
        let before = allocatedOctets()
        let advertisement = RawAdvertisement(
            data: [2, 1, 6, 3, 3, 0xE7, 0xFE, 9, 0xFF, 1, 2, 3, 4, 5, 6, 7, 8],
            interval: .microseconds(1_022_500))
        for number in 0..<count {
            // Spread evenly over the block by two irrational steps.
            let (x, y) = (Double(number) * 0.618_033_988_75, Double(number) * 0.754_877_666_25)
            _ = try world.addAdvertiser(
                "beacon \(number)", advertisement,
                at: Position(x: 200 * (x - x.rounded(.down)), y: 200 * (y - y.rounded(.down))))
        }
        let phones = (0..<10).map {
            Phone(world.addDevice("phone", at: Position(x: 20 * Double($0) + 10, y: 190 - 18 * Double($0))))
        }
        await world.run(for: .seconds(2))
        let memory = (allocatedOctets() - before) / Double(count)
        let counter = Counter(world)
        let seconds = 3
        let start = processorSeconds()
        await world.run(for: .seconds(seconds))
        let time = processorSeconds() - start
        let transmissions = counter.transmissions.load(ordering: .relaxed)
        report(
            "block.\(count)", time / Double(seconds), "s",
            "\(count) beacons and \(phones.count) scanners in a city block: a second of them, processor time")
        report(
            "block.\(count).transmission", time * 1e6 / Double(max(1, transmissions)), "us",
            "\(count) beacons in a city block: one transmission")
        report("block.\(count).memory", memory, "octets", "a beacon, of \(count)")
    }
}
