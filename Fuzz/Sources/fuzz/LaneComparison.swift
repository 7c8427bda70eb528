@testable import BLEController
import BLEWire

/// The same calls on two radios, of which one sends for its beacons without timers: all hosts get the same packets at the same times.
enum LaneComparison {
    private static let (beacons, others) = (0..<5, 5..<8)

    static func run(_ input: inout Input) {
        let withAir = input.octet() & 1 != 0
        var worlds = [AirWorld(controllers: 8), AirWorld(controllers: 8)]
        worlds[0].radio.minimumLaneDevices = 1
        worlds[1].radio.minimumLaneDevices = .max
        for index in worlds.indices {
            for number in 0..<8 { worlds[index].prepare(number) }
            worlds[index].digest(withAir: withAir)
        }
        var steps = 0
        while !input.isAtEnd, steps < 40 {
            steps += 1
            let (kind, first, second) = (input.octet(), input.octet(), input.octet())
            for index in worlds.indices { act(kind, first, second, &worlds[index]) }
            require(worlds[0].digests == worlds[1].digests, "the lane changes what a host gets")
        }
        for index in worlds.indices { worlds[index].advance(.milliseconds(200)) }
        require(worlds[0].digests == worlds[1].digests, "the lane changes what a host gets in the end")
    }

    private static func act(_ kind: UInt8, _ first: UInt8, _ second: UInt8, _ world: inout AirWorld) {
        let beacon = beacons.lowerBound + Int(first) % beacons.count
        let other = others.lowerBound + Int(first) % others.count
        switch kind % 12 {
        case 0: world.advertise(beacon, type: second & 1 == 0 ? 3 : 2)
        case 1, 2:
            // Mostly beacons: neither connectable nor scannable, on 1M, with little data.
            world.advertiseExtended(beacon, kind: second & 3 == 0 ? second : 2)
        case 3: world.send(beacon, [1, second & 1 == 0 ? 0x0A : 0x39, 0x20] + (second & 1 == 0 ? [1, 0] : [2, 0, 0]))
        case 4: world.scanExtended(other)
        case 5: world.scan(other)
        case 6: world.connectExtended(other, to: beacon)
        case 7: world.prepare(second & 1 == 0 ? beacon : other)
        case 8: world.move(second & 1 == 0 ? beacon : other, to: Double(second))
        case 9:
            // New data of a set with a handle that `advertiseExtended` uses.
            world.send(
                beacon,
                [1, 0x37, 0x20, 4 + first & 7, second >> 6, 3, 1, first & 7]
                    + [UInt8](repeating: 0, count: Int(first & 7)))
        case 10: world.advance(.microseconds(Int(first) * 16 + Int(second)))
        default: world.advance(.milliseconds(Int(first & 63)))
        }
    }
}
