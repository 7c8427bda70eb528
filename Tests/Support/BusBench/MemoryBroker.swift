import BLETransport
import BLEWire
import Foundation
import SystemBus

/// A bus in memory, with the clock of a scheduler. It routes messages as `dbus-daemon` does; the connections are those of `SystemBus`.
///
/// All of it runs on the scheduler, so with a `ManualScheduler` nothing happens before the test runs that.
package final class MemoryBroker: @unchecked Sendable {
    // `@unchecked Sendable`: used on the queue of its scheduler.

    /// What happens to a name that has no owner if a message is sent to it, or StartServiceByName names it.
    package enum Activation {
        /// The program that `start` begins has to take the name. Messages wait for that.
        case starts(() -> Void)
        /// The name of an error, and its text.
        case fails(String, String)
    }

    package enum Limit {
        /// The usual limits of a system bus (dbus-daemon(1)).
        package static let replies = 128
        package static let rules = 512
    }

    package let scheduler: any SerialScheduler
    package var activations: [String: Activation] = [:]
    /// The time from a message to its receiver.
    package var latency = TimeSpan.zero
    /// How long the start of a service may take.
    package var activationTimeout = TimeSpan.seconds(25)
    /// The calls of one connection that wait for their replies.
    package var replies = Limit.replies
    /// Whether descriptors pass.
    package var passesDescriptors = true
    /// Decides whether a message of one connection for another one passes. Its sender is set.
    package var passes: ((BusMessage) -> Bool)?
    /// Called after each message that passed.
    package var onPass: ((BusMessage) -> Void)?

    private(set) var peers: [MemoryPeer] = []
    /// The connections that own names, by name.
    private(set) var owners: [String: MemoryPeer] = [:]
    /// Messages for a name that starts.
    private var starting: [String: [(MemoryPeer, BusMessage)]] = [:]
    private var lastNumber = 0
    private var serial: UInt32 = 0

    package init(_ scheduler: any SerialScheduler) { self.scheduler = scheduler }

    /// Makes a connection. It is ready when the scheduler has run.
    ///
    /// - Parameter callsAtBus: The calls that leave before the answer to another one. Programs with another library have no such limit.
    package func connect(callsAtBus: Int = BusSession.Limit.callsAtBus) -> BusConnection {
        BusConnection(over: MemoryCarrier(self), callsAtBus: callsAtBus)
    }

    /// Ends a connection as the bus does with one that breaks its rules.
    package func disconnect(_ connection: BusConnection) {
        for peer in peers where peer.carrier?.connection === connection { peer.carrier?.broke() }
    }

    /// Ends the bus: all connections break.
    package func end() {
        for peer in peers { peer.carrier?.broke() }
    }

    /// Stops or continues reading from a connection, so that its output waits.
    package func setReading(_ connection: BusConnection, _ isReading: Bool) {
        for peer in peers where peer.carrier?.connection === connection { peer.carrier?.isTaking = isReading }
    }

    /// Sends octets to a connection, which need not be a message.
    package func deliver(_ octets: [UInt8], to connection: BusConnection) {
        for peer in peers where peer.carrier?.connection === connection {
            peer.carrier?.deliver(octets, [], after: latency)
        }
    }

    // MARK: Connections

    func add(_ carrier: MemoryCarrier) -> MemoryPeer {
        let peer = MemoryPeer(carrier)
        peers.append(peer)
        return peer
    }

    /// Takes octets of a connection. Returns false if they are no messages.
    func receive(_ octets: [UInt8], _ descriptors: [Descriptor], from peer: MemoryPeer) {
        guard !peer.hasEnded else { return }
        do {
            let messages = try peer.input.receive(octets, descriptors) { [self] line in
                peer.carrier?.deliver(Array(line.utf8), [], after: latency)
            } agrees: { [self] in
                passesDescriptors
            }
            for message in messages { route(message, from: peer) }
        } catch {
            peer.carrier?.broke()
        }
    }

    func remove(_ peer: MemoryPeer) {
        guard !peer.hasEnded else { return }
        peer.hasEnded = true
        peers.removeAll { $0 === peer }
        for name in owners.filter({ $0.value === peer }).keys.sorted(by: >) { setOwner(of: name, nil) }
        for each in peers {
            for serial in each.waiting.filter({ $0.value === peer }).keys.sorted() {
                each.waiting[serial] = nil
                fail(
                    each, serial, "org.freedesktop.DBus.Error.NoReply",
                    "Message recipient disconnected from message bus without replying")
            }
        }
    }

    // MARK: Routing

    private func route(_ message: BusMessage, from peer: MemoryPeer) {
        var message = message
        message.sender = peer.name
        guard let sender = peer.name else {
            // The first message has to be Hello.
            guard message.kind == .call, message.member == "Hello", message.destination == BusSession.bus else {
                peer.carrier?.broke()
                return
            }
            return hello(message, peer)
        }
        if message.destination != BusSession.bus {
            guard passes?(message) != false else { return }
        }
        defer { if message.destination != BusSession.bus { onPass?(message) } }
        switch message.kind {
        case .call: call(message, from: peer)
        case .reply, .error:
            guard let receiver = message.destination.flatMap({ self.peer($0) }), let serial = message.replySerial,
                receiver.waiting[serial] === peer
            else { return }
            receiver.waiting[serial] = nil
            send(message, to: receiver)
        case .signal:
            if let destination = message.destination {
                if let receiver = self.peer(destination) { send(message, to: receiver) }
            } else {
                broadcast(message, from: sender)
            }
        case .unknown: break
        }
    }

    private func call(_ message: BusMessage, from peer: MemoryPeer) {
        guard let destination = message.destination else { return }
        if destination == BusSession.bus { return answer(message, peer) }
        if let receiver = self.peer(destination) { return forward(message, from: peer, to: receiver) }
        if activations[destination] != nil { return start(destination, for: message, from: peer) }
        fail(
            peer, message, BusCallError.Name.serviceUnknown,
            "The name \(destination) was not provided by any .service files")
    }

    private func forward(_ message: BusMessage, from peer: MemoryPeer, to receiver: MemoryPeer) {
        if message.isReplyExpected {
            guard peer.waiting.count < replies else {
                return fail(
                    peer, message, BusCallError.Name.limitsExceeded,
                    "The maximum number of pending replies per connection has been reached")
            }
            peer.waiting[message.serial] = receiver
        }
        send(message, to: receiver)
    }

    private func broadcast(_ message: BusMessage, from sender: String) {
        for peer in peers
        where peer.rules.values.contains(where: { rule in
            rule.match.accepts(message, owner: rule.match.sender.map { owners[$0]?.name ?? $0 })
        }) {
            send(message, to: peer)
        }
    }

    func peer(_ name: String) -> MemoryPeer? { owners[name] }

    func send(_ message: BusMessage, to peer: MemoryPeer) {
        var message = message
        if message.serial == 0 {
            serial += 1
            message.serial = serial
        }
        guard let octets = try? message.encoded() else { return }
        // A descriptor that passes a bus is another one for the same file.
        let copies = message.descriptors.map { Descriptor(fcntl($0.number, F_DUPFD_CLOEXEC, 0), kind: .file) }
        peer.carrier?.deliver(octets, copies, after: latency)
    }

    func reply(_ peer: MemoryPeer, _ call: BusMessage, _ values: [BusValue] = []) {
        guard call.isReplyExpected else { return }
        var reply = BusMessage(.reply)
        (reply.replySerial, reply.sender, reply.destination, reply.body) = (
            call.serial, BusSession.bus, peer.name, values
        )
        send(reply, to: peer)
    }

    func fail(_ peer: MemoryPeer, _ call: BusMessage, _ name: String, _ text: String) {
        if call.isReplyExpected { fail(peer, call.serial, name, text) }
    }

    private func fail(_ peer: MemoryPeer, _ serial: UInt32, _ name: String, _ text: String) {
        var error = BusMessage(.error)
        (error.replySerial, error.sender, error.destination, error.errorName) = (
            serial, BusSession.bus, peer.name, name
        )
        error.body = [.string(text)]
        send(error, to: peer)
    }

    // MARK: Names

    private func hello(_ message: BusMessage, _ peer: MemoryPeer) {
        lastNumber += 1
        let name = ":1.\(lastNumber)"
        peer.name = name
        reply(peer, message, [.string(name)])
        setOwner(of: name, peer)
    }

    func setOwner(of name: String, _ owner: MemoryPeer?) {
        let old = owners[name]?.name ?? ""
        owners[name] = owner
        var signal = BusMessage.signal(
            BusSession.busPath, BusSession.bus, "NameOwnerChanged",
            [.string(name), .string(old), .string(owner?.name ?? "")])
        signal.sender = BusSession.bus
        broadcast(signal, from: BusSession.bus)
        guard owner != nil else { return }
        for (peer, message) in starting.removeValue(forKey: name) ?? [] where !peer.hasEnded {
            call(message, from: peer)
        }
    }

    /// Starts the service of a name. The message is delivered when it has the name.
    func start(_ name: String, for message: BusMessage, from peer: MemoryPeer) {
        guard let activation = activations[name] else {
            return fail(
                peer, message, BusCallError.Name.serviceUnknown,
                "The name \(name) was not provided by any .service files")
        }
        switch activation {
        case .fails(let error, let text): fail(peer, message, error, text)
        case .starts(let start):
            starting[name, default: []].append((peer, message))
            guard starting[name]?.count == 1 else { return }
            start()
            scheduler.submit(after: activationTimeout) { [self] in
                for (peer, message) in starting.removeValue(forKey: name) ?? [] {
                    fail(
                        peer, message, "org.freedesktop.DBus.Error.TimedOut",
                        "Failed to activate service '\(name)': timed out (service_start_timeout=25000ms)")
                }
            }
        }
    }
}
