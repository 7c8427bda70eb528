import BLEWire

/// Brings the controller's scanner to the requested state. Parameters change only while scanning is off, and one
/// command is outstanding at a time (Vol 4, Part E, 7.8.10 and 7.8.11).
struct Scanner: Sendable {
    enum Action: Hashable, Sendable {
        case setParameters(ScanParameters)
        case enable(filtersDuplicates: Bool)
        case disable
    }

    private(set) var requested: ScanParameters?
    /// The controller's current parameters; nil if they are unknown.
    private var applied: ScanParameters?
    private(set) var isOn = false
    private var busy: Action?
    /// The scan must stop and start again. That empties the controller's duplicate filter.
    private var mustRestart = false
    /// Whether scanning pauses because the controller refuses to initiate during a scan.
    var isPaused = false
    /// Whether scanning is suspended for commands that need idle roles.
    var isSuspended = false
    /// A scan for the host itself, which runs while no other is requested.
    var background: ScanParameters? {
        didSet { if background == nil { refusedPHYs = [] } }
    }
    /// The PHYs on which the controller refused that scan.
    private var refusedPHYs: HCI.PHYMask = []
    /// The requested scan has run, and the controller refuses to continue it, perhaps because of a link or an attempt.
    private(set) var isBlocked = false
    /// Whether the requested scan has run.
    private var hasRun = false

    var isIdle: Bool { busy == nil }

    mutating func request(_ parameters: ScanParameters?) {
        if parameters?.filtersDuplicates == true, isOn || busy != nil { mustRestart = true }
        requested = parameters
        isBlocked = false
        if parameters == nil { hasRun = false }
    }

    /// Takes the end of a link or an attempt. The controller may now accept a scan that it refused meanwhile.
    mutating func retry() {
        isBlocked = false
        if !isOn { refusedPHYs = [] }
    }

    /// The scan to run.
    private var current: ScanParameters? {
        if let requested { return isBlocked ? nil : requested }
        var background = background
        background?.phys.subtract(refusedPHYs)
        return background?.phys.isEmpty == true ? nil : background
    }

    /// The next command to send, if one is due.
    mutating func next() -> Action? {
        guard busy == nil else { return nil }
        busy = step()
        return busy
    }

    private func step() -> Action? {
        guard let requested = current, !isPaused, !isSuspended else {
            return isOn ? .disable : nil
        }
        if isOn { return applied != requested || mustRestart ? .disable : nil }
        return applied == requested
            ? .enable(filtersDuplicates: requested.filtersDuplicates) : .setParameters(requested)
    }

    /// Takes the answer to the last action. Returns the error if the controller refuses to scan. The scan is then no
    /// longer requested, unless it has run already and is refused for the time being.
    mutating func completed(_ status: HCI.ErrorCode) -> HCI.ErrorCode? {
        guard let action = busy else { return nil }
        busy = nil
        switch action {
        case .setParameters(let parameters): applied = status == .success ? parameters : nil
        case .enable: isOn = status == .success
        case .disable:
            // A controller that refuses to stop is likely to refuse again.
            isOn = false
            mustRestart = false
            return nil
        }
        if status == .success {
            if isOn, requested != nil { hasRun = true }
            return nil
        }
        guard requested != nil else {
            // 1M alone may still be possible.
            if let phys = current?.phys { refusedPHYs.formUnion(phys.isStrictSuperset(of: .leCoded) ? .leCoded : phys) }
            return nil
        }
        if hasRun, status == .commandDisallowed {
            isBlocked = true
            return nil
        }
        requested = nil
        hasRun = false
        return status
    }
}
