@testable import BLEController
import BLEWire

/// A virtual controller under a hostile host, beside two valid hosts: one advertises and accepts connections, and the
/// other scans and connects to the hostile host.
enum ControllerTarget {
    private static let opcodes: [UInt16] = [
        0x0406, 0x041D, 0x0C01, 0x0C03, 0x0C2D, 0x0C31, 0x0C33, 0x0C35, 0x0C63, 0x0C6C, 0x0C6D, 0x0C7B, 0x0C7C, 0x1001,
        0x1002, 0x1003, 0x1004, 0x1005, 0x1009, 0x1405, 0x2001, 0x2002, 0x2003, 0x2005, 0x2006, 0x2007, 0x2008, 0x2009,
        0x200A, 0x200B, 0x200C, 0x200D, 0x200E, 0x200F, 0x2010, 0x2011, 0x2012, 0x2013, 0x2014, 0x2015, 0x2016, 0x2017,
        0x2018, 0x2019, 0x201A, 0x201B, 0x201C, 0x2020, 0x2021, 0x2022, 0x2023, 0x2024, 0x2025, 0x2026, 0x2029, 0x202A,
        0x202D, 0x202E, 0x202F, 0x2030, 0x2031, 0x2032, 0x2035, 0x2036, 0x2037, 0x2038, 0x2039, 0x203A, 0x203B, 0x203C,
        0x203D, 0x2041, 0x2042, 0x2043, 0x204B, 0x2060, 0x206D, 0x2074, 0x207D, 0x207E, 0xFC06, 0x2027, 0x2028, 0x202B,
        0x202C, 0x203E, 0x203F, 0x2040, 0x2044, 0x2045, 0x2046, 0x2047, 0x2048, 0x2049, 0x204A, 0x204E, 0x2059, 0x205A,
        0x205B, 0x205C, 0x205D, 0x205E, 0x2076, 0x2077, 0x2078, 0x2079, 0x207A, 0x207F, 0x2082, 0x2083, 0x2084, 0x2086,
        0xFC0E, 0xFC80,
    ]

    private static let dataOpcodes: [UInt16] = [0x2037, 0x2038, 0x203F]

    static func run(_ input: inout Input) {
        if input.isNext(0xFF) { return LaneComparison.run(&input) }
        var world = AirWorld(controllers: 3)
        world.prepare(0)
        world.prepare(1)
        world.prepare(2)
        for number in 0..<3 {
            world.allowSubrating(number)
            world.acceptTransfers(number, mode: 2)
        }
        world.advertise(1)
        var steps = 0
        while !input.isAtEnd, steps < 64 {
            steps += 1
            switch input.octet() % 8 {
            case 0, 1:
                // A command with parameters of any length.
                let opcode = input.one(of: opcodes)
                // Data of advertising sets fills a command.
                let longest = Self.dataOpcodes.contains(opcode) ? 256 : 40
                let parameters = input.take(Int(input.octet()) % longest)
                world.send(
                    0, [1, UInt8(truncatingIfNeeded: opcode), UInt8(opcode >> 8), UInt8(parameters.count)] + parameters)
            case 2:
                // Data on a link, of any length.
                let handle = 0x40 + input.octet() % 3
                let flags = input.octet() & 0xF0
                let data = input.take(Int(input.octet()))
                world.send(0, [2, handle, flags, UInt8(data.count), 0] + data)
            case 3: world.send(0, input.block())
            case 4: world.advance(.microseconds(625 * (1 + Int(input.octet()))))
            case 5: act(&input, &world)
            case 6: world.advance(.milliseconds(1 + Int(input.octet()) / 4))
            default: world.send(1 + Int(input.octet() & 1), input.block())
            }
        }
        world.advance(.milliseconds(60))
    }

    /// A procedure that reaches its end: a host advertises, scans, connects or passes a train on as it should.
    private static func act(_ input: inout Input, _ world: inout AirWorld) {
        switch input.octet() % 24 {
        case 0: world.advertise(0)
        case 1: world.scan(0)
        case 2: world.connect(0, to: 1)
        case 3: world.connect(2, to: 0)
        case 4: world.advertiseExtended(0, kind: input.octet())
        case 5: world.scanExtended(0)
        case 6: world.connectExtended(0, to: 1)
        case 7: world.connectExtended(2, to: 0)
        case 8: world.advertiseExtended(1, kind: input.octet())
        // The command families change.
        case 9: world.prepare(0)
        case 10: world.prepare(1)
        case 11: world.prepare(2)
        case 12: world.advertisePeriodically(0, kind: input.octet())
        case 13: world.advertisePeriodically(1, kind: input.octet())
        case 14: world.synchronize(0, with: 1, kind: input.octet())
        case 15: world.synchronize(2, with: 0, kind: input.octet())
        case 16: world.transfer(0, isOwn: true)
        case 17: world.transfer(0, isOwn: false)
        case 18: world.transfer(2, isOwn: false)
        case 19: world.connectExtended(2, to: 1)
        case 20: world.tune(0, Int(input.octet()))
        case 21: world.tune(1 + Int(input.octet() & 1), Int(input.octet()))
        case 22: world.setClock(0, error: Int8(bitPattern: input.octet()), accuracy: input.octet())
        // Few devices get into the lane of beacons, which needs no timers.
        default: world.radio.minimumLaneDevices = 2
        }
    }
}
