import BLEWire

extension Controller {
    mutating func startInitiating(_ request: HCI.LECreateConnection, _ medium: inout Medium) {
        // The specification leaves the order of the channels open (Vol 6, Part B, 4.4.4) and gives initiators no backoff. Two
        // initiators that start together on the same channel answer the same advertisement, and their CONNECT_INDs collide.
        // If both repeat their attempts at the same time, a fixed order makes them collide each time.
        initiating.begin(request, on: 37 + UInt8(random.next() % 3))
        initiateIntervalBegins(&medium)
    }

    mutating func stopInitiating(_ medium: inout Medium) {
        radio.cancel(.initiateInterval, &medium)
        radio.cancel(.initiateWindow, &medium)
        initiating.end()
        listenInBackground(&medium)
    }

    mutating func initiateIntervalBegins(_ medium: inout Medium) {
        guard initiating.isEnabled else { return }
        initiating.schedule.beginInterval()
        radio.arm(.initiateInterval, at: medium.now + initiating.schedule.interval, &medium)
        if !initiating.schedule.isContinuous {
            radio.arm(.initiateWindow, at: medium.now + initiating.schedule.window, &medium)
        }
        listenInBackground(&medium)
    }

    /// Whether the host requested a connection to this advertiser.
    func initiates(to advertiser: PeerAddress) -> Bool {
        guard initiating.state == .listening, initiating.schedule.isOpen else { return false }
        let isWanted =
            initiating.request.filterPolicy == .acceptList
            ? acceptList.accepts(advertiser) : advertiser.matches(initiating.request.peerAddress)
        // The advertiser may have connected to this device since.
        return isWanted && !connections.links.isConnected(to: advertiser.device)
    }

    /// Answers an advertisement with CONNECT_IND (Vol 6, Part B, 4.4.4).
    mutating func connect(
        to advertiser: PeerAddress, _ header: LL.AdvertisingHeader, _ reception: ReceivedPacket,
        _ medium: inout Medium
    ) {
        let airTime = LL.PHY.oneM.airTime(pduLength: LL.AdvertisingHeader.encodedCount + LL.ConnectInd.encodedCount)
        let end = medium.now + LL.interFrameSpace + airTime
        let ownType = initiating.request.ownAddressType
        guard let own = privacy.ownAddress(ownType, with: advertiser.device), connections.links.hasFreeSlot,
            end + LL.interFrameSpace <= connections.links.nextStart()
        else { return }
        let request = initiating.request
        let others = connections.links.openSlots.filter { connections.links[$0].isCentral }.map {
            AnchorPlan.Other(
                anchor: connections.links[$0].timing.anchor, interval: connections.links[$0].timing.interval)
        }
        let interval = AnchorPlan.interval(
            in: request.intervalMinimum...max(request.intervalMinimum, request.intervalMaximum), others: others)
        // The transmit window begins a whole number of 1.25 ms units after CONNECT_IND (Vol 6, Part B, 4.5.3). It is wide enough
        // for the unit that contains the anchor.
        let base = end + LL.slot
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
            windowOffset: offset, interval: interval, latency: request.maximumLatency,
            timeout: request.supervisionTimeout,
            channelMap: connections.defaults.channelClassification, hop: UInt8(5 + random.next() % 12),
            sleepClockAccuracy: 7)
        radio.owner = .initiator
        radio.cancel(.initiateInterval, &medium)
        radio.cancel(.initiateWindow, &medium)
        initiating.connect(
            .init(
                advertiser: advertiser, privateAddress: privacy.privateAddress(ownType, with: advertiser.device),
                indication: indication, anchor: anchor, usesAlgorithm2: header.channelSelection2))
        medium.transmit(from: radio.index, at: medium.now + LL.interFrameSpace, on: reception.channel) { pdu in
            let header = LL.AdvertisingHeader(
                type: .connectInd, channelSelection2: header.channelSelection2,
                transmitterIsRandom: own.kind == .random, receiverIsRandom: advertiser.onAir.kind == .random,
                length: UInt8(LL.ConnectInd.encodedCount))
            try? pdu.append(encoding: header)
            try? pdu.append(encoding: indication)
        }
    }

    /// CONNECT_IND has been sent. The first connection events show whether the advertiser received it (Vol 6, Part B,
    /// 4.5.4).
    mutating func connectionIndicationSent(_ medium: inout Medium) {
        guard case .connecting(let connecting) = initiating.state, let slot = connections.links.freeSlot() else {
            return radio.release(&medium)
        }
        initiating.end()
        connections.openLink(
            slot, .central, peer: connecting.advertiser, privateAddress: connecting.privateAddress,
            connecting.indication, phy: .oneM, usesAlgorithm2: connecting.usesAlgorithm2,
            windowStart: connecting.anchor, &radio, &host, &medium)
        radio.release(&medium)
    }
}
