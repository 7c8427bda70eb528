import BLEWire

/// The checks of the host's settings.
extension AdvertisingSet {
    // MARK: Legacy commands

    /// Takes parameters of the host (Vol 4, Part E, 7.8.5).
    mutating func set(_ command: HCI.LESetAdvertisingParameters, hasResolvingList: Bool) throws(HCI.ErrorCode) {
        guard !isEnabled else { throw .commandDisallowed }
        guard command.advertisingType.rawValue <= 4, command.filterPolicy.rawValue <= 3,
            command.ownAddressType.rawValue <= 3, !command.channelMap.isEmpty, command.channelMap.rawValue <= 7
        else { throw .invalidHCICommandParameters }
        let isDirected = command.advertisingType.rawValue == 1 || command.advertisingType.rawValue == 4
        if isDirected && command.peerAddress.kind.rawValue > 1 { throw .invalidHCICommandParameters }
        // High duty cycle advertising ignores the interval (Vol 4, Part E, 7.8.5).
        if command.advertisingType != .connectableDirectedHighDutyCycle {
            guard (0x20...0x4000).contains(command.intervalMinimum),
                (0x20...0x4000).contains(command.intervalMaximum), command.intervalMinimum <= command.intervalMaximum
            else { throw .invalidHCICommandParameters }
        }
        guard command.ownAddressType.rawValue <= 1 || hasResolvingList else {
            throw .unsupportedFeatureOrParameterValue
        }
        parameters = HCI.LESetExtendedAdvertisingParameters(command)
    }

    // MARK: Extended commands

    /// Checks the parameters of a set (Vol 4, Part E, 7.8.53).
    static func check(
        _ command: HCI.LESetExtendedAdvertisingParameters, _ capabilities: LocalCapabilities
    ) throws(HCI.ErrorCode) {
        let properties = command.properties
        guard properties.isValid, command.filterPolicy.rawValue <= 3, command.ownAddressType.rawValue <= 3,
            !command.primaryChannelMap.isEmpty, command.primaryChannelMap.rawValue <= 7,
            command.advertisingSID <= 0x0F, command.txPower == 127 || (-127...20).contains(command.txPower),
            !properties.contains(.directed) || command.peerAddress.kind.rawValue <= 1
        else { throw .invalidHCICommandParameters }
        if !properties.contains(.highDutyCycle) {
            guard command.intervalMinimum >= 0x20, command.intervalMinimum <= command.intervalMaximum else {
                throw .invalidHCICommandParameters
            }
        }
        guard command.ownAddressType.rawValue <= 1 || capabilities.hasResolvingList,
            command.primaryPHY == .le1M || command.primaryPHY == .leCoded && capabilities.phys.contains(.coded)
        else { throw .unsupportedFeatureOrParameterValue }
        // Legacy PDUs have no secondary PHY.
        guard !properties.contains(.legacy) else {
            guard command.primaryPHY == .le1M else { throw .invalidHCICommandParameters }
            return
        }
        switch command.secondaryPHY {
        case .le1M: break
        case .le2M where capabilities.phys.contains(.twoM): break
        case .leCoded where capabilities.phys.contains(.coded): break
        default: throw .unsupportedFeatureOrParameterValue
        }
    }

    /// Takes checked parameters. Legacy PDUs must have room for the data that the set has, and a train that is on keeps its PHY and its kind of set
    /// (Vol 4, Part E, 7.8.53).
    mutating func set(
        _ command: HCI.LESetExtendedAdvertisingParameters, _ coding: Coding, txPower: Int8
    ) throws(HCI.ErrorCode) {
        guard !isEnabled else { throw .commandDisallowed }
        if command.properties.contains(.legacy) {
            let limit = command.properties.contains(.directed) ? 0 : LL.maximumAdvertisingData
            guard data.octets.count <= limit, response.octets.count <= LL.maximumAdvertisingData else {
                throw .invalidHCICommandParameters
            }
        }
        var changed = self
        changed.parameters = command
        changed.coding = coding
        changed.txPower = txPower
        if let periodic, periodic.isOn {
            guard changed.mayBePeriodic, changed.secondaryPHY == periodic.carrier.phy else { throw .commandDisallowed }
        }
        let carrier = changed.carrier
        changed.periodic?.use(carrier)
        self = changed
    }

    /// What the set's train shares with it.
    var carrier: PeriodicTrain.Carrier {
        var assumed = self
        assumed.coding = coding.assumed
        return PeriodicTrain.Carrier(
            setID: parameters.advertisingSID, phy: secondaryPHY, assumedPHY: assumed.secondaryPHY)
    }

    /// Takes advertising data (Vol 4, Part E, 7.8.54).
    mutating func setData(_ operation: HCI.DataOperation, _ fragment: Span<UInt8>) throws(HCI.ErrorCode) {
        guard supportsData else { throw .invalidHCICommandParameters }
        if operation == .unchanged {
            guard isEnabled, !isLegacy, fragment.isEmpty, !data.octets.isEmpty else {
                throw .invalidHCICommandParameters
            }
        } else {
            try checkFragment(operation, fragment.count)
            guard !isEnabled || fits(data: fragment.count, response: 0) else { throw .packetTooLong }
            try data.take(operation, fragment)
        }
        changeDataID()
    }

    /// Takes scan response data (Vol 4, Part E, 7.8.55).
    mutating func setResponse(_ operation: HCI.DataOperation, _ fragment: Span<UInt8>) throws(HCI.ErrorCode) {
        // Other types of events may only discard what there is.
        guard isScannable || operation == .complete && fragment.isEmpty, operation != .unchanged else {
            throw .invalidHCICommandParameters
        }
        try checkFragment(operation, fragment.count)
        // Scannable extended events cannot be without a response.
        if isEnabled, isScannable, !isLegacy, fragment.isEmpty { throw .commandDisallowed }
        guard !isEnabled || fits(data: 0, response: fragment.count) else { throw .packetTooLong }
        try response.take(operation, fragment)
        changeDataID()
    }

    /// What holds for all fragments of a set: legacy data is complete and has at most 31 octets, only complete data may be empty, and fragments
    /// must not change data that is being sent.
    private func checkFragment(_ operation: HCI.DataOperation, _ count: Int) throws(HCI.ErrorCode) {
        guard operation.rawValue <= HCI.DataOperation.complete.rawValue,
            !isLegacy || operation == .complete && count <= LL.maximumAdvertisingData,
            operation == .complete || count > 0
        else { throw .invalidHCICommandParameters }
        guard operation == .complete || !isEnabled else { throw .commandDisallowed }
    }

    /// New data gets another DID than the data before (Vol 6, Part B, 4.4.2.11).
    private mutating func changeDataID() { dataID = (dataID + 1) & 0x0FFF }

    /// Checks what the host set before the set is enabled (Vol 4, Part E, 7.8.56).
    ///
    /// - Parameter duration: In units of 10 ms; 0 if there is no end.
    func checkEnable(duration: UInt16) throws(HCI.ErrorCode) {
        guard data.isComplete, response.isComplete else { throw .commandDisallowed }
        // The high duty cycle lasts at most 1.28 s.
        guard !isHighDuty || (1...128).contains(duration) else { throw .invalidHCICommandParameters }
        guard isLegacy || !isScannable || !response.octets.isEmpty else { throw .commandDisallowed }
        guard fits(data: isScannable ? 0 : data.octets.count, response: response.octets.count) else {
            throw .packetTooLong
        }
    }
}

extension HCI.AdvertisingEventProperties {
    /// Whether such events exist (Vol 4, Part E, 7.8.53). Legacy PDUs have five types. Extended ones are not connectable and scannable at once
    /// and have no high duty cycle; only those that are neither can be anonymous.
    fileprivate var isValid: Bool {
        guard rawValue <= 0x7F else { return false }
        if contains(.legacy) { return [0x13, 0x15, 0x1D, 0x12, 0x10].contains(rawValue) }
        guard !contains(.highDutyCycle), !isSuperset(of: [.connectable, .scannable]) else { return false }
        return !contains(.anonymous) || isDisjoint(with: [.connectable, .scannable])
    }
}

extension HCI.LESetExtendedAdvertisingParameters {
    /// The parameters of a set that does what the legacy command says (Vol 4, Part E, 7.8.53).
    init(_ legacy: HCI.LESetAdvertisingParameters) {
        let properties: HCI.AdvertisingEventProperties =
            switch legacy.advertisingType {
            case .connectableUndirected: [.connectable, .scannable, .legacy]
            case .scannableUndirected: [.scannable, .legacy]
            case .nonconnectableUndirected: .legacy
            case .connectableDirectedHighDutyCycle: [.connectable, .directed, .highDutyCycle, .legacy]
            default: [.connectable, .directed, .legacy]
            }
        self.init(
            advertisingHandle: 0, properties: properties, intervalMinimum: UInt32(legacy.intervalMinimum),
            intervalMaximum: UInt32(legacy.intervalMaximum), primaryChannelMap: legacy.channelMap,
            ownAddressType: legacy.ownAddressType, peerAddress: legacy.peerAddress,
            filterPolicy: legacy.filterPolicy)
    }
}
