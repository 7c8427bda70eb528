import BLEWire

/// What a controller supports, by its configuration.
struct LocalCapabilities {
    let features: LL.FeatureSet
    let phys: LL.PHYSet
    /// The longest PDUs that the controller sends and receives.
    let length: DataLength.Limits

    init(_ configuration: ControllerConfiguration) {
        var features: LL.FeatureSet = [
            .encryption, .connectionParametersRequest, .extendedReject, .peripheralInitiatedFeaturesExchange, .ping,
            .channelSelection2,
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
        self.features = features
        self.phys = phys
        let octets = min(251, max(27, configuration.maximumDataLength))
        let slowest: LL.PHY = configuration.supportsCoded ? .codedS8 : .oneM
        let time = slowest.airTime(pduLength: 2 + Int(octets) + LL.micLength).nanoseconds / 1000
        length = DataLength.Limits(octets: octets, time: UInt16(clamping: time))
    }

    /// The host's limits within the controller's own; nil if they are out of range (Vol 4, Part E, 7.8.33 and 7.8.35).
    func limits(_ octets: UInt16, _ time: UInt16) -> DataLength.Limits? {
        guard (27...251).contains(octets), (328...17040).contains(time) else { return nil }
        return DataLength.Limits(octets: octets, time: time).limited(to: length)
    }

    /// The PHYs that the host prefers, or the error (Vol 4, Part E, 7.8.48 and 7.8.49).
    func choose(
        _ noPreference: HCI.PHYPreference, _ tx: HCI.PHYMask, _ rx: HCI.PHYMask
    ) -> ((tx: LL.PHYSet, rx: LL.PHYSet)?, HCI.ErrorCode) {
        let all = phys
        let chosenTx = noPreference.contains(.noTxPreference) ? all : LL.PHYSet(rawValue: tx.rawValue)
        let chosenRx = noPreference.contains(.noRxPreference) ? all : LL.PHYSet(rawValue: rx.rawValue)
        guard !chosenTx.isEmpty, !chosenRx.isEmpty else { return (nil, .invalidHCICommandParameters) }
        guard all.isSuperset(of: chosenTx), all.isSuperset(of: chosenRx) else {
            return (nil, .unsupportedFeatureOrParameterValue)
        }
        return ((chosenTx, chosenRx), .success)
    }
}
