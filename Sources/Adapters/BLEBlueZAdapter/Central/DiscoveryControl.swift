import BLEWire
import SystemBus

/// Whether bluetoothd discovers devices for this program. Every program has a discovery of its own there, and bluetoothd unites them.
struct DiscoveryControl {
    enum Command: Hashable {
        /// SetDiscoveryFilter, and StartDiscovery if it succeeds.
        case start
        /// StopDiscovery.
        case stop
    }

    private enum Phase: Hashable {
        case idle, starting, running, stopping
        /// bluetoothd refused. It is asked again at this time.
        case waiting(until: Instant)
    }

    /// The time before bluetoothd is asked again.
    private static let retryDelay = TimeSpan.milliseconds(500)
    /// The time without a discovery after which it is asked for again: bluetoothd pauses it for up to 5 s by itself.
    private static let pauseLimit = TimeSpan.seconds(15)

    private var phase = Phase.idle
    private(set) var isWanted = false
    /// Since when the adapter does not discover, although it should.
    private var pause: Instant?

    /// The filter: devices of LE only, and every report. Programs select for themselves.
    static let filter = BusValue.properties(["Transport": .string("le"), "DuplicateData": .bool(true)])

    mutating func want(_ isWanted: Bool) -> Command? {
        self.isWanted = isWanted
        return next()
    }

    private mutating func next() -> Command? {
        switch (phase, isWanted) {
        case (.idle, true):
            phase = .starting
            return .start
        case (.running, false):
            (phase, pause) = (.stopping, nil)
            return .stop
        case (.waiting, false):
            phase = .idle
            return nil
        case (.idle, false), (.running, true), (.starting, _), (.stopping, _), (.waiting, true): return nil
        }
    }

    /// Takes the answer to `start`.
    mutating func started(_ isRunning: Bool, at now: Instant) -> Command? {
        guard phase == .starting else { return nil }
        phase = isRunning ? .running : .waiting(until: now + Self.retryDelay)
        return next()
    }

    /// Takes the answer to `stop`, whichever it is.
    mutating func stopped() -> Command? {
        guard phase == .stopping else { return nil }
        phase = .idle
        return next()
    }

    /// Takes a change of the adapter's property `Discovering`.
    mutating func discovering(_ isDiscovering: Bool, at now: Instant) {
        pause = isDiscovering || phase != .running ? nil : pause ?? now
    }

    var deadline: Instant? {
        if case .waiting(let until) = phase { return until }
        return pause.map { $0 + Self.pauseLimit }
    }

    mutating func handleTimeout(at now: Instant) -> Command? {
        guard let deadline, deadline <= now else { return nil }
        pause = nil
        // A discovery that another program's end took away counts as running at bluetoothd, and has to be stopped first.
        if case .running = phase {
            phase = .stopping
            return .stop
        }
        phase = .idle
        return next()
    }

    /// bluetoothd or the adapter has gone: nothing runs there.
    mutating func reset() { self = DiscoveryControl() }
}
