import BLEWire

/// The initiator (Vol 6, Part B, 4.4.4).
extension Discovery {
    mutating func startInitiating(_ request: ConnectionRequest, _ shared: inout SharedState, _ medium: inout Medium) {
        // The specification leaves the order of the channels open (Vol 6, Part B, 4.4.4) and gives initiators no backoff. Two
        // initiators that start together on the same channel answer the same advertisement, and their CONNECT_INDs collide.
        // If both repeat their attempts at the same time, a fixed order makes them collide each time.
        initiating.begin(request, on: 37 + UInt8(shared.random.next() % 3))
        beginListening(.initiator, &shared, &medium)
    }

    mutating func stopInitiating(_ shared: inout SharedState, _ medium: inout Medium) {
        cancelTimers(of: .initiator, &shared, &medium)
        initiating.end()
        if !scanning.isScanning { stopPursuits(&shared, &medium) }
        if shared.radio.owner == .initiator {
            medium.cutTransmission(of: shared.radio.index)
            shared.radio.release(&medium)
        } else {
            listenInBackground(&shared, &medium)
        }
    }

    /// Whether to connect to this advertiser, received in a window on a primary channel.
    func initiates(to advertiser: PeerAddress, on phy: PrimaryPHY, _ shared: borrowing SharedState) -> Bool {
        initiating.schedules.isOpen(on: phy) && wantsConnection(to: advertiser, shared)
    }

    /// Whether the host requested a connection to this advertiser.
    func wantsConnection(to advertiser: PeerAddress, _ shared: borrowing SharedState) -> Bool {
        guard initiating.state == .listening else { return false }
        let isWanted =
            initiating.request.filterPolicy == .acceptList
            ? shared.acceptList.accepts(advertiser) : advertiser.matches(initiating.request.peerAddress)
        // The advertiser may have connected to this device since.
        return isWanted && !shared.connections.links.isConnected(to: advertiser.device)
    }

    /// Answers an advertisement with CONNECT_IND or AUX_CONNECT_REQ (Vol 6, Part B, 4.4.4).
    mutating func connect(
        to advertiser: PeerAddress, _ advertisement: InitiatingRole.Advertisement, _ shared: inout SharedState,
        _ medium: inout Medium
    ) {
        let airTime = advertisement.phy.airTime(
            pduLength: LL.AdvertisingHeader.encodedCount + LL.ConnectInd.encodedCount)
        let end = medium.now + LL.interFrameSpace + airTime
        let request = initiating.request
        guard let own = shared.privacy.ownAddress(request.ownAddressType, with: advertiser.device),
            let parameters = request.parameters(of: advertisement.phy, foundOn: advertisement.primaryPHY),
            shared.connections.links.hasFreeSlot,
            medium.now + advertisement.exchangeTime <= shared.connections.links.nextStart()
        else { return }
        let others = shared.connections.links.centralAnchors
        let interval = AnchorPlan.interval(
            in: parameters.intervalMinimum...max(parameters.intervalMinimum, parameters.intervalMaximum),
            others: others)
        // The transmit window begins a whole number of 1.25 ms units after CONNECT_IND or AUX_CONNECT_REQ (Vol 6, Part B, 4.5.3). It is wide enough
        // for the unit that contains the anchor.
        let base = end + advertisement.transmitWindowDelay
        let anchor = AnchorPlan.anchor(notBefore: base, interval: interval, others: others)
        let offset = UInt16(truncatingIfNeeded: (anchor - base).nanoseconds / LL.slot.nanoseconds)
        let indication = LL.ConnectInd(
            initiator: own.value, advertiser: advertiser.onAir.value,
            accessAddress: AccessAddress.random(
                isCoded: shared.capabilities.configuration.supportsCoded,
                besides: shared.radio.accessAddresses, using: &shared.random),
            crcInit: UInt32(shared.random.next() & 0xFF_FFFF), windowSize: 2,
            windowOffset: offset, interval: interval, latency: parameters.maximumLatency,
            timeout: parameters.supervisionTimeout,
            channelMap: shared.connections.defaults.channelClassification, hop: UInt8(5 + shared.random.next() % 12),
            sleepClockAccuracy: shared.capabilities.configuration.clock.accuracy.rawValue)
        shared.radio.isReleased = false
        shared.radio.owner = .initiator
        // Without a response to AUX_CONNECT_REQ, the initiator goes on.
        if !advertisement.isAuxiliary { cancelTimers(of: .initiator, &shared, &medium) }
        initiating.connect(
            .init(
                advertiser: advertiser, own: own,
                privateAddress: shared.privacy.privateAddress(request.ownAddressType, with: advertiser.device),
                indication: indication, anchor: anchor, usesAlgorithm2: advertisement.channelSelection2,
                answered: advertisement))
        medium.transmit(
            from: shared.radio.index, at: medium.now + LL.interFrameSpace, on: advertisement.channel,
            phy: advertisement.phy
        ) { pdu in
            // The bit for the channel selection algorithm is reserved in AUX_CONNECT_REQ (Vol 6, Part B, 2.3).
            let header = LL.AdvertisingHeader(
                type: .connectInd, channelSelection2: !advertisement.isAuxiliary && advertisement.channelSelection2,
                transmitterIsRandom: own.kind == .random, receiverIsRandom: advertiser.onAir.kind == .random,
                length: UInt8(LL.ConnectInd.encodedCount))
            try? pdu.append(encoding: header)
            try? pdu.append(encoding: indication)
        }
    }

    /// CONNECT_IND or AUX_CONNECT_REQ has been sent. After CONNECT_IND, the first connection events show whether the advertiser received
    /// it (Vol 6, Part B, 4.5.4).
    mutating func connectionRequestSent(_ shared: inout SharedState, _ medium: inout Medium) {
        guard case .connecting(let connecting) = initiating.state else { return shared.radio.release(&medium) }
        guard connecting.needsResponse else { return open(connecting, &shared, &medium) }
        initiating.awaitResponse()
        let (channel, phy) = (connecting.answered.channel, connecting.answered.phy)
        medium.listen(shared.radio.index, to: channel, phy: phy)
        shared.radio.awaitAnswer(on: phy, &medium)
    }

    /// Takes AUX_CONNECT_RSP, which names both devices (Vol 6, Part B, 2.3.3.2).
    mutating func receivedByInitiator(
        _ pdu: Span<UInt8>, _ reception: ReceivedPacket, _ shared: inout SharedState, _ medium: inout Medium
    ) {
        guard case .awaitingResponse(let connecting) = initiating.state else { return }
        guard !reception.isCorrupted,
            case .auxConnectRsp(let header, let response)? = try? LL.AdvertisingPDU(decoding: pdu),
            response.advertiser(header) == connecting.advertiser.onAir, response.target(header) == connecting.own
        else { return connectionRequestFailed(&shared, &medium) }
        open(connecting, &shared, &medium)
    }

    /// No valid AUX_CONNECT_RSP arrived.
    mutating func connectionRequestFailed(_ shared: inout SharedState, _ medium: inout Medium) {
        if case .awaitingResponse = initiating.state { initiating.resume(random: &shared.random) }
        shared.radio.release(&medium)
    }

    private mutating func open(
        _ connecting: InitiatingRole.Connecting, _ shared: inout SharedState, _ medium: inout Medium
    ) {
        guard let slot = shared.connections.links.freeSlot() else { return connectionRequestFailed(&shared, &medium) }
        cancelTimers(of: .initiator, &shared, &medium)
        initiating.end()
        if !scanning.isScanning { stopPursuits(&shared, &medium) }
        shared.connections.openLink(
            slot, .central, peer: connecting.advertiser, privateAddress: connecting.privateAddress,
            connecting.indication, phy: connecting.answered.phy, usesAlgorithm2: connecting.usesAlgorithm2,
            windowStart: connecting.anchor, &shared.radio, &shared.host, &medium)
        shared.radio.release(&medium)
    }
}

extension InitiatingRole.Advertisement {
    /// A legacy advertisement.
    init(_ header: LL.AdvertisingHeader, _ reception: ReceivedPacket) {
        self.init(
            channel: reception.channel, phy: reception.phy, primaryPHY: .oneM, isAuxiliary: false,
            channelSelection2: header.channelSelection2)
    }

    /// AUX_ADV_IND.
    init(secondary reception: ReceivedPacket, foundOn primary: PrimaryPHY) {
        self.init(
            channel: reception.channel, phy: reception.phy, primaryPHY: primary, isAuxiliary: true,
            channelSelection2: true)
    }
}
