import BLEWire
import MQTTClient

/// A bus over a broker, as a value: connections with pauses between them, subscriptions that each connection gets again, and publications
/// within bounds.
///
/// Calls, events of the client and the time go in; actions and a deadline come out. The session connects when the first subscription needs the
/// broker, and disconnects a minute after the last one has ended.
struct BrokerSession: Sendable {
    enum Action: Equatable, Sendable {
        case connect
        case disconnect
        case subscribe(String)
        case unsubscribe(String)
        case publish(MQTTPublication, number: UInt64)
        /// A message for the subscription with this number.
        case message(Int, topic: String, payload: [UInt8])
        /// The state of the subscription with this number.
        case state(Int, TopicBusState)
    }

    private enum State: Sendable {
        case idle
        case connecting(until: Duration)
        case connected(since: Duration)
        case waiting(until: Duration)
        case closed
    }

    private struct Subscription: Sendable {
        let filter: String
        /// The reason why no broker takes the filter.
        let problem: String?
        /// What the program knows.
        var reported: TopicBusState?
    }

    /// What this connection's broker says about a filter.
    private enum Answer: Sendable {
        case awaited(until: Duration)
        case granted
        case refused(String)
    }

    /// The time in which the broker must accept a connection.
    static let connectionTimeout = Duration.seconds(30)
    /// The time in which the broker must answer a subscription.
    static let subscriptionTimeout = Duration.seconds(10)
    /// A connection that lasts this long makes the next pause short again.
    static let stableTime = Duration.seconds(30)
    /// A connection without a subscription ends after this time.
    static let idleTime = Duration.seconds(60)
    /// The publications that the connection has not sent, and their octets.
    static let mostPublications = 256
    static let mostOctets = 1 << 20
    /// The longest message that the session passes on, in octets.
    static let longestMessage = 64 << 10

    private var state = State.idle
    private var backoff = Backoff(.seconds(1) ... .seconds(30))
    private var subscriptions: [Int: Subscription] = [:]
    private var nextSubscription = 1
    private var answers: [String: Answer] = [:]
    private var idleSince: Duration?
    private var failure = "The connection to the broker has not begun."
    private var publications: [UInt64: Int] = [:]
    private var publishedOctets = 0
    private var nextPublication: UInt64 = 0
    private var actions: [Action] = []
    /// The publications that found no connection, no room, or a topic beyond the limits.
    private(set) var dropped = 0

    var isConnected: Bool { if case .connected = state { true } else { false } }
    /// The publications that the connection has not sent.
    var waitingCount: Int { publications.count }

    mutating func takeActions() -> [Action] {
        defer { actions = [] }
        return actions
    }

    // MARK: Calls

    mutating func subscribe(to filter: String, at now: Duration) -> Int {
        let number = nextSubscription
        nextSubscription += 1
        var problem: String?
        do throws(MQTTClientError) { try MQTTTopic.check(filter) } catch { problem = error.description }
        subscriptions[number] = Subscription(filter: filter, problem: problem)
        idleSince = nil
        if let problem {
            report(.disconnected(problem), number)
            return number
        }
        switch state {
        case .idle: connect(at: now)
        case .connecting: break
        case .connected:
            switch answers[filter] {
            case .granted: report(.connected, number)
            case .awaited: break
            // The broker may have changed its mind.
            case .refused, nil: request(filter, at: now)
            }
        case .waiting, .closed: report(.disconnected(failure), number)
        }
        return number
    }

    mutating func unsubscribe(_ number: Int, at now: Duration) {
        guard let filter = subscriptions.removeValue(forKey: number)?.filter else { return }
        if subscriptions.isEmpty { idleSince = now }
        guard !subscriptions.values.contains(where: { $0.filter == filter }),
            answers.removeValue(forKey: filter) != nil
        else { return }
        actions.append(.unsubscribe(filter))
    }

    mutating func publish(_ payload: [UInt8], to topic: String) {
        guard isConnected, publications.count < Self.mostPublications,
            publishedOctets + payload.count <= Self.mostOctets, (try? MQTTTopic.check(topic)) != nil
        else {
            dropped += 1
            return
        }
        nextPublication += 1
        publications[nextPublication] = payload.count
        publishedOctets += payload.count
        // Quality of service 0: the ends of a link repeat what has no answer, and an acknowledgement of the broker is no answer of the device.
        let message = MQTTPublication(topic: topic, payload: payload, isAcknowledged: false)
        actions.append(.publish(message, number: nextPublication))
    }

    /// Ends the connection for good.
    mutating func close() {
        if case .closed = state { return }
        state = .closed
        failure = "The program has closed the bus."
        forgetConnection()
        actions.append(.disconnect)
        for number in subscriptions.keys.sorted() { report(.disconnected(failure), number) }
    }

    // MARK: Events of the client

    mutating func connected(at now: Duration) {
        guard case .connecting = state else { return }
        state = .connected(since: now)
        for filter in Set(subscriptions.values.filter { $0.problem == nil }.map(\.filter)).sorted() {
            request(filter, at: now)
        }
    }

    mutating func disconnected(
        _ reason: String, at now: Duration, using random: inout some RandomNumberGenerator
    ) {
        switch state {
        case .connected(let since): if now - since >= Self.stableTime { backoff.reset() }
        case .connecting: break
        case .idle, .waiting, .closed: return
        }
        failure = reason
        forgetConnection()
        state = .waiting(until: now + .nanoseconds(backoff.next(using: &random).nanoseconds))
        for number in subscriptions.keys.sorted() { report(.disconnected(reason), number) }
    }

    mutating func subscribed(_ filter: String, refusal: String?) {
        guard case .awaited? = answers[filter] else { return }
        answers[filter] = refusal.map { Answer.refused($0) } ?? Answer.granted
        let state =
            refusal.map { TopicBusState.disconnected("The broker refused the subscription to \(filter): \($0)") }
            ?? .connected
        for number in subscriptions.keys.sorted() where subscriptions[number]?.filter == filter {
            report(state, number)
        }
    }

    /// A publication has left this machine, or was refused.
    mutating func published(_ number: UInt64) {
        if let count = publications.removeValue(forKey: number) { publishedOctets -= count }
    }

    mutating func received(_ message: MQTTMessage) {
        // A message that the broker has kept is a recording.
        guard isConnected, !message.isRetained, message.payload.count <= Self.longestMessage else { return }
        for number in subscriptions.keys.sorted() {
            guard let filter = subscriptions[number]?.filter, MQTTTopic.matches(message.topic, filter: filter) else {
                continue
            }
            actions.append(.message(number, topic: message.topic, payload: message.payload))
        }
    }

    // MARK: Time

    var deadline: Duration? {
        switch state {
        case .idle, .closed: return nil
        case .connecting(let until), .waiting(let until): return until
        case .connected:
            let answers = answers.values.compactMap { if case .awaited(let until) = $0 { until } else { nil } }
            return (answers + [idleSince.map { $0 + Self.idleTime }].compactMap(\.self)).min()
        }
    }

    mutating func handleTimeout(at now: Duration, using random: inout some RandomNumberGenerator) {
        guard let deadline, deadline <= now else { return }
        switch state {
        // A way that broke opens again some seconds later, and finds the connection then.
        case .waiting: if isIdle(at: now) { state = .idle } else { connect(at: now) }
        case .connecting: abandon("The broker did not answer within 30 s.", at: now, using: &random)
        case .connected:
            if isIdle(at: now) {
                actions.append(.disconnect)
                forgetConnection()
                state = .idle
            } else {
                abandon("The broker did not answer a subscription within 10 s.", at: now, using: &random)
            }
        case .idle, .closed: break
        }
    }

    private mutating func abandon(
        _ reason: String, at now: Duration, using random: inout some RandomNumberGenerator
    ) {
        actions.append(.disconnect)
        disconnected(reason, at: now, using: &random)
    }

    // MARK: Parts

    private func isIdle(at now: Duration) -> Bool { idleSince.map { $0 + Self.idleTime <= now } ?? false }

    private mutating func connect(at now: Duration) {
        state = .connecting(until: now + Self.connectionTimeout)
        actions.append(.connect)
    }

    private mutating func request(_ filter: String, at now: Duration) {
        answers[filter] = .awaited(until: now + Self.subscriptionTimeout)
        actions.append(.subscribe(filter))
    }

    private mutating func report(_ state: TopicBusState, _ number: Int) {
        guard let subscription = subscriptions[number], subscription.reported != state else { return }
        // A filter beyond the limits never works.
        guard subscription.problem == nil || subscription.reported == nil else { return }
        subscriptions[number]?.reported = state
        actions.append(.state(number, state))
    }

    private mutating func forgetConnection() {
        answers = [:]
        publications = [:]
        publishedOctets = 0
    }
}
