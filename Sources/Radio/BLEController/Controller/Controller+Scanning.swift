import BLEWire

extension Controller {
    mutating func startScanning(filteringDuplicates: Bool, _ medium: inout Medium) throws(HCI.ErrorCode) {
        // The controller has no such own address. The check applies to passive scanning as well (Vol 4, Part E, 7.8.11).
        guard privacy.hasOwnAddress(scanning.parameters.ownAddressType, with: nil) else {
            throw .invalidHCICommandParameters
        }
        scanning.enable(filteringDuplicates: filteringDuplicates)
        scanIntervalBegins(&medium)
    }

    mutating func stopScanning(_ medium: inout Medium) {
        radio.cancel(.scanInterval, &medium)
        radio.cancel(.scanWindow, &medium)
        scanning.disable()
        if radio.owner == .scanner {
            medium.cutTransmission(of: radio.index)
            radio.release(&medium)
        } else {
            listenInBackground(&medium)
        }
    }

    mutating func scanIntervalBegins(_ medium: inout Medium) {
        guard scanning.isEnabled else { return }
        scanning.schedule.beginInterval()
        radio.arm(.scanInterval, at: medium.now + scanning.schedule.interval, &medium)
        if !scanning.schedule.isContinuous {
            radio.arm(.scanWindow, at: medium.now + scanning.schedule.window, &medium)
        }
        listenInBackground(&medium)
    }

    /// Tunes the free radio to the channel of the initiator, else to that of the scanner.
    mutating func listenInBackground(_ medium: inout Medium) {
        guard radio.owner == .free else { return }
        let channel: UInt8
        if initiating.state == .listening && initiating.schedule.isOpen {
            channel = initiating.schedule.channel
        } else if scanning.isEnabled && scanning.schedule.isOpen {
            channel = scanning.schedule.channel
        } else {
            return medium.stopListening(radio.index)
        }
        if let tuning = medium.devices[Int(radio.index)].tuning, tuning.channel == channel { return }
        medium.listen(radio.index, to: channel, ignoringErrors: true)
    }

    /// Takes an advertising PDU that arrived during background listening.
    mutating func receivedWhileListening(_ pdu: Span<UInt8>, _ reception: ReceivedPacket, _ medium: inout Medium) {
        guard let packet = try? LL.AdvertisingPDU(decoding: pdu) else { return }
        switch packet {
        case .advInd(let header, let payload):
            receivedAdvertisement(.connectableUndirected, payload.advertiser, header, payload.data, reception, &medium)
        case .advScanInd(let header, let payload):
            receivedAdvertisement(.scannableUndirected, payload.advertiser, header, payload.data, reception, &medium)
        case .advNonconnInd(let header, let payload):
            receivedAdvertisement(
                .nonconnectableUndirected, payload.advertiser, header, payload.data, reception, &medium)
        case .advDirectInd(let header, let payload):
            let target = DeviceAddress(kind: header.receiverIsRandom ? .random : .public, value: payload.target)
            let address = DeviceAddress(
                kind: header.transmitterIsRandom ? .random : .public, value: payload.advertiser)
            guard let advertiser = privacy.identify(address, using: cryptography.provider) else { return }
            if initiates(to: advertiser),
                privacy.isOwn(
                    target, initiating.request.ownAddressType, with: advertiser.device, using: cryptography.provider)
            {
                connect(to: advertiser, header, reception, &medium)
            } else if isScannerListening {
                scanDirected(advertiser, target, pdu.extracting(first: 0), reception, &medium)
            }
        case .scanReq, .scanRsp, .connectInd, .extended, .auxConnectRsp, .unknown: break
        }
    }

    private mutating func receivedAdvertisement(
        _ type: HCI.AdvertisingEventType, _ address: UInt64, _ header: LL.AdvertisingHeader, _ data: Span<UInt8>,
        _ reception: ReceivedPacket, _ medium: inout Medium
    ) {
        let address = DeviceAddress(kind: header.transmitterIsRandom ? .random : .public, value: address)
        guard let advertiser = privacy.identify(address, using: cryptography.provider) else { return }
        if isScannerListening { scan(type, advertiser, data, reception, &medium) }
        if type == .connectableUndirected, radio.owner == .free, initiates(to: advertiser) {
            connect(to: advertiser, header, reception, &medium)
        }
    }

    /// Whether the scanner listens. While the initiator selects the channel, the scanner receives on it as well. Otherwise two
    /// schedules of equal length could block the scanner for ever.
    private var isScannerListening: Bool { scanning.isEnabled && scanning.schedule.isOpen }

    /// Takes directed advertising. The extended filter policies report it also if its target is a private address that the
    /// controller cannot resolve with the local IRK of the advertiser's entry, because the host may resolve it (Vol 6, Part B,
    /// 4.3.3). Of an advertiser without an entry no target resolves.
    private mutating func scanDirected(
        _ advertiser: PeerAddress, _ target: DeviceAddress, _ data: Span<UInt8>, _ reception: ReceivedPacket,
        _ medium: inout Medium
    ) {
        if privacy.isOwn(
            target, scanning.parameters.ownAddressType, with: advertiser.device, using: cryptography.provider)
        {
            return scan(.connectableDirected, advertiser, data, reception, &medium)
        }
        let policy = scanning.parameters.filterPolicy
        guard policy.isExtended, target.isResolvable,
            !policy.usesAcceptList || acceptList.accepts(advertiser),
            scanning.isWorthReporting(.connectableDirected, from: advertiser.reported)
        else { return }
        host.emit(
            le: HCI.LEDirectedAdvertisingReport(
                address: advertiser.reported, directAddress: target, rssi: reception.rssi))
    }

    private mutating func scan(
        _ type: HCI.AdvertisingEventType, _ advertiser: PeerAddress, _ data: Span<UInt8>, _ reception: ReceivedPacket,
        _ medium: inout Medium
    ) {
        // The scanner filter policy (Vol 6, Part B, 4.3.3).
        if scanning.parameters.filterPolicy.usesAcceptList && !acceptList.accepts(advertiser) { return }
        if scanning.isWorthReporting(type, from: advertiser.reported) {
            host.report(type, from: advertiser.reported, data: data, rssi: reception.rssi)
        }
        guard type == .connectableUndirected || type == .scannableUndirected,
            !(type == .connectableUndirected && initiates(to: advertiser)),
            let own = privacy.ownAddress(scanning.parameters.ownAddressType, with: advertiser.device)
        else { return }
        let address = advertiser.onAir
        // The scan request, its response and the inter frame spaces must end before a link needs the radio.
        let longest = LL.PHY.oneM.airTime(pduLength: 2 + 12) + LL.PHY.oneM.airTime(pduLength: 2 + 37)
        guard medium.now + longest + LL.interFrameSpace * 3 <= connections.links.nextStart(),
            scanning.wantsResponse(from: address)
        else { return }
        radio.owner = .scanner
        scanning.request(address, channel: reception.channel)
        medium.transmit(from: radio.index, at: medium.now + LL.interFrameSpace, on: reception.channel) { pdu in
            let header = LL.AdvertisingHeader(
                type: .scanReq, transmitterIsRandom: own.kind == .random,
                receiverIsRandom: address.kind == .random, length: 12)
            try? pdu.append(encoding: header)
            try? pdu.append(encoding: LL.ScanReq(scanner: own.value, advertiser: address.value))
        }
    }

    mutating func scanRequestSent(_ medium: inout Medium) {
        scanning.requestSent()
        guard case .awaitingResponse(_, let channel) = scanning.state else { return radio.release(&medium) }
        medium.listen(radio.index, to: channel)
        radio.awaitAnswer(on: .oneM, &medium)
    }

    mutating func receivedByScanner(_ pdu: Span<UInt8>, _ reception: ReceivedPacket, _ medium: inout Medium) {
        guard case .awaitingResponse(let address, _) = scanning.state else { return }
        guard !reception.isCorrupted, case .scanRsp(let header, let response)? = try? LL.AdvertisingPDU(decoding: pdu),
            response.advertiser == address.value, header.transmitterIsRandom == (address.kind == .random),
            let advertiser = privacy.identify(address, using: cryptography.provider)?.reported
        else { return endScanExchange(answered: false, &medium) }
        if scanning.isWorthReporting(.scanResponse, from: advertiser) {
            host.report(.scanResponse, from: advertiser, data: response.data, rssi: reception.rssi)
        }
        endScanExchange(answered: true, &medium)
    }

    /// - Parameter answered: Nil if a link interrupted the exchange.
    mutating func endScanExchange(answered: Bool?, _ medium: inout Medium) {
        scanning.endExchange(answered: answered, random: &random)
        radio.release(&medium)
    }
}
