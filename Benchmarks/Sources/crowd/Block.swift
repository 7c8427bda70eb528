import BLESimulator
import BLEWire
import Figures

/// Beacons in a city block of 200 m by 200 m, all in range of each other and of ten phones that scan.
private struct Block {
    let world: World
    let phones: [Phone]
    /// The octets of a beacon.
    let memory: Double

    /// - Parameters:
    ///   - isSpread: Whether the beacons begin within an interval, and the phones within 120 ms. Otherwise all begin at the same time and
    ///     their events stay together for minutes, because the random delays are short.
    ///   - extendedStep: Each beacon whose number it divides has extended packets; nil for none.
    init(beacons count: Int, threads: Int = 1, isSpread: Bool, extendedStep: Int? = nil) async throws {
        let world = World(seed: 1, threads: threads)
        let before = allocatedOctets()
        var advertisement = RawAdvertisement(
            data: [2, 1, 6, 3, 3, 0xE7, 0xFE, 9, 0xFF, 1, 2, 3, 4, 5, 6, 7, 8],
            interval: .microseconds(1_022_500))
        for number in 0..<count {
            // Spread evenly over the block by two irrational steps.
            advertisement.extended = extendedStep.map { number.isMultiple(of: $0) } == true ? .init() : nil
            let (x, y) = (Double(number) * 0.618_033_988_75, Double(number) * 0.754_877_666_25)
            _ = try world.addAdvertiser(
                "beacon \(number)", advertisement,
                at: Position(x: 200 * (x - x.rounded(.down)), y: 200 * (y - y.rounded(.down))))
            if isSpread, number % (count / 100) == 0 { await world.run(for: .microseconds(10_225)) }
        }
        var phones: [Phone] = []
        for number in 0..<10 {
            let position = Position(x: 20 * Double(number) + 10, y: 190 - 18 * Double(number))
            phones.append(Phone(world.addDevice("phone", at: position)))
            if isSpread { await world.run(for: .milliseconds(12)) }
        }
        await world.run(for: .seconds(2))
        memory = (allocatedOctets() - before) / Double(count)
        self.world = world
        self.phones = phones
    }

    /// The number of beacons that each phone has found.
    var known: [Int] { phones.map(\.known) }

    /// The packets of a second. Counted apart, because an observer of the air costs time.
    func transmissions() async -> Int {
        let counter = Counter(world)
        await world.run(for: .seconds(1))
        return counter.transmissions.load(ordering: .relaxed)
    }
}

/// What a second of a block costs on one thread and on two. Below 1 s, the radio keeps up with real time.
///
/// The two worlds run in turn, so the other load of the machine is the same for both.
func measureBlock() async throws {
    for count in isShort ? [50_000] : [10_000, 100_000] {
        let one = try await Block(beacons: count, isSpread: true)
        let two = try await Block(beacons: count, threads: 2, isSpread: true)
        var processor: [Double] = []
        var walls: (one: [Double], two: [Double]) = ([], [])
        for _ in 0..<(isShort ? 5 : 15) {
            let (start, wall) = (processorSeconds(), wallSeconds())
            await one.world.run(for: .seconds(1))
            processor.append(processorSeconds() - start)
            let middle = wallSeconds()
            await two.world.run(for: .seconds(1))
            walls.one.append(middle - wall)
            walls.two.append(wallSeconds() - middle)
        }
        let transmissions = (await one.transmissions(), await two.transmissions())
        report(
            "block.\(count)", median(processor), "s",
            "\(count) beacons and \(one.phones.count) scanners in a city block: a second of them, processor time")
        report(
            "block.\(count).transmission", median(processor) * 1e6 / Double(max(1, transmissions.0)),
            "us", "\(count) beacons in a city block: one transmission")
        report("block.\(count).memory", one.memory, "octets", "a beacon, of \(count)")
        report("block.\(count).wall.1", median(walls.one), "s", "\(count) beacons: a second of them on one thread")
        report("block.\(count).wall.2", median(walls.two), "s", "\(count) beacons: a second of them on two threads")
        report(
            "block.\(count).two-threads", median(zip(walls.one, walls.two).map { $0 / $1 }), "times",
            "\(count) beacons: how much faster two threads are")
        report(
            "block.\(count).equal", transmissions.0 == transmissions.1 && one.known == two.known ? 1 : 0, "",
            "\(count) beacons: whether one and two threads give the same packets and the same devices found")
        try await measureBurst(count)
    }
    try await measureExtended(isShort ? 5000 : 10_000)
}

/// The same block with a tenth of the beacons extended, and with all, in turn with the legacy one.
private func measureExtended(_ count: Int) async throws {
    let legacy = try await Block(beacons: count, isSpread: true)
    for (name, step, title) in [("tenth-extended", 10, "a tenth"), ("extended", 1, "all")] {
        let extended = try await Block(beacons: count, isSpread: true, extendedStep: step)
        var times: (legacy: [Double], extended: [Double]) = ([], [])
        for _ in 0..<(isShort ? 5 : 15) {
            let start = processorSeconds()
            await legacy.world.run(for: .seconds(1))
            let middle = processorSeconds()
            await extended.world.run(for: .seconds(1))
            times.legacy.append(middle - start)
            times.extended.append(processorSeconds() - middle)
        }
        let what = "\(count) beacons, \(title) of them with extended advertising"
        report("block.\(count).\(name)", median(times.extended), "s", "\(what): a second of them, processor time")
        report(
            "block.\(count).\(name).ratio", median(times.extended) / median(times.legacy), "times",
            "\(what): the time beside that of legacy ones")
        if extended.known.contains(0) {
            report("block.\(count).\(name).known", 0, "devices", "a phone has found no beacon")
        }
    }
}

/// A block of 5,000 beacons for the count of instructions; a round is 10 ms of it.
func runBlock(rounds: Int, isExtended: Bool = false) async throws {
    let block = try await Block(beacons: 5000, isSpread: true, extendedStep: isExtended ? 1 : nil)
    finished.withLock { $0.append(block.world) }
    for _ in 0..<rounds { await block.world.run(for: .milliseconds(10)) }
    guard block.known.allSatisfy({ $0 > 0 }) else { fatalError("a phone has found no beacon") }
}

/// The same beacons, switched on at the same time: the events of a second lie within some 40 ms.
private func measureBurst(_ count: Int) async throws {
    let block = try await Block(beacons: count, isSpread: false)
    var longest = 0.0
    let start = processorSeconds()
    for _ in 0..<200 {
        let wall = wallSeconds()
        await block.world.run(for: .milliseconds(10))
        longest = max(longest, wallSeconds() - wall)
    }
    report(
        "block.\(count).burst", (processorSeconds() - start) / 2, "s",
        "\(count) beacons that began together: a second of them, processor time")
    report(
        "block.\(count).burst.peak", longest * 1e3, "ms",
        "\(count) beacons that began together: the longest time for 10 ms of them")
}
