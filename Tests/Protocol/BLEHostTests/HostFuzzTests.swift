import BLEWire
import Testing

@testable import BLEHost

struct HostFuzzTests {
    /// Octets of an event or of data that look likely enough to reach the machines.
    ///
    /// - Parameter handles: of the links there are. Data for others makes the host doubt its controller before long.
    private func hostilePacket(
        _ random: inout SeededRandom, commands: [HCI.Opcode], handles: [UInt16], isExtended: Bool
    ) -> [UInt8] {
        func octet() -> UInt8 { UInt8(truncatingIfNeeded: random.next()) }
        func small() -> UInt8 { octet() % 8 }
        func handle() -> UInt8 {
            guard !handles.isEmpty, random.next() % 8 != 0 else { return small() }
            return UInt8(truncatingIfNeeded: handles[Int(random.next() % UInt64(handles.count))])
        }
        // Random answers to commands, and random octets, are rare enough for the host to get somewhere between them.
        let kind = random.next() % 16
        switch kind < 4 && random.next() % 8 != 0 ? 15 : kind {
        case 0:
            return (0..<Int(random.next() % 40)).map { _ in octet() }
        case 1, 2:
            let opcode = commands[Int(random.next() % UInt64(commands.count))].rawValue
            let count = Int(random.next() % 70)
            var body = [small() % 3, UInt8(truncatingIfNeeded: opcode), UInt8(truncatingIfNeeded: opcode >> 8)]
            body += [small() % 2] + (0..<count).map { _ in octet() }
            return [4, 0x0E, UInt8(body.count)] + body
        case 3:
            let opcode = commands[Int(random.next() % UInt64(commands.count))].rawValue
            return [
                4, 0x0F, 4, small() % 3, 1, UInt8(truncatingIfNeeded: opcode), UInt8(truncatingIfNeeded: opcode >> 8),
            ]
        case 4, 5:
            return [4, 0x3E, 19, 1, small() % 2, small(), 0, small() % 2, 1, small(), 0, 0, 0, 0, 0xC0]
                + [24, 0, 0, 0, 200, 0, 0]
        case 6: return [4, 0x05, 4, 0, small(), 0, 0x13]
        case 9, 10: return [2, handle(), 0x20, 9, 0, 5, 0, 4, 0, 0x1B, 3, 0, octet(), octet()]
        case 11 where isExtended && octet() & 7 == 0:
            return [4, 0x3E, 6, 0x12, small() % 2 * 0x43, small(), small(), 0, 0]
        case 11 where isExtended:
            // Pieces of few devices and sets, of all kinds and lengths.
            let count = [0, 1, 31, 32, 229][Int(random.next() % 5)]
            var body: [UInt8] = [0x0D, 1, octet() & 0x7F, 0, [0, 1, 2, 3, 0xFF][Int(random.next() % 5)]]
            body += [small() % 4, 0, 0, 0, 0, 0xC0, 1 + small() % 3, small() % 4, small() % 2, octet(), octet(), 0, 0]
            body += [UInt8](repeating: 0, count: 7) + [UInt8(count)] + (0..<count).map { _ in octet() }
            return [4, 0x3E, UInt8(body.count)] + body
        case 7: return [4, 0x13, 5, 1, small(), 0, octet(), octet()]
        case 8:
            let subevent: [UInt8] = [2, 3, 4, 6, 7, 10, 12, 13, 17, 18]
            let body =
                [subevent[Int(random.next() % (isExtended ? 10 : 7))]]
                + (0..<Int(random.next() % 35)).map { _ in small() }
            return [4, 0x3E, UInt8(body.count)] + body
        default:
            let payload = (0..<Int(random.next() % 60)).map { _ in random.next() & 1 == 0 ? small() : octet() }
            var frame = [UInt8(payload.count), 0, 4 + small() % 3, 0] + payload
            if random.next() % 8 == 0 { frame[0] = octet() }
            let flags: UInt8 = random.next() % 4 == 0 ? 0x10 : 0x20
            return [2, handle(), flags, UInt8(frame.count), 0] + frame
        }
    }

    @Test(arguments: 1...8, [false, true])
    func hostileControllersNeverTrapNorFillTheMemory(seed: Int, isExtended: Bool) {
        var random = SeededRandom(seed: UInt64(seed))
        var commands: [HCI.Opcode] = [
            .reset, .leSetScanEnable, .leSetScanParameters, .leCreateConnection, .leCreateConnectionCancel,
            .leAddDeviceToFilterAcceptList, .disconnect, .leSetAdvertisingEnable, .readRSSI, .leReadRemoteFeatures,
            .leSetDataLength, .leReadBufferSize, .none,
        ]
        var host = HostStack(configuration: HostConfiguration(), random: SeededRandom(seed: 1))
        let controller = FakeController()
        if isExtended {
            controller.becomeExtended(.phyCoded)
            commands += FakeController.extendedCommands
        }
        var now = Instant.zero
        let value = [UInt8](repeating: 7, count: 100)
        var linked = 0
        var values = 0
        for round in 0..<6_000 {
            switch random.next() % 24 {
            case 0: host.start(at: now)
            case 1:
                host.setScanning(
                    random.next() & 1 == 0 ? ScanParameters(phys: isExtended ? [.le1M, .leCoded] : .le1M) : nil, at: now
                )
            case 2: host.setAdvertising(AdvertisingParameters(data: [2, 1, 6]), at: now)
            case 8 where isExtended:
                let set = AdvertisingSet(handle: UInt8(truncatingIfNeeded: random.next() % 20))
                let parameters = AdvertisingParameters(
                    data: [UInt8](repeating: 1, count: Int(random.next() % 600)), isConnectable: random.next() & 1 == 0,
                    pdus: .extended(ExtendedAdvertising()))
                host.setAdvertising(random.next() % 3 == 0 ? nil : parameters, of: set, at: now)
            case 3: host.connect(to: DeviceAddress(kind: .random, value: 0xC000_0000_0000 + random.next() % 8), at: now)
            case 4:
                for link in host.links {
                    host.submit(.discoverServices(nil), id: UInt32(round), on: link.identifier, at: now)
                    host.notify(value.span, handle: 9, on: link.identifier, at: now)
                }
            case 5:
                if let link = host.links.first { host.disconnect(link.identifier, at: now) }
            case 6 where random.next() % 40 == 0: host.powerOff(at: now)
            case 7:
                now += .milliseconds(Int(random.next() % 3_000))
                host.handleTimeout(at: now)
            default:
                let packet = hostilePacket(
                    &random, commands: commands, handles: host.connections.map(\.handle), isExtended: isExtended)
                host.receive(packet.span, at: now)
            }
            // Most of the time the controller answers as it should, so that the host gets somewhere.
            let lost = host.state == .ready ? 4 : 32 as UInt64
            for packet in BenchHost.split(host.output.packets) where random.next() % lost != 0 {
                controller.receive(packet)
            }
            host.output.packets.removeAll(keepingCapacity: true)
            for packet in controller.takeOutput() { host.receive(packet.span, at: now) }
            for event in host.output.events.pending {
                switch event {
                case .connected: linked += 1
                case .value(let link, let value):
                    values += 1
                    if value.isIndication { host.confirmIndication(on: link, at: now) }
                default: break
                }
            }
            host.output.events.removeAll()
            #expect(host.output.packets.count < 1 << 20)
            #expect(host.connections.count <= 16)
            #expect(host.access.advertisers.count <= AdvertisingSets.limit + 1)
            #expect(host.output.commands.queue.waitingCount < 2_000)
        }
        // Else the octets were too wild to get past the door.
        #expect(linked > 3)
        #expect(values > 0)
    }
}
