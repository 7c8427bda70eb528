import BLEWire

extension Controller {
    mutating func startAdvertising(_ medium: inout Medium) throws(HCI.ErrorCode) {
        // The controller has no such own address (Vol 4, Part E, 7.8.9).
        guard privacy.hasOwnAddress(advertising.parameters.ownAddressType, with: advertising.parameters.peerAddress)
        else { throw .invalidHCICommandParameters }
        guard !advertising.isConnectable || connections.links.hasFreeSlot else { throw .connectionLimitExceeded }
        advertising.enable()
        chooseTarget()
        if advertising.isHighDuty {
            radio.arm(.advertising, at: medium.now, &medium)
            // At most 1.28 s (Vol 6, Part B, 4.4.2.4.3).
            radio.arm(.advertisingEnd, at: medium.now + .milliseconds(1280), &medium)
        } else {
            // A random delay separates devices that are switched on together.
            advertising.due = medium.now + AdvertisingRole.randomDelay(&random)
            radio.arm(.advertising, at: advertising.due, &medium)
        }
    }

    mutating func stopAdvertising(_ medium: inout Medium) {
        radio.cancel(.advertising, &medium)
        radio.cancel(.advertisingEnd, &medium)
        advertising.disable()
        if radio.owner == .advertiser {
            medium.cutTransmission(of: radio.index)
            radio.release(&medium)
        }
    }

    mutating func advertisingDue(_ medium: inout Medium) {
        guard advertising.isEnabled else { return }
        switch radio.owner {
        case .free: beginAdvertisingEvent(&medium)
        case .advertiser: break
        case .scanner, .initiator, .auxiliary, .link: advertising.isWaiting = true
        }
    }

    mutating func beginAdvertisingEvent(_ medium: inout Medium) {
        radio.owner = .advertiser
        chooseAdvertisingAddress()
        act(on: advertising.begin(at: medium.now), &medium)
    }

    mutating func chooseAdvertisingAddress() {
        let (type, peer) = (advertising.parameters.ownAddressType, advertising.parameters.peerAddress)
        advertising.privateAddress = privacy.privateAddress(type, with: peer)
        advertising.address = privacy.ownAddress(type, with: peer) ?? DeviceAddress(kind: .random, value: 0)
    }

    mutating func chooseTarget() {
        let (type, peer) = (advertising.parameters.ownAddressType, advertising.parameters.peerAddress)
        advertising.target = peer
        guard advertising.isDirected, let key = privacy.targetKey(type, of: peer) else { return }
        advertising.target = cryptography.provider.makeResolvableAddress(key)
    }

    /// Ends high duty cycle directed advertising after 1.28 s without a connection (Vol 6, Part B, 4.4.2.4.3).
    mutating func advertisingTimedOut(_ medium: inout Medium) {
        guard advertising.isEnabled else { return }
        stopAdvertising(&medium)
        host.reportConnection(
            nil, status: .advertisingTimeout, peer: advertising.parameters.peerAddress, role: .peripheral)
    }

    mutating func act(on action: AdvertisingRole.Action, _ medium: inout Medium) {
        switch action {
        case .nothing: break
        case .advertise(let channel): advertise(on: channel, &medium)
        case .listen(let channel):
            medium.listen(radio.index, to: channel)
            radio.awaitAnswer(on: .oneM, &medium)
        case .rest: endAdvertisingEvent(&medium)
        }
    }

    private mutating func advertise(on channel: UInt8, _ medium: inout Medium) {
        var needed = LL.PHY.oneM.airTime(pduLength: 2 + advertising.advertisementLength) + LL.interFrameSpace
        // Adds the time for a CONNECT_IND, the longest PDU that an initiator sends (Vol 6, Part B, 2.3.3.1).
        if advertising.expectsAnswers { needed = needed + LL.PHY.oneM.airTime(pduLength: 2 + 34) }
        if medium.now + needed > connections.links.nextStart() && advertising.starved < 3 {
            if advertising.eventStart == medium.now { advertising.starved += 1 }
            advertising.interrupt()
            return endAdvertisingEvent(&medium)
        }
        if advertising.eventStart != medium.now { advertising.starved = 0 }
        // The first PDU of an event starts at once, the following ones after the change of the channel (Vol 6, Part B, 4.4.2.1).
        let start = advertising.eventStart == medium.now ? medium.now : medium.now + LL.interFrameSpace
        medium.transmit(from: radio.index, at: start, on: channel) { advertising.appendAdvertisement(to: &$0) }
    }

    private mutating func endAdvertisingEvent(_ medium: inout Medium) {
        if advertising.isEnabled {
            let next = advertising.eventStart + advertising.delay(random: &random)
            advertising.due = max(next, medium.now + .microseconds(1))
            radio.arm(.advertising, at: advertising.due, &medium)
        }
        radio.release(&medium)
    }

    // MARK: Answers

    mutating func receivedByAdvertiser(_ pdu: Span<UInt8>, _ reception: ReceivedPacket, _ medium: inout Medium) {
        guard case .listening(let channel) = advertising.state else { return }
        radio.cancel(.radio, &medium)
        guard !reception.isCorrupted, let packet = try? LL.AdvertisingPDU(decoding: pdu) else {
            return act(on: advertising.timedOut(), &medium)
        }
        let own = advertising.address
        switch packet {
        // A scan request or CONNECT_IND must contain the advertiser's address (Vol 6, Part B, 2.3.2.1 and 2.3.3.1). The
        // response follows after T_IFS (4.1.1).
        case .scanReq(let header, let request)
        where request.advertiser == own.value && header.receiverIsRandom == (own.kind == .random):
            let address = DeviceAddress(kind: header.transmitterIsRandom ? .random : .public, value: request.scanner)
            guard let scanner = privacy.identifyRequester(address, using: cryptography.provider),
                advertising.mayScan(scanner, acceptList), advertising.respond()
            else { break }
            medium.transmit(from: radio.index, at: medium.now + LL.interFrameSpace, on: channel) { pdu in
                let header = LL.AdvertisingHeader(
                    type: .scanRsp, transmitterIsRandom: own.kind == .random,
                    length: UInt8(truncatingIfNeeded: 6 + advertising.response.count))
                try? pdu.append(encoding: header)
                try? pdu.append(encoding: LL.ScanRsp(advertiser: own.value, data: advertising.response.span))
            }
            return
        case .connectInd(let header, let request)
        where request.advertiser == own.value && header.receiverIsRandom == (own.kind == .random):
            let address = DeviceAddress(
                kind: header.transmitterIsRandom ? .random : .public, value: request.initiator)
            guard let initiator = privacy.identifyRequester(address, using: cryptography.provider),
                !connections.links.isConnected(to: initiator.device),
                advertising.mayConnect(initiator, acceptList), request.isValid,
                let slot = connections.links.freeSlot()
            else { break }
            advertising.disable()
            radio.cancel(.advertising, &medium)
            radio.cancel(.advertisingEnd, &medium)
            connections.openLink(
                slot, .peripheral, peer: initiator, privateAddress: advertising.privateAddress, request,
                phy: .oneM, usesAlgorithm2: header.channelSelection2,
                windowStart: medium.now + LL.slot + LL.slot * Int(request.windowOffset), &radio, &host, &medium)
            return radio.release(&medium)
        default: break
        }
        act(on: advertising.timedOut(), &medium)
    }
}
