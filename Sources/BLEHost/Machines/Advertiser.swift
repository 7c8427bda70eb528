import BLEWire

/// Brings the controller's legacy advertising to what is wanted: parameters change only while it is off, data at any time,
/// and only one command is on its way (Vol 4, Part E, 7.8.5 to 7.8.9). A connection ends connectable advertising in the
/// controller; it is switched on again as long as it is wanted.
struct Advertiser: Sendable {
    enum Action: Hashable, Sendable {
        case setParameters(isConnectable: Bool, hasScanResponse: Bool, intervalMinimum: UInt16, intervalMaximum: UInt16)
        case setData
        case setScanResponse
        case enable
        case disable
    }

    /// What the owner has to tell.
    enum Report: Hashable, Sendable {
        case none
        /// It is as it was asked for.
        case settled
        case failed(HCI.ErrorCode)
    }

    private(set) var wanted: AdvertisingParameters?
    private var appliedParameters: Action?
    private var appliedData: [UInt8]?
    private var appliedScanResponse: [UInt8]?
    /// What the action under way sets.
    private var pendingData: [UInt8] = []
    private(set) var isOn = false
    private var busy: Action?
    private var owesAnswer = false
    /// It should be on already; the controller is told once more.
    private var mustAssert = false
    /// It was on, a connection ended it, and the controller will not have it beside that connection.
    private(set) var isBlocked = false

    var isIdle: Bool { busy == nil }
    /// The octets that `.setData` or `.setScanResponse` is about.
    var data: [UInt8] { pendingData }

    mutating func want(_ parameters: AdvertisingParameters?) {
        // Who asks for what there should be already perhaps sees that it is not there.
        if isOn, busy == nil, parameters != nil, parameters == wanted { mustAssert = true }
        wanted = parameters
        owesAnswer = true
        isBlocked = false
    }

    /// A peer connected to us: the controller has ended its connectable advertising.
    mutating func connectionMade() {
        if case .setParameters(isConnectable: true, _, _, _)? = appliedParameters { isOn = false }
    }

    /// The controller had a link that this host was not told of; if a peer made it, that has ended the advertising too.
    mutating func unknownLinkEnded() {
        connectionMade()
        linkEnded()
    }

    /// A link ended, so what was refused beside it may work now.
    mutating func linkEnded() { isBlocked = false }

    mutating func next() -> Action? {
        guard busy == nil else { return nil }
        let action = step()
        switch action {
        case .setData: pendingData = wanted?.data ?? []
        case .setScanResponse: pendingData = wanted?.scanResponse ?? []
        default: break
        }
        busy = action
        return action
    }

    private func step() -> Action? {
        guard let wanted else { return isOn ? .disable : nil }
        let parameters = Action.setParameters(
            isConnectable: wanted.isConnectable, hasScanResponse: !wanted.scanResponse.isEmpty,
            intervalMinimum: wanted.intervalMinimum, intervalMaximum: wanted.intervalMaximum)
        if appliedParameters != parameters { return isOn ? .disable : parameters }
        if appliedData != wanted.data { return .setData }
        if appliedScanResponse != wanted.scanResponse { return .setScanResponse }
        return isOn && !mustAssert || isBlocked ? nil : .enable
    }

    /// What to report when nothing more is to be done. Call after `next` returned nil.
    mutating func settle() -> Report {
        guard owesAnswer, busy == nil, !mustAssert, isOn == (wanted != nil) || isBlocked else { return .none }
        owesAnswer = false
        return .settled
    }

    /// The answer to the last action.
    mutating func completed(_ status: HCI.ErrorCode) -> Report {
        guard let action = busy else { return .none }
        busy = nil
        let success = status == .success
        switch action {
        case .setParameters: appliedParameters = success ? action : nil
        case .setData: appliedData = success ? pendingData : nil
        case .setScanResponse: appliedScanResponse = success ? pendingData : nil
        case .enable:
            // It was on when it was told once more, and a connection ended it meanwhile.
            isBlocked = mustAssert && !isOn && !success
            // Some controllers refuse to switch on what is on.
            isOn = success || isOn && status == .commandDisallowed
            mustAssert = false
            if isOn || isBlocked { return .none }
        case .disable:
            isOn = false
            return .none
        }
        guard !success, wanted != nil else { return .none }
        if action == .enable, !owesAnswer {
            isBlocked = true
            return .none
        }
        wanted = nil
        owesAnswer = false
        return .failed(status)
    }
}
