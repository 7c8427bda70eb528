import BLEWire
import MQTTClient

/// The connection to the broker as a value: attempts, the pauses between them, and the end.
package struct CloudBrokerConnection: Sendable {
    package enum Phase: Equatable, Sendable {
        case idle
        /// The pause before the next attempt.
        case waiting(until: Instant)
        case connecting(deadline: Instant)
        case connected(since: Instant)
        /// The last message is under way.
        case stopping(number: UInt64, deadline: Instant)
        case stopped
    }

    /// What a disconnection ended.
    enum End {
        case attempt
        case connection
        /// The last message, which the broker did not acknowledge.
        case stop
        case nothing
    }

    enum Timeout {
        /// The pause is over.
        case pause
        /// The broker did not accept the connection.
        case attempt
        /// The broker did not acknowledge the last message.
        case stop
    }

    /// The time in which the broker must accept a connection.
    package static let connectionTimeout = TimeSpan.seconds(30)
    /// A connection that lasts this long makes the next pause short again.
    package static let stableTime = TimeSpan.seconds(10)
    /// The pause before the next broker of a cluster, while not all of them have failed in turn.
    package static let nextBrokerPause = TimeSpan.milliseconds(250) ... .milliseconds(500)
    /// The time for the last message.
    package static let stopTimeout = TimeSpan.seconds(2)

    private(set) var phase = Phase.idle
    /// The reason why the last connection ended or failed; nil while connected.
    private(set) var failure: String?
    private let brokerCount: Int
    private var random: SplitMix
    private var backoff = Backoff()
    /// The connections and attempts that ended since the last one that lasted.
    private var ended = 0

    /// - Parameters:
    ///   - brokerCount: The brokers of the cluster, which are tried in turn.
    ///   - seed: For the random part of pauses.
    init(brokerCount: Int, seed: UInt64) {
        self.brokerCount = max(1, brokerCount)
        random = SplitMix(state: seed)
    }

    var isConnected: Bool { if case .connected = phase { true } else { false } }

    mutating func begin(at now: Instant) { phase = .connecting(deadline: now + Self.connectionTimeout) }

    /// The broker accepted the connection. Returns false if none was expected.
    mutating func accept(at now: Instant) -> Bool {
        guard case .connecting = phase else { return false }
        phase = .connected(since: now)
        failure = nil
        return true
    }

    /// The connection ended. After `attempt` and `connection` the next attempt follows a pause.
    mutating func end(_ reason: String, at now: Instant) -> End {
        let end: End
        switch phase {
        case .connected(let since):
            if now - since >= Self.stableTime {
                backoff.reset()
                ended = 0
            }
            end = .connection
        case .connecting: end = .attempt
        case .stopping: return .stop
        case .idle, .waiting, .stopped: return .nothing
        }
        failure = reason
        ended += 1
        phase = .waiting(until: now + nextPause())
        return end
    }

    private mutating func nextPause() -> TimeSpan {
        guard !ended.isMultiple(of: brokerCount) else { return backoff.next(using: &random) }
        let range = Self.nextBrokerPause.lowerBound.nanoseconds...Self.nextBrokerPause.upperBound.nanoseconds
        return TimeSpan(nanoseconds: .random(in: range, using: &random))
    }

    /// - Parameter number: That of the last message.
    mutating func beginStop(after number: UInt64, at now: Instant) {
        phase = .stopping(number: number, deadline: now + Self.stopTimeout)
    }

    func isStopping(after number: UInt64) -> Bool { if case .stopping(number, _) = phase { true } else { false } }

    /// Returns false if the connection has stopped already.
    mutating func stop() -> Bool {
        guard phase != .stopped else { return false }
        phase = .stopped
        return true
    }

    var deadline: Instant? {
        switch phase {
        case .waiting(let until): until
        case .connecting(let deadline), .stopping(_, let deadline): deadline
        case .idle, .connected, .stopped: nil
        }
    }

    /// The deadline that has passed at `now`; nil if none has.
    func timeout(at now: Instant) -> Timeout? {
        guard let deadline, deadline <= now else { return nil }
        return switch phase {
        case .waiting: .pause
        case .connecting: .attempt
        case .stopping: .stop
        case .idle, .connected, .stopped: nil
        }
    }
}

/// A generator of pseudorandom numbers whose sequence depends on the seed alone.
struct SplitMix: RandomNumberGenerator, Sendable {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
        return value ^ value >> 31
    }
}
