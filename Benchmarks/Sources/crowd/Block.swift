import BLESimulator
import BLEWire
import Figures

/// Beacons in a city block of 200 m by 200 m, all in range of each other and of ten phones that scan.
private struct Block {
    let world: World
    let phones: [Phone]
    let counter: Counter
    /// The octets of a beacon.
    let memory: Double

    init(beacons count: Int, threads: Int) async throws {
        let world = World(seed: 1, threads: threads)
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
        phones = (0..<10).map {
            Phone(world.addDevice("phone", at: Position(x: 20 * Double($0) + 10, y: 190 - 18 * Double($0))))
        }
        await world.run(for: .seconds(2))
        memory = (allocatedOctets() - before) / Double(count)
        counter = Counter(world)
        self.world = world
    }

    /// The number of beacons that each phone has found.
    var known: [Int] { phones.map(\.known) }
    var transmissions: Int { counter.transmissions.load(ordering: .relaxed) }
}

/// What a second of a block costs on one thread and on two. Below 1 s, the radio keeps up with real time.
///
/// The two worlds run in turn, so the other load of the machine is the same for both.
func measureBlock() async throws {
    for count in isShort ? [10_000] : [10_000, 100_000] {
        let one = try await Block(beacons: count, threads: 1)
        let two = try await Block(beacons: count, threads: 2)
        var processor: [Double] = []
        var walls: (one: [Double], two: [Double]) = ([], [])
        let seconds = 5
        for _ in 0..<seconds {
            let (start, wall) = (processorSeconds(), wallSeconds())
            await one.world.run(for: .seconds(1))
            processor.append(processorSeconds() - start)
            let middle = wallSeconds()
            await two.world.run(for: .seconds(1))
            walls.one.append(middle - wall)
            walls.two.append(wallSeconds() - middle)
        }
        report(
            "block.\(count)", median(processor), "s",
            "\(count) beacons and \(one.phones.count) scanners in a city block: a second of them, processor time")
        report(
            "block.\(count).transmission",
            median(processor) * 1e6 * Double(seconds) / Double(max(1, one.transmissions)),
            "us", "\(count) beacons in a city block: one transmission")
        report("block.\(count).memory", one.memory, "octets", "a beacon, of \(count)")
        report("block.\(count).wall.1", median(walls.one), "s", "\(count) beacons: a second of them on one thread")
        report("block.\(count).wall.2", median(walls.two), "s", "\(count) beacons: a second of them on two threads")
        report(
            "block.\(count).two-threads", median(zip(walls.one, walls.two).map { $0 / $1 }), "times",
            "\(count) beacons: how much faster two threads are")
        report(
            "block.\(count).equal", one.transmissions == two.transmissions && one.known == two.known ? 1 : 0, "",
            "\(count) beacons: whether one and two threads give the same packets and the same devices found")
    }
}
