/// The ways of a client in order of preference: which of them to open, which one works, and when one that broke has its next turn.
struct TransportTable: Sendable {
    enum State: Sendable, Equatable {
        /// Closed until the moment.
        case closed(until: Duration)
        case opening(since: Duration)
        /// Open, and nothing was received yet.
        case silent
        /// The device has answered.
        case working
    }

    struct Way: Sendable {
        var state = State.closed(until: .zero)
        var failures = 0
        var lastHeard = Duration.zero
        /// When the first message left that has no answer.
        var awaitingSince: Duration?
        var lastPing: Duration?

        var isOpen: Bool { state == .silent || state == .working }
    }

    private(set) var ways: [Way]
    private let timing: LinkTiming
    /// When the client began to look for a way that works.
    private var searchStart: Duration?

    init(count: Int, timing: LinkTiming) {
        ways = Array(repeating: Way(), count: count)
        self.timing = timing
    }

    /// The best way that works.
    var active: Int? { ways.firstIndex { $0.state == .working } }
    /// The ways that are open, the best first.
    var open: [Int] { ways.indices.filter { ways[$0].isOpen } }

    mutating func opened(_ way: Int, at now: Duration) -> Bool {
        guard case .opening = ways[way].state else { return false }
        ways[way].state = .silent
        ways[way].awaitingSince = nil
        ways[way].lastPing = nil
        ways[way].lastHeard = now
        return true
    }

    mutating func heard(_ way: Int, at now: Duration) {
        guard ways[way].isOpen else { return }
        ways[way].state = .working
        ways[way].failures = 0
        ways[way].lastHeard = now
        ways[way].awaitingSince = nil
        searchStart = nil
    }

    /// A message left that the device answers.
    mutating func asked(_ way: Int, at now: Duration, isPing: Bool) {
        if ways[way].awaitingSince == nil { ways[way].awaitingSince = now }
        if isPing { ways[way].lastPing = now }
    }

    /// The way broke, or could not be opened. Returns whether it was not closed before.
    mutating func broke(_ way: Int, at now: Duration) -> Bool {
        if case .closed = ways[way].state { return false }
        let doublings = min(ways[way].failures, 10)
        ways[way].failures += 1
        let pause = min(timing.firstRetry * (1 << doublings), timing.longestRetry)
        ways[way].state = .closed(until: now + pause)
        ways[way].awaitingSince = nil
        return true
    }

    /// The way is not needed. It has its next turn when no better way works.
    mutating func rest(_ way: Int, at now: Duration) {
        ways[way].state = .closed(until: now)
        ways[way].awaitingSince = nil
    }

    /// The ways that are late: their opening took too long, or no answer came.
    func late(at now: Duration) -> [Int] { ways.indices.filter { limit(of: $0).map { $0 <= now } ?? false } }

    private func limit(of way: Int) -> Duration? {
        if case .opening(let since) = ways[way].state { return since + timing.opening }
        return ways[way].awaitingSince.map { $0 + timing.silence }
    }

    /// The ways to open now: those that are better than the one that works, otherwise one after another from the best.
    mutating func begin(at now: Duration) -> [Int] {
        var result: [Int] = []
        let isSearching = active == nil
        if isSearching, searchStart == nil { searchStart = now }
        for way in ways.indices.prefix(active ?? ways.count) {
            guard case .closed(let until) = ways[way].state, until <= now, turn(of: way).map({ $0 <= now }) ?? true
            else {
                continue
            }
            ways[way].state = .opening(since: now)
            result.append(way)
        }
        return result
    }

    /// While no way works, each way has its turn some time after the better ones that are still opening.
    private func turn(of way: Int) -> Duration? {
        guard let searchStart else { return nil }
        let before = ways[..<way].count { if case .closed = $0.state { false } else { true } }
        return searchStart + timing.stagger * before
    }

    var deadline: Duration? {
        var result: Duration?
        for way in ways.indices {
            var times = [limit(of: way)]
            if case .closed(let until) = ways[way].state, way < active ?? ways.count {
                times.append(max(until, turn(of: way) ?? .zero))
            }
            for time in times.compactMap({ $0 }) { result = min(result ?? time, time) }
        }
        return result
    }
}
