import BLEController
import BLESimulator
import BLETransport
import BLEVirtualRadio
import BLEWire
import Figures
import Foundation

/// Links with a notification each second, in virtual time and in real time: what waiting adds to a second of a link.
func measureRealTime() async {
    for pairs in [1, 20] {
        var costs: [Double] = []
        for pace in [Pace.unlimited, .realTime] {
            let (world, bands, phones) = await connectedPairs(pairs, pace)
            let waits = world.radio.engine.queue.sync { world.radio.engine.waitCount }
            var seconds: [Double] = []
            for _ in 0..<(isShort ? 5 : 15) {
                for band in bands { band.notify([1, 2, 3]) }
                let start = processorSeconds()
                await world.run(for: .seconds(1))
                seconds.append(processorSeconds() - start)
            }
            withExtendedLifetime((bands, phones)) {}
            costs.append(median(seconds) / Double(pairs))
            if pace != .unlimited {
                let count = world.radio.engine.queue.sync { world.radio.engine.waitCount } - waits
                report(
                    "real-time.waits.\(pairs)", Double(count) / Double(pairs * seconds.count), "waits",
                    "a second of a link in real time, of \(pairs) links: waits of the radio")
            }
            if pairs == 20, pace == .unlimited {
                // Counted apart, because an observer of the air costs time.
                let counter = Counter(world)
                await world.run(for: .seconds(5))
                let packets = counter.transmissions.load(ordering: .relaxed) / pairs / 5
                report("real-time.packets", Double(packets), "packets", "packets of a link in a second")
            }
        }
        report(
            "real-time.virtual.\(pairs)", costs[0] * 1e6, "us", "a second of a link in virtual time, of \(pairs) links")
        report("real-time.real.\(pairs)", costs[1] * 1e6, "us", "a second of a link in real time, of \(pairs) links")
        report(
            "real-time.ratio.\(pairs)", costs[1] / costs[0], "times virtual time",
            "a second of a link in real time, of \(pairs) links")
    }
}

/// Twenty links with a notification each second, for the count of instructions; a round is 10 ms of them.
func runPairs(rounds: Int, pace: Pace) async {
    let (world, bands, phones) = await connectedPairs(20, pace)
    for _ in 0..<rounds / 100 {
        for band in bands { band.notify([1, 2, 3]) }
        await world.run(for: .seconds(1))
    }
    let values = phones.map(\.values).reduce(0, +)
    guard values == 20 * (rounds / 100) else { fatalError("\(values) values arrived") }
}

/// Bands and phones in pairs, out of reach of each other, a second after they have connected.
private func connectedPairs(_ pairs: Int, _ pace: Pace) async -> (World, [Band], [Phone]) {
    let world = World(seed: 1, pace: pace)
    let bands = (0..<pairs).map { Band(world.addDevice("band", at: Position(x: Double($0) * 400))) }
    let phones = (0..<pairs).map {
        Phone(world.addDevice("phone", at: Position(x: Double($0) * 400, y: 2)), wanted: 1, handle: Band.handle)
    }
    await world.run(timeout: .seconds(60)) { phones.allSatisfy { $0.connected == 1 } }
    await world.run(for: .seconds(1))
    return (world, bands, phones)
}

/// A radio in real time with as many hosts behind sockets as it takes: each advertises once a second.
func measureGuests() async {
    DescriptorLimit.raise()
    let world = World(seed: 1, pace: .realTime)
    let count = VirtualRadioRuntime.externalHostLimit
    let before = allocatedOctets()
    world.start()
    var guests: [Int32] = []
    let commands: [[UInt8]] = [
        [1, 0x03, 0x0C, 0],
        // LE Set Advertising Parameters: 1 s, non-connectable, public address.
        [1, 0x06, 0x20, 15, 0x40, 0x06, 0x40, 0x06, 3, 0, 0, 0, 0, 0, 0, 0, 0, 7, 0],
        // LE Set Advertising Data: flags.
        [1, 0x08, 0x20, 32, 3, 2, 1, 6] + [UInt8](repeating: 0, count: 28),
        [1, 0x0A, 0x20, 1, 1],
    ]
    let start = processorSeconds()
    for number in 0..<count {
        var pair: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair) == 0 else { break }
        world.radio.attach(
            descriptor: pair[0], name: "guest \(number)",
            at: RadioPosition(x: Double(number % 32) * 3, y: Double(number / 32) * 3))
        guests.append(pair[1])
    }
    for command in commands {
        for guest in guests { _ = send(guest, command, command.count, Int32(MSG_NOSIGNAL)) }
        for guest in guests {
            var answer = [UInt8](repeating: 0, count: 7)
            _ = recv(guest, &answer, answer.count, Int32(MSG_WAITALL))
        }
    }
    report(
        "guests.\(guests.count).join", (processorSeconds() - start) * 1e6 / Double(max(1, guests.count)), "us",
        "one of \(guests.count) hosts joins a radio in real time and begins to advertise")
    report(
        "guests.\(guests.count).memory", (allocatedOctets() - before) / Double(max(1, guests.count)), "octets",
        "a host behind a socket, of \(guests.count)")
    var seconds: [Double] = []
    for _ in 0..<(isShort ? 3 : 9) {
        let start = processorSeconds()
        try? await Task.sleep(for: .seconds(1))
        seconds.append(processorSeconds() - start)
    }
    report(
        "guests.\(guests.count)", median(seconds) * 1e3, "ms",
        "a second of a radio in real time with \(guests.count) hosts that advertise once a second, processor time")
    for guest in guests { close(guest) }
    world.stop()
}
