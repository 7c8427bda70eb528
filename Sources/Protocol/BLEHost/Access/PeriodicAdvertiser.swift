import BLEWire

/// Brings the periodic advertising of one set to the requested state. Parameters change only while it is off, and so does data that does not fit into
/// one command (Vol 4, Part E, 7.8.61 to 7.8.63). One command is outstanding at a time. What the controller refuses leaves what ran before.
struct PeriodicAdvertiser: Sendable {
    enum Action: Hashable, Sendable {
        case setParameters(Events)
        /// Sets the next fragment of the data.
        case setData
        case enable(HCI.PeriodicAdvertisingEnable)
        case disable
    }

    /// The parameters of the events, without their data.
    struct Events: Hashable, Sendable {
        let intervalMinimum: UInt16
        let intervalMaximum: UInt16
        let includesTransmitPower: Bool
        let subevents: HCI.PeriodicSubevents?

        init(_ requested: PeriodicAdvertising) {
            intervalMinimum = requested.intervalMinimum
            intervalMaximum = requested.intervalMaximum
            includesTransmitPower = requested.includesTransmitPower
            subevents = requested.subevents
        }
    }

    private(set) var requested: PeriodicAdvertising?
    /// What ran before the present request, and runs again if the controller refuses that; nil if nothing did.
    private var former: PeriodicAdvertising?
    /// Whether the controller has the set as one that can have a train, and keeps it.
    private var isPossible = false
    /// Nil if the controller's parameters are unknown.
    private var appliedEvents: Events?
    private var appliedData: [UInt8]?
    private var appliedEnable: HCI.PeriodicAdvertisingEnable = []
    /// The octets of `.setData`; nil between transfers.
    private(set) var transfer: AdvertisingTransfer?
    private var busy: Action?
    private var owesAnswer = false
    /// Of a train with subevents.
    var responses = SubeventResponses()

    var isOn: Bool { appliedEnable.contains(.on) }
    var isIdle: Bool { busy == nil }
    /// Whether a train is requested, or the controller has it.
    var isUsed: Bool { requested != nil || isOn || busy != nil || owesAnswer }

    mutating func request(_ advertising: PeriodicAdvertising?) {
        requested = advertising
        if advertising == nil { former = nil }
        owesAnswer = true
    }

    /// Prepares for the next command.
    ///
    /// - Parameters:
    ///   - exists: Whether the controller has the set.
    ///   - isPossible: Whether it can have a train, and keeps it.
    mutating func prepare(exists: Bool, isPossible: Bool) {
        self.isPossible = isPossible
        guard !exists else { return }
        // The train and its parameters end with the set (Vol 4, Part E, 7.8.59).
        appliedEnable = []
        appliedEvents = nil
        appliedData = nil
        transfer = nil
        former = nil
    }

    mutating func next() -> Action? {
        guard busy == nil else { return nil }
        guard let action = step() else {
            if isOn { former = requested }
            return nil
        }
        if action == .setData, let data = requested?.data, transfer?.octets != data {
            transfer = AdvertisingTransfer(kind: .data, octets: data)
        }
        busy = action
        return action
    }

    private func step() -> Action? {
        guard let requested, isPossible else { return isOn ? .disable : nil }
        let events = Events(requested)
        if appliedEvents != events { return isOn ? .disable : .setParameters(events) }
        if appliedData != requested.data {
            return isOn && requested.data.count > HCI.DataOperation.longestFragment ? .disable : .setData
        }
        let enable: HCI.PeriodicAdvertisingEnable = requested.includesDataInfo ? [.on, .includesDataInfo] : .on
        if appliedEnable == enable { return nil }
        return isOn ? .disable : .enable(enable)
    }

    /// Returns the report that is due when no action is left.
    mutating func takeReport() -> Advertiser.Report {
        guard owesAnswer, busy == nil, step() == nil, isOn == (requested != nil) else { return .none }
        owesAnswer = false
        return .applied
    }

    /// Takes the answer to the last action.
    mutating func completed(_ status: HCI.ErrorCode) -> Advertiser.Report {
        guard let action = busy else { return .none }
        busy = nil
        let success = status == .success
        let isCurrent = isCurrent(action)
        switch action {
        case .setParameters(let events): appliedEvents = success ? events : nil
        case .setData: transferred(success)
        case .enable(let enable):
            if success {
                appliedEnable = enable
                responses.trainStarted()
            }
        case .disable:
            // A train that cannot be stopped does not exist.
            appliedEnable = []
            return .none
        }
        guard !success, isCurrent else { return .none }
        requested = former
        former = nil
        owesAnswer = false
        return .failed(status)
    }

    /// Whether an action is one of the present request, which may have replaced that of the action meanwhile.
    private func isCurrent(_ action: Action) -> Bool {
        guard let requested else { return false }
        return switch action {
        case .setParameters(let events): events == Events(requested)
        case .setData: transfer?.octets == requested.data
        case .enable, .disable: true
        }
    }

    /// Takes the end of the request for the set, for an error.
    mutating func setFailed(_ status: HCI.ErrorCode) -> Advertiser.Report {
        guard requested != nil || owesAnswer else { return .none }
        requested = nil
        former = nil
        owesAnswer = false
        return .failed(status)
    }

    private mutating func transferred(_ success: Bool) {
        guard var sent = transfer else { return }
        sent.advance()
        transfer = success && !sent.isComplete ? sent : nil
        appliedData = success && sent.isComplete ? sent.octets : nil
    }

    /// Queues the command of an action.
    func enqueue(_ action: Action, of set: AdvertisingSet, _ commands: inout CommandPump) {
        let handle = set.handle
        let purpose = CommandPurpose.train(set)
        switch action {
        case .setParameters(let events):
            if let subevents = events.subevents {
                return commands.enqueue(
                    HCI.LESetPeriodicAdvertisingParametersV2(
                        advertisingHandle: handle, intervalMinimum: events.intervalMinimum,
                        intervalMaximum: events.intervalMaximum,
                        properties: events.includesTransmitPower ? .includesTxPower : [],
                        subeventCount: subevents.count, subeventInterval: subevents.interval,
                        responseSlotDelay: subevents.slotDelay, responseSlotSpacing: subevents.slotSpacing,
                        responseSlotCount: subevents.slotCount),
                    for: purpose)
            }
            commands.enqueue(
                HCI.LESetPeriodicAdvertisingParameters(
                    advertisingHandle: handle, intervalMinimum: events.intervalMinimum,
                    intervalMaximum: events.intervalMaximum,
                    properties: events.includesTransmitPower ? .includesTxPower : []),
                for: purpose)
        case .setData:
            guard let transfer else { return }
            commands.enqueue(
                HCI.LESetPeriodicAdvertisingData(
                    advertisingHandle: handle, operation: transfer.operation,
                    data: transfer.octets.span.extracting(transfer.range)),
                for: purpose)
        case .enable(let enable):
            commands.enqueue(
                HCI.LESetPeriodicAdvertisingEnable(enable: enable, advertisingHandle: handle), for: purpose)
        case .disable:
            commands.enqueue(HCI.LESetPeriodicAdvertisingEnable(enable: [], advertisingHandle: handle), for: purpose)
        }
    }
}
