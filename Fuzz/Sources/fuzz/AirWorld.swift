@testable import BLEController
import BLECrypto
import BLEWire

/// Some virtual controllers close to each other, driven by raw HCI.
struct AirWorld {
    let radio = VirtualRadio(seed: 1, crypto: { SwiftCryptoProvider(generator: $0) })
    private let controllers: [ControllerIdentifier]
    /// The number of octets from each controller since the start.
    private var octets = 0
    private var handed = 0

    init(controllers count: Int) {
        let radio = self.radio
        controllers = (0..<count).map { radio.addController(at: RadioPosition(x: Double($0))) }
    }

    /// Resets a controller, sets its address and enables all events.
    mutating func prepare(_ number: Int) {
        send(number, [1, 0x03, 0x0C, 0])
        send(number, [1, 0x01, 0x0C, 8] + [UInt8](repeating: 0xFF, count: 8))
        send(number, [1, 0x01, 0x20, 8, 0xFF, 0xFD, 0x0F, 0, 0, 0, 0, 0])
        send(number, [1, 0x05, 0x20, 6, UInt8(number), 0, 0, 0, 0, 0xC0])
    }

    mutating func advertise(_ number: Int, type: UInt8 = 0) {
        send(number, [1, 0x06, 0x20, 15, 0x20, 0, 0x20, 0, type, 1, 0, 0, 0, 0, 0, 0, 0, 7, 0])
        send(number, [1, 0x08, 0x20, 32, 3, 2, 1, 6] + [UInt8](repeating: 0, count: 28))
        send(number, [1, 0x0A, 0x20, 1, 1])
    }

    /// Starts a set of extended advertising that is connectable, scannable or neither, on 1M, 2M or Coded, with data for several PDUs or not.
    mutating func advertiseExtended(_ number: Int, kind: UInt8) {
        let properties = [1, 2, 0, 0x20][Int(kind & 3)] as UInt8
        let (primary, secondary): (UInt8, UInt8) =
            [(1, 1), (1, 2), (3, 3), (1, 3)][Int(kind >> 2 & 3)]
        let handle = kind >> 6
        send(
            number,
            [1, 0x36, 0x20, 25, handle, properties, 0, 0xA0, 0, 0, 0xA0, 0, 0, 7, 1] + [UInt8](repeating: 0, count: 8)
                + [127, primary, 0, secondary, handle, 1])
        send(number, [1, 0x35, 0x20, 7, handle, UInt8(number), 0, 0, 0, 0, 0xC0])
        let opcode: UInt8 = properties == 2 ? 0x38 : 0x37
        if kind & 0x30 == 0 {
            send(number, [1, opcode, 0x20, 7, handle, 3, 1, 3, 2, 1, 6])
        } else {
            let piece = [251, 0xFF] + [UInt8](repeating: kind, count: 249)
            for operation in [1, 0, 2] as [UInt8] {
                send(number, [1, opcode, 0x20, 255, handle, operation, 1] + piece)
            }
        }
        send(number, [1, 0x39, 0x20, 6, 1, 1, handle, 0, 0, 0])
    }

    /// Scans on 1M and Coded.
    mutating func scanExtended(_ number: Int) {
        send(number, [1, 0x41, 0x20, 13, 1, 0, 5, 1, 0x20, 0, 0x10, 0, 1, 0x20, 0, 0x10, 0])
        send(number, [1, 0x42, 0x20, 6, 1, 0, 0, 0, 0, 0])
    }

    mutating func connectExtended(_ number: Int, to other: Int) {
        send(
            number,
            [1, 0x43, 0x20, 26, 0, 1, 1, UInt8(other), 0, 0, 0, 0, 0xC0, 1]
                + [0x10, 0, 0x10, 0, 6, 0, 6, 0, 0, 0, 20, 0, 0, 0, 0, 0])
    }

    mutating func scan(_ number: Int) {
        send(number, [1, 0x0B, 0x20, 7, 1, 0x10, 0, 0x10, 0, 1, 0])
        send(number, [1, 0x0C, 0x20, 2, 1, 0])
    }

    mutating func connect(_ number: Int, to other: Int) {
        send(
            number,
            [1, 0x0D, 0x20, 25, 0x10, 0, 0x10, 0, 0, 1, UInt8(other), 0, 0, 0, 0, 0xC0, 1] + [6, 0, 6, 0, 0, 0, 20, 0]
                + [0, 0, 0, 0])
    }

    /// Hands a packet to a controller, as its host would.
    mutating func send(_ number: Int, _ packet: [UInt8]) {
        radio.receive(packet.span, for: controllers[number])
        handed += 1
        drain()
    }

    /// Advances the time. The number of deadlines is bounded, and a deadline that repeats without end is a finding.
    mutating func advance(_ span: TimeSpan) {
        let end = radio.now + span
        var (deadlines, atOnce) = (0, 0)
        while let next = radio.nextDeadline, next <= end {
            let before = radio.now
            radio.advance(to: next)
            drain()
            atOnce = radio.now == before ? atOnce + 1 : 0
            deadlines += 1
            require(atOnce < 1_000, "the time stands still: a deadline comes again and again")
            require(deadlines < 200_000, "\(deadlines) deadlines in \(span.nanoseconds) ns")
        }
        radio.advance(to: end)
        drain()
    }

    /// Takes the output of the controllers: whole events or data, and not more than the time and the commands explain.
    private mutating func drain() {
        var octets = 0
        while let controller = radio.nextControllerWithOutput {
            radio.drainOutput(of: controller) { packet in
                octets += packet.count
                require(packet[0] == 4 || packet[0] == 2, "a controller sends packets of type \(packet[0])")
                require((try? H4.Packet(decoding: packet)) != nil, "a controller sends a packet that does not decode")
            }
            require((radio.status(of: controller)?.linkCount ?? 0) <= 32, "more links than there may be")
        }
        self.octets += octets
        require(self.octets < 1 << 22, "\(self.octets) octets for the hosts in one run")
    }
}
