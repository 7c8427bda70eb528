import BLEWire

extension Controller {
    /// The address of a role; nil if the controller has no public address, or the host has set no random one.
    func ownAddress(_ type: HCI.OwnAddressType) -> DeviceAddress? {
        switch type {
        case .public: configuration.publicAddress
        case .random: randomAddress.map { DeviceAddress(kind: .random, value: $0) }
        default: nil
        }
    }

    /// Zero if there is none.
    var publicAddress: DeviceAddress { DeviceAddress(kind: .public, value: configuration.publicAddress?.value ?? 0) }

    private var advertiserAddress: DeviceAddress {
        ownAddress(advertising.parameters.ownAddressType) ?? DeviceAddress(kind: .random, value: 0)
    }

    mutating func startAdvertising(_ air: inout Air) {
        advertising.enable()
        if advertising.isHighDuty {
            arm(.advertising, at: air.now, &air)
            arm(.advertisingEnd, at: air.now + .milliseconds(1280), &air)
        } else {
            // Devices that are switched on together do not stay together.
            arm(.advertising, at: air.now + .microseconds(Int(random.next() % 10_001)), &air)
        }
    }

    mutating func stopAdvertising(_ air: inout Air) {
        cancel(.advertising, &air)
        cancel(.advertisingEnd, &air)
        let wasBusy = owner == .advertiser
        advertising.disable()
        if wasBusy {
            air.medium.cutTransmission(of: index)
            releaseRadio(&air)
        }
    }

    mutating func advertisingDue(_ air: inout Air) {
        guard advertising.isEnabled else { return }
        switch owner {
        case .free: beginAdvertisingEvent(&air)
        case .advertiser: break
        case .scanner, .initiator, .link: advertising.isWaiting = true
        }
    }

    mutating func beginAdvertisingEvent(_ air: inout Air) {
        owner = .advertiser
        act(on: advertising.begin(at: air.now), &air)
    }

    /// High duty cycle directed advertising found nobody.
    mutating func advertisingTimedOut(_ air: inout Air) {
        guard advertising.isEnabled else { return }
        stopAdvertising(&air)
        reportConnection(nil, status: .advertisingTimeout, peer: advertising.parameters.peerAddress, role: .peripheral)
    }

    mutating func act(on action: AdvertisingRole.Action, _ air: inout Air) {
        switch action {
        case .nothing: break
        case .advertise(let channel): advertise(on: channel, &air)
        case .listen(let channel):
            air.listen(index, to: channel)
            awaitAnswer(on: .oneM, &air)
        case .rest: endAdvertisingEvent(&air)
        }
    }

    private mutating func advertise(on channel: UInt8, _ air: inout Air) {
        let count = advertising.isDirected ? 12 : 6 + advertising.data.count
        var needed = LL.PHY.oneM.airTime(pduLength: 2 + count) + LL.interFrameSpace
        // Time for a CONNECT_IND, the longest answer that leads on.
        if advertising.expectsAnswers { needed = needed + LL.PHY.oneM.airTime(pduLength: 2 + 34) }
        if air.now + needed > nextLinkStart() && advertising.starved < 3 {
            if advertising.eventStart == air.now { advertising.starved += 1 }
            advertising.interrupt()
            return endAdvertisingEvent(&air)
        }
        if advertising.eventStart != air.now { advertising.starved = 0 }
        let address = advertiserAddress
        // The first packet of an event begins at once, the others after a time to change the channel.
        let start = advertising.eventStart == air.now ? air.now : air.now + LL.interFrameSpace
        air.transmit(from: index, at: start, on: channel) { pdu in
            var header = LL.AdvertisingHeader(
                type: advertising.pduType, transmitterIsRandom: address.kind == .random,
                length: UInt8(truncatingIfNeeded: count))
            header.channelSelection2 = advertising.isConnectable
            if advertising.isDirected {
                let target = advertising.parameters.peerAddress
                header.receiverIsRandom = target.kind == .random
                try? pdu.append(encoding: header)
                try? pdu.append(encoding: LL.AdvDirectInd(advertiser: address.value, target: target.value))
            } else {
                try? pdu.append(encoding: header)
                try? pdu.append(encoding: LL.AdvInd(advertiser: address.value, data: advertising.data.span))
            }
        }
    }

    private mutating func endAdvertisingEvent(_ air: inout Air) {
        if advertising.isEnabled {
            let next = advertising.eventStart + advertising.delay(random: &random)
            arm(.advertising, at: max(next, air.now + .microseconds(1)), &air)
        }
        releaseRadio(&air)
    }

    // MARK: Answers

    mutating func heardByAdvertiser(_ pdu: Span<UInt8>, _ heard: Heard, _ air: inout Air) {
        guard case .listening(let channel) = advertising.state else { return }
        cancel(.radio, &air)
        guard !heard.isCorrupted, let packet = try? LL.AdvertisingPDU(decoding: pdu) else {
            return act(on: advertising.timedOut(), &air)
        }
        let own = advertiserAddress
        switch packet {
        case .scanReq(let header, let request)
        where request.advertiser == own.value && header.receiverIsRandom == (own.kind == .random):
            let scanner = DeviceAddress(kind: header.transmitterIsRandom ? .random : .public, value: request.scanner)
            guard mayScan(scanner), advertising.respond() else { break }
            air.transmit(from: index, at: air.now + LL.interFrameSpace, on: channel) { pdu in
                let header = LL.AdvertisingHeader(
                    type: .scanRsp, transmitterIsRandom: own.kind == .random,
                    length: UInt8(truncatingIfNeeded: 6 + advertising.response.count))
                try? pdu.append(encoding: header)
                try? pdu.append(encoding: LL.ScanRsp(advertiser: own.value, data: advertising.response.span))
            }
            return
        case .connectInd(let header, let request)
        where request.advertiser == own.value && header.receiverIsRandom == (own.kind == .random):
            let initiator = DeviceAddress(
                kind: header.transmitterIsRandom ? .random : .public, value: request.initiator)
            guard mayConnect(initiator), request.isValid, let slot = freeSlot() else { break }
            advertising.disable()
            cancel(.advertising, &air)
            cancel(.advertisingEnd, &air)
            openLink(
                slot, .peripheral, peer: initiator, request, usesAlgorithm2: header.channelSelection2,
                windowStart: air.now + LL.slot + LL.slot * Int(request.windowOffset), &air)
            return releaseRadio(&air)
        default: break
        }
        act(on: advertising.timedOut(), &air)
    }

    private func mayScan(_ scanner: DeviceAddress) -> Bool {
        switch advertising.parameters.filterPolicy {
        case .scanFromAcceptList, .bothFromAcceptList: acceptList.contains(scanner)
        default: true
        }
    }

    private func mayConnect(_ initiator: DeviceAddress) -> Bool {
        guard advertising.isConnectable, !isConnected(to: initiator) else { return false }
        if advertising.isDirected { return initiator == advertising.parameters.peerAddress }
        switch advertising.parameters.filterPolicy {
        case .connectFromAcceptList, .bothFromAcceptList: return acceptList.contains(initiator)
        default: return true
        }
    }

    func isConnected(to peer: DeviceAddress) -> Bool {
        openLinks.contains { links[$0].peer == peer }
    }
}
