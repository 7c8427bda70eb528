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
    /// The output of each controller with its times, and the air, to compare two worlds; empty otherwise.
    private(set) var digests: [Digest] = []
    /// The event counter and the number of the last subevent that each controller reported, as in the packet.
    private var requests: [Int: [UInt8]] = [:]

    init(controllers count: Int) {
        let radio = self.radio
        controllers = (0..<count).map { radio.addController(at: RadioPosition(x: Double($0))) }
    }

    mutating func digest(withAir: Bool) {
        digests = (0...controllers.count).map { _ in Digest() }
        guard withAir, let air = digests.last else { return }
        radio.airObserver = { packet in
            air.mix(packet.pdu, at: packet.start)
            for reception in packet.receptions {
                air.mix([UInt8(reception.receiver.rawValue)].span, at: packet.start)
            }
        }
    }

    mutating func move(_ number: Int, to distance: Double) {
        radio.move(controllers[number], to: RadioPosition(x: distance))
    }

    /// Resets a controller, sets its address and enables all events.
    mutating func prepare(_ number: Int) {
        send(number, [1, 0x03, 0x0C, 0])
        send(number, [1, 0x01, 0x0C, 8] + [UInt8](repeating: 0xFF, count: 8))
        send(number, [1, 0x01, 0x20, 8, 0xFF, 0xFD, 0xFF, 0xFF, 0xFF, 1, 0, 0])
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
            let piece = [251, 0xFF] + [UInt8](repeating: kind, count: 250)
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

    // MARK: Trains

    /// Starts a train of a set, with data for one PDU or several, which may identify it. Both intervals are as short as possible.
    mutating func advertisePeriodically(_ number: Int, kind: UInt8) {
        let handle = Self.trainHandle
        let isLong = kind & 1 != 0
        prepareTrain(number, kind: kind)
        let interval: UInt8 = isLong ? 20 : 6
        send(number, [1, 0x3E, 0x20, 7, handle, interval, 0, interval, 0, 0x40, 0])
        if isLong {
            let piece = [251, 0xFF] + [UInt8](repeating: kind, count: 250)
            for operation in [1, 2] as [UInt8] { send(number, [1, 0x3F, 0x20, 254, handle, operation] + piece) }
        } else {
            send(number, [1, 0x3F, 0x20, 6, handle, 3, 3, 2, 1, 6])
        }
        send(number, [1, 0x40, 0x20, 2, kind & 8 == 0 ? 1 : 3, handle])
        send(number, [1, 0x39, 0x20, 6, 1, 1, handle, 0, 0, 0])
    }

    /// Starts a train with four subevents of 7.5 ms, each with data and five response slots, or one with the rest.
    mutating func advertiseWithResponses(_ number: Int, kind: UInt8) {
        let handle = Self.trainHandle
        prepareTrain(number, kind: kind)
        let slots: UInt8 = kind & 1 == 0 ? 5 : 1
        send(number, [1, 0x86, 0x20, 12, handle, 24, 0, 24, 0, 0x40, 0, 4, 6, 2, 6, slots])
        send(number, [1, 0x40, 0x20, 2, 1, handle])
        send(number, [1, 0x39, 0x20, 6, 1, 1, handle, 0, 0, 0])
    }

    /// Gives the data of all subevents, whose length depends on the step.
    mutating func fillSubevents(_ number: Int, step: Int) {
        var command: [UInt8] = [Self.trainHandle, 4]
        for subevent in 0..<4 as Range<UInt8> {
            let length = (step * 7 + Int(subevent)) % 40
            command += [subevent, UInt8(step % 3), 3, UInt8(length)]
            command += [UInt8](repeating: UInt8(step & 0xFF), count: length)
        }
        send(number, [1, 0x82, 0x20, UInt8(command.count)] + command)
    }

    /// Receives two subevents of the train with the handle 0.
    mutating func chooseSubevents(_ number: Int) {
        send(number, [1, 0x84, 0x20, 7, 0, 0, 0x40, 0, 2, UInt8(number & 3), 3])
    }

    /// Answers the last subevent that a controller reported.
    mutating func respond(_ number: Int, step: Int) {
        guard let request = requests[number] else { return }
        let length = step % 30
        send(
            number,
            [1, 0x83, 0x20, UInt8(8 + length), 0, 0] + request
                + [request[2], UInt8((step + number) % 6), UInt8(length)] + [UInt8](repeating: 7, count: length))
    }

    /// Makes the set of a train, without data of its own.
    private mutating func prepareTrain(_ number: Int, kind: UInt8) {
        let handle = Self.trainHandle
        send(
            number,
            [1, 0x36, 0x20, 25, handle, 0, 0, 0x20, 0, 0, 0x20, 0, 0, 7, 1] + [UInt8](repeating: 0, count: 8)
                + [127, kind & 2 == 0 ? 1 : 3, 0, kind & 4 == 0 ? 1 : 2, Self.trainSet, 1])
        send(number, [1, 0x35, 0x20, 7, handle, UInt8(number), 0, 0, 0, 0, 0xC0])
    }

    static let trainHandle: UInt8 = 4
    private static let trainSet: UInt8 = 5

    /// Looks for the train of a controller, by its address or by the list. Scans meanwhile.
    mutating func synchronize(_ number: Int, with other: Int, kind: UInt8) {
        let address = [1, UInt8(other), 0, 0, 0, 0, 0xC0]
        let usesList = kind & 1
        if usesList != 0 { send(number, [1, 0x47, 0x20, 8] + address + [Self.trainSet]) }
        send(
            number,
            [1, 0x44, 0x20, 14, usesList | kind & 4, Self.trainSet] + address + [kind & 2, 0, 30, 0, kind >> 3 & 0x10])
        scanExtended(number)
    }

    /// Receives the trains of which peers tell, on the links that begin later.
    mutating func acceptTransfers(_ number: Int, mode: UInt8) {
        send(number, [1, 0x5D, 0x20, 6, mode & 3, 0, 0, 30, 0, 0])
    }

    /// Tells the peer of the first link of the own train, or of a received one.
    mutating func transfer(_ number: Int, isOwn: Bool) {
        send(
            number,
            isOwn
                ? [1, 0x5B, 0x20, 5, 0x40, 0, 1, 0, Self.trainHandle]
                : [1, 0x5A, 0x20, 6, 0x40, 0, 1, 0, 0, 0])
    }

    // MARK: Links

    /// The features of the host for subrating, before the first link.
    mutating func allowSubrating(_ number: Int) {
        send(number, [1, 0x74, 0x20, 2, 38, 1])
        send(number, [1, 0x7D, 0x20, 10, 1, 0, 8, 0, 4, 0, 0, 0, 0x80, 0x0C])
    }

    /// Begins a procedure on the first link, of another kind with each number.
    mutating func tune(_ number: Int, _ kind: Int) {
        let commands: [[UInt8]] = [
            // LE Subrate Request, LE Request Peer SCA, LE Read Remote Transmit Power Level.
            [0x7E, 0x20, 12, 0x40, 0, 2, 0, 6, 0, 1, 0, 1, 0, 0xC8, 0],
            [0x6D, 0x20, 2, 0x40, 0],
            [0x77, 0x20, 3, 0x40, 0, 1],
            // LE Set Path Loss Reporting Parameters and Enable, LE Set Transmit Power Reporting Enable.
            [0x78, 0x20, 8, 0x40, 0, 50, 2, 20, 2, 1, 0],
            [0x79, 0x20, 3, 0x40, 0, 1],
            [0x7A, 0x20, 4, 0x40, 0, 1, 1],
            // LE Set Host Channel Classification, Vendor Write Transmit Power, LE Enhanced Read Transmit Power Level.
            [0x14, 0x20, 5, 0xFF, 0x0F, 0, 0xFF, 0x1F],
            [0x0E, 0xFC, 4, 2, 0x40, 0, 0xF0],
            [0x76, 0x20, 3, 0x40, 0, 1],
            [0x7E, 0x20, 12, 0x40, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0xC8, 0],
            [0x14, 0x20, 5, 0xFF, 0xFF, 0xFF, 0xFF, 0x1F],
        ]
        send(number, [1] + commands[kind % commands.count])
    }

    /// Gives a controller a clock with an error in ppm and an announced accuracy (Vendor Write Sleep Clock).
    mutating func setClock(_ number: Int, error: Int8, accuracy: UInt8) {
        send(number, [1, 0x80, 0xFC, 3, UInt8(bitPattern: error), error < 0 ? 0xFF : 0, accuracy])
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
                if !digests.isEmpty { digests[controller.rawValue].mix(packet, at: radio.now) }
                // LE Periodic Advertising Report, version 2.
                if packet.count > 11, packet[0] == 4, packet[1] == 0x3E, packet[3] == 0x25 {
                    requests[controller.rawValue] = [packet[9], packet[10], packet[11]]
                }
                require(packet[0] == 4 || packet[0] == 2, "a controller sends packets of type \(packet[0])")
                require((try? H4.Packet(decoding: packet)) != nil, "a controller sends a packet that does not decode")
            }
            require((radio.status(of: controller)?.linkCount ?? 0) <= 32, "more links than there may be")
        }
        self.octets += octets
        require(self.octets < 1 << 22, "\(self.octets) octets for the hosts in one run")
    }
}

/// FNV-1a of packets and their times.
final class Digest: Equatable {
    private var value: UInt64 = 0xCBF2_9CE4_8422_2325

    func mix(_ octets: Span<UInt8>, at time: Instant) {
        value = (value ^ UInt64(bitPattern: time.nanoseconds)) &* 0x100_0000_01B3
        for index in octets.indices { value = (value ^ UInt64(octets[index])) &* 0x100_0000_01B3 }
    }

    static func == (left: Digest, right: Digest) -> Bool { left.value == right.value }
}
