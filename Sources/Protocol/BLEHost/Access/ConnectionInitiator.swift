import BLEWire

/// Connects to any number of peers at once: to one peer by its address (the direct connection establishment procedure,
/// Vol 3, Part C, 9.3.8), to several through the filter accept list (the auto connection establishment procedure,
/// 9.3.5). LE Create Connection runs while at least one peer is requested. When its targets change, the initiator
/// cancels and restarts it, because the list must not change meanwhile (Vol 4, Part E, 7.8.12 to 7.8.17). Peers in
/// excess of the list's size take turns.
///
/// The initiator makes one attempt for each request and has no retry policy.
struct ConnectionInitiator: Sendable {
    private enum State: Hashable, Sendable {
        case idle
        /// A command that changes the list is outstanding.
        case listing(InitiatorCommand)
        /// LE Create Connection was sent.
        case creating
        case initiating
        /// LE Create Connection Cancel was sent (Vol 4, Part E, 7.8.13). `ended`: the connection complete event arrived
        /// before the answer.
        case cancelling(ended: Bool)
        /// The attempt is cancelled; the connection complete event has not arrived. `isDue`: the controller had nothing
        /// to cancel, so the attempt had already ended and its event must follow.
        case ending(until: Instant, isDue: Bool)
    }

    /// A result that the owner has to handle.
    enum Outcome: Hashable, Sendable {
        case none
        /// The attempt failed for these peers. They are no longer requested.
        case failed([DeviceAddress], HCI.ErrorCode)
        /// The controller refuses to initiate, perhaps because it scans. The owner stops the scan and calls `retry`.
        case refused
    }

    /// The time that peers stay in the list while others wait.
    static let turn = TimeSpan.seconds(4)
    static let eventTimeout = TimeSpan.seconds(2)

    /// In the order of the requests.
    private(set) var requested: [DeviceAddress] = []
    /// The current content of the controller's accept list.
    private var listed: [DeviceAddress] = []
    /// The only peer of LE Create Connection; nil if the command uses the list.
    private(set) var target: DeviceAddress?
    private var capacity = 1
    private var state = State.idle
    /// The index in `requested` of the first peer of the current turn.
    private var first = 0
    private var turnEnds: Instant?
    private var refusals = 0
    private var failures = 0
    /// The controller seems to run an attempt that this host did not start, perhaps from before a reset. The initiator
    /// cancels it first.
    private var mustClear = false
    private var isClearing = false
    /// Whether the initiator waits for `retry`.
    private(set) var isHeld = false
    /// Whether initiating is suspended for commands that need idle roles.
    var isSuspended = false
    /// Peers whose private address has changed since the controller got it.
    private var outdated: [DeviceAddress] = []
    /// Requested peers that may advertise on the Coded PHY.
    private var codedPeers: [DeviceAddress] = []
    /// Whether the last attempt was on the Coded PHY as well.
    private(set) var usesCodedPHY = false
    /// Whether the controller has refused an attempt on the Coded PHY, although it has that PHY.
    private var refusesCodedPHY = false

    init(capacity: Int) {
        self.capacity = max(1, capacity)
        requested.prepareStorage()
    }

    var isIdle: Bool { state == .idle }
    var isInitiating: Bool { state == .initiating || state == .creating }
    /// Whether a requested peer may advertise on the Coded PHY.
    var seeksCodedPHY: Bool { codedPeers.contains { requested.contains($0) } }

    var deadline: Instant? {
        if case .ending(let until, _) = state { return until }
        return turnEnds
    }

    /// - Parameter onCodedPHY: Whether the peer may advertise on the Coded PHY.
    mutating func connect(to address: DeviceAddress, onCodedPHY: Bool = false) {
        codedPeers.removeAll { !requested.contains($0) }
        if !requested.contains(address) { requested.append(address) }
        if onCodedPHY { heardOnCodedPHY(address) }
    }

    /// Takes a report of a peer on the Coded PHY: an attempt on 1M alone does not find it. Returns whether that changes something.
    @discardableResult
    mutating func heardOnCodedPHY(_ peer: DeviceAddress) -> Bool {
        guard !refusesCodedPHY, requested.contains(peer), !codedPeers.contains(peer) else { return false }
        codedPeers.append(peer)
        if !usesCodedPHY { addressChanged(of: peer) }
        return true
    }

    mutating func cancel(_ address: DeviceAddress) {
        requested.removeAll { $0 == address }
        if requested.count <= capacity { first = 0 }
    }

    mutating func cancelAll() { requested.removeAll() }

    mutating func retry() { isHeld = false }

    /// Repeats an attempt to a peer, to give the controller its new private address or another PHY.
    mutating func addressChanged(of peer: DeviceAddress) {
        guard requested.contains(peer), target == peer && isInitiating || listed.contains(peer),
            !outdated.contains(peer)
        else { return }
        outdated.append(peer)
    }

    /// Whether the peer belongs in the list now.
    private func isTarget(_ address: DeviceAddress) -> Bool {
        guard let index = requested.firstIndex(of: address), !outdated.contains(address) else { return false }
        if requested.count <= capacity { return true }
        let position = index >= first ? index - first : index + requested.count - first
        return position < capacity
    }

    private var differs: Bool {
        if let target { return requested != [target] || outdated.contains(target) }
        return listed.contains { !isTarget($0) } || requested.contains { isTarget($0) && !listed.contains($0) }
    }

    mutating func next(at now: Instant) -> InitiatorCommand? {
        switch state {
        case .idle:
            guard !requested.isEmpty, !isHeld, !isSuspended else { return nil }
            if mustClear {
                mustClear = false
                isClearing = true
                state = .cancelling(ended: false)
                return .cancel
            }
            first %= requested.count
            if let stale = listed.first(where: { outdated.contains($0) }) { return list(.remove(stale)) }
            if requested.count == 1 {
                target = requested[0]
                outdated.removeAll { $0 == target }
                state = .creating
                turnEnds = nil
                usesCodedPHY = codedPeers.contains(requested[0])
                return .create(target)
            }
            if let stale = listed.first(where: { !isTarget($0) }) { return list(.remove(stale)) }
            if let missing = requested.first(where: { isTarget($0) && !listed.contains($0) }) {
                return list(.add(missing))
            }
            state = .creating
            target = nil
            usesCodedPHY = listed.contains { codedPeers.contains($0) }
            turnEnds = requested.count > capacity ? now + Self.turn : nil
            return .create(nil)
        case .initiating:
            // More peers were requested after the attempt started.
            if target == nil, turnEnds == nil, requested.count > capacity { turnEnds = now + Self.turn }
            guard requested.isEmpty || differs || isSuspended else { return nil }
            isClearing = false
            state = .cancelling(ended: false)
            return .cancel
        case .listing, .creating, .cancelling, .ending: return nil
        }
    }

    private mutating func list(_ action: InitiatorCommand) -> InitiatorCommand {
        state = .listing(action)
        return action
    }

    /// Takes the answer to an action, from Command Complete or Command Status.
    mutating func completed(_ action: InitiatorCommand, _ status: HCI.ErrorCode, at now: Instant) -> Outcome {
        let success = status == .success
        switch (action, state) {
        case (.add(let address), .listing(action)):
            state = .idle
            if success {
                listed.append(address)
                return .none
            }
            // The list is smaller than the controller reported, or it holds peers that this host did not add.
            if status == .memoryCapacityExceeded, !listed.isEmpty {
                capacity = listed.count
                return .none
            }
            cancel(address)
            return .failed([address], status)
        case (.remove(let address), .listing(action)):
            state = .idle
            listed.removeAll { $0 == address }
            outdated.removeAll { $0 == address }
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
        if usesCodedPHY, status == .unsupportedFeatureOrParameterValue || status == .invalidHCICommandParameters {
            // The attempt goes on where the controller can initiate.
            refusesCodedPHY = true
            codedPeers.removeAll()
            return .none
        }
        return failAll(status)
    }

    private mutating func failAll(_ status: HCI.ErrorCode) -> Outcome {
        let failed = requested
        requested.removeAll()
        return failed.isEmpty ? .none : .failed(failed, status)
    }

    /// Takes a new link as central. Returns false if the peer is not requested.
    mutating func connected(to address: DeviceAddress) -> Bool {
        eventCame()
        failures = 0
        guard let index = requested.firstIndex(of: address) else { return false }
        requested.remove(at: index)
        if requested.count <= capacity { first = 0 }
        return true
    }

    /// Takes the end of an attempt without a link.
    mutating func ended(_ status: HCI.ErrorCode, address: DeviceAddress) -> Outcome {
        let wasCancelled =
            switch state {
            case .cancelling, .ending: true
            default: false
            }
        let wasRunning = state == .initiating || state == .creating
        eventCame()
        if wasCancelled || !wasRunning { return .none }
        if requested.contains(address) {
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

    /// Returns false if the controller omitted an event and may have a link that is unknown to this host.
    @discardableResult
    mutating func handleTimeout(at now: Instant) -> Bool {
        var isComplete = true
        if case .ending(let until, let isDue) = state, until <= now {
            state = .idle
            isComplete = !isDue
        }
        if let ends = turnEnds, ends <= now {
            turnEnds = nil
            if requested.count > capacity { first = (first + capacity) % requested.count }
        }
        return isComplete
    }
}
