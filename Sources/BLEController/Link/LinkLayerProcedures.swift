import BLEWire

/// The control procedures of one link (Vol 6, Part B, 5): a value that takes the host's wishes, the peer's PDUs and
/// acknowledgements, and returns what to do. What it wants to send waits in `outgoing`.
struct LinkLayerProcedures {
    /// What the host asks for; begun one after another.
    enum Request: Hashable {
        case features
        case version
        case ping
        case length
        case update(RequestedParameters)
        case channelMap(LL.ChannelMap)
        case phy(tx: LL.PHYSet, rx: LL.PHYSet)
    }

    /// Connection parameters as a host wishes them; the units are the link layer's.
    struct RequestedParameters: Hashable {
        var intervalMinimum: UInt16
        var intervalMaximum: UInt16
        var latency: UInt16
        var timeout: UInt16
    }

    enum Action: Equatable {
        /// The host asked for it: report the peer's features or version.
        case reportFeatures(HCI.ErrorCode, LL.FeatureSet)
        case reportVersion(HCI.ErrorCode, LL.VersionInd)
        /// The peer wishes other parameters: ask the host.
        case askHost(RequestedParameters)
        /// An update failed, or changed nothing, and the host waits to hear of it.
        case reportUpdate(HCI.ErrorCode)
        case reportPHY(HCI.ErrorCode)
        case dataLengthChanged
        /// Change something when the event counter reaches the instant.
        case schedule(Change)
        /// The peer ends the link: acknowledge, then it is over.
        case terminate(HCI.ErrorCode)
        /// The link is over now.
        case end(HCI.ErrorCode)
    }

    /// What changes at an instant.
    enum Change: Hashable {
        case parameters(LL.ConnectionUpdateInd)
        case channelMap(LL.ChannelMapInd)
        case phy(LL.PHYUpdateInd)

        var instant: UInt16 {
            switch self {
            case .parameters(let change): change.instant
            case .channelMap(let change): change.instant
            case .phy(let change): change.instant
            }
        }
    }

    /// What the machine has to know of the link at a call.
    struct Context {
        var role: HCI.Role
        /// The counter of the present or the next event.
        var event: UInt16
        var latency: UInt16
        var interval: UInt16
        /// The PHYs in use.
        var txPHY = LL.PHY.oneM
        var rxPHY = LL.PHY.oneM
        /// The host wants to decide about connection parameters.
        var hostDecidesParameters: Bool

        var isCentral: Bool { role == .central }

        /// An instant that the peer can still hear of in time (5.1.1 asks for six events that the peripheral listens to).
        var nextInstant: UInt16 { event &+ 6 &+ latency }

        func isPast(_ instant: UInt16) -> Bool { instant &- event >= 0x7FFF }
    }

    /// The procedure that this side began.
    enum Local: Hashable {
        case none, features, version, ping, length
        /// LL_CONNECTION_PARAM_REQ was sent for this requested.
        case parameters(RequestedParameters)
        /// LL_PHY_REQ was sent.
        case phy
        /// Something changes at an instant; the host hears of it then.
        case change
        case terminate
    }

    /// The procedure that the peer began and that is not yet over.
    enum Remote: Hashable {
        case none
        /// The host was asked about the peer's LL_CONNECTION_PARAM_REQ.
        case parameters(LL.ConnectionParamReq)
        /// LL_CONNECTION_PARAM_RSP was sent, the update is to come.
        case parametersAnswered
        /// LL_PHY_RSP was sent, the update is to come.
        case phy
        case change
    }

    let localFeatures: LL.FeatureSet
    let localVersion: LL.VersionInd
    var dataLength: DataLength
    /// The PHYs that this side would use; changed by LE Set PHY.
    var phys: (tx: LL.PHYSet, rx: LL.PHYSet)
    private(set) var remoteFeatures: LL.FeatureSet?
    private(set) var remoteVersion: LL.VersionInd?
    private var sentVersion = false
    var local = Local.none
    var remote = Remote.none
    private var requests: [Request] = []
    /// Whole control PDUs, without header, in the order of sending. The first stays until it is acknowledged.
    private(set) var outgoing: [[UInt8]] = []
    /// Counts the answers waited for, so that a time limit can tell whether it is about the same one.
    private(set) var waits: UInt32 = 0

    init(
        features: LL.FeatureSet, version: LL.VersionInd, dataLength: DataLength, phys: (tx: LL.PHYSet, rx: LL.PHYSet)
    ) {
        localFeatures = features
        localVersion = version
        self.dataLength = dataLength
        self.phys = phys
    }

    /// Whether a procedure runs or waits.
    var isIdle: Bool { local == .none && remote == .none && requests.isEmpty && outgoing.isEmpty }

    /// Whether the peer owes an answer, for which there are 40 s (5.2).
    var isWaiting: Bool {
        switch local {
        case .features, .version, .ping, .length, .parameters, .phy: true
        case .none, .change, .terminate: remote == .phy || remote == .parametersAnswered
        }
    }

    /// The host was asked about the peer's wish for parameters and has not answered.
    var hostIsAsked: Bool { if case .parameters = remote { true } else { false } }

    /// LL_CONNECTION_PARAM_REQ was sent and is not answered.
    var asksForParameters: Bool { if case .parameters = local { true } else { false } }

    // MARK: The host's wishes

    /// Takes the place of a wish of the same kind that waits: a host cannot pile them up.
    mutating func request(_ request: Request, _ context: Context, _ actions: inout [Action]) {
        if let index = requests.firstIndex(where: { $0.isLike(request) }) {
            requests[index] = request
        } else {
            requests.append(request)
        }
        beginNext(context, &actions)
    }

    /// Whether a wish of this kind waits.
    func hasWaiting(_ request: Request) -> Bool { requests.contains { $0.isLike(request) } }

    /// Ends the link; overtakes everything else that waits but what has been sent and not yet acknowledged.
    mutating func terminate(reason: HCI.ErrorCode, keepingFirst: Bool) {
        guard local != .terminate else { return }
        local = .terminate
        requests.removeAll()
        outgoing.removeLast(max(0, outgoing.count - (keepingFirst ? 1 : 0)))
        send(LL.TerminateInd(reason: reason.rawValue))
    }

    mutating func send(_ payload: some LL.ControlPayload) {
        var octets = [type(of: payload).opcode.rawValue]
        guard (try? octets.append(encoding: payload)) != nil else { return }
        outgoing.append(octets)
    }

    mutating func beginNext(_ context: Context, _ actions: inout [Action]) {
        while local == .none, !requests.isEmpty {
            // What changes at an instant waits for the peer's to be over (5.3).
            if remote != .none, requests[0].usesInstant { return }
            begin(requests.removeFirst(), context, &actions)
        }
    }

    private mutating func begin(_ request: Request, _ context: Context, _ actions: inout [Action]) {
        switch request {
        case .features:
            if let remoteFeatures {
                actions.append(.reportFeatures(.success, remoteFeatures))
            } else if context.isCentral {
                wait(.features)
                send(LL.FeatureReq(features: localFeatures))
            } else {
                wait(.features)
                send(LL.PeripheralFeatureReq(features: localFeatures))
            }
        case .version:
            if let remoteVersion {
                actions.append(.reportVersion(.success, remoteVersion))
            } else {
                wait(.version)
                sendVersion()
            }
        case .ping:
            wait(.ping)
            send(LL.PingReq())
        case .length:
            if let remoteFeatures, !remoteFeatures.contains(.dataPacketLengthExtension) { return }
            wait(.length)
            send(dataLength.request(isCoded: peerMayBeCoded))
        case .update(let requested):
            beginUpdate(requested, context, &actions)
        case .channelMap(let map):
            local = .change
            let change = LL.ChannelMapInd(channelMap: map, instant: context.nextInstant)
            send(change)
            actions.append(.schedule(.channelMap(change)))
        case .phy(let tx, let rx):
            phys = (tx, rx)
            if let remoteFeatures, remoteFeatures.isDisjoint(with: [.twoM, .coded]) {
                actions.append(.reportPHY(.unsupportedRemoteFeature))
            } else {
                wait(.phy)
                send(LL.PHYReq(txPHYs: tx, rxPHYs: rx))
            }
        }
    }

    private mutating func beginUpdate(_ requested: RequestedParameters, _ context: Context, _ actions: inout [Action]) {
        // Before a feature exchange the peer is asked: it says itself if it does not know the procedure (5.1.7).
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

    /// The central's word: new parameters at an instant, with the anchor where the old one would have been.
    mutating func sendUpdate(_ requested: RequestedParameters, _ context: Context, _ actions: inout [Action]) {
        let interval = min(max(context.interval, requested.intervalMinimum), requested.intervalMaximum)
        let change = LL.ConnectionUpdateInd(
            windowSize: 1, windowOffset: 0, interval: interval, latency: requested.latency, timeout: requested.timeout,
            instant: context.nextInstant)
        send(change)
        actions.append(.schedule(.parameters(change)))
    }

    /// The peer has the Coded PHY, as far as is known.
    var peerMayBeCoded: Bool { remoteFeatures?.contains(.coded) ?? true }

    mutating func sendVersion() {
        guard !sentVersion else { return }
        sentVersion = true
        send(localVersion)
    }

    private mutating func wait(_ procedure: Local) {
        local = procedure
        waits &+= 1
    }

    mutating func noteWaiting() { waits &+= 1 }
    mutating func learn(_ features: LL.FeatureSet) { remoteFeatures = features }
    mutating func learn(_ version: LL.VersionInd) { remoteVersion = version }

    // MARK: What the link reports

    /// The first of `outgoing` has been acknowledged.
    mutating func acknowledged(_ actions: inout [Action]) {
        guard !outgoing.isEmpty else { return }
        let sent = outgoing.removeFirst()
        if sent.first == LL.ControlOpcode.terminateInd.rawValue {
            actions.append(.end(.connectionTerminatedByLocalHost))
        }
    }

    /// A change that `schedule` asked for has happened.
    mutating func changed(_ context: Context, _ actions: inout [Action]) {
        if local == .change { local = .none }
        if remote == .change { remote = .none }
        beginNext(context, &actions)
    }
}

extension LinkLayerProcedures.Request {
    /// Whether it wishes something of the same kind.
    func isLike(_ other: Self) -> Bool {
        switch (self, other) {
        case (.features, .features), (.version, .version), (.ping, .ping), (.length, .length), (.update, .update),
            (.channelMap, .channelMap), (.phy, .phy):
            true
        default: false
        }
    }

    /// Whether it changes something at an instant, so that it may not run beside another such procedure.
    var usesInstant: Bool {
        switch self {
        case .update, .channelMap, .phy: true
        case .features, .version, .ping, .length: false
        }
    }
}
