import BLEWire

/// The Link Layer control procedures of one link (Vol 6, Part B, 5). The value takes the host's requests, the peer's PDUs and
/// acknowledgements, and returns actions. PDUs to send are queued in `outgoing`.
struct LinkLayerProcedures {
    /// A procedure that the host requests. Requests start one after another.
    enum Request: Hashable {
        case features
        case version
        case ping
        case length
        case clockAccuracy
        case subrate(SubrateLimits)
        case powerControl(PowerRequest)
        /// Turns the peripheral's reports about its channels on or off.
        case channelReporting(LL.ChannelReportingInd)
        case update(RequestedParameters)
        case channelMap(LL.ChannelMap)
        case phy(tx: LL.PHYSet, rx: LL.PHYSet)
        /// Tells the peer of a train (Vol 6, Part B, 5.1.13).
        indirect case periodicSync(TrainIndication)
        /// Starts encryption, or replaces the key. Only a central requests it.
        indirect case encryption(EncryptionProcedure.Request)
    }

    /// The connection parameters that a host requests, in the link layer's units.
    struct RequestedParameters: Hashable {
        var intervalMinimum: UInt16
        var intervalMaximum: UInt16
        var latency: UInt16
        var timeout: UInt16
    }

    enum Action: Equatable {
        /// Reports the peer's features or version at the host's request (Vol 6, Part B, 5.1.4 and 5.1.5).
        case reportFeatures(HCI.ErrorCode, LL.FeatureSet)
        case reportVersion(HCI.ErrorCode, LL.VersionInd)
        /// Asks the host about the parameters that the peer requests.
        case askHost(RequestedParameters)
        /// Reports that an update failed or changed nothing.
        case reportUpdate(HCI.ErrorCode)
        case reportPHY(HCI.ErrorCode)
        case dataLengthChanged
        /// The peer's sleep clock has this accuracy (Vol 6, Part B, 2.4.2.30).
        case learnAccuracy(UInt8)
        case reportAccuracy(HCI.ErrorCode, UInt8)
        /// The central has sent a change of the used events, which the peripheral may use at once (Vol 6, Part B, 5.1.19).
        case proposeSubrate(LL.SubrateInd)
        case changeSubrate(LL.SubrateInd)
        case reportSubrate(HCI.ErrorCode)
        case reportPower(PowerReport)
        /// The central turned the reports about channels on or off (Vol 6, Part B, 5.1.21).
        case reportChannels(LL.ChannelReportingInd)
        /// The peripheral has reported this about its channels (Vol 6, Part B, 5.1.22).
        case learnChannels(LL.ChannelClassification)
        /// The peripheral needs this number of channels (Vol 6, Part B, 5.1.11).
        case useMoreChannels(Int)
        /// Draws this side's part of a session for `answerEncryption`, and asks the host for the key.
        indirect case askKey(LL.EncReq)
        /// Derives the session key.
        indirect case beginSession(EncryptionProcedure.Session)
        case reportEncryption(EncryptionProcedure.Report)
        /// The peer tells of a train (Vol 6, Part B, 5.1.13).
        indirect case takeSync(TrainIndication)
        /// Applies a change when the event counter reaches its instant.
        case schedule(Change)
        /// Acknowledges the peer's LL_TERMINATE_IND and ends the link (Vol 6, Part B, 5.1.6).
        case terminate(HCI.ErrorCode)
        /// Terminates the link with LL_TERMINATE_IND.
        case terminateLocally(HCI.ErrorCode)
        /// Ends the link now.
        case end(HCI.ErrorCode)
    }

    /// A change at an instant.
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

    /// The state of the link at a call.
    struct Context {
        var role: HCI.Role
        /// The counter of the current or the next event.
        var event: UInt16
        var latency: UInt16
        var interval: UInt16
        /// The current PHYs.
        var txPHY = LL.PHY.oneM
        var rxPHY = LL.PHY.oneM
        /// Whether the host decides about connection parameters.
        var hostDecidesParameters: Bool
        /// Every `factor`-th event is used.
        var factor: UInt16 = 1
        /// The power of the last received PDU in dBm; 127 before the first one.
        var rssi: Int8 = 127

        var isCentral: Bool { role == .central }

        /// The next instant: the peripheral listens to at least six events before it (Vol 6, Part B, 5.1.1).
        var nextInstant: UInt16 { event &+ factor &* (6 &+ latency) }

        func isPast(_ instant: UInt16) -> Bool { instant &- event >= 0x7FFF }
    }

    /// The procedure that this side started.
    enum Local: Hashable {
        case none, version, ping, length, clockAccuracy
        /// The peer's features are requested, for the host or for a queued request that needs to know them.
        case features(isForHost: Bool)
        /// LL_SUBRATE_REQ was sent.
        case subrate
        /// LL_SUBRATE_IND was sent and is not acknowledged.
        case subrating(LL.SubrateInd)
        /// LL_POWER_CONTROL_REQ was sent.
        case powerControl(PowerRequest)
        /// LL_CONNECTION_PARAM_REQ was sent with these parameters.
        case parameters(RequestedParameters)
        /// LL_PHY_REQ was sent.
        case phy
        /// The state is in `encryption`.
        case encryption
        /// A change is pending; the host receives its report at the instant.
        case change
        case terminate
    }

    /// The procedure that the peer started.
    enum Remote: Hashable {
        case none
        /// The host has to answer the peer's LL_CONNECTION_PARAM_REQ.
        case parameters(LL.ConnectionParamReq)
        /// LL_CONNECTION_PARAM_RSP was sent, and the update is pending.
        case parametersAnswered
        /// LL_PHY_RSP was sent, and the update is pending.
        case phy
        case change
        /// LL_SUBRATE_IND was sent and is not acknowledged.
        case subrating(LL.SubrateInd)
    }

    let localFeatures: LL.FeatureSet
    let localVersion: LL.VersionInd
    var dataLength: DataLength
    /// The preferred PHYs of this side. LE Set PHY changes them.
    var phys: (tx: LL.PHYSet, rx: LL.PHYSet)
    /// The subrates that this host accepts as central.
    let acceptedSubrate: SubrateLimits
    /// The transmit powers of both sides.
    var power: LinkPower
    /// What this side announces of its sleep clock.
    var ownAccuracy = HCI.ClockAccuracy.ppm20
    private(set) var remoteFeatures: LL.FeatureSet?
    private(set) var remoteVersion: LL.VersionInd?
    private var sentVersion = false
    var local = Local.none
    var remote = Remote.none
    /// The state of encryption. A procedure that the peer started is not in `remote`, because it may interrupt another one.
    var encryption: EncryptionProcedure
    /// A control PDU that waits for the end of the encryption procedure.
    enum Waiting {
        case toSend([UInt8])
        /// The peer sent it.
        case toTake([UInt8])
    }
    var waiting: [Waiting] = []
    private(set) var requests: [Request] = []
    /// Control PDUs without header, in the order of sending. The first one stays until its acknowledgement.
    private(set) var outgoing: [[UInt8]] = []
    /// Counts the expected responses, so that a timeout matches its procedure.
    private(set) var waits: UInt32 = 0
    /// The value of `waits` for which the link's timer runs.
    var timedWait: UInt32 = 0

    init(
        role: HCI.Role, features: LL.FeatureSet, version: LL.VersionInd, dataLength: DataLength,
        phys: (tx: LL.PHYSet, rx: LL.PHYSet), acceptedSubrate: SubrateLimits = SubrateLimits(),
        power: LinkPower = LinkPower()
    ) {
        encryption = EncryptionProcedure(role: role)
        localFeatures = features
        localVersion = version
        self.dataLength = dataLength
        self.phys = phys
        self.acceptedSubrate = acceptedSubrate
        self.power = power
    }

    /// Whether no procedure runs or is queued.
    var isIdle: Bool {
        local == .none && remote == .none && requests.isEmpty && outgoing.isEmpty && !encryption.isRunning
    }

    /// Whether a response of the peer is pending. Its timeout is 40 s (Vol 6, Part B, 5.2).
    var isWaiting: Bool {
        switch local {
        case .features, .version, .ping, .length, .parameters, .phy, .clockAccuracy, .subrate, .powerControl: true
        case .none, .encryption, .change, .subrating, .terminate:
            encryption.isWaitingForPeer || remote == .phy || remote == .parametersAnswered
        }
    }

    /// Whether the host has to answer the peer's request for parameters.
    var hostIsAsked: Bool { if case .parameters = remote { true } else { false } }

    /// Whether LL_CONNECTION_PARAM_REQ was sent and is not answered.
    var asksForParameters: Bool { if case .parameters = local { true } else { false } }

    // MARK: The host's requests

    /// Queues a request. It replaces a queued request of the same kind, which bounds the queue.
    mutating func request(_ request: Request, _ context: Context, _ actions: inout [Action]) {
        if let index = requests.firstIndex(where: { $0.isLike(request) }) {
            requests[index] = request
        } else {
            requests.append(request)
        }
        beginNext(context, &actions)
    }

    /// The queued transfers of trains.
    var waitingTransfers: Int {
        requests.count { if case .periodicSync = $0 { true } else { false } }
    }

    /// Whether a request of this kind is queued.
    func hasWaiting(_ request: Request) -> Bool { requests.contains { $0.isLike(request) } }

    /// Terminates the link. Only a PDU that was sent and is not acknowledged precedes LL_TERMINATE_IND.
    mutating func terminate(reason: HCI.ErrorCode, keepingFirst: Bool) {
        guard local != .terminate else { return }
        local = .terminate
        requests.removeAll()
        waiting.removeAll()
        outgoing.removeLast(max(0, outgoing.count - (keepingFirst ? 1 : 0)))
        queue(LL.TerminateInd(reason: reason.rawValue))
    }

    /// Queues a control PDU. During an encryption procedure the PDU waits for its end.
    mutating func send(_ payload: some LL.ControlPayload) {
        guard let octets = Self.octets(of: payload) else { return }
        if encryption.isRunning { waiting.append(.toSend(octets)) } else { outgoing.append(octets) }
    }

    /// Queues a control PDU that may be sent during an encryption procedure.
    mutating func queue(_ payload: some LL.ControlPayload) {
        if let octets = Self.octets(of: payload) { outgoing.append(octets) }
    }

    private static func octets(of payload: some LL.ControlPayload) -> [UInt8]? {
        var octets = [type(of: payload).opcode.rawValue]
        return (try? octets.append(encoding: payload)) == nil ? nil : octets
    }

    /// Queues a control PDU that waited for the end of an encryption procedure.
    mutating func queue(octets: [UInt8]) { outgoing.append(octets) }

    mutating func beginNext(_ context: Context, _ actions: inout [Action]) {
        while local == .none, !encryption.isRunning, !requests.isEmpty {
            // A procedure with an instant waits for the end of the peer's procedure (Vol 6, Part B, 5.3), and so does encryption,
            // which would hold back the answers to the peer.
            if remote != .none, requests[0].waitsForRemote { return }
            if let feature = requests[0].neededFeature {
                guard let remoteFeatures else { return requestFeatures(isForHost: false, context) }
                guard remoteFeatures.contains(feature) else {
                    requests.removeFirst()
                    continue
                }
            }
            begin(requests.removeFirst(), context, &actions)
        }
    }

    /// Requests the peer's features (Vol 6, Part B, 5.1.4).
    private mutating func requestFeatures(isForHost: Bool, _ context: Context) {
        wait(.features(isForHost: isForHost))
        if context.isCentral {
            send(LL.FeatureReq(features: localFeatures))
        } else {
            send(LL.PeripheralFeatureReq(features: localFeatures))
        }
    }

    /// Ends the request for the peer's features. If they are still unknown, what needs them is dropped.
    mutating func endFeatures(
        _ status: HCI.ErrorCode, _ features: LL.FeatureSet, _ context: Context, _ actions: inout [Action]
    ) {
        guard case .features(let isForHost) = local else { return }
        if remoteFeatures == nil { requests.removeAll { $0.neededFeature != nil } }
        finish(context, &actions, isForHost ? .reportFeatures(status, features) : nil)
    }

    private mutating func begin(_ request: Request, _ context: Context, _ actions: inout [Action]) {
        switch request {
        case .features:
            if let remoteFeatures {
                actions.append(.reportFeatures(.success, remoteFeatures))
            } else {
                requestFeatures(isForHost: true, context)
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
        case .clockAccuracy:
            if let remoteFeatures, !remoteFeatures.contains(.clockAccuracyUpdates) {
                return actions.append(.reportAccuracy(.unsupportedRemoteFeature, 0))
            }
            wait(.clockAccuracy)
            send(LL.ClockAccuracyReq(sleepClockAccuracy: ownAccuracy.rawValue))
        case .subrate(let requested): beginSubrate(requested, context, &actions)
        case .powerControl(let request): beginPowerControl(request, &actions)
        case .channelReporting(let indication): send(indication)
        case .encryption(let request): beginEncryption(request, context, &actions)
        case .update(let requested):
            beginUpdate(requested, context, &actions)
        case .channelMap(let map):
            local = .change
            let change = LL.ChannelMapInd(channelMap: map, instant: context.nextInstant)
            send(change)
            actions.append(.schedule(.channelMap(change)))
        case .periodicSync(let train): if let pdu = train.withResponses { send(pdu) } else { send(train.sync) }
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

    /// Whether the peer may support the Coded PHY.
    var peerMayBeCoded: Bool { remoteFeatures?.contains(.coded) ?? true }

    /// Sends LL_VERSION_IND, at most once on a link (Vol 6, Part B, 5.1.5).
    mutating func sendVersion() {
        guard !sentVersion else { return }
        sentVersion = true
        send(localVersion)
    }

    mutating func wait(_ procedure: Local) {
        local = procedure
        waits &+= 1
    }

    mutating func noteWaiting() { waits &+= 1 }
    mutating func learn(_ features: LL.FeatureSet) { remoteFeatures = features }
    mutating func learn(_ version: LL.VersionInd) { remoteVersion = version }

    // MARK: Events of the link

    /// The peer acknowledged the first PDU of `outgoing`.
    mutating func acknowledged(_ actions: inout [Action]) {
        guard !outgoing.isEmpty else { return }
        let opcode = LL.ControlOpcode(rawValue: outgoing.removeFirst()[0])
        encryption.acknowledged(opcode)
        switch (opcode, local, remote) {
        case (.terminateInd, _, _): actions.append(.end(.connectionTerminatedByLocalHost))
        case (.subrateInd, .subrating(let change), _), (.subrateInd, _, .subrating(let change)):
            actions.append(.changeSubrate(change))
        default: break
        }
    }

    /// A change of a `schedule` action took effect.
    mutating func changed(_ context: Context, _ actions: inout [Action]) {
        if local == .change { local = .none }
        if remote == .change { remote = .none }
        beginNext(context, &actions)
    }

    /// The change of a `changeSubrate` action took effect.
    mutating func subrateChanged(_ context: Context, _ actions: inout [Action]) {
        if case .subrating = local { local = .none }
        if case .subrating = remote { remote = .none }
        beginNext(context, &actions)
    }
}
