// What many devices on one radio, with whole hosts, cost.
import BLEAdapter
import BLEAttribute
import BLESimulator
import BLEWire
import CHeap
import Dispatch
import Figures
import Synchronization

/// Octets that this process has allocated.
func allocatedOctets() -> Double { Double(heapOctets()) }

/// Counts the packets on the air.
final class Counter: Sendable {
    let transmissions = Atomic(0)
    init(_ world: World) {
        world.observeAir { [transmissions = Unmanaged.passUnretained(self)] _, _ in
            _ = transmissions.takeUnretainedValue().transmissions.add(1, ordering: .relaxed)
        }
    }
}

/// Worlds that were measured: nothing of them may be freed while the memory of the next one, or the instructions at the end, are counted.
let finished = Mutex<[World]>([])

func report(_ name: String, _ value: Double, _ unit: String, _ title: String) {
    Figure("crowd.\(name)", value, unit, title: title).report()
}

/// Advertisers, one on each square of 40 m, and scanners among them: about fifty are in reach of each, and many more matter as
/// noise. One scanner to a hundred advertisers. What a second costs, and a transmission.
func measureAdvertisers() async {
    for count in isShort ? [100, 1000] : [10, 100, 1000, 10_000] {
        let world = World(seed: 1)
        finished.withLock { $0.append(world) }
        let side = max(1, Int(Double(count).squareRoot()))
        var programs: [AnyObject] = []
        for number in 0..<count {
            let position = Position(x: Double(number % side) * 40, y: Double(number / side) * 40)
            programs.append(Band(world.addDevice("band", at: position)))
        }
        var phones: [Phone] = []
        for number in 0..<max(1, count / 100) {
            let position = Position(
                x: Double(number * 97 % side) * 40 + 10, y: Double(number * 89 % side) * 40 + 10)
            phones.append(Phone(world.addDevice("phone", at: position)))
        }
        await world.run(for: .seconds(1))
        let counter = Counter(world)
        let seconds = count >= 10_000 ? 5 : 10
        let start = processorSeconds()
        await world.run(for: .seconds(seconds))
        let wall = processorSeconds() - start
        let known = phones.map(\.known).reduce(0, +) / max(1, phones.count)
        let transmissions = counter.transmissions.load(ordering: .relaxed)
        report(
            "advertisers.\(count)", wall / Double(seconds), "s",
            "\(count) advertisers, \(phones.count) scanners in a city: a second of them, processor time")
        report(
            "advertisers.\(count).transmission", wall * 1e6 / Double(max(1, transmissions)), "us",
            "\(count) advertisers, \(phones.count) scanners in a city: one transmission")
        if known == 0 { report("advertisers.\(count).known", 0, "devices", "nobody was found") }
        withExtendedLifetime(programs) {}
    }
}

/// A pair that talks, with idle devices around it that are in reach.
func measureIdleDevices() async {
    for count in isShort ? [10, 1000] : [10, 100, 1000, 10_000] {
        let world = World(seed: 1)
        finished.withLock { $0.append(world) }
        let band = Band(world.addDevice("band"))
        let phone = Phone(world.addDevice("phone"), wanted: 1, handle: Band.handle)
        await world.run(timeout: .seconds(30)) { phone.connected == 1 }
        let before = allocatedOctets()
        var idle: [VirtualDevice] = []
        for number in 0..<count {
            idle.append(world.addDevice("idle", at: Position(x: Double(number % 100), y: Double(number / 100))))
        }
        await world.run(for: .seconds(5))
        let octets = (allocatedOctets() - before) / Double(count)
        let seconds = 60
        // The median, because one second of work is shorter than the system's other activities.
        var costs: [Double] = []
        for _ in 0..<seconds {
            band.notify([1, 2, 3])
            let start = processorSeconds()
            await world.run(for: .seconds(1))
            costs.append(processorSeconds() - start)
        }
        report(
            "idle.\(count)", median(costs) * 1e6, "us",
            "a second of a link that talks, \(count) idle devices around it")
        if count >= 1000 { report("idle.\(count).memory", octets, "octets", "an idle device, of \(count)") }
        if phone.values < seconds - 1 {
            report("idle.\(count).values", Double(phone.values), "values", "values are missing")
        }
        withExtendedLifetime(idle) {}
    }
}

/// Links with a notification each second: ten bands to a phone, groups out of reach of each other as in a tower of flats.
private struct Tower {
    let world = World(seed: 1)
    private(set) var bands: [Band] = []
    private(set) var phones: [Phone] = []
    /// The octets of a link, both ends.
    let memory: Double

    init(groups: Int) async {
        for group in 0..<groups {
            let (x, y) = (Double(group % 10) * 400, Double(group / 10) * 400)
            for number in 0..<10 {
                bands.append(Band(world.addDevice("band", at: Position(x: x + Double(number), y: y))))
            }
            phones.append(
                Phone(world.addDevice("phone", at: Position(x: x, y: y + 2)), wanted: 10, handle: Band.handle))
        }
        await world.run(for: .milliseconds(100))
        let before = allocatedOctets()
        await world.run(timeout: .seconds(60)) { [phones] in phones.allSatisfy { $0.connected == 10 } }
        let links = phones.map(\.connected).reduce(0, +)
        await world.run(for: .seconds(2))
        memory = (allocatedOctets() - before) / Double(max(1, links))
    }

    var links: Int { phones.map(\.connected).reduce(0, +) }
    var values: Int { phones.map(\.values).reduce(0, +) }

    func notify() {
        for band in bands { band.notify([UInt8](repeating: 1, count: 20)) }
    }
}

func measureLinks() async {
    let groups = isShort ? 10 : 100
    let tower = await Tower(groups: groups)
    let counter = Counter(tower.world)
    let values = tower.values
    let seconds = 10
    let start = processorSeconds()
    for _ in 0..<seconds {
        tower.notify()
        await tower.world.run(for: .seconds(1))
    }
    let wall = processorSeconds() - start
    let arrived = tower.values - values
    let transmissions = counter.transmissions.load(ordering: .relaxed)
    report("links.\(groups * 10).up", Double(tower.links), "links", "of \(groups * 10) links that were wanted")
    report(
        "links.\(groups * 10)", wall / Double(seconds), "s",
        "\(groups * 10) links with traffic: a second of them, processor time")
    report(
        "links.\(groups * 10).arrived", 100 * Double(arrived) / Double(seconds * tower.bands.count), "%",
        "\(groups * 10) links: values that arrived")
    report(
        "links.\(groups * 10).transmission", wall * 1e6 / Double(max(1, transmissions)), "us",
        "\(groups * 10) links with traffic: one transmission")
    report("links.\(groups * 10).memory", tower.memory, "octets", "an idle link, both ends, of \(groups * 10)")
}

/// The links of two groups for the count of instructions; a round is 10 ms of them.
func runLinks(rounds: Int) async {
    let tower = await Tower(groups: 2)
    for round in 0..<rounds {
        if round % 100 == 0 { tower.notify() }
        await tower.world.run(for: .milliseconds(10))
    }
    await tower.world.run(for: .seconds(1))
    guard tower.values == 20 * ((rounds + 99) / 100) else { fatalError("\(tower.values) values arrived") }
}

/// An hour of an office: 200 devices, 30 of them on links to ten computers, seven phones that scan, beacons.
func measureOffice() {
    let office = Office(devices: 200, links: 30)
    let seconds = isShort ? 120 : 3600
    let start = processorSeconds()
    office.run(seconds: seconds)
    let wall = processorSeconds() - start
    report("office.hour", wall * 3600 / Double(seconds), "s", "an hour of an office with 200 devices and 30 links")
    report(
        "office.transmission", wall * 1e6 / Double(max(1, office.transmissions)), "us",
        "an hour of an office: one transmission")
    report("office.links", Double(office.links), "links", "an hour of an office: links that stood it")
    let expected = Double(seconds * 30 * 20)
    report("office.arrived", 100 * Double(office.values) / expected, "%", "an hour of an office: values that arrived")
}

/// Measures what the arguments name, or everything.
private func measure(_ parts: [String]) async throws {
    if parts.count == 2, let rounds = Int(parts[1]) {
        switch parts[0] {
        case "crowd-block": return try await runBlock(rounds: rounds)
        case "crowd-extended-block": return try await runBlock(rounds: rounds, isExtended: true)
        case "crowd-links": return await runLinks(rounds: rounds)
        case "crowd-pairs": return await runPairs(rounds: rounds, pace: .unlimited)
        case "crowd-pairs-in-real-time": return await runPairs(rounds: rounds, pace: .realTime)
        default: fatalError("\(parts[0]) is no part whose instructions are counted")
        }
    }
    if parts.isEmpty || parts.contains("advertisers") { await measureAdvertisers() }
    if parts.isEmpty || parts.contains("idle") { await measureIdleDevices() }
    if parts.isEmpty || parts.contains("links") { await measureLinks() }
    if parts.isEmpty || parts.contains("office") { measureOffice() }
    if parts.isEmpty || parts.contains("block") { try await measureBlock() }
    if parts.isEmpty || parts.contains("real-time") { await measureRealTime() }
    if parts.isEmpty || parts.contains("guests") { await measureGuests() }
}

// The main thread waits. With `await` here it would end, which valgrind does not survive.
let isDone = DispatchSemaphore(value: 0)
Task.detached {
    do {
        try await measure(CommandLine.arguments.dropFirst().filter { !$0.hasPrefix("-") })
    } catch {
        fatalError("\(error)")
    }
    isDone.signal()
}
isDone.wait()
