import BLEWire

/// The procedures about sleep clocks, used events and used channels (Vol 6, Part B, 5.1.11, 5.1.14, 5.1.19 and 5.1.20).
extension LinkLayerProcedures {
    mutating func answer(_ request: LL.ClockAccuracyReq, _ actions: inout [Action]) {
        actions.append(.learnAccuracy(request.sleepClockAccuracy))
        send(LL.ClockAccuracyRsp(sleepClockAccuracy: ownAccuracy.rawValue))
    }

    mutating func receive(_ response: LL.ClockAccuracyRsp, _ context: Context, _ actions: inout [Action]) {
        guard local == .clockAccuracy else { return }
        actions.append(.learnAccuracy(response.sleepClockAccuracy))
        finish(context, &actions, .reportAccuracy(.success, response.sleepClockAccuracy))
    }

    func receive(_ indication: LL.MinUsedChannelsInd, _ context: Context, _ actions: inout [Action]) {
        let current = LL.PHYSet([context.txPHY, context.rxPHY])
        guard (2...37).contains(indication.minimum), !indication.phys.isDisjoint(with: current) else { return }
        actions.append(.useMoreChannels(Int(indication.minimum)))
    }

    // MARK: Subrating

    private var supportsSubrating: Bool {
        localFeatures.isSuperset(of: [.subrating, .subratingHostSupport])
    }

    /// Whether the peer has the feature, and its host turned it on; true while they are not known.
    private var peerAcceptsSubrating: Bool {
        remoteFeatures?.isSuperset(of: [.subrating, .subratingHostSupport]) ?? true
    }

    mutating func beginSubrate(_ requested: SubrateLimits, _ context: Context, _ actions: inout [Action]) {
        guard peerAcceptsSubrating else { return actions.append(.reportSubrate(.unsupportedRemoteFeature)) }
        guard context.isCentral else {
            wait(.subrate)
            return send(
                LL.SubrateReq(
                    factorMinimum: requested.factors.lowerBound, factorMaximum: requested.factors.upperBound,
                    maximumLatency: requested.latency, continuationNumber: requested.continuationNumber,
                    timeout: requested.timeout))
        }
        guard let change = requested.choose(interval: context.interval, baseEvent: context.event) else {
            return actions.append(.reportSubrate(.invalidLLParameters))
        }
        local = .subrating(change)
        propose(change, &actions)
    }

    private mutating func propose(_ change: LL.SubrateInd, _ actions: inout [Action]) {
        send(change)
        actions.append(.proposeSubrate(change))
    }

    /// Takes the peripheral's request: accepts what the host accepts, or rejects it.
    mutating func receive(_ request: LL.SubrateReq, _ context: Context, _ actions: inout [Action]) {
        guard supportsSubrating else { return reject(.subrateReq, .unsupportedRemoteFeature) }
        let isSame = if case .subrating = local { true } else { false }
        if let error = collision(sameProcedure: isSame, context) { return reject(.subrateReq, error) }
        let limits = SubrateLimits(
            request.factorMinimum, request.factorMaximum, latency: request.maximumLatency,
            continuationNumber: request.continuationNumber, timeout: request.timeout)
        guard let limits else { return reject(.subrateReq, .invalidLLParameters) }
        guard
            let change = acceptedSubrate.accepting(limits)?.choose(
                interval: context.interval, baseEvent: context.event)
        else { return reject(.subrateReq, .unsupportedLLParameterValue) }
        remote = .subrating(change)
        propose(change, &actions)
    }

    /// Takes the central's change, which holds at once.
    mutating func receive(_ change: LL.SubrateInd, _ context: Context, _ actions: inout [Action]) {
        guard localFeatures.contains(.subrating), change.isValid(interval: context.interval) else { return }
        if local == .subrate { local = .none }
        actions.append(.changeSubrate(change))
    }
}

extension LL.PHYSet {
    init(_ phys: [LL.PHY]) {
        self = []
        for phy in phys { formUnion(phy == .oneM ? .oneM : phy == .twoM ? .twoM : .coded) }
    }
}

extension LL.ChannelMap {
    /// The map with so many of the `candidates`, the lowest first, that it has `count` channels.
    func extended(to count: Int, from candidates: LL.ChannelMap = .all) -> LL.ChannelMap {
        var bits = rawValue
        for channel in UInt8(0)..<37 where bits.nonzeroBitCount < count && candidates.contains(channel) {
            bits |= 1 << UInt64(channel)
        }
        return LL.ChannelMap(rawValue: bits)
    }
}
