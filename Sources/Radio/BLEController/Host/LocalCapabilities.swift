import BLEWire

/// What a controller supports, by its configuration.
struct LocalCapabilities {
    private(set) var configuration: ControllerConfiguration
    let features: LL.FeatureSet
    let phys: LL.PHYSet
    /// The longest PDUs that the controller sends and receives.
    let length: DataLength.Limits

    init(_ configuration: ControllerConfiguration) {
        var features: LL.FeatureSet = [
            .encryption, .connectionParametersRequest, .extendedReject, .peripheralInitiatedFeaturesExchange, .ping,
            .channelSelection2, .minimumUsedChannels, .clockAccuracyUpdates, .subrating, .powerControl,
            .pathLossMonitoring, .channelClassification,
        ]
        if configuration.maximumDataLength > 27 { features.insert(.dataPacketLengthExtension) }
        var phys = LL.PHYSet.oneM
        if configuration.supports2M {
            features.insert(.twoM)
            phys.insert(.twoM)
        }
        if configuration.supportsCoded {
            features.insert(.coded)
            phys.insert(.coded)
        }
        if configuration.resolvingListSize > 0 { features.formUnion([.privacy, .extendedScanFilterPolicies]) }
        if configuration.supportsExtendedAdvertising {
            features.insert(.extendedAdvertising)
            if configuration.supportsCoded { features.insert(.advertisingCodingSelection) }
            if configuration.periodicAdvertiserListSize > 0 {
                features.formUnion([
                    .periodicAdvertising, .periodicAdvertisingADI, .periodicSyncTransferSender,
                    .periodicSyncTransferRecipient, .periodicAdvertisingWithResponsesAdvertiser,
                    .periodicAdvertisingWithResponsesScanner,
                ])
            }
        }
        self.configuration = configuration
        self.features = features
        self.phys = phys
        let octets = min(251, max(27, configuration.maximumDataLength))
        let slowest: LL.PHY = configuration.supportsCoded ? .codedS8 : .oneM
        let time = slowest.airTime(pduLength: 2 + Int(octets) + LL.micLength).nanoseconds / 1000
        length = DataLength.Limits(octets: octets, time: UInt16(clamping: time))
    }

    mutating func set(publicAddress: DeviceAddress) { configuration.publicAddress = publicAddress }
    mutating func set(clock: ClockSetting) { configuration.clock = clock }

    /// The transmit powers of links, in dBm.
    var powers: ClosedRange<Int8> {
        min(configuration.minimumTransmitPower, configuration.transmitPower)...configuration.transmitPower
    }

    var hasResolvingList: Bool { configuration.resolvingListSize > 0 }

    /// The host's limits within the controller's own (Vol 4, Part E, 7.8.33 and 7.8.35).
    func limits(_ octets: UInt16, _ time: UInt16) throws(HCI.ErrorCode) -> DataLength.Limits {
        guard (27...251).contains(octets), (328...17040).contains(time) else {
            throw .invalidHCICommandParameters
        }
        return DataLength.Limits(octets: octets, time: time).limited(to: length)
    }

    /// The PHYs that the host prefers (Vol 4, Part E, 7.8.48 and 7.8.49).
    func choose(
        _ noPreference: HCI.PHYPreference, _ tx: HCI.PHYMask, _ rx: HCI.PHYMask
    ) throws(HCI.ErrorCode) -> (tx: LL.PHYSet, rx: LL.PHYSet) {
        let chosenTx = noPreference.contains(.noTxPreference) ? phys : LL.PHYSet(rawValue: tx.rawValue)
        let chosenRx = noPreference.contains(.noRxPreference) ? phys : LL.PHYSet(rawValue: rx.rawValue)
        guard !chosenTx.isEmpty, !chosenRx.isEmpty else { throw .invalidHCICommandParameters }
        guard phys.isSuperset(of: chosenTx), phys.isSuperset(of: chosenRx) else {
            throw .unsupportedFeatureOrParameterValue
        }
        return (chosenTx, chosenRx)
    }
}

extension LL.FeatureSet {
    /// The features that a controller reports to its host, and not to peers (Vol 6, Part B, 4.6).
    static let hostOnly: LL.FeatureSet = [
        .privacy, .extendedScanFilterPolicies, .extendedAdvertising, .advertisingCodingSelection,
        .advertisingCodingSelectionHostSupport, .periodicAdvertising, .periodicAdvertisingADI,
        .periodicAdvertisingWithResponsesAdvertiser, .periodicAdvertisingWithResponsesScanner,
    ]
}
