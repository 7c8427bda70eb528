import BLEWire

/// Brings the controller's scanner to what is wanted: parameters change only while it is off, and only one command is on
/// its way (Vol 4, Part E, 7.8.10 and 7.8.11).
struct Scanner: Sendable {
    enum Action: Hashable, Sendable {
        case setParameters(ScanParameters)
        case enable(filtersDuplicates: Bool)
        case disable
    }

    private(set) var wanted: ScanParameters?
    /// What the controller has; nil if that is not known.
    private var applied: ScanParameters?
    private(set) var isOn = false
    private var busy: Action?
    /// The scan must be off for a moment, since its duplicate filter has to be emptied.
    private var mustRestart = false
    /// The controller cannot scan beside what else it has to do now.
    var isPaused = false

    var isIdle: Bool { busy == nil }

    mutating func want(_ parameters: ScanParameters?) {
        if parameters?.filtersDuplicates == true, isOn || busy != nil { mustRestart = true }
        wanted = parameters
    }

    /// The next command to send, if one is due.
    mutating func next() -> Action? {
        guard busy == nil else { return nil }
        busy = step()
        return busy
    }

    private func step() -> Action? {
        guard let wanted, !isPaused else { return isOn ? .disable : nil }
        if isOn { return applied != wanted || mustRestart ? .disable : nil }
        return applied == wanted ? .enable(filtersDuplicates: wanted.filtersDuplicates) : .setParameters(wanted)
    }

    /// The answer to the last action. Returns the error if the scan cannot be had; it is no longer wanted then.
    mutating func completed(_ status: HCI.ErrorCode) -> HCI.ErrorCode? {
        guard let action = busy else { return nil }
        busy = nil
        switch action {
        case .setParameters(let parameters): applied = status == .success ? parameters : nil
        case .enable: isOn = status == .success
        case .disable:
            // Whatever the answer, asking again would bring the same.
            isOn = false
            mustRestart = false
            return nil
        }
        if status == .success { return nil }
        guard wanted != nil else { return nil }
        wanted = nil
        return status
    }
}
