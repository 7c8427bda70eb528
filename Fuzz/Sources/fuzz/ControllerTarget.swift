import BLEController
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
        0x203D, 0x2041, 0x2042, 0x2043, 0x204B, 0x2060, 0x206D, 0x2074, 0x207D, 0x207E, 0xFC06,
    ]

    static func run(_ input: inout Input) {
        var world = AirWorld(controllers: 3)
        world.prepare(0)
        world.prepare(1)
        world.prepare(2)
        world.advertise(1)
        var steps = 0
        while !input.isAtEnd, steps < 64 {
            steps += 1
            switch input.octet() % 8 {
            case 0, 1:
                // A command with parameters of any length.
                let opcode = input.one(of: opcodes)
                // Data of advertising sets fills a command.
                let longest = opcode == 0x2037 || opcode == 0x2038 ? 256 : 40
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
            case 5:
                // A procedure that reaches its end: the hostile host advertises, scans or connects as it should.
                switch input.octet() % 12 {
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
                default: world.prepare(2)
                }
            case 6: world.advance(.milliseconds(1 + Int(input.octet()) / 4))
            default: world.send(1 + Int(input.octet() & 1), input.block())
            }
        }
        world.advance(.milliseconds(60))
    }
}
