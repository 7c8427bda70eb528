import BLEAttribute
import BLEController
import BLEHost
import BLEWire

/// A host, the wire to its controller, and who drives it: an owner that switches it on again when it has given up, as an
/// adapter does, and answers its clients.
package final class FaultyHost {
    package var host: HostStack
    package let controller: ControllerIdentifier
    package var toController: FaultyLine
    package var toHost: FaultyLine
    package private(set) var ledger = Ledger()
    package let service: AddedService
    package var results: [UInt32: Result<GATTResult, GATTFailure>] = [:]
    package private(set) var lastValue: [UInt8] = []
    /// What clients read and write.
    package var value: [UInt8] = [1, 2, 3]
    package private(set) var mostOctets = 0
    /// Whether its owner switches it on again when it has given up.
    package var startsAgain = true

    /// What the controller gets wrong, and how often; nil: always.
    package var misbehaviour: (how: Misbehaviour, with: Misbehaviour.Target, times: Int?)?
    /// How often it sent something else than it should have, or at another time.
    package private(set) var misbehaved = 0
    package private(set) var states: [HostState] = []
    package private(set) var violations: [ProtocolViolation] = []

    /// Sees every packet that gets to the controller or the host, and every event.
    package var observer: ((_ what: String) -> Void)?

    private var controllerFramer = H4Framer(reader: .controller)
    private var hostFramer = H4Framer(reader: .host)
    private var restartsAt: Instant?
    private var operations: UInt32 = 0
    /// Of the packet under way.
    private var scratch: [UInt8] = []

    package init(_ host: consuming HostStack, controller: ControllerIdentifier, seed: UInt64) {
        self.host = host
        self.controller = controller
        toController = FaultyLine(.toController, seed: seed &* 2)
        toHost = FaultyLine(.toHost, seed: seed &* 2 &+ 1)
        let definition = ServiceDefinition(
            uuid: BluetoothUUID(UInt16(0xFEE7)), isPrimary: true, includedServices: [],
            characteristics: [
                CharacteristicDefinition(
                    uuid: BluetoothUUID(UInt16(0x36F5)), properties: 0x3E, permissions: 3, value: nil, descriptors: [])
            ])
        // A new database holds one service for sure.
        service = self.host.database.add(definition, included: [])!
    }

    package var valueHandle: UInt16 { service.characteristics[0].valueHandle }
    package var rates: FaultyLine.Rates {
        get { toHost.rates }
        set {
            toHost.rates = newValue
            toController.rates = newValue
        }
    }
    package var faults: Int { toHost.faults + toController.faults }

    var nextDeadline: Instant? {
        var first = host.nextTimeout
        for other in [restartsAt, toController.nextDelivery, toHost.nextDelivery] {
            guard let other else { continue }
            first = first.map { min($0, other) } ?? other
        }
        return first
    }

    package func submit(_ operation: GATTOperation, on link: LinkIdentifier, at now: Instant) -> UInt32 {
        operations += 1
        ledger.submitted(operations, on: link)
        host.submit(operation, id: operations, on: link, at: now)
        return operations
    }

    package func checkQuiet() { ledger.checkQuiet(host.links) }

    package func forget() {
        ledger.forgetEnded()
        results.removeAll(keepingCapacity: true)
        states.removeAll(keepingCapacity: true)
        violations.removeAll(keepingCapacity: true)
    }

    /// Does what is due.
    func fire(at now: Instant) {
        if let due = host.nextTimeout, due <= now { host.handleTimeout(at: now) }
        if let due = restartsAt, due <= now {
            restartsAt = nil
            // As when a port is opened anew.
            hostFramer.reset()
            controllerFramer.reset()
            host.start(at: now)
        }
    }

    /// Moves octets and events once. False when there was nothing to move.
    func move(_ radio: VirtualRadio) -> Bool {
        let now = radio.now
        var moved = takeEvents(at: now)
        mostOctets = max(mostOctets, host.outgoing.count)
        if !host.outgoing.isEmpty {
            moved = true
            var position = 0
            while position < host.outgoing.count {
                let count = Self.packetLength(host.outgoing, at: position)
                toController.send(host.outgoing.span.extracting(position..<position + count), at: now)
                position += count
            }
            host.outgoing.removeAll(keepingCapacity: true)
        }
        if let due = toController.nextDelivery, due <= now {
            moved = true
            toController.deliver(at: now) { octets in
                controllerFramer.receive(octets, at: now) {
                    observe("to controller", $0)
                    radio.receive($0, for: controller)
                }
            }
        }
        radio.drainOutput(of: controller) { packet in
            moved = true
            sendToHost(packet, at: now)
        }
        if let due = toHost.nextDelivery, due <= now {
            moved = true
            toHost.deliver(at: now) { octets in
                hostFramer.receive(octets, at: now) {
                    observe("to host", $0)
                    host.receive($0, at: now)
                }
            }
        }
        if takeEvents(at: now) { moved = true }
        return moved
    }

    private func sendToHost(_ packet: Span<UInt8>, at now: Instant) {
        guard let (how, target, times) = misbehaviour, times.map({ misbehaved < $0 }) ?? true,
            target.matches([UInt8](packet))
        else { return toHost.send(packet, at: now) }
        if how == .late {
            misbehaved += 1
            return toHost.send(packet, at: now, delayedBy: .milliseconds(2_500))
        }
        let right = [UInt8](packet)
        let sent = how.apply(to: right, target)
        if sent != [right] { misbehaved += 1 }
        for packet in sent { toHost.send(packet.span, at: now) }
    }

    private func observe(_ what: String, _ packet: Span<UInt8>) {
        guard let observer else { return }
        observer(what + " " + [UInt8](packet).map { String($0, radix: 16) }.joined(separator: " "))
    }

    private static func packetLength(_ octets: [UInt8], at start: Int) -> Int {
        octets[start] == 1
            ? 4 + Int(octets[start + 3]) : 5 + Int(octets[start + 3]) + Int(octets[start + 4]) << 8
    }

    private func takeEvents(at now: Instant) -> Bool {
        guard !host.events.isEmpty else { return false }
        let events = host.events
        let bytes = host.eventBytes
        let items = host.eventItems
        host.drainEvents()
        for event in events {
            ledger.take(event)
            observer?("event \(event)")
            switch event {
            case .stateChanged(let state):
                states.append(state)
                if case .failed = state, startsAgain { restartsAt = now + .seconds(2) }
            case .protocolViolation(_, let violation): violations.append(violation)
            case .completed(_, let id, let result): results[id] = result
            case .value(let link, _, let range, let isIndication):
                lastValue = [UInt8](bytes[range])
                if isIndication { host.confirmIndication(on: link, at: now) }
            case .servicesChanged(let link, _): host.confirmIndication(on: link, at: now)
            case .readRequest(let link, let request, _, let offset):
                if offset <= value.count {
                    host.respondToRead(
                        request, value: value.span.extracting(droppingFirst: offset), on: link, at: now)
                } else {
                    host.respondToRead(request, error: .invalidOffset, on: link, at: now)
                }
            case .writeRequest(let link, let request, let range, let needsResponse):
                for item in items[range] where item.offset == 0 { value = [UInt8](bytes[item.value]) }
                if needsResponse { host.respondToWrite(request, error: nil, on: link, at: now) }
            default: break
            }
        }
        return true
    }
}
