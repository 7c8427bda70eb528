import BLEWire

/// Brings one advertising set of the controller to the requested state, by the legacy commands or by those for sets. Parameters change only
/// while the set is off; data that fits into one command may change at any time. One command is outstanding at a time (Vol 4, Part E, 7.8.5 to
/// 7.8.9 and 7.8.52 to 7.8.60). A connection ends connectable advertising in the controller (Vol 6, Part B, 4.4.2.2). The advertiser enables it
/// again while it is requested.
struct Advertiser: Sendable {
    enum Action: Hashable, Sendable {
        case setParameters(AdvertisingEvents)
        /// Sets the random address of the set.
        case setAddress(DeviceAddress)
        /// Sets the next fragment of the data.
        case setData
        case setScanResponse
        case enable
        case disable
        /// Removes the set from the controller.
        case remove
    }

    /// A result that the owner has to report.
    enum Report: Hashable, Sendable {
        case none
        /// The controller has the requested state.
        case applied
        case failed(HCI.ErrorCode)
    }

    /// Whether the controller has commands for sets.
    private let usesSets: Bool
    private(set) var requested: AdvertisingParameters?
    /// Nil if the controller's parameters are unknown.
    private var appliedEvents: AdvertisingEvents?
    private var appliedAddress: DeviceAddress?
    private var appliedData: [UInt8]?
    private var appliedScanResponse: [UInt8]?
    /// The octets of `.setData` or `.setScanResponse`; nil between transfers.
    private(set) var transfer: AdvertisingTransfer?
    /// Whether the controller has the set.
    private(set) var exists = false
    private(set) var isOn = false
    private var busy: Action?
    /// The request that `busy` serves.
    private var busyRequest: AdvertisingParameters?
    private var owesAnswer = false
    /// Advertising is requested and must be enabled once more.
    private var mustAssert = false
    /// A connection ended advertising, or may have, and the controller refuses to advertise during that connection.
    private(set) var isBlocked = false
    /// How often the controller has stopped the set for no reason since the last request or link.
    private var stops = 0
    /// Whether advertising is suspended for commands that need idle roles.
    var isSuspended = false
    /// The random address that the set must have; nil for the public address, and with legacy commands.
    var address: DeviceAddress?

    /// The most ends without a reason after which the set is enabled again.
    static let maximumStops = 3

    init(usesSets: Bool = false) { self.usesSets = usesSets }

    var isIdle: Bool { busy == nil }
    /// Whether the set is requested, or the controller has it.
    var isUsed: Bool { requested != nil || exists || busy != nil || owesAnswer }
    /// The PHY on which a link from the present advertising begins (Vol 6, Part B, 4.4.2.4).
    var linkPHY: HCI.PHY {
        if case .extended(let extended)? = appliedEvents?.pdus { return extended.secondaryPHY }
        return .le1M
    }

    /// Whether the set can have a train of periodic advertising, and no command follows before which the train must end (Vol 4, Part E, 7.8.53 and
    /// 7.8.59).
    var canKeepTrain: Bool {
        guard exists, let appliedEvents, appliedEvents.canHaveTrain, let requested else { return false }
        let events = AdvertisingEvents(requested)
        return events.canHaveTrain && events.pdus == appliedEvents.pdus
    }

    mutating func request(_ parameters: AdvertisingParameters?) {
        // A repeated request enables advertising again: the controller may have stopped it without an event.
        if isOn, busy == nil, parameters != nil, parameters == requested { mustAssert = true }
        requested = parameters
        owesAnswer = true
        isBlocked = false
        stops = 0
    }

    /// Takes a new link as peripheral. The link has ended connectable advertising in the controller.
    mutating func connectionMade() {
        guard appliedEvents?.isConnectable == true else { return }
        // A refusal to enable a set that was still on tells nothing about one that is off.
        if isOn { isBlocked = false }
        isOn = false
        stops = 0
    }

    /// Takes a new link as peripheral that may be of another set: enabling a set that is on has no effect (Vol 4, Part E, 7.8.56).
    mutating func connectionMadeBySomeSet() {
        if isOn, appliedEvents?.isConnectable == true { mustAssert = true }
    }

    /// Takes the end of a link that the controller did not report. If a peer created that link, it also ended the
    /// advertising.
    mutating func unknownLinkEnded() {
        connectionMade()
        linkEnded()
    }

    /// Takes the end of a link. The controller may now accept a command that it refused during the link.
    mutating func linkEnded() {
        if isBlocked, isOn { mustAssert = true }
        isBlocked = false
    }

    /// Takes the end of advertising for another reason than a link. This host sets no limit, so the set is enabled again, a few times.
    mutating func stopped(_ status: HCI.ErrorCode) -> Report {
        // Some controllers also report the end of a set that the host disables.
        guard isOn, status != .operationCancelledByHost else { return .none }
        isOn = false
        stops += 1
        guard requested != nil, busy == nil, stops > Self.maximumStops else { return .none }
        requested = nil
        owesAnswer = false
        return .failed(status)
    }

    mutating func next() -> Action? {
        guard busy == nil else { return nil }
        let action = step()
        switch action {
        case .setData: prepare(.data, requested?.data ?? [])
        case .setScanResponse: prepare(.scanResponse, requested?.scanResponse ?? [])
        default: break
        }
        busy = action
        busyRequest = requested
        return action
    }

    private func step() -> Action? {
        guard let requested, !isSuspended else {
            if isOn { return .disable }
            return requested == nil && exists ? .remove : nil
        }
        let events = AdvertisingEvents(requested)
        if appliedEvents != events {
            if isOn { return .disable }
            // A set of another kind may have data that this kind must not have.
            if exists, appliedEvents?.isSameKind(as: events) != true { return .remove }
            return .setParameters(events)
        }
        if let address, appliedAddress != address { return isOn ? .disable : .setAddress(address) }
        if appliedData != requested.data { return change(to: requested.data, .setData) }
        if appliedScanResponse != requested.scanResponse { return change(to: requested.scanResponse, .setScanResponse) }
        return isOn && !mustAssert || isBlocked ? nil : .enable
    }

    /// Fragments are allowed only while the set is off (Vol 4, Part E, 7.8.54 and 7.8.55).
    private func change(to octets: [UInt8], _ action: Action) -> Action {
        isOn && octets.count > HCI.DataOperation.longestFragment ? .disable : action
    }

    /// Begins a transfer, unless the same one continues.
    private mutating func prepare(_ kind: AdvertisingTransfer.Kind, _ octets: [UInt8]) {
        if let transfer, transfer.kind == kind, transfer.octets == octets { return }
        transfer = AdvertisingTransfer(kind: kind, octets: octets)
    }

    /// Returns the report that is due when no action is left.
    mutating func takeReport() -> Report {
        guard owesAnswer, busy == nil, step() == nil, !mustAssert, isOn == (requested != nil) || isBlocked else {
            return .none
        }
        owesAnswer = false
        return .applied
    }

    /// Takes the answer to the last action.
    mutating func completed(_ status: HCI.ErrorCode) -> Report {
        guard let action = busy else { return .none }
        busy = nil
        let success = status == .success
        switch action {
        case .setParameters(let events):
            appliedEvents = success ? events : nil
            if success, usesSets, !exists { begin() }
        case .setAddress(let address): appliedAddress = success ? address : nil
        case .setData: transferred(success) { $0.appliedData = $1 }
        case .setScanResponse: transferred(success) { $0.appliedScanResponse = $1 }
        case .enable:
            // A connection ended advertising while the repeated command was outstanding, or it may have ended the set.
            isBlocked = !success && mustAssert && (!isOn || usesSets)
            // Some controllers refuse to enable advertising that is already enabled, although the specification
            // allows it (Vol 4, Part E, 7.8.9).
            let isEnough = success || isBlocked || isOn && status == .commandDisallowed
            // An error changes nothing in the controller.
            if success { isOn = true }
            mustAssert = false
            if isEnough { return .none }
        case .disable:
            // What the controller refused was to enable a set that is on.
            if isOn { isBlocked = false }
            isOn = false
            // Enabling it later is enough.
            mustAssert = false
            return .none
        case .remove:
            // A set that cannot be removed does not exist: this host has stopped it.
            exists = false
            forget()
            return .none
        }
        // What a former request asked for says nothing about this one: its own commands follow.
        guard !success, requested != nil, requested == busyRequest else { return .none }
        if action == .enable, !owesAnswer {
            isBlocked = true
            return .none
        }
        requested = nil
        owesAnswer = false
        return .failed(status)
    }

    /// The controller has created the set, without data.
    private mutating func begin() {
        exists = true
        appliedAddress = nil
        appliedData = []
        appliedScanResponse = []
    }

    private mutating func forget() {
        appliedEvents = nil
        appliedAddress = nil
        appliedData = nil
        appliedScanResponse = nil
        transfer = nil
    }

    /// Takes the end of a fragment. `apply` stores what the controller has; nil is unknown.
    private mutating func transferred(_ success: Bool, _ apply: (inout Advertiser, [UInt8]?) -> Void) {
        guard var sent = transfer else { return }
        sent.advance()
        transfer = success && !sent.isComplete ? sent : nil
        apply(&self, success && sent.isComplete ? sent.octets : nil)
    }
}

/// The parameters of a set's advertising events, without its data.
struct AdvertisingEvents: Hashable, Sendable {
    let pdus: AdvertisingParameters.PDUs
    let isConnectable: Bool
    let hasScanResponse: Bool
    let intervalMinimum: UInt16
    let intervalMaximum: UInt16

    init(_ parameters: AdvertisingParameters) {
        pdus = parameters.pdus
        isConnectable = parameters.isConnectable
        hasScanResponse = !parameters.scanResponse.isEmpty
        intervalMinimum = parameters.intervalMinimum
        intervalMaximum = parameters.intervalMaximum
    }

    /// Whether a set with these events can advertise periodically (Vol 4, Part E, 7.8.61).
    var canHaveTrain: Bool {
        guard case .extended(let extended) = pdus else { return false }
        return !isConnectable && !hasScanResponse && !extended.isAnonymous
    }

    /// Whether the same data is allowed.
    func isSameKind(as other: AdvertisingEvents) -> Bool { properties == other.properties }

    var properties: HCI.AdvertisingEventProperties {
        switch pdus {
        case .legacy:
            return isConnectable
                ? [.legacy, .connectable, .scannable] : hasScanResponse ? [.legacy, .scannable] : .legacy
        case .extended(let extended):
            var properties: HCI.AdvertisingEventProperties =
                isConnectable ? .connectable : hasScanResponse ? .scannable : []
            if extended.isAnonymous { properties.insert(.anonymous) }
            if extended.includesTransmitPower { properties.insert(.includesTxPower) }
            return properties
        }
    }
}

/// Data of a set on its way to the controller, in one or more fragments (Vol 4, Part E, 7.8.54 and 7.8.55).
struct AdvertisingTransfer: Hashable, Sendable {
    enum Kind: Hashable, Sendable { case data, scanResponse }

    let kind: Kind
    let octets: [UInt8]
    private(set) var sent = 0

    init(kind: Kind, octets: [UInt8]) {
        self.kind = kind
        self.octets = octets
    }

    /// The next fragment.
    var range: Range<Int> { sent..<min(octets.count, sent + HCI.DataOperation.longestFragment) }
    var isComplete: Bool { sent == octets.count }

    var operation: HCI.DataOperation { HCI.DataOperation(range, of: octets.count) }

    mutating func advance() { sent = range.upperBound }
}
