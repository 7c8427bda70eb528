import BLEWire

/// Connects to any number of peers at once: to one by its address, to more through the accept list. LE Create Connection
/// runs while anyone is wanted, and is cancelled and started again when its targets change, since the list must not change
/// meanwhile (Vol 4, Part E, 7.8.12 to 7.8.16). Peers beyond the size of the list take turns.
struct Connector: Sendable {
    enum Action: Hashable, Sendable {
        case add(DeviceAddress)
        case remove(DeviceAddress)
        /// Nil: to whoever is in the accept list. One peer needs no list, and some controllers have none that works.
        case create(DeviceAddress?)
        case cancel
    }

    private enum State: Hashable, Sendable {
        case idle
        /// A command about the list is under way.
        case listing(Action)
        /// LE Create Connection was sent.
        case creating
        case initiating
        /// LE Create Connection Cancel was sent. `ended`: the connection complete event came before the answer.
        case cancelling(ended: Bool)
        /// Cancelled; the connection complete event is still to come. `isDue`: there was nothing to cancel, so that the attempt
        /// had ended, and not without that event.
        case ending(until: Instant, isDue: Bool)
    }

    /// What becomes of an attempt.
    enum Outcome: Hashable, Sendable {
        case none
        /// Failed for these peers; they are no longer wanted.
        case failed([DeviceAddress], HCI.ErrorCode)
        /// The controller will not initiate now, perhaps because it scans: stop that, then call `retry`.
        case refused
    }

    /// How long peers in the list have before others get their turn.
    static let turn = TimeSpan.seconds(4)
    static let eventTimeout = TimeSpan.seconds(2)

    /// In the order of the requests.
    private(set) var wanted: [DeviceAddress] = []
    /// What the controller's accept list holds.
    private var listed: [DeviceAddress] = []
    /// The one peer that LE Create Connection was sent for; nil if it was sent for the list.
    private var target: DeviceAddress?
    private var capacity = 1
    private var state = State.idle
    /// Where the list's share of `wanted` begins.
    private var first = 0
    private var turnEnds: Instant?
    private var refusals = 0
    private var failures = 0
    /// An attempt that this host does not know of seems to run, perhaps one that outlived a reset: cancel it first.
    private var mustClear = false
    private var isClearing = false
    /// Waits until its owner calls `retry`.
    private(set) var isHeld = false

    init(capacity: Int) { self.capacity = max(1, capacity) }

    var isIdle: Bool { state == .idle }
    var isInitiating: Bool { state == .initiating || state == .creating }

    var deadline: Instant? {
        if case .ending(let until, _) = state { return until }
        return turnEnds
    }

    mutating func connect(to address: DeviceAddress) {
        if !wanted.contains(address) { wanted.append(address) }
    }

    mutating func cancel(_ address: DeviceAddress) {
        wanted.removeAll { $0 == address }
        if wanted.count <= capacity { first = 0 }
    }

    mutating func cancelAll() { wanted.removeAll() }

    mutating func retry() { isHeld = false }

    /// The peers that should be in the list now.
    private func isTarget(_ address: DeviceAddress) -> Bool {
        guard let index = wanted.firstIndex(of: address) else { return false }
        if wanted.count <= capacity { return true }
        let place = index >= first ? index - first : index + wanted.count - first
        return place < capacity
    }

    private var differs: Bool {
        if let target { return wanted != [target] }
        return listed.contains { !isTarget($0) } || wanted.contains { isTarget($0) && !listed.contains($0) }
    }

    mutating func next(at now: Instant) -> Action? {
        switch state {
        case .idle:
            guard !wanted.isEmpty, !isHeld else { return nil }
            if mustClear {
                mustClear = false
                isClearing = true
                state = .cancelling(ended: false)
                return .cancel
            }
            first %= wanted.count
            if wanted.count == 1 {
                target = wanted[0]
                state = .creating
                turnEnds = nil
                return .create(target)
            }
            if let stale = listed.first(where: { !isTarget($0) }) { return list(.remove(stale)) }
            if let missing = wanted.first(where: { isTarget($0) && !listed.contains($0) }) {
                return list(.add(missing))
            }
            state = .creating
            target = nil
            turnEnds = wanted.count > capacity ? now + Self.turn : nil
            return .create(nil)
        case .initiating:
            // There are more now than when it was started.
            if target == nil, turnEnds == nil, wanted.count > capacity { turnEnds = now + Self.turn }
            guard wanted.isEmpty || differs else { return nil }
            isClearing = false
            state = .cancelling(ended: false)
            return .cancel
        case .listing, .creating, .cancelling, .ending: return nil
        }
    }

    private mutating func list(_ action: Action) -> Action {
        state = .listing(action)
        return action
    }

    /// The answer to an action, by Command Complete or Command Status.
    mutating func completed(_ action: Action, _ status: HCI.ErrorCode, at now: Instant) -> Outcome {
        let success = status == .success
        switch (action, state) {
        case (.add(let address), .listing(action)):
            state = .idle
            if success {
                listed.append(address)
                return .none
            }
            // A list that is smaller than it said, or peers left in it that we do not know of.
            if status == .memoryCapacityExceeded, !listed.isEmpty {
                capacity = max(1, listed.count)
                return .none
            }
            cancel(address)
            return .failed([address], status)
        case (.remove(let address), .listing(action)):
            state = .idle
            listed.removeAll { $0 == address }
            return .none
        case (.create, .creating):
            if success {
                state = .initiating
                refusals = 0
                return .none
            }
            state = .idle
            return refused(status)
        case (.cancel, .cancelling(ended: true)):
            state = .idle
            return .none
        case (.cancel, .cancelling(ended: false)):
            state = .ending(
                until: now + Self.eventTimeout, isDue: status == .commandDisallowed && !isClearing)
            return .none
        default: return .none
        }
    }

    private mutating func refused(_ status: HCI.ErrorCode) -> Outcome {
        refusals += 1
        turnEnds = nil
        if status == .commandDisallowed, refusals == 1 {
            isHeld = true
            return .refused
        }
        if status == .commandDisallowed, refusals == 2 {
            mustClear = true
            return .none
        }
        refusals = 0
        return failAll(status)
    }

    private mutating func failAll(_ status: HCI.ErrorCode) -> Outcome {
        let failed = wanted
        wanted.removeAll()
        return failed.isEmpty ? .none : .failed(failed, status)
    }

    /// A link as central was made. False if nobody wanted it (any more).
    mutating func connected(to address: DeviceAddress) -> Bool {
        eventCame()
        failures = 0
        guard let index = wanted.firstIndex(of: address) else { return false }
        wanted.remove(at: index)
        if wanted.count <= capacity { first = 0 }
        return true
    }

    /// The attempt ended without a link.
    mutating func ended(_ status: HCI.ErrorCode, address: DeviceAddress) -> Outcome {
        let wasCancelled =
            switch state {
            case .cancelling, .ending: true
            default: false
            }
        let wasRunning = state == .initiating || state == .creating
        eventCame()
        if wasCancelled || !wasRunning { return .none }
        if wanted.contains(address) {
            cancel(address)
            return .failed([address], status)
        }
        failures += 1
        guard failures >= 3 else { return .none }
        failures = 0
        return failAll(status)
    }

    private mutating func eventCame() {
        turnEnds = nil
        switch state {
        case .cancelling: state = .cancelling(ended: true)
        case .creating, .initiating, .ending: state = .idle
        case .idle, .listing: break
        }
    }

    /// False: the controller left out an event, and perhaps has a link that this host does not know.
    @discardableResult
    mutating func handleTimeout(at now: Instant) -> Bool {
        var isComplete = true
        if case .ending(let until, let isDue) = state, until <= now {
            state = .idle
            isComplete = !isDue
        }
        if let ends = turnEnds, ends <= now {
            turnEnds = nil
            if wanted.count > capacity { first = (first + capacity) % wanted.count }
        }
        return isComplete
    }
}
