import BLEWire

extension Controller {
    mutating func startInitiating(_ request: ConnectionRequest, _ medium: inout Medium) {
        // The specification leaves the order of the channels open (Vol 6, Part B, 4.4.4) and gives initiators no backoff. Two
        // initiators that start together on the same channel answer the same advertisement, and their CONNECT_INDs collide.
        // If both repeat their attempts at the same time, a fixed order makes them collide each time.
        initiating.begin(request, on: 37 + UInt8(random.next() % 3))
        if initiating.schedules[.oneM] != nil { initiateIntervalBegins(on: .oneM, &medium) }
        guard initiating.schedules[.coded] != nil else { return }
        let offset = initiating.schedules.offset
        if offset == .zero {
            initiateIntervalBegins(on: .coded, &medium)
        } else {
            radio.arm(.initiateInterval(.coded), at: medium.now + offset, &medium)
        }
    }

    mutating func stopInitiating(_ medium: inout Medium) {
        cancelInitiatingTimers(&medium)
        initiating.end()
        if !scanning.isScanning { stopPursuits(&medium) }
        if radio.owner == .initiator {
            medium.cutTransmission(of: radio.index)
            radio.release(&medium)
        } else {
            listenInBackground(&medium)
        }
    }

    private mutating func cancelInitiatingTimers(_ medium: inout Medium) {
        for phy in PrimaryPHY.allCases {
            radio.cancel(.initiateInterval(phy), &medium)
            radio.cancel(.initiateWindow(phy), &medium)
        }
    }

    mutating func initiateIntervalBegins(on phy: PrimaryPHY, _ medium: inout Medium) {
        guard var schedule = initiating.schedules[phy] else { return }
        schedule.beginInterval()
        initiating.schedules[phy] = schedule
        radio.arm(.initiateInterval(phy), at: medium.now + schedule.interval, &medium)
        if !schedule.isContinuous { radio.arm(.initiateWindow(phy), at: medium.now + schedule.window, &medium) }
        listenInBackground(&medium)
    }

    /// Whether the host requested a connection to this advertiser, found on `phy`.
    func initiates(to advertiser: PeerAddress, on phy: PrimaryPHY) -> Bool {
        guard initiating.state == .listening, initiating.schedules.isOpen(on: phy) else { return false }
        let isWanted =
            initiating.request.filterPolicy == .acceptList
            ? acceptList.accepts(advertiser) : advertiser.matches(initiating.request.peerAddress)
        // The advertiser may have connected to this device since.
        return isWanted && !connections.links.isConnected(to: advertiser.device)
    }

    /// Answers an advertisement with CONNECT_IND or AUX_CONNECT_REQ (Vol 6, Part B, 4.4.4).
    mutating func connect(
        to advertiser: PeerAddress, _ advertisement: InitiatingRole.Advertisement, _ medium: inout Medium
    ) {
        let airTime = advertisement.phy.airTime(
            pduLength: LL.AdvertisingHeader.encodedCount + LL.ConnectInd.encodedCount)
        let end = medium.now + LL.interFrameSpace + airTime
        let request = initiating.request
        guard let own = privacy.ownAddress(request.ownAddressType, with: advertiser.device),
            let parameters = request.parameters(of: advertisement.phy, foundOn: advertisement.primaryPHY),
            connections.links.hasFreeSlot,
            medium.now + advertisement.exchangeTime <= connections.links.nextStart()
        else { return }
        let others = connections.links.openSlots.filter { connections.links[$0].isCentral }.map {
            AnchorPlan.Other(
                anchor: connections.links[$0].timing.anchor, interval: connections.links[$0].timing.interval)
        }
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
                isCoded: capabilities.configuration.supportsCoded,
                besides: connections.links.openSlots.map { connections.links[$0].accessAddress },
                using: &random
            ),
            crcInit: UInt32(random.next() & 0xFF_FFFF), windowSize: 2,
            windowOffset: offset, interval: interval, latency: parameters.maximumLatency,
            timeout: parameters.supervisionTimeout,
            channelMap: connections.defaults.channelClassification, hop: UInt8(5 + random.next() % 12),
            sleepClockAccuracy: 7)
        radio.isReleased = false
        radio.owner = .initiator
        // Without a response to AUX_CONNECT_REQ, the initiator goes on.
        if !advertisement.isAuxiliary { cancelInitiatingTimers(&medium) }
        initiating.connect(
            .init(
                advertiser: advertiser, own: own,
                privateAddress: privacy.privateAddress(request.ownAddressType, with: advertiser.device),
                indication: indication, anchor: anchor, usesAlgorithm2: advertisement.channelSelection2,
                answered: advertisement))
        medium.transmit(
            from: radio.index, at: medium.now + LL.interFrameSpace, on: advertisement.channel, phy: advertisement.phy
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
    mutating func connectionRequestSent(_ medium: inout Medium) {
        guard case .connecting(let connecting) = initiating.state else { return radio.release(&medium) }
        guard connecting.needsResponse else { return open(connecting, &medium) }
        initiating.awaitResponse()
        let (channel, phy) = (connecting.answered.channel, connecting.answered.phy)
        medium.listen(radio.index, to: channel, phy: phy)
        radio.awaitAnswer(on: phy, &medium)
    }

    /// Takes AUX_CONNECT_RSP, which names both devices (Vol 6, Part B, 2.3.3.2).
    mutating func receivedByInitiator(_ pdu: Span<UInt8>, _ reception: ReceivedPacket, _ medium: inout Medium) {
        guard case .awaitingResponse(let connecting) = initiating.state else { return }
        guard !reception.isCorrupted,
            case .auxConnectRsp(let header, let response)? = try? LL.AdvertisingPDU(decoding: pdu),
            response.advertiser(header) == connecting.advertiser.onAir, response.target(header) == connecting.own
        else { return connectionRequestFailed(&medium) }
        open(connecting, &medium)
    }

    /// No valid AUX_CONNECT_RSP arrived.
    mutating func connectionRequestFailed(_ medium: inout Medium) {
        if case .awaitingResponse = initiating.state { initiating.resume(random: &random) }
        radio.release(&medium)
    }

    private mutating func open(_ connecting: InitiatingRole.Connecting, _ medium: inout Medium) {
        guard let slot = connections.links.freeSlot() else { return connectionRequestFailed(&medium) }
        cancelInitiatingTimers(&medium)
        initiating.end()
        connections.openLink(
            slot, .central, peer: connecting.advertiser, privateAddress: connecting.privateAddress,
            connecting.indication, phy: connecting.answered.phy, usesAlgorithm2: connecting.usesAlgorithm2,
            windowStart: connecting.anchor, &radio, &host, &medium)
        radio.release(&medium)
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
