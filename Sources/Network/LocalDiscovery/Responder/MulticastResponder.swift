/// A responder of multicast DNS (RFC 6762) for one host and its services, without sockets and clock.
///
/// The caller passes received messages and the time, sends what `takeOutgoing` returns, and calls `handleTimeout` at `deadline`. The
/// times are durations since any fixed moment. The responder probes for its names, announces them, defends them, and takes others if they belong
/// to another host. Memory is bounded by the number of services and interfaces.
package struct MulticastResponder {
    private static let mostPending = 32

    /// A response that waits, so that responses of several hosts do not collide (RFC 6762, 6).
    struct PendingResponse {
        let interface: Int
        let source: Endpoint
        var deadline: Duration
        var answers: [DNSRecord]
        /// Whether the question is a probe of another host: its answer must not wait for the limit of one second.
        var isDefence: Bool
    }

    struct SentRecord: Hashable {
        let interface: Int
        let identity: DNSRecordIdentity
    }

    /// The addresses of each interface by its number.
    private(set) var interfaces: [Int: [IPAddress]] = [:]
    /// The host is the first.
    private(set) var uniques: [UniqueName]
    private var pending: [PendingResponse] = []
    /// When each record was last sent to the group.
    private var sent: [SentRecord: Duration] = [:]
    private var outgoing: [OutgoingMessage] = []
    private var delays: DelayGenerator
    /// The number of messages that another host sent about a name of this one with other data.
    package private(set) var conflicts = 0

    /// - Parameter seed: The seed of the delays.
    package init(host: String, seed: UInt64) throws(LocalServiceError) {
        guard (1...DNSName.longestLabel).contains(host.utf8.count) else { throw .name }
        uniques = [UniqueName(host: host)]
        delays = DelayGenerator(seed: seed)
    }

    // MARK: Calls

    /// The name of the host, with the domain.
    package var hostName: DNSName { host.name }
    /// The name that the service has now; nil if it is not published. It can differ from the wanted one.
    package func name(of service: LocalService) -> String? { uniques.first { $0.service == service }?.label }
    /// Whether the names of the host and of all services are probed and announced.
    package var isEstablished: Bool { uniques.allSatisfy { $0.phase == .established } }

    /// Sets the interfaces and their addresses. A change probes and announces again (RFC 6762, 8.3 and 8.4).
    package mutating func setInterfaces(_ interfaces: [Int: [IPAddress]], at now: Duration) {
        guard interfaces != self.interfaces else { return }
        self.interfaces = interfaces
        pending.removeAll { interfaces[$0.interface] == nil }
        sent = sent.filter { interfaces[$0.key.interface] != nil }
        for index in uniques.indices { uniques[index].probe(at: now + delays.milliseconds(0...250)) }
    }

    package mutating func publish(_ service: LocalService, at now: Duration) throws(LocalServiceError) {
        guard !uniques.contains(where: { $0.service == service }) else { return }
        guard uniques.count <= LocalService.mostPublished else { throw .tooManyServices }
        var unique = UniqueName(service)
        while uniques.contains(where: { $0.name == unique.name }) { unique.rename() }
        unique.probe(at: now + delays.milliseconds(0...250))
        uniques.append(unique)
    }

    /// Says goodbye (RFC 6762, 10.1) and forgets the service.
    package mutating func withdraw(_ service: LocalService) {
        guard let index = uniques.firstIndex(where: { $0.service == service }) else { return }
        let unique = uniques.remove(at: index)
        pending = pending.compactMap { entry in
            var entry = entry
            entry.answers.removeAll { $0.name == unique.name || $0.data == .pointer(unique.name) }
            return entry.answers.isEmpty ? nil : entry
        }
        goodbye([unique])
        forgetSent(of: unique)
    }

    /// Says goodbye for the host and all services. The responder then has no service and no interface.
    package mutating func shutDown() {
        goodbye(uniques)
        uniques.removeLast(uniques.count - 1)
        uniques[0].deadline = nil
        interfaces = [:]
        pending = []
        sent = [:]
    }

    package mutating func takeOutgoing() -> [OutgoingMessage] {
        defer { outgoing = [] }
        return outgoing
    }

    package var deadline: Duration? {
        (uniques.map(\.deadline) + pending.map { $0.deadline }).compactMap { $0 }.min()
    }

    package mutating func handleTimeout(at now: Duration) {
        probe(at: now)
        announce(at: now)
        let due = pending.filter { $0.deadline <= now }
        pending.removeAll { $0.deadline <= now }
        for response in due { respond(response, at: now) }
    }

    /// Receives a message from `source`. The caller checks that `source` is on the link of the interface (RFC 6762, 11).
    package mutating func receive(_ message: DNSMessage, from source: Endpoint, on interface: Int, at now: Duration) {
        guard interfaces[interface] != nil else { return }
        if message.isResponse {
            guard source.port == 5353 else { return }
            receiveResponse(message, on: interface, at: now)
        } else {
            compareProbes(message, on: interface, at: now)
            receiveQuery(message, from: source, on: interface, at: now)
        }
    }

    // MARK: Names

    var host: UniqueName { uniques[0] }

    private mutating func probe(at now: Duration) {
        var probed: [UniqueName] = []
        for index in uniques.indices {
            guard case .probing(let count) = uniques[index].phase, let deadline = uniques[index].deadline,
                deadline <= now, !interfaces.isEmpty
            else { continue }
            uniques[index].deadline = now + .milliseconds(250)
            if count == 3 {
                uniques[index].phase = .announcing(sent: 0)
                uniques[index].deadline = now
            } else {
                uniques[index].phase = .probing(sent: count + 1)
                probed.append(uniques[index])
            }
        }
        if interfaces.isEmpty { for index in uniques.indices { uniques[index].deadline = nil } }
        guard !probed.isEmpty else { return }
        for interface in interfaces.keys.sorted() {
            // Few names for each message: all of its proposed records have to be in it (RFC 6762, 8.2).
            for unique in probed {
                var message = DNSMessage()
                message.questions = [DNSQuestion(unique.name, .any, wantsUnicast: true)]
                message.authorities = ownRecords(of: unique, on: interface).map { record in
                    var record = record
                    record.isUnique = false
                    return record
                }
                send(message, on: interface)
            }
        }
    }

    private mutating func announce(at now: Duration) {
        for index in uniques.indices {
            guard case .announcing(let count) = uniques[index].phase, let deadline = uniques[index].deadline,
                deadline <= now
            else { continue }
            if count == 1 {
                uniques[index].establish()
            } else {
                uniques[index].phase = .announcing(sent: count + 1)
                uniques[index].deadline = now + .seconds(1)
            }
            for interface in interfaces.keys.sorted() {
                var message = DNSMessage()
                message.isResponse = true
                message.answers = records(of: uniques[index], on: interface)
                message.additionals =
                    host.isAnnounced ? additionals(to: message.answers, on: interface) : []
                note(message.answers, on: interface, at: now)
                send(message, on: interface)
            }
        }
    }

    /// Two hosts that probe at the same time compare their records: the later ones win (RFC 6762, 8.2).
    private mutating func compareProbes(_ message: DNSMessage, on interface: Int, at now: Duration) {
        guard !message.authorities.isEmpty else { return }
        for index in uniques.indices {
            guard case .probing(let count) = uniques[index].phase, count > 0 else { continue }
            let name = uniques[index].name
            let theirs = ProbeOrder.keys(message.authorities.filter { $0.name == name })
            let ours = ProbeOrder.keys(ownRecords(of: uniques[index], on: interface))
            guard !theirs.isEmpty, ProbeOrder.isBefore(ours, theirs) else { continue }
            // This responder's own probe can return from another of its interfaces.
            let isOwn = interfaces.keys.contains {
                ProbeOrder.keys(ownRecords(of: uniques[index], on: $0)) == theirs
            }
            if !isOwn { uniques[index].probe(at: now + .seconds(1)) }
        }
    }

    private mutating func receiveResponse(_ message: DNSMessage, on interface: Int, at now: Duration) {
        let records = message.answers + message.additionals
        // Another host has given the answer (RFC 6762, 7.4).
        for index in pending.indices where pending[index].interface == interface {
            pending[index].answers.removeAll { answer in
                message.answers.contains { $0.identity == answer.identity && $0.timeToLive >= answer.timeToLive }
            }
        }
        pending.removeAll { $0.answers.isEmpty }
        for index in uniques.indices {
            let unique = uniques[index]
            let own = Set(interfaces.keys.flatMap { ownRecords(of: unique, on: $0) }.map(\.identity))
            let isConflict = records.contains {
                $0.timeToLive > 0 && unique.owns($0.type) && $0.name == unique.name && !own.contains($0.identity)
            }
            if isConflict { lose(index, at: now) }
        }
    }

    /// A name in use is probed for again, and a name that is probed for is given up (RFC 6762, 9).
    private mutating func lose(_ index: Int, at now: Duration) {
        conflicts += 1
        forgetSent(of: uniques[index])
        if uniques[index].isAnnounced {
            uniques[index].probe(at: now, isConflict: true)
            return
        }
        repeat {
            uniques[index].rename()
        } while uniques.indices.contains { $0 != index && uniques[$0].name == uniques[index].name }
        uniques[index].probe(at: now, isConflict: true)
        // The services name their host.
        guard index == 0 else { return }
        for other in uniques.indices.dropFirst() where uniques[other].isAnnounced {
            uniques[other].phase = .announcing(sent: 0)
            uniques[other].deadline = now + .milliseconds(800)
        }
    }

    // MARK: Queries

    private mutating func receiveQuery(
        _ message: DNSMessage, from source: Endpoint, on interface: Int, at now: Duration
    ) {
        func isKnown(_ record: DNSRecord) -> Bool {
            message.answers.contains {
                $0.identity == record.identity && $0.timeToLive >= record.timeToLive / 2
            }
        }
        // The known answers of a query in several messages (RFC 6762, 7.2).
        if message.questions.isEmpty {
            for index in pending.indices where pending[index].source == source && pending[index].interface == interface
            {
                pending[index].answers.removeAll(where: isKnown)
                if message.isTruncated { pending[index].deadline = now + delays.milliseconds(400...500) }
            }
            return pending.removeAll { $0.answers.isEmpty }
        }
        if source.port != 5353 { return answerLegacy(message, to: source, on: interface) }
        var unicast: [DNSRecord] = []
        var multicast: [DNSRecord] = []
        // More questions than a program has records are no honest query.
        for question in message.questions.prefix(4 * LocalService.mostPublished) {
            for record in answers(to: question, on: interface) where !isKnown(record) {
                if question.wantsUnicast, wasSentLately(record, on: interface, at: now) {
                    if !unicast.contains(record) { unicast.append(record) }
                } else if !multicast.contains(record) {
                    multicast.append(record)
                }
            }
        }
        if !unicast.isEmpty {
            var response = DNSMessage()
            response.isResponse = true
            response.answers = unicast
            response.additionals = additionals(to: unicast, on: interface)
            send(response, on: interface, to: source)
        }
        guard !multicast.isEmpty else { return }
        var deadline = now
        if message.isTruncated {
            deadline += delays.milliseconds(400...500)
        } else if multicast.contains(where: { !$0.isUnique }) {
            deadline += delays.milliseconds(20...120)
        }
        let response = PendingResponse(
            interface: interface, source: source, deadline: deadline, answers: multicast,
            isDefence: !message.authorities.isEmpty)
        if pending.count < Self.mostPending {
            pending.append(response)
        } else {
            // A flood of queries: the records join the response that is sent first.
            let index = pending.indices.filter { pending[$0].interface == interface }
                .min { pending[$0].deadline < pending[$1].deadline }
            guard let index else { return }
            pending[index].answers += multicast.filter { !pending[index].answers.contains($0) }
        }
        if deadline == now { handleTimeout(at: now) }
    }

    /// A program that knows no multicast DNS asks from another port, and gets a response like that of a server (RFC 6762, 6.7).
    private mutating func answerLegacy(_ message: DNSMessage, to source: Endpoint, on interface: Int) {
        var response = DNSMessage()
        response.isResponse = true
        response.identifier = message.identifier
        response.questions = Array(message.questions.prefix(4))
        func limited(_ records: [DNSRecord]) -> [DNSRecord] {
            records.map { record in
                var record = record
                record.isUnique = false
                record.timeToLive = min(record.timeToLive, 10)
                return record
            }
        }
        var answers: [DNSRecord] = []
        for question in response.questions {
            answers += self.answers(to: question, on: interface).filter { !answers.contains($0) }
        }
        guard !answers.isEmpty else { return }
        response.answers = limited(answers)
        response.additionals = limited(additionals(to: answers, on: interface))
        // A legacy client reads one packet.
        outgoing.append(
            OutgoingMessage(
                interface: interface, destination: source, octets: response.encoded(limit: DNSMessage.longestSent)[0]))
    }

    /// Whether the record was sent to the group within a quarter of its time to live (RFC 6762, 5.4).
    private func wasSentLately(_ record: DNSRecord, on interface: Int, at now: Duration) -> Bool {
        guard let last = sent[SentRecord(interface: interface, identity: record.identity)] else { return false }
        return now - last < .seconds(Int(record.timeToLive)) / 4
    }

    private mutating func respond(_ response: PendingResponse, at now: Duration) {
        // RFC 6762, 6: a record is sent to the group at most once in a second; 250 ms against a probe.
        let pause: Duration = response.isDefence ? .milliseconds(250) : .seconds(1)
        var message = DNSMessage()
        message.isResponse = true
        message.answers = response.answers.filter { record in
            guard let last = sent[SentRecord(interface: response.interface, identity: record.identity)] else {
                return true
            }
            return now - last >= pause
        }
        guard !message.answers.isEmpty else { return }
        message.additionals = additionals(to: message.answers, on: response.interface)
        note(message.answers, on: response.interface, at: now)
        send(message, on: response.interface)
    }

    // MARK: Sending

    private mutating func goodbye(_ uniques: [UniqueName]) {
        for interface in interfaces.keys.sorted() {
            var message = DNSMessage()
            message.isResponse = true
            for unique in uniques where unique.isAnnounced {
                message.answers += records(of: unique, on: interface)
            }
            // Another service of the same type can still be there.
            message.answers.removeAll { $0.name == Self.services }
            guard !message.answers.isEmpty else { continue }
            for index in message.answers.indices { message.answers[index].timeToLive = 0 }
            send(message, on: interface)
        }
    }

    private mutating func note(_ records: [DNSRecord], on interface: Int, at now: Duration) {
        for record in records { sent[SentRecord(interface: interface, identity: record.identity)] = now }
    }

    private mutating func forgetSent(of unique: UniqueName) {
        sent = sent.filter { $0.key.identity.name != unique.name && $0.key.identity.data != .pointer(unique.name) }
    }

    private mutating func send(_ message: DNSMessage, on interface: Int, to destination: Endpoint? = nil) {
        for octets in message.encoded(limit: DNSMessage.longestSent) {
            outgoing.append(OutgoingMessage(interface: interface, destination: destination, octets: octets))
        }
    }
}
