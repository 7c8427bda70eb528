import BLEAttribute
import BLEController
import BLEHost
import BLELink
import BLEWire

/// A host, the line to its controller, and its driver. The driver restarts the host after a failure, as an adapter
/// does, and answers its clients.
package final class FaultyHost {
    package var host: HostStack
    package let controller: ControllerIdentifier
    package var toController: FaultyLine
    package var toHost: FaultyLine
    package private(set) var ledger = Ledger()
    package let service: AddedService
    package var results: [UInt32: Result<GATTResult, GATTError>] = [:]
    /// The value that clients read and write.
    package var value: [UInt8] = [1, 2, 3]
    /// The data that arrives during a proof; nil outside of proofs.
    var inbox: Inbox?
    /// The credit-based channels that are opening or open. Octets on channels of the peer are echoed.
    var channels: [ChannelKey: Channel] = [:]
    /// The number of advertising reports from the controller.
    private(set) var reportPackets = 0
    package private(set) var mostOctets = 0
    /// Whether its owner powers it on again after it has failed.
    package var startsAgain = true

    /// The errors of the controller, and their rate; nil: always.
    package var misbehaviour: (how: Misbehaviour, with: Misbehaviour.Target, times: Int?)?
    /// The number of packets that it sent with an error, or at a wrong time.
    package private(set) var misbehaved = 0
    package private(set) var states: [HostState] = []
    package private(set) var violations: [ProtocolViolation] = []

    /// Receives every packet that reaches the controller or the host, and every event.
    package var observer: ((_ what: String) -> Void)?

    private var controllerFramer = H4Framer(reader: .controller)
    private var hostFramer = H4Framer(reader: .host)
    private var restartsAt: Instant?
    private var operations: UInt32 = 0
    /// The state of the packet in transit.
    private var scratch: [UInt8] = []

    package init(_ host: consuming HostStack, controller: ControllerIdentifier, seed: UInt64) {
        self.host = host
        self.controller = controller
        toController = FaultyLine(.toController, seed: seed &* 2)
        toHost = FaultyLine(.toHost, seed: seed &* 2 &+ 1)
        let definition = ServiceDefinition(
            uuid: Self.serviceUUID, isPrimary: true, includedServices: [],
            characteristics: [
                CharacteristicDefinition(
                    uuid: Self.characteristicUUID, properties: 0x3E, permissions: 3, value: nil, descriptors: [])
            ])
        // A new database has room for one service.
        service = self.host.database.add(definition, included: [])!
        self.host.channelListeners = [CreditBasedListener(spsm: Self.spsm, requiresEncryption: false)]
    }

    package static let serviceUUID = BluetoothUUID(UInt16(0xFEE7))
    package static let characteristicUUID = BluetoothUUID(UInt16(0x36F5))
    package static let spsm: UInt16 = 0x80

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

    func problem(_ text: String) { ledger.problem(text) }

    package func checkQuiet() { ledger.checkQuiet(host.links) }

    package func forget() {
        ledger.forgetEnded()
        results.removeAll(keepingCapacity: true)
        states.removeAll(keepingCapacity: true)
        violations.removeAll(keepingCapacity: true)
    }

    /// Performs the actions that are due.
    func fire(at now: Instant) {
        if let due = host.nextTimeout, due <= now { host.handleTimeout(at: now) }
        if let due = restartsAt, due <= now {
            restartsAt = nil
            // As after a port is opened again.
            hostFramer.reset()
            controllerFramer.reset()
            host.start(at: now)
        }
    }

    /// Moves octets and events once. Returns false if there was nothing to move.
    func move(_ radio: VirtualRadio, at now: Instant) -> Bool {
        var moved = takeEvents(at: now)
        mostOctets = max(mostOctets, host.output.packets.count)
        if !host.output.packets.isEmpty {
            moved = true
            var position = 0
            while position < host.output.packets.count {
                let count = Self.packetLength(host.output.packets, at: position)
                toController.send(host.output.packets.span.extracting(position..<position + count), at: now)
                position += count
            }
            host.output.packets.removeAll(keepingCapacity: true)
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
                    if $0.count > 3, $0[0] == 4, $0[1] == 0x3E, $0[3] == 2 { reportPackets += 1 }
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
        guard !host.output.events.pending.isEmpty else { return false }
        let events = host.output.events.pending
        let bytes = host.output.events.attributes.arena.octets
        let items = host.output.events.attributes.arena.writeItems
        host.output.events.removeAll()
        for event in events {
            ledger.take(event)
            observer?("event \(event)")
            inbox?.take(event, bytes)
            switch event {
            case .stateChanged(let state):
                states.append(state)
                if case .failed = state, startsAgain { restartsAt = now + .seconds(2) }
            case .protocolViolation(_, let violation): violations.append(violation)
            case .completed(_, let id, let result): results[id] = result
            default: serve(event, bytes, items, at: now)
            }
        }
        return true
    }
}
