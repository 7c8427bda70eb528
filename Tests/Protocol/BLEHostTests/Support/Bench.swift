import BLEAttribute
import BLECrypto
import BLEWire

@testable import BLEHost

/// A host with its controller and all the events it had.
final class BenchHost {
    var host: HostStack
    let controller: FakeController
    /// Events with their octets.
    private(set) var events: [(event: HostEvent, bytes: [UInt8], items: [ATTWriteItem])] = []
    /// The subscribers of each value among the events.
    private(set) var receivers: [[Int]] = []
    /// Answers requests of clients; gets the value's octets written so far.
    var values: [UInt16: [UInt8]] = [:]
    var answersRequests = true

    init(configuration: HostConfiguration = HostConfiguration(), seed: UInt64, controller: FakeController) {
        host = HostStack(
            configuration: configuration, random: SeededRandom(seed: seed),
            crypto: SwiftCryptoProvider(generator: SeededRandom(seed: ~seed)))
        self.controller = controller
    }

    var address: DeviceAddress? { host.ownAddress }

    func clearEvents() { events = [] }

    var states: [HostState] {
        events.compactMap { if case .stateChanged(let state) = $0.event { state } else { nil } }
    }

    var connected: [LinkIdentifier] {
        events.compactMap { if case .connected(let link, _, _, _) = $0.event { link } else { nil } }
    }

    var disconnected: [DisconnectionCause] {
        events.compactMap { if case .disconnected(_, let cause) = $0.event { cause } else { nil } }
    }

    var failedConnections: [DeviceAddress] {
        events.compactMap { if case .connectionFailed(let address, _) = $0.event { address } else { nil } }
    }

    var violations: [ProtocolViolation] {
        events.compactMap { if case .protocolViolation(_, let violation) = $0.event { violation } else { nil } }
    }

    var notifications: [[UInt8]] {
        events.compactMap {
            if case .value(_, let value) = $0.event { Array($0.bytes[value.octets]) } else { nil }
        }
    }

    /// The numbers of the operations that ended, in order.
    var completions: [UInt32] {
        events.compactMap { if case .completed(_, let id, _) = $0.event { id } else { nil } }
    }

    /// How often the queue drained.
    var drained: Int {
        events.count { if case .transmitQueueDrained = $0.event { true } else { false } }
    }

    /// Written values, whole requests.
    var writes: Int {
        events.count { if case .writeRequest = $0.event { true } else { false } }
    }

    func addService(_ definition: ServiceDefinition) -> AddedService? {
        host.database.add(definition, included: [])
    }

    func result(_ id: UInt32) -> Result<GATTResult, GATTError>? {
        for entry in events {
            if case .completed(_, id, let result) = entry.event { return result }
        }
        return nil
    }

    /// Moves packets and events once. False when there was nothing to move.
    func step(at now: Instant) -> Bool {
        var moved = false
        for packet in Self.split(host.output.packets) {
            controller.receive(packet)
            moved = true
        }
        host.output.packets.removeAll(keepingCapacity: true)
        for packet in controller.takeOutput() {
            host.receive(packet.span, at: now)
            moved = true
        }
        let fresh = host.output.events.pending
        let bytes = host.output.events.attributes.arena.octets
        let items = host.output.events.attributes.arena.writeItems
        for case .value(_, let value) in fresh {
            receivers.append(Array(host.output.events.attributes.arena.subscribers[value.subscribers]))
        }
        host.output.events.removeAll()
        for event in fresh {
            events.append((event, bytes, items))
            moved = true
            if answersRequests { answer(event, bytes, items, at: now) }
        }
        return moved
    }

    private func answer(_ event: HostEvent, _ bytes: [UInt8], _ items: [ATTWriteItem], at now: Instant) {
        switch event {
        case .value(let link, let value) where value.isIndication: host.confirmIndication(on: link, at: now)
        case .servicesChanged(let link, _):
            host.confirmIndication(on: link, at: now)
        case .readRequest(let link, let request, let handle, let offset):
            let value = values[handle] ?? []
            if offset <= value.count {
                host.respondToRead(request, value: value.span.extracting(droppingFirst: offset), on: link, at: now)
            } else {
                host.respondToRead(request, error: .invalidOffset, on: link, at: now)
            }
        case .writeRequest(let link, let request, let range, let needsResponse):
            for item in items[range] {
                var value = values[item.handle] ?? []
                if item.offset == 0 { value = [] }
                value.append(contentsOf: bytes[item.value])
                values[item.handle] = value
            }
            if needsResponse { host.respondToWrite(request, error: nil, on: link, at: now) }
        default: break
        }
    }

    /// Whole H4 packets of a host.
    static func split(_ octets: [UInt8]) -> [[UInt8]] {
        var packets: [[UInt8]] = []
        var start = 0
        while start < octets.count {
            let count =
                octets[start] == 1
                ? 4 + Int(octets[start + 3]) : 5 + Int(octets[start + 3]) + Int(octets[start + 4]) << 8
            packets.append(Array(octets[start..<start + count]))
            start += count
        }
        return packets
    }
}

/// Hosts on controllers without radio, in virtual time.
final class Bench {
    private(set) var hosts: [BenchHost] = []
    private(set) var now = Instant.zero
    /// Whether advertisers and initiators find each other.
    var connects = true

    func add(
        _ configuration: HostConfiguration = HostConfiguration(), _ adjust: (FakeController) -> Void = { _ in }
    ) -> BenchHost {
        let controller = FakeController(firstHandle: UInt16(0x40 + 0x100 * hosts.count))
        adjust(controller)
        let host = BenchHost(configuration: configuration, seed: UInt64(hosts.count + 1), controller: controller)
        hosts.append(host)
        return host
    }

    /// Adds a host and starts it.
    func ready(
        _ configuration: HostConfiguration = HostConfiguration(), _ adjust: (FakeController) -> Void = { _ in }
    ) -> BenchHost {
        let host = add(configuration, adjust)
        host.host.start(at: now)
        settle()
        return host
    }

    /// Lets everything happen that needs no time.
    func settle() {
        var rounds = 0
        var moved = true
        while moved, rounds < 10_000 {
            rounds += 1
            moved = false
            for host in hosts where host.step(at: now) { moved = true }
            guard connects else { continue }
            for central in hosts {
                for peripheral in hosts where peripheral !== central {
                    central.controller.tryConnecting(to: peripheral.controller)
                }
            }
        }
    }

    /// Jumps from deadline to deadline.
    func run(_ span: TimeSpan) {
        let end = now + span
        settle()
        while let next = hosts.compactMap({ $0.host.nextTimeout }).min(), next <= end {
            now = max(now, next)
            for host in hosts {
                if let due = host.host.nextTimeout, due <= now { host.host.handleTimeout(at: now) }
            }
            settle()
        }
        now = end
    }

    /// A central linked to a peripheral; the central's and the peripheral's link.
    func link(_ central: BenchHost, _ peripheral: BenchHost) -> (LinkIdentifier, LinkIdentifier)? {
        let before = (central.connected.count, peripheral.connected.count)
        peripheral.host.setAdvertising(AdvertisingParameters(data: [2, 1, 6]), at: now)
        settle()
        central.host.connect(to: peripheral.controller.address, at: now)
        settle()
        guard central.connected.count > before.0, peripheral.connected.count > before.1,
            let first = central.connected.last, let second = peripheral.connected.last
        else { return nil }
        return (first, second)
    }
}
