import BLEHost
import BLEWire

/// One path through wire, link, attribute and host, in rounds that are all alike.
protocol Scenario: AnyObject {
    func round()
}

/// A host alone with a scripted controller: octets in, octets and events out, as its driver sees it.
class HostScenario: Scenario {
    var host: HostStack
    let link: LinkIdentifier
    private let now = Instant(nanoseconds: 1_000_000_000)
    /// The output of a round, which shows that the round had an effect.
    private(set) var octetsSent = 0
    private(set) var eventsSeen = 0

    init(fragment: UInt8 = 251) {
        var host = HostStack(configuration: HostConfiguration(), random: SeededRandom(seed: 1))
        var link: LinkIdentifier?
        func settle() {
            while !host.output.packets.isEmpty {
                let sent = host.output.packets
                host.output.packets.removeAll(keepingCapacity: true)
                for answer in Packets.answers(to: sent, fragment: fragment, buffers: 64) {
                    host.receive(answer.span, at: Instant(nanoseconds: 0))
                }
            }
            for event in host.output.events.pending {
                if case .connected(let connected, _, _, _) = event { link = connected }
            }
            host.output.events.removeAll()
        }
        host.start(at: Instant(nanoseconds: 0))
        settle()
        host.setScanning(ScanParameters(), at: Instant(nanoseconds: 0))
        settle()
        host.connect(to: DeviceAddress(kind: .random, value: 0xC000_0000_0001), at: Instant(nanoseconds: 0))
        settle()
        // The answer to the host's exchange of the MTU.
        for packet in Packets.attribute([0x03, 0xF7, 0x00], fragment: Int(fragment)) {
            host.receive(packet.span, at: Instant(nanoseconds: 0))
        }
        settle()
        host.receive(Packets.completed(1).span, at: Instant(nanoseconds: 0))
        settle()
        guard let link, host.mtu(of: link) == 247 else { fail("the host has no link") }
        self.host = host
        self.link = link
    }

    func round() {}

    final func receive(_ packet: [UInt8]) {
        host.receive(packet.span, at: now)
        drain()
    }

    final func writeCommand(_ value: [UInt8]) {
        guard (try? host.writeCommand(value.span, handle: 3, on: link, at: now)) == true else {
            fail("a write was refused")
        }
        drain()
    }

    final func notify(_ value: [UInt8]) {
        guard host.notify(value.span, handle: 3, on: link, at: now) else { fail("a notification was refused") }
        drain()
    }

    final func read() {
        host.submit(.read(handle: 3), id: 7, on: link, at: now)
        drain()
    }

    final func confirm() {
        host.confirmIndication(on: link, at: now)
        drain()
    }

    private func drain() {
        octetsSent += host.output.packets.count
        eventsSeen += host.output.events.pending.count
        host.output.packets.removeAll(keepingCapacity: true)
        host.output.events.removeAll()
    }
}

/// Packets of the controller alone.
final class Receiving: HostScenario {
    private let packets: [[UInt8]]

    init(_ packets: [[UInt8]], fragment: UInt8 = 251) {
        self.packets = packets
        super.init(fragment: fragment)
    }

    override func round() { for packet in packets { receive(packet) } }
}

/// An indication, its confirmation by the owner, and the completed packet of the controller.
final class Confirming: HostScenario {
    private let indication: [UInt8]
    private let completed = Packets.completed(1)

    init(_ value: [UInt8]) {
        indication = Packets.attribute([0x1D, 3, 0] + value)[0]
        super.init()
    }

    override func round() {
        receive(indication)
        confirm()
        receive(completed)
    }
}

/// Sends a value; the controller completes the packet.
final class Sending: HostScenario {
    private let isNotification: Bool
    private let value = [UInt8](repeating: 7, count: 244)
    private let completed: [UInt8]

    init(isNotification: Bool, fragment: UInt8 = 251) {
        self.isNotification = isNotification
        completed = Packets.completed(UInt16((251 + Int(fragment) - 1) / Int(fragment)))
        super.init(fragment: fragment)
    }

    override func round() {
        if isNotification { notify(value) } else { writeCommand(value) }
        receive(completed)
    }
}

/// A read and its answer.
final class Reading: HostScenario {
    private let answer = Packets.attribute([0x0B] + [UInt8](repeating: 0x55, count: 20))[0]
    private let completed = Packets.completed(1)

    override func round() {
        read()
        receive(completed)
        receive(answer)
    }
}
