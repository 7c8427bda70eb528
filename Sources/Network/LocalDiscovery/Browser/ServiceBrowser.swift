/// Finds the services of one type on the local network (RFC 6762, 5.2; RFC 6763, 4), without sockets and clock.
///
/// The caller passes received messages and the time, sends what `takeOutgoing` returns, handles the events, and calls `handleTimeout` at
/// `deadline`. Memory is bounded: 1,024 records, 512 of one source, and 256 services.
package struct ServiceBrowser {
    package enum Event: Equatable, Sendable {
        case found(FoundService)
        case changed(FoundService)
        case lost(FoundService)
    }

    private static let mostServices = 256
    private static let mostAddresses = 16
    private static let longestPause = Duration.seconds(3600)

    /// A question about one name that the browser has not been answered.
    private struct Question {
        var asked = 0
        var next: Duration
    }

    package let type: String
    private let typeName: DNSName
    private var interfaces: Set<Int> = []
    private var cache = RecordCache()
    private var services: [DNSName: FoundService] = [:]
    private var missing: [DNSQuestion: Question] = [:]
    private var nextQuery: Duration?
    private var pause = Duration.seconds(1)
    private var isFirstQuery = true
    private var events: [Event] = []
    private var outgoing: [OutgoingMessage] = []
    private var delays: DelayGenerator

    /// - Parameter seed: The seed of the delays.
    package init(type: String, seed: UInt64) throws(LocalServiceError) {
        guard let typeName = LocalService.typeName(type) else { throw .type(type) }
        self.type = type
        self.typeName = typeName
        delays = DelayGenerator(seed: seed)
    }

    // MARK: Calls

    package var found: [FoundService] { services.values.sorted { $0.name < $1.name } }
    /// The number of records that found no space.
    package var refusedRecords: Int { cache.refused }
    package var recordCount: Int { cache.entries.count }

    /// Sets the interfaces to ask on. The records of others are removed, and a new one starts the questions again.
    package mutating func setInterfaces(_ numbers: Set<Int>, at now: Duration) {
        guard numbers != interfaces else { return }
        let hasNew = !numbers.isSubset(of: interfaces)
        interfaces = numbers
        cache.remove { !numbers.contains($0.interface) }
        if hasNew {
            pause = .seconds(1)
            isFirstQuery = true
            nextQuery = now + delays.milliseconds(20...120)
        }
        update(at: now)
    }

    package mutating func takeOutgoing() -> [OutgoingMessage] {
        defer { outgoing = [] }
        return outgoing
    }

    package mutating func takeEvents() -> [Event] {
        defer { events = [] }
        return events
    }

    package var deadline: Duration? {
        var result = interfaces.isEmpty ? nil : nextQuery
        func consider(_ time: Duration?) { if let time { result = min(result ?? time, time) } }
        for entry in cache.entries.values {
            consider(entry.expiry)
            consider(entry.nextRefresh)
        }
        for question in missing.values { consider(question.next) }
        return result
    }

    package mutating func handleTimeout(at now: Duration) {
        if cache.expire(at: now) { update(at: now) }
        ask(at: now)
    }

    /// Receives a message from `source`. The caller checks that `source` is on the link of the interface (RFC 6762, 11).
    package mutating func receive(_ message: DNSMessage, from source: Endpoint, on interface: Int, at now: Duration) {
        guard message.isResponse, source.port == 5353, interfaces.contains(interface) else { return }
        let records = (message.answers + message.additionals).filter { $0.class == DNSRecord.internet }
        let named = records.filter(isRelevant)
        var hosts = Set(named.compactMap(Self.host))
        for key in cache.entries.keys { if let host = Self.host(key.identity.data) { hosts.insert(host) } }
        let relevant = named + records.filter { ($0.type == .a || $0.type == .aaaa) && hosts.contains($0.name) }
        guard !relevant.isEmpty else { return }
        for record in relevant where record.isUnique { cache.flush(record, on: interface, at: now) }
        for record in relevant { cache.insert(record, from: source.address, on: interface, at: now) }
        update(at: now)
    }

    // MARK: Records

    private static func host(_ record: DNSRecord) -> DNSName? { host(record.data) }
    private static func host(_ data: DNSData) -> DNSName? {
        if case .service(_, _, _, let host) = data { return host }
        return nil
    }

    private func isRelevant(_ record: DNSRecord) -> Bool {
        switch record.data {
        case .pointer(let target): record.name == typeName && target.parent == typeName
        case .service: record.name.parent == typeName
        case .text(let strings): record.name.parent == typeName && strings.count <= 256
        default: false
        }
    }

    /// Computes the services and the missing records from the cache, and the events from the difference.
    private mutating func update(at now: Duration) {
        var instances: Set<DNSName> = []
        // The host and port of the SRV record that was received last.
        var hosts: [DNSName: (host: DNSName, port: UInt16, received: Duration)] = [:]
        var texts: [DNSName: (strings: [[UInt8]], received: Duration)] = [:]
        var addresses: [DNSName: [FoundService.Address]] = [:]
        for (key, entry) in cache.entries {
            let name = key.identity.name
            switch key.identity.data {
            case .pointer(let target): instances.insert(target)
            case .service(_, _, let port, let host):
                if entry.received >= hosts[name]?.received ?? .zero { hosts[name] = (host, port, entry.received) }
            case .text(let strings):
                if entry.received >= texts[name]?.received ?? .zero { texts[name] = (strings, entry.received) }
            case .address(let address):
                addresses[name, default: []].append(
                    FoundService.Address(address: address, interface: key.interface))
            default: break
            }
        }
        var current: [DNSName: FoundService] = [:]
        var wanted: Set<DNSQuestion> = []
        // Instances with an SRV record come first: names alone do not push them out.
        let resolved = instances.filter { hosts[$0] != nil }
        let order = [resolved, instances.subtracting(resolved)].flatMap { names in
            names.sorted { $0.octets.lexicographicallyPrecedes($1.octets) }
        }
        for name in order.prefix(Self.mostServices) {
            if texts[name] == nil { wanted.insert(DNSQuestion(name, .txt)) }
            guard let (host, port, _) = hosts[name] else {
                wanted.insert(DNSQuestion(name, .srv))
                continue
            }
            guard let found = addresses[host], port != 0 else {
                wanted.formUnion([DNSQuestion(host, .a), DNSQuestion(host, .aaaa)])
                continue
            }
            current[name] = FoundService(
                name: name.labels[0], type: type, host: host.description, port: port,
                text: Self.attributes(texts[name]?.strings ?? []),
                addresses: Array(found.sorted(by: Self.isBefore).prefix(Self.mostAddresses)))
        }
        missing = missing.filter { wanted.contains($0.key) }
        for question in wanted where missing[question] == nil {
            missing[question] = Question(next: now + delays.milliseconds(20...120))
        }
        report(current)
    }

    private mutating func report(_ current: [DNSName: FoundService]) {
        let old = services
        services = current
        for (name, service) in old.sorted(by: { $0.value.name < $1.value.name }) where current[name] == nil {
            events.append(.lost(service))
        }
        for (name, service) in current.sorted(by: { $0.value.name < $1.value.name }) where old[name] != service {
            events.append(old[name] == nil ? .found(service) : .changed(service))
        }
    }

    private static func isBefore(_ left: FoundService.Address, _ right: FoundService.Address) -> Bool {
        let (one, other) = (left.address.octets, right.address.octets)
        if one.count != other.count { return one.count < other.count }
        return one == other ? left.interface < right.interface : one.lexicographicallyPrecedes(other)
    }

    /// The attributes of a TXT record: the first of two equal keys counts, and a string without a key does not (RFC 6763, 6.4).
    private static func attributes(_ strings: [[UInt8]]) -> [String: String] {
        var result: [String: String] = [:]
        for string in strings {
            let parts = string.split(separator: 0x3D, maxSplits: 1, omittingEmptySubsequences: false)
            guard let first = parts.first, !first.isEmpty else { continue }
            let key = String(decoding: first, as: UTF8.self)
            if result[key] == nil {
                result[key] = parts.count > 1 ? String(decoding: parts[1], as: UTF8.self) : ""
            }
        }
        return result
    }

    // MARK: Questions

    private mutating func ask(at now: Duration) {
        guard !interfaces.isEmpty else { return }
        var questions: [DNSQuestion] = []
        var isQuery = false
        if let next = nextQuery, next <= now {
            isQuery = true
            questions.append(DNSQuestion(typeName, .ptr, wantsUnicast: isFirstQuery))
            isFirstQuery = false
            nextQuery = now + pause
            pause = min(pause * 2, Self.longestPause)
        }
        for (question, state) in missing where state.next <= now {
            questions.append(question)
            missing[question] = Question(
                asked: state.asked + 1, next: now + min(.seconds(1 << min(state.asked, 6)), .seconds(60)))
        }
        for (key, entry) in cache.entries {
            guard let refresh = entry.nextRefresh, refresh <= now else { continue }
            cache.countRefresh(key)
            let question = DNSQuestion(key.identity.name, key.identity.type)
            if !questions.contains(where: { $0.name == question.name && $0.type == question.type }) {
                questions.append(question)
            }
        }
        questions.sort { $0.name.octets.lexicographicallyPrecedes($1.name.octets) }
        while !questions.isEmpty {
            var message = DNSMessage()
            message.questions = Array(questions.prefix(8))
            questions.removeFirst(message.questions.count)
            for interface in interfaces.sorted() {
                message.answers = isQuery ? knownAnswers(on: interface, at: now) : []
                for octets in message.encoded(limit: DNSMessage.longestSent) {
                    outgoing.append(OutgoingMessage(interface: interface, destination: nil, octets: octets))
                }
            }
            isQuery = false
        }
    }

    /// The services that need no answer: those with more than half of their time left (RFC 6762, 7.1).
    private func knownAnswers(on interface: Int, at now: Duration) -> [DNSRecord] {
        cache.entries.compactMap { key, entry in
            guard key.interface == interface, key.identity.type == .ptr,
                entry.expiry - now > entry.timeToLive / 2
            else { return nil }
            return DNSRecord(
                key.identity.name, .ptr, isUnique: false, timeToLive: entry.remaining(at: now), key.identity.data)
        }
    }
}
