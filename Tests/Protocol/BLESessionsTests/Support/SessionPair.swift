import BLEAdapter
import BLEController
import BLECrypto
import BLEHost
import BLEWire

@testable import BLESessions

/// A session layer on a virtual controller, and its events.
final class SessionDevice {
    var sessions: HostSessions
    let controller: ControllerIdentifier
    private var events: [SessionEvent] = []
    /// Values of peers, with the sessions that got them.
    private(set) var values: [(value: [UInt8], sessions: [Int])] = []
    /// Values that clients wrote, a list for each request.
    private(set) var writes: [[[UInt8]]] = []
    private(set) var channelOctets: [UInt8] = []
    /// Whether indications are confirmed at once.
    var confirms = true
    /// What reads get; nil: requests stay unanswered.
    var answer: [UInt8]? = [1, 2, 3]

    init(_ seed: UInt64, on radio: VirtualRadio, hasCrypto: Bool = false) {
        let crypto = hasCrypto ? SwiftCryptoProvider(generator: SeededRandom(seed: ~seed)) : nil
        sessions = HostSessions(
            host: HostStack(configuration: HostConfiguration(), random: SeededRandom(seed: seed), crypto: crypto),
            identities: PlainIdentities())
        controller = radio.addController(ControllerConfiguration())
    }

    func take() -> [SessionEvent] {
        defer { events = [] }
        return events
    }

    func takeValues() -> [(value: [UInt8], sessions: [Int])] {
        defer { values = [] }
        return values
    }

    var peer: PeerIdentifier {
        let address = sessions.host.ownAddress ?? DeviceAddress(kind: .public, value: 0)
        return PlainIdentities().identifier(for: address)
    }

    func process(at now: Instant) {
        while sessions.hasEvents {
            var output = SessionOutput()
            sessions.takeOutput(into: &output, at: now)
            for event in output.events { process(event, output, at: now) }
        }
    }

    private func process(_ event: SessionEvent, _ output: borrowing SessionOutput, at now: Instant) {
        events.append(event)
        switch event {
        case .value(_, let link, let value):
            values.append(
                (output.arena.copy(value.octets), Array(output.arena.subscribers[value.subscribers])))
            if value.isIndication, confirms { sessions.host.confirmIndication(on: link, at: now) }
        case .servicesChanged(_, _, let indication, _): sessions.host.confirmIndication(on: indication, at: now)
        case .readRequest(let request, _, let offset, _, _):
            if let answer {
                sessions.respond(to: request, error: 0, value: Array(answer.dropFirst(offset)), at: now)
            }
        case .writeRequest(let request, let items, let needsResponse, _, _):
            writes.append(output.items[items].map { output.arena.copy($0.value) })
            if needsResponse { sessions.respond(to: request, error: 0, value: nil, at: now) }
        case .channelReceived(_, let range): channelOctets += output.arena.octets[range]
        default: break
        }
    }
}

/// A central and a peripheral on one virtual radio. Sessions: 1 and 2 of the central, 3 of the peripheral.
final class SessionPair {
    let radio = VirtualRadio(seed: 1, crypto: { SwiftCryptoProvider(generator: $0) })
    let central: SessionDevice
    let peripheral: SessionDevice
    static let characteristic = CharacteristicReference(service: 7, index: 0)

    init(hasCrypto: Bool = false) {
        central = SessionDevice(2, on: radio, hasCrypto: hasCrypto)
        peripheral = SessionDevice(3, on: radio, hasCrypto: hasCrypto)
        for device in [central, peripheral] { device.sessions.attach(at: now) }
        settle()
        central.sessions.openCentral(1, at: now)
        central.sessions.openCentral(2, at: now)
        peripheral.sessions.openPeripheral(3, at: now)
        run(.milliseconds(5))
        let definition = ServiceDefinition(
            uuid: BluetoothUUID(UInt16(0xFEE7)), isPrimary: true, includedServices: [],
            characteristics: [
                CharacteristicDefinition(
                    uuid: BluetoothUUID(UInt16(0x36F5)), properties: 0x3E, permissions: 3, value: nil, descriptors: [])
            ])
        peripheral.sessions.add(definition, token: 7, session: 3, at: now)
        peripheral.sessions.startAdvertising(Advertisement(localName: "P", services: []), session: 3, at: now)
        settle()
    }

    var now: Instant { radio.now }
    var peer: PeerIdentifier { peripheral.peer }
    /// The peripheral's characteristic.
    var handle: UInt16 { peripheral.sessions.server.services.valueHandle(of: Self.characteristic, session: 3) ?? 0 }

    /// Connects these sessions of the central, and forgets the events.
    func connect(_ sessions: Int...) {
        for session in sessions {
            central.sessions.connect(peer, options: ConnectionOptions(), session: session, at: now)
        }
        run(.seconds(2))
        _ = central.take()
        _ = peripheral.take()
    }

    func submit(_ operation: GATTOperation, session: Int) {
        central.sessions.submit(operation, to: peer, session: session, at: now)
    }

    /// Writes values without a response, each with its session, in one batch.
    func write(_ values: [(value: [UInt8], session: Int)]) {
        var batch = WriteCommandBatch()
        for (value, session) in values { batch.append(value.span, handle: handle, to: peer, session: session) }
        central.sessions.write(batch, at: now)
    }

    func subscribe(_ mode: GATTOperation.NotifyMode = .notification, session: Int) {
        submit(.setNotify(valueHandle: handle, end: handle + 1, mode: mode), session: session)
        run(.seconds(1))
    }

    func update(_ value: [UInt8]) {
        peripheral.sessions.update(
            value.span, of: Self.characteristic, session: 3, targets: [central.peer], at: now)
    }

    func run(_ span: TimeSpan) {
        let end = now + span
        settle()
        while true {
            let deadlines = [radio.nextDeadline, central.sessions.nextDeadline, peripheral.sessions.nextDeadline]
            guard let next = deadlines.compactMap(\.self).min(), next <= end else { return radio.advance(to: end) }
            radio.advance(to: max(next, now))
            for device in [central, peripheral] {
                if let due = device.sessions.nextDeadline, due <= now { device.sessions.handleTimeout(at: now) }
            }
            settle()
        }
    }

    func settle() {
        repeat {
            for device in [central, peripheral] {
                device.process(at: now)
                send(from: device)
            }
            while let next = radio.nextControllerWithOutput {
                let device = next == central.controller ? central : peripheral
                radio.drainOutput(of: next) { device.sessions.receive($0, at: now) }
            }
        } while !central.isQuiet || !peripheral.isQuiet
    }

    private func send(from device: SessionDevice) {
        let octets = device.sessions.host.output.packets
        device.sessions.host.output.packets.removeAll()
        var start = 0
        while start + 4 <= octets.count {
            let length =
                octets[start] == 2
                ? 5 + Int(octets[start + 3]) + Int(octets[start + 4]) << 8 : 4 + Int(octets[start + 3])
            radio.receive(octets.span.extracting(start..<start + length), for: device.controller)
            start += length
        }
    }
}

extension SessionDevice {
    fileprivate var isQuiet: Bool {
        sessions.host.output.packets.isEmpty && !sessions.hasEvents
    }
}
