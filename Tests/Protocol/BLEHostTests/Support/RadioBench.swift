import BLEAttribute
import BLEController
import BLECrypto
import BLEWire

@testable import BLEHost

/// A host on a virtual controller, and its events with their octets.
final class RadioHost {
    var host: HostStack
    let controller: ControllerIdentifier
    private(set) var events: [(at: Instant, event: HostEvent, bytes: [UInt8])] = []
    /// Sends this notification again and again, as long as there is room.
    var floods: (handle: UInt16, link: LinkIdentifier, left: Int)?
    var value: [UInt8] = []
    var written: [UInt8] = []

    init(_ host: consuming HostStack, controller: ControllerIdentifier) {
        self.host = host
        self.controller = controller
    }

    var address: DeviceAddress? { host.ownAddress }

    var connected: [LinkIdentifier] {
        events.compactMap { if case .connected(let link, _, _, _) = $0.event { link } else { nil } }
    }

    var disconnected: [DisconnectionCause] {
        events.compactMap { if case .disconnected(_, let cause) = $0.event { cause } else { nil } }
    }

    var violations: [ProtocolViolation] {
        events.compactMap { if case .protocolViolation(_, let violation) = $0.event { violation } else { nil } }
    }

    func reports(from address: DeviceAddress?) -> [AdvertisingReport] {
        events.compactMap {
            if case .advertisingReport(let report) = $0.event, report.address == address { report } else { nil }
        }
    }

    func values(on link: LinkIdentifier) -> [[UInt8]] {
        events.compactMap {
            if case .value(link, let value) = $0.event { Array($0.bytes[value.octets]) } else { nil }
        }
    }

    func addService() -> AddedService? { host.database.add(TestService.definition, included: []) }

    func result(_ id: UInt32) -> Result<GATTResult, GATTError>? {
        for entry in events {
            if case .completed(_, id, let result) = entry.event { return result }
        }
        return nil
    }

    func takeEvents(at now: Instant) {
        let fresh = host.output.events.pending
        let bytes = host.output.events.attributes.arena.octets
        let items = host.output.events.attributes.arena.writeItems
        host.output.events.removeAll()
        for event in fresh {
            events.append((now, event, bytes))
            switch event {
            case .readRequest(let link, let request, _, let offset):
                let rest = value.span.extracting(droppingFirst: min(offset, value.count))
                host.respondToRead(request, value: rest, on: link, at: now)
            case .writeRequest(let link, let request, let range, let needsResponse):
                for item in items[range] { written += bytes[item.value] }
                if needsResponse { host.respondToWrite(request, error: nil, on: link, at: now) }
            case .value(let link, let value) where value.isIndication: host.confirmIndication(on: link, at: now)
            case .servicesChanged(let link, _):
                host.confirmIndication(on: link, at: now)
            default: break
            }
        }
        while let flood = floods, flood.left > 0, host.takesValues(on: flood.link) {
            let mtu = host.mtu(of: flood.link) ?? 23
            var octets = [UInt8](repeating: 0, count: mtu - 3)
            octets[0] = UInt8(truncatingIfNeeded: flood.left)
            octets[1] = UInt8(truncatingIfNeeded: flood.left >> 8)
            host.notify(octets.span, handle: flood.handle, on: flood.link, at: now)
            floods?.left -= 1
        }
    }
}

/// Hosts on one virtual radio.
final class RadioBench {
    let radio: VirtualRadio
    private(set) var hosts: [RadioHost] = []
    private let seed: UInt64

    init(seed: UInt64 = 1, configuration: RadioConfiguration = RadioConfiguration()) {
        self.seed = seed
        radio = VirtualRadio(seed: seed, configuration: configuration, crypto: { SwiftCryptoProvider(generator: $0) })
    }

    var now: Instant { radio.now }

    func ready(
        at position: RadioPosition = .origin, _ configuration: HostConfiguration = HostConfiguration(),
        _ controller: ControllerConfiguration = ControllerConfiguration(), crypto: (any CryptoProvider)? = nil,
        prepare: (RadioHost) -> Void = { _ in }
    ) -> RadioHost {
        let identifier = radio.addController(controller, at: position)
        let random = SeededRandom(seed: seed &* 1_000 &+ UInt64(hosts.count))
        let host = RadioHost(
            HostStack(configuration: configuration, random: random, crypto: crypto), controller: identifier)
        hosts.append(host)
        prepare(host)
        host.host.start(at: now)
        settle()
        return host
    }

    /// Moves packets between hosts and controllers until none is left.
    func settle() {
        var moved = true
        while moved {
            moved = false
            for host in hosts {
                host.takeEvents(at: now)
                for packet in BenchHost.split(host.host.output.packets) {
                    radio.receive(packet.span, for: host.controller)
                    moved = true
                }
                host.host.output.packets.removeAll(keepingCapacity: true)
                var output: [UInt8] = []
                radio.drainOutput(of: host.controller) { output.append($0) }
                for packet in Self.split(output) {
                    host.host.receive(packet.span, at: now)
                    moved = true
                }
                host.takeEvents(at: now)
            }
        }
    }

    /// Whole packets of a controller.
    private static func split(_ octets: [UInt8]) -> [[UInt8]] {
        var packets: [[UInt8]] = []
        var start = 0
        while start + 3 <= octets.count {
            let count =
                octets[start] == 4
                ? 3 + Int(octets[start + 2]) : 5 + Int(octets[start + 3]) + Int(octets[start + 4]) << 8
            packets.append(Array(octets[start..<start + count]))
            start += count
        }
        return packets
    }

    /// Lets the time pass until the condition holds; false if it does not within `span`.
    @discardableResult
    func run(_ span: TimeSpan, until condition: () -> Bool = { false }) -> Bool {
        let end = now + span
        settle()
        while !condition() {
            let timeouts = hosts.compactMap { $0.host.nextTimeout }
            guard let next = (timeouts + [radio.nextDeadline].compactMap { $0 }).min(), next <= end else {
                radio.advance(to: end)
                return condition()
            }
            radio.advance(to: next)
            for host in hosts {
                if let due = host.host.nextTimeout, due <= now { host.host.handleTimeout(at: now) }
            }
            settle()
        }
        return true
    }

    /// Links a central to an advertising peripheral over the air.
    func link(_ central: RadioHost, _ peripheral: RadioHost) -> (LinkIdentifier, LinkIdentifier)? {
        let before = (central.connected.count, peripheral.connected.count)
        peripheral.host.setAdvertising(AdvertisingParameters(data: [2, 1, 6]), at: now)
        settle()
        guard let address = peripheral.address else { return nil }
        central.host.connect(to: address, at: now)
        run(.seconds(20)) { central.connected.count > before.0 && peripheral.connected.count > before.1 }
        guard central.connected.count > before.0, peripheral.connected.count > before.1,
            let first = central.connected.last, let second = peripheral.connected.last
        else { return nil }
        return (first, second)
    }
}
