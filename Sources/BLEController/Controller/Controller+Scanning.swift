import BLEWire

extension Controller {
    mutating func startScanning(filteringDuplicates: Bool, _ air: inout Air) {
        scanning.enable(filteringDuplicates: filteringDuplicates)
        scanIntervalBegins(&air)
    }

    mutating func stopScanning(_ air: inout Air) {
        cancel(.scanInterval, &air)
        cancel(.scanWindow, &air)
        scanning.disable()
        if owner == .scanner {
            air.medium.cutTransmission(of: index)
            releaseRadio(&air)
        } else {
            listenInBackground(&air)
        }
    }

    mutating func scanIntervalBegins(_ air: inout Air) {
        guard scanning.isEnabled else { return }
        scanning.schedule.beginInterval()
        arm(.scanInterval, at: air.now + scanning.schedule.interval, &air)
        if !scanning.schedule.isContinuous { arm(.scanWindow, at: air.now + scanning.schedule.window, &air) }
        listenInBackground(&air)
    }

    /// Tunes the free radio to what initiator or scanner want, the initiator first.
    mutating func listenInBackground(_ air: inout Air) {
        guard owner == .free else { return }
        let channel: UInt8
        if initiating.state == .listening && initiating.schedule.isOpen {
            channel = initiating.schedule.channel
        } else if scanning.isEnabled && scanning.schedule.isOpen {
            channel = scanning.schedule.channel
        } else {
            return air.medium.stopListening(index)
        }
        if let tuning = air.medium.devices[Int(index)].tuning, tuning.channel == channel { return }
        air.listen(index, to: channel)
    }

    /// An advertising packet came while the radio listened for whatever there is.
    mutating func heardInBackground(_ pdu: Span<UInt8>, _ heard: Heard, _ air: inout Air) {
        guard let packet = try? LL.AdvertisingPDU(decoding: pdu) else { return }
        switch packet {
        case .advInd(let header, let payload):
            heardAdvertiser(.connectableUndirected, payload.advertiser, header, payload.data, heard, &air)
        case .advScanInd(let header, let payload):
            heardAdvertiser(.scannableUndirected, payload.advertiser, header, payload.data, heard, &air)
        case .advNonconnInd(let header, let payload):
            heardAdvertiser(.nonconnectableUndirected, payload.advertiser, header, payload.data, heard, &air)
        case .advDirectInd(let header, let payload):
            let target = DeviceAddress(kind: header.receiverIsRandom ? .random : .public, value: payload.target)
            let advertiser = DeviceAddress(
                kind: header.transmitterIsRandom ? .random : .public, value: payload.advertiser)
            if initiates(to: advertiser), target == ownAddress(initiating.request.ownAddressType) {
                connect(to: advertiser, header, heard, &air)
            } else if hears, target == ownAddress(scanning.parameters.ownAddressType) {
                scan(.connectableDirected, advertiser, pdu.extracting(first: 0), heard, &air)
            }
        case .scanReq, .scanRsp, .connectInd, .unknown: break
        }
    }

    private mutating func heardAdvertiser(
        _ type: HCI.AdvertisingEventType, _ address: UInt64, _ header: LL.AdvertisingHeader, _ data: Span<UInt8>,
        _ heard: Heard, _ air: inout Air
    ) {
        let advertiser = DeviceAddress(kind: header.transmitterIsRandom ? .random : .public, value: address)
        if hears { scan(type, advertiser, data, heard, &air) }
        if type == .connectableUndirected, owner == .free, initiates(to: advertiser) {
            connect(to: advertiser, header, heard, &air)
        }
    }

    /// Whether the scanner listens too. While the initiator chooses the channel, it hears what comes in there, or else two
    /// schedules of equal length could keep it deaf for ever.
    private var hears: Bool { scanning.isEnabled && scanning.schedule.isOpen }

    private mutating func scan(
        _ type: HCI.AdvertisingEventType, _ advertiser: DeviceAddress, _ data: Span<UInt8>, _ heard: Heard,
        _ air: inout Air
    ) {
        if scanning.parameters.filterPolicy == .acceptList && !acceptList.contains(advertiser) { return }
        if scanning.isWorthReporting(type, from: advertiser) {
            report(type, from: advertiser, data: data, rssi: heard.rssi)
        }
        guard type == .connectableUndirected || type == .scannableUndirected,
            !(type == .connectableUndirected && initiates(to: advertiser)),
            let own = ownAddress(scanning.parameters.ownAddressType)
        else { return }
        // Request, response and the spaces before them must be over before a link needs the radio.
        let longest = LL.PHY.oneM.airTime(pduLength: 2 + 12) + LL.PHY.oneM.airTime(pduLength: 2 + 37)
        guard air.now + longest + LL.interFrameSpace * 3 <= nextLinkStart(),
            scanning.wantsResponse(from: advertiser)
        else { return }
        owner = .scanner
        scanning.request(advertiser, channel: heard.channel)
        air.transmit(from: index, at: air.now + LL.interFrameSpace, on: heard.channel) { pdu in
            let header = LL.AdvertisingHeader(
                type: .scanReq, transmitterIsRandom: own.kind == .random,
                receiverIsRandom: advertiser.kind == .random, length: 12)
            try? pdu.append(encoding: header)
            try? pdu.append(encoding: LL.ScanReq(scanner: own.value, advertiser: advertiser.value))
        }
    }

    mutating func scanRequestSent(_ air: inout Air) {
        scanning.requestSent()
        guard case .awaitingResponse(_, let channel) = scanning.state else { return releaseRadio(&air) }
        air.listen(index, to: channel)
        awaitAnswer(on: .oneM, &air)
    }

    mutating func heardScanResponse(_ pdu: Span<UInt8>, _ heard: Heard, _ air: inout Air) {
        guard case .awaitingResponse(let advertiser, _) = scanning.state else { return }
        guard !heard.isCorrupted, case .scanRsp(let header, let response)? = try? LL.AdvertisingPDU(decoding: pdu),
            response.advertiser == advertiser.value, header.transmitterIsRandom == (advertiser.kind == .random)
        else { return endScanExchange(answered: false, &air) }
        if scanning.isWorthReporting(.scanResponse, from: advertiser) {
            report(.scanResponse, from: advertiser, data: response.data, rssi: heard.rssi)
        }
        endScanExchange(answered: true, &air)
    }

    /// `answered`: nil if a link interrupted it.
    mutating func endScanExchange(answered: Bool?, _ air: inout Air) {
        scanning.endExchange(answered: answered, random: &random)
        releaseRadio(&air)
    }
}
