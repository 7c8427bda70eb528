import BLEWire

extension LinkLayerProcedures.Request {
    /// Whether two requests have the same kind.
    func isLike(_ other: Self) -> Bool {
        switch (self, other) {
        case (.features, .features), (.version, .version), (.ping, .ping), (.length, .length), (.update, .update),
            (.channelMap, .channelMap), (.phy, .phy), (.encryption, .encryption), (.clockAccuracy, .clockAccuracy),
            (.subrate, .subrate), (.channelReporting, .channelReporting):
            true
        case (.powerControl(let one), .powerControl(let two)): one.phy == two.phy && one.purpose == two.purpose
        // A train replaces only itself, with the same value for the peer's host.
        case (.periodicSync(let one), .periodicSync(let other)):
            one.sync.advertiser == other.sync.advertiser && one.sync.advertiserInfo == other.sync.advertiserInfo
                && one.sync.identifier == other.sync.identifier
        default: false
        }
    }

    /// The feature that the peer must have told of before the request begins; nil if the peer's answer tells whether it supports the request. The
    /// peer only acknowledges these PDUs (Vol 6, Part B, 5.1.13 and 5.1.21).
    var neededFeature: LL.FeatureSet? {
        switch self {
        case .channelReporting: .channelClassification
        case .periodicSync: .periodicSyncTransferRecipient
        case .features, .version, .ping, .length, .clockAccuracy, .powerControl, .update, .channelMap, .phy,
            .encryption, .subrate:
            nil
        }
    }

    /// Whether the procedure starts only after the end of the peer's procedure.
    var waitsForRemote: Bool {
        switch self {
        case .update, .channelMap, .phy, .encryption, .subrate: true
        case .features, .version, .ping, .length, .clockAccuracy, .powerControl, .channelReporting, .periodicSync: false
        }
    }
}

// MARK: Updates of parameters

extension LinkLayerProcedures {
    /// Begins the update that the host requests (Vol 6, Part B, 5.1.1 and 5.1.7).
    mutating func beginUpdate(_ requested: RequestedParameters, _ context: Context, _ actions: inout [Action]) {
        // Before a feature exchange the request is sent: a peer that does not support it rejects it (Vol 6, Part B, 5.1.7).
        let bothKnowRequest =
            localFeatures.contains(.connectionParametersRequest)
            && remoteFeatures?.contains(.connectionParametersRequest) ?? true
        if !bothKnowRequest {
            guard context.isCentral else { return actions.append(.reportUpdate(.unsupportedRemoteFeature)) }
            local = .change
            sendUpdate(requested, context, &actions)
        } else {
            wait(.parameters(requested))
            send(
                LL.ConnectionParamReq(
                    intervalMin: requested.intervalMinimum, intervalMax: requested.intervalMaximum,
                    latency: requested.latency,
                    timeout: requested.timeout, preferredPeriodicity: 0, referenceConnectionEvent: context.event,
                    offset0: 0xFFFF, offset1: 0xFFFF, offset2: 0xFFFF, offset3: 0xFFFF, offset4: 0xFFFF,
                    offset5: 0xFFFF))
        }
    }

    /// Sends the central's update (Vol 6, Part B, 5.1.1): new parameters at an instant, with an unchanged anchor.
    mutating func sendUpdate(_ requested: RequestedParameters, _ context: Context, _ actions: inout [Action]) {
        let interval = min(max(context.interval, requested.intervalMinimum), requested.intervalMaximum)
        let change = LL.ConnectionUpdateInd(
            windowSize: 1, windowOffset: 0, interval: interval, latency: requested.latency, timeout: requested.timeout,
            instant: context.nextInstant)
        send(change)
        actions.append(.schedule(.parameters(change)))
    }
}
