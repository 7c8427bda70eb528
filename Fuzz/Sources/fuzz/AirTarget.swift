@testable import BLEController
import BLEWire

/// Hostile PDUs on the air, in place of those that were sent: at an advertiser, a scanner and an initiator, and on connections in
/// both roles.
enum AirTarget {
    /// Where the octets of a run are, while the air is changed.
    private final class Attack {
        var input: Input
        var isOn = false
        init(_ input: Input) { self.input = input }

        func change(_ pdu: inout [UInt8]) {
            guard isOn, !input.isAtEnd else { return }
            let isAdvertising =
                pdu.count > 8 && pdu[1] == UInt8(truncatingIfNeeded: pdu.count - 2) && pdu[0] & 0x0F <= 6
            switch input.octet() % 8 {
            case 0: break
            case 1: pdu = input.block()
            case 2:
                // The same header, another payload, and the length that fits.
                let payload = input.take(Int(input.octet()))
                pdu = [pdu.first ?? 0, UInt8(payload.count)] + payload
            case 3 where pdu.count > 8 && pdu[1] == UInt8(truncatingIfNeeded: pdu.count - 2) && pdu[0] & 0x0F == 7:
                // An extended header of the right length, with any fields, and data.
                let (mode, flags) = (input.octet() & 0xC0, input.octet())
                let fields = input.take(Int(input.octet()) % 40)
                let data = input.take(Int(input.octet()) % 64)
                pdu =
                    [pdu[0], UInt8(2 + fields.count + data.count), mode | UInt8(1 + fields.count), flags] + fields
                    + data
            case 3:
                // A control PDU with the sender's sequence numbers, so that the receiver accepts it.
                let opcode = input.octet() % 0x2B
                let payload = input.take(Self.length[Int(opcode)])
                pdu = [(pdu.first ?? 0) & 0xFC | 3, UInt8(payload.count + 1), opcode] + payload
            case 4:
                let payload = input.take(Int(input.octet()) % 28)
                pdu = [(pdu.first ?? 0) & 0xFC | 1 + input.octet() & 1, UInt8(payload.count)] + payload
            case 5:
                let place = Int(input.octet())
                if place < pdu.count { pdu[place] = input.octet() }
            case 6:
                // An answer that fits the last PDU: a scan request or a connection indication to the sender.
                guard isAdvertising || pdu.first.map({ $0 & 0x0F }) == 7 else { return }
                // Packets of extended advertising need not have the address, which is that of controller 1.
                let advertiser = isAdvertising ? Array(pdu[2..<8]) : [1, 0, 0, 0, 0, 0xC0]
                let other: [UInt8] = [9, 0, 0, 0, 0, 0xC0]
                if input.octet() & 1 == 0 {
                    pdu = [0xC3, 12] + other + advertiser
                } else {
                    let data = input.take(22)
                    pdu = [0xC5, 34] + other + advertiser + data + [UInt8](repeating: 1, count: 22 - data.count)
                }
            default: pdu.removeLast(min(pdu.count, Int(input.octet()) % 8))
            }
        }

        /// Octets behind the opcode, by opcode (Vol 6, Part B, 2.4.2).
        private static let length = [
            11, 7, 1, 22, 12, 0, 0, 1, 8, 8, 0, 0, 5, 1, 8, 23, 23, 2, 0, 0, 8, 8, 2, 2, 4, 2, 23, 3, 34, 1, 1, 35,
            8, 15, 3, 3, 4, 4, 10, 10, 3, 10, 42,
        ]
    }

    static func run(_ input: inout Input) {
        var world = AirWorld(controllers: 3)
        for number in 0..<3 { world.prepare(number) }
        let scene = input.octet()
        let attack = Attack(input)
        world.radio.tamper = { attack.change(&$0) }
        switch scene % 4 {
        case 0 where scene & 128 != 0:
            attack.isOn = true
            world.advertiseExtended(1, kind: scene >> 2)
            world.scanExtended(0)
            world.connectExtended(2, to: 1)
        case 1 where scene & 128 != 0:
            // A link begins on a secondary channel.
            world.advertiseExtended(1, kind: scene >> 2 & 0xFC)
            world.connectExtended(2, to: 1)
            attack.isOn = true
            world.scanExtended(0)
        case 0:
            // An advertiser, a scanner and an initiator.
            attack.isOn = true
            world.advertise(1, type: scene >> 4 == 0 ? 0 : 2)
            world.scan(0)
            world.connect(2, to: 1)
        case 1:
            attack.isOn = true
            world.advertise(1)
            world.connect(2, to: 1)
            world.advertise(0)
        case 2: return runLinks(scene, attack, &world)
        case 3 where scene & 96 == 96: return runResponses(scene, attack, &world)
        default: return runTrains(scene, attack, &world)
        }
        finish(attack, &world) { _, _ in }
    }

    /// Links that are there before, a controller having both roles, with procedures from both sides, which the attack can spoil.
    private static func runLinks(_ scene: UInt8, _ attack: Attack, _ world: inout AirWorld) {
        let key = [UInt8](repeating: 0, count: 16)
        for number in 0..<3 { world.allowSubrating(number) }
        world.advertise(1)
        world.connect(0, to: 1)
        world.advance(.milliseconds(60))
        world.advertise(2)
        world.connect(1, to: 2)
        world.advance(.milliseconds(60))
        attack.isOn = true
        for number in 0..<3 {
            world.send(number, [1, 0x16, 0x20, 2, 0x40, 0])
            if scene & 4 != 0 {
                world.send(number, [1, 0x13, 0x20, 14, 0x40, 0, 12, 0, 12, 0, 0, 0, 20, 0, 0, 0, 0, 0])
            }
            if scene & 8 != 0 { world.send(number, [1, 0x32, 0x20, 7, 0x40, 0, 0, 2, 2, 0, 0]) }
            if scene & 16 != 0 { world.send(number, [1, 0x22, 0x20, 6, 0x40, 0, 251, 0, 0x48, 8]) }
            // LE Enable Encryption; Command Disallowed answers it at a peripheral.
            if scene & 64 != 0 {
                world.send(number, [1, 0x19, 0x20, 28, 0x40, 0] + key + [UInt8](repeating: 0, count: 10))
            }
            if scene & 32 != 0 { world.send(number, [2, 0x40, 0, 7, 0, 3, 0, 4, 0, 2, 23, 0]) }
        }
        finish(attack, &world) { world, step in
            // The key, or none, for each host that is asked.
            if scene & 64 != 0 {
                for number in 0..<3 {
                    world.send(
                        number,
                        scene & 128 == 0 ? [1, 0x1A, 0x20, 18, 0x40, 0] + key : [1, 0x1B, 0x20, 2, 0x40, 0])
                }
            } else if scene & 128 != 0 {
                for number in 0..<3 { world.tune(number, step + number) }
            }
        }
    }

    /// A train that one controller receives, and of which its sender tells another one over a link. That one tells a third of it.
    private static func runTrains(_ scene: UInt8, _ attack: Attack, _ world: inout AirWorld) {
        for number in 0..<3 { world.acceptTransfers(number, mode: scene & 32 == 0 ? 2 : 3) }
        if scene & 64 != 0 {
            world.setClock(1, error: 40, accuracy: 5)
            world.setClock(2, error: -100, accuracy: 3)
        }
        attack.isOn = scene & 128 != 0
        world.advertisePeriodically(1, kind: scene >> 2)
        world.advertiseExtended(1, kind: 0x41)
        world.synchronize(0, with: 1, kind: scene >> 2)
        world.connectExtended(2, to: 1)
        world.advance(.milliseconds(100))
        world.advertiseExtended(2, kind: 0x80)
        world.connectExtended(0, to: 2)
        world.advance(.milliseconds(60))
        attack.isOn = true
        finish(attack, &world) { world, step in
            switch step % 8 {
            case 0: world.transfer(1, isOwn: true)
            case 3: world.transfer(0, isOwn: false)
            // The classification of the channels changes the map of the train.
            case 5: world.tune(1, step % 16 < 8 ? 6 : 10)
            // The sync of the last transfer ends, so that the next one begins another.
            case 7: for handle in 0..<2 as Range<UInt8> { world.send(2, [1, 0x46, 0x20, 2, handle, 0]) }
            default: break
            }
        }
    }

    /// A train with responses, which two controllers answer.
    private static func runResponses(_ scene: UInt8, _ attack: Attack, _ world: inout AirWorld) {
        attack.isOn = scene & 128 != 0
        world.advertiseWithResponses(1, kind: scene >> 2)
        for number in [0, 2] { world.synchronize(number, with: 1, kind: 0) }
        world.advance(.milliseconds(100))
        for number in [0, 2] { world.chooseSubevents(number) }
        attack.isOn = true
        finish(attack, &world) { world, step in
            world.fillSubevents(1, step: step)
            for number in [0, 2] { world.respond(number, step: step) }
            // The sync of a train that was lost begins again.
            if step % 16 == 15 { for number in [0, 2] { world.synchronize(number, with: 1, kind: 0) } }
            if step % 16 == 7 { for number in [0, 2] { world.chooseSubevents(number) } }
        }
    }

    /// Lets time pass while there is input, with `step` every 10 ms, and some more.
    private static func finish(_ attack: Attack, _ world: inout AirWorld, _ step: (inout AirWorld, Int) -> Void) {
        var steps = 0
        while !attack.input.isAtEnd, steps < 40 {
            world.advance(.milliseconds(10))
            step(&world, steps)
            steps += 1
        }
        world.advance(.milliseconds(30))
        world.radio.tamper = nil
    }
}
