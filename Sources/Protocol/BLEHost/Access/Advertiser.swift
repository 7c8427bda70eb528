import BLEWire

/// Brings the controller's legacy advertising to the requested state. Parameters change only while advertising is off;
/// data may change at any time. One command is outstanding at a time (Vol 4, Part E, 7.8.5 to 7.8.9). A connection ends
/// connectable advertising in the controller (Vol 6, Part B, 4.4.2.2). The advertiser enables it again while it is
/// requested.
struct Advertiser: Sendable {
    enum Action: Hashable, Sendable {
        case setParameters(isConnectable: Bool, hasScanResponse: Bool, intervalMinimum: UInt16, intervalMaximum: UInt16)
        case setData
        case setScanResponse
        case enable
        case disable
    }

    /// A result that the owner has to report.
    enum Report: Hashable, Sendable {
        case none
        /// The controller has the requested state.
        case applied
        case failed(HCI.ErrorCode)
    }

    private(set) var requested: AdvertisingParameters?
    private var appliedParameters: Action?
    private var appliedData: [UInt8]?
    private var appliedScanResponse: [UInt8]?
    /// The octets that the outstanding action sets.
    private var pendingData: [UInt8] = []
    private(set) var isOn = false
    private var busy: Action?
    private var owesAnswer = false
    /// Advertising is requested and must be enabled once more.
    private var mustAssert = false
    /// A connection ended advertising, and the controller refuses to advertise during that connection.
    private(set) var isBlocked = false
    /// Whether advertising is suspended for commands that need idle roles.
    var isSuspended = false

    var isIdle: Bool { busy == nil }
    /// The octets of the outstanding `.setData` or `.setScanResponse`.
    var data: [UInt8] { pendingData }

    mutating func request(_ parameters: AdvertisingParameters?) {
        // A repeated request enables advertising again: the controller may have stopped it without an event.
        if isOn, busy == nil, parameters != nil, parameters == requested { mustAssert = true }
        requested = parameters
        owesAnswer = true
        isBlocked = false
    }

    /// Takes a new link as peripheral. The link has ended connectable advertising in the controller.
    mutating func connectionMade() {
        if case .setParameters(isConnectable: true, _, _, _)? = appliedParameters { isOn = false }
    }

    /// Takes the end of a link that the controller did not report. If a peer created that link, it also ended the
    /// advertising.
    mutating func unknownLinkEnded() {
        connectionMade()
        linkEnded()
    }

    /// Takes the end of a link. The controller may now accept a command that it refused during the link.
    mutating func linkEnded() { isBlocked = false }

    mutating func next() -> Action? {
        guard busy == nil else { return nil }
        let action = step()
        switch action {
        case .setData: pendingData = requested?.data ?? []
        case .setScanResponse: pendingData = requested?.scanResponse ?? []
        default: break
        }
        busy = action
        return action
    }

    private func step() -> Action? {
        guard let requested, !isSuspended else { return isOn ? .disable : nil }
        let parameters = Action.setParameters(
            isConnectable: requested.isConnectable, hasScanResponse: !requested.scanResponse.isEmpty,
            intervalMinimum: requested.intervalMinimum, intervalMaximum: requested.intervalMaximum)
        if appliedParameters != parameters { return isOn ? .disable : parameters }
        if appliedData != requested.data { return .setData }
        if appliedScanResponse != requested.scanResponse { return .setScanResponse }
        return isOn && !mustAssert || isBlocked ? nil : .enable
    }

    /// Returns the report that is due when no action is left. Call it after `next` has returned nil.
    mutating func takeReport() -> Report {
        guard owesAnswer, busy == nil, !mustAssert, isOn == (requested != nil) || isBlocked else { return .none }
        owesAnswer = false
        return .applied
    }

    /// Takes the answer to the last action.
    mutating func completed(_ status: HCI.ErrorCode) -> Report {
        guard let action = busy else { return .none }
        busy = nil
        let success = status == .success
        switch action {
        case .setParameters: appliedParameters = success ? action : nil
        case .setData: appliedData = success ? pendingData : nil
        case .setScanResponse: appliedScanResponse = success ? pendingData : nil
        case .enable:
            // A connection ended advertising while the repeated command was outstanding.
            isBlocked = mustAssert && !isOn && !success
            // Some controllers refuse to enable advertising that is already enabled, although the specification
            // allows it (Vol 4, Part E, 7.8.9).
            isOn = success || isOn && status == .commandDisallowed
            mustAssert = false
            if isOn || isBlocked { return .none }
        case .disable:
            isOn = false
            // Enabling it later is enough.
            mustAssert = false
            return .none
        }
        guard !success, requested != nil else { return .none }
        if action == .enable, !owesAnswer {
            isBlocked = true
            return .none
        }
        requested = nil
        owesAnswer = false
        return .failed(status)
    }
}
