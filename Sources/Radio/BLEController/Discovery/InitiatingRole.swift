import BLEWire

/// The initiator (Vol 6, Part B, 4.4.4): the requested connection and the CONNECT_IND or AUX_CONNECT_REQ being sent.
struct InitiatingRole {
    enum State: Hashable {
        case off
        case listening
        /// CONNECT_IND or AUX_CONNECT_REQ is being sent to this advertiser.
        case connecting(Connecting)
        /// The initiator waits for AUX_CONNECT_RSP.
        case awaitingResponse(Connecting)
    }

    struct Connecting: Hashable {
        var advertiser: PeerAddress
        /// The initiator's address, and the same if the resolving list generated it, otherwise nil.
        var own: DeviceAddress
        var privateAddress: DeviceAddress?
        var indication: LL.ConnectInd
        /// The start of the first event.
        var anchor: Instant
        var usesAlgorithm2: Bool
        var answered: Advertisement

        /// Whether AUX_CONNECT_RSP decides about the link.
        var needsResponse: Bool { answered.isAuxiliary }
    }

    /// The advertisement that the initiator answers, on the same channel and PHY.
    struct Advertisement: Hashable {
        var channel: UInt8
        var phy: LL.PHY
        var primaryPHY: PrimaryPHY
        var isAuxiliary: Bool
        /// The advertiser supports channel selection algorithm #2, as all extended advertisers do.
        var channelSelection2: Bool

        /// From the end of the initiator's PDU to the earliest transmit window (Vol 6, Part B, 4.5.3).
        var transmitWindowDelay: TimeSpan {
            guard isAuxiliary else { return LL.slot }
            return phy.isCoded ? LL.slot * 3 : LL.slot * 2
        }

        /// From the end of the advertisement to the end of the exchange.
        var exchangeTime: TimeSpan {
            let request = phy.airTime(pduLength: LL.AdvertisingHeader.encodedCount + LL.ConnectInd.encodedCount)
            guard isAuxiliary else { return LL.interFrameSpace * 2 + request }
            // A header of 2 octets and an extended header with two addresses.
            return LL.interFrameSpace * 3 + request + phy.airTime(pduLength: 2 + 14)
        }
    }

    private(set) var state = State.off
    /// The last request of the host.
    private(set) var request = ConnectionRequest(
        HCI.LECreateConnection(
            scanInterval: 16, scanWindow: 16, filterPolicy: .peerAddress,
            peerAddress: DeviceAddress(kind: .public, value: 0), ownAddressType: .public, intervalMinimum: 24,
            intervalMaximum: 40, maximumLatency: 0, supervisionTimeout: 200))
    var schedules = ListeningSchedules()
    /// The share of the time for which it listens, in percent; 0 while it is off.
    private(set) var share = 0
    /// Separates initiators whose AUX_CONNECT_REQs collide. The specification has no backoff for initiators, so it is short.
    private var backoff = ScanBackoff(highest: 8)
    /// The advertiser that sent no AUX_CONNECT_RSP. The backoff is for this one only.
    private var unanswering: DeviceAddress?

    var isEnabled: Bool { state != .off }

    /// Whether the host may cancel the request. CONNECT_IND cannot be revoked (Vol 4, Part E, 7.8.13); the link of AUX_CONNECT_REQ
    /// begins with its response.
    var isCancellable: Bool {
        switch state {
        case .off: false
        case .listening, .awaitingResponse: true
        case .connecting(let connecting): connecting.needsResponse
        }
    }

    /// Starts to listen, first on `channel`.
    mutating func begin(_ request: ConnectionRequest, on channel: UInt8) {
        self.request = request
        state = .listening
        backoff = ScanBackoff(highest: 8)
        unanswering = nil
        schedules = request.schedules(from: channel)
        share = schedules.share
    }

    /// Whether to answer an AUX_ADV_IND of a wanted advertiser now.
    mutating func mayRequest(from advertiser: DeviceAddress) -> Bool {
        advertiser != unanswering || backoff.mayRequest()
    }

    mutating func connect(_ connecting: Connecting) { state = .connecting(connecting) }

    /// AUX_CONNECT_REQ has been sent.
    mutating func awaitResponse() {
        if case .connecting(let connecting) = state { state = .awaitingResponse(connecting) }
    }

    /// Listens again after an attempt without AUX_CONNECT_RSP.
    mutating func resume(random: inout SeededRandom) {
        if case .awaitingResponse(let connecting) = state { unanswering = connecting.advertiser.device }
        state = .listening
        backoff.end(isAnswered: false, random: &random)
    }

    mutating func end() {
        state = .off
        share = 0
        schedules = ListeningSchedules()
    }
}
