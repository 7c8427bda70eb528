import BLEWire

extension Controller {
    mutating func startScanning(
        filter: HCI.DuplicateFilter, duration: ScanDuration = .endless, _ medium: inout Medium
    ) throws(HCI.ErrorCode) {
        // The controller has no such own address. The check applies to passive scanning as well (Vol 4, Part E, 7.8.11).
        guard privacy.hasOwnAddress(scanning.settings.ownAddressType, with: nil) else {
            throw .invalidHCICommandParameters
        }
        scanning.enable(filter: filter, duration: duration)
        beginScanPeriod(&medium)
    }

    private mutating func beginScanPeriod(_ medium: inout Medium) {
        switch scanning.duration {
        case .endless: break
        case .once(let duration), .periodic(let duration, _):
            radio.arm(.scanPeriod, at: medium.now + duration, &medium)
        }
        if scanning.settings[.oneM] != nil { scanIntervalBegins(on: .oneM, &medium) }
        guard scanning.settings[.coded] != nil else { return }
        let offset = scanning.schedules.offset
        if offset == .zero {
            scanIntervalBegins(on: .coded, &medium)
        } else {
            radio.arm(.scanInterval(.coded), at: medium.now + offset, &medium)
        }
    }

    mutating func stopScanning(_ medium: inout Medium) {
        scanning.disable()
        radio.cancel(.scanPeriod, &medium)
        endScanPeriod(&medium)
    }

    private mutating func endScanPeriod(_ medium: inout Medium) {
        for phy in PrimaryPHY.allCases {
            radio.cancel(.scanInterval(phy), &medium)
            radio.cancel(.scanWindow(phy), &medium)
        }
        if !initiating.isEnabled { stopPursuits(&medium) }
        if radio.owner == .scanner {
            medium.cutTransmission(of: radio.index)
            radio.release(&medium)
        } else {
            listenInBackground(&medium)
        }
    }

    /// The end of the duration of a scan, or of the pause after it (Vol 4, Part E, 7.8.65).
    mutating func scanPeriodTimerFired(_ medium: inout Medium) {
        switch scanning.duration {
        case .endless: break
        case .once:
            guard scanning.isEnabled else { return }
            stopScanning(&medium)
            host.emit(le: HCI.LEScanTimeout())
        case .periodic(let duration, let period):
            switch scanning.state {
            case .off: break
            case .resting:
                scanning.resume()
                beginScanPeriod(&medium)
            case .listening, .requesting, .awaitingResponse:
                scanning.rest()
                radio.arm(.scanPeriod, at: medium.now + (period - duration), &medium)
                endScanPeriod(&medium)
            }
        }
    }

    mutating func scanIntervalBegins(on phy: PrimaryPHY, _ medium: inout Medium) {
        guard var schedule = scanning.schedules[phy] else { return }
        schedule.beginInterval()
        scanning.schedules[phy] = schedule
        radio.arm(.scanInterval(phy), at: medium.now + schedule.interval, &medium)
        if !schedule.isContinuous { radio.arm(.scanWindow(phy), at: medium.now + schedule.window, &medium) }
        listenInBackground(&medium)
    }

    // MARK: Listening

    /// Tunes the free radio to the channel of the initiator, else to that of the scanner.
    mutating func listenInBackground(_ medium: inout Medium) {
        guard radio.owner == .free else { return }
        guard let phy = choosePrimaryPHY(&medium) else { return medium.stopListening(radio.index) }
        let isOfInitiator = initiating.state == .listening && initiating.schedules.isOpen(on: phy)
        let schedule = isOfInitiator ? initiating.schedules[phy] : scanning.schedules[phy]
        guard let channel = schedule?.channel else { return }
        if let tuning = medium.devices[Int(radio.index)].tuning, tuning.channel == channel, tuning.phy == phy.phy {
            return
        }
        medium.listen(radio.index, to: channel, phy: phy.phy, ignoringErrors: true)
    }

    /// The PHY to listen on; nil if no window is open.
    private mutating func choosePrimaryPHY(_ medium: inout Medium) -> PrimaryPHY? {
        switch (isWindowOpen(on: .oneM), isWindowOpen(on: .coded)) {
        case (false, false): return nil
        case (true, false): return .oneM
        case (false, true): return .coded
        case (true, true):
            let phy = listeningTurns.choose(at: medium.now, random: &random)
            radio.arm(.listeningTurn, at: listeningTurns.end, &medium)
            return phy
        }
    }

    private func isWindowOpen(on phy: PrimaryPHY) -> Bool {
        initiating.state == .listening && initiating.schedules.isOpen(on: phy) || isScannerListening(on: phy)
    }

    /// Whether the scanner listens. While the initiator selects the channel, the scanner receives on it as well. Otherwise two
    /// schedules of equal length could block the scanner for ever.
    func isScannerListening(on phy: PrimaryPHY) -> Bool { scanning.schedules.isOpen(on: phy) }

    /// Takes an advertising PDU that arrived during background listening.
    mutating func receivedWhileListening(_ pdu: Span<UInt8>, _ reception: ReceivedPacket, _ medium: inout Medium) {
        guard let packet = try? LL.AdvertisingPDU(decoding: pdu) else { return }
        if case .extended(let header, let payload) = packet {
            return receivedAnnouncement(payload, header, reception, &medium)
        }
        // Legacy advertising uses 1M only (Vol 6, Part B, 2.3.1).
        guard reception.phy == .oneM else { return }
        switch packet {
        case .advInd(let header, let payload):
            receivedAdvertisement(.connectableUndirected, payload.advertiser, header, payload.data, reception, &medium)
        case .advScanInd(let header, let payload):
            receivedAdvertisement(.scannableUndirected, payload.advertiser, header, payload.data, reception, &medium)
        case .advNonconnInd(let header, let payload):
            receivedAdvertisement(
                .nonconnectableUndirected, payload.advertiser, header, payload.data, reception, &medium)
        case .advDirectInd(let header, let payload):
            let address = DeviceAddress(
                kind: header.transmitterIsRandom ? .random : .public, value: payload.advertiser)
            let target = DeviceAddress(kind: header.receiverIsRandom ? .random : .public, value: payload.target)
            guard let advertiser = privacy.identify(address, using: cryptography.provider) else { return }
            if initiates(to: advertiser, on: .oneM),
                privacy.isOwn(
                    target, initiating.request.ownAddressType, with: advertiser.device, using: cryptography.provider)
            {
                connect(to: advertiser, .init(header, reception), &medium)
            } else if isScannerListening(on: .oneM) {
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
        if isScannerListening(on: .oneM) { scan(type, advertiser, data, reception, &medium) }
        if type == .connectableUndirected, radio.owner == .free, initiates(to: advertiser, on: .oneM) {
            connect(to: advertiser, .init(header, reception), &medium)
        }
    }

    // MARK: Legacy advertising

    /// Takes directed advertising.
    private mutating func scanDirected(
        _ advertiser: PeerAddress, _ target: DeviceAddress, _ data: Span<UInt8>, _ reception: ReceivedPacket,
        _ medium: inout Medium
    ) {
        if privacy.isOwn(
            target, scanning.settings.ownAddressType, with: advertiser.device, using: cryptography.provider)
        {
            return scan(.connectableDirected, advertiser, data, target: target, reception, &medium)
        }
        guard passesFilter(advertiser), scansUnresolved(target),
            scanning.isWorthReporting(.connectableDirected, from: advertiser.reported)
        else { return }
        if scanning.settings.isExtended {
            host.report(
                extended: .connectableDirected, from: advertiser.reported, data: data, target: Self.unresolved(target),
                rssi: reception.rssi)
        } else {
            host.emit(
                le: HCI.LEDirectedAdvertisingReport(
                    address: advertiser.reported, directAddress: target, rssi: reception.rssi))
        }
    }

    /// Whether to report directed advertising to a target that is not this device. The extended filter policies include private
    /// addresses that the controller cannot resolve with the local IRK of the advertiser's entry, because the host may resolve them (Vol 6,
    /// Part B, 4.3.3). Of an advertiser without an entry no target resolves.
    func scansUnresolved(_ target: DeviceAddress) -> Bool {
        scanning.settings.filterPolicy.isExtended && target.isResolvable
    }

    /// A target in an extended report that the controller cannot resolve (Vol 4, Part E, 7.7.65.13).
    static func unresolved(_ target: DeviceAddress) -> DeviceAddress {
        DeviceAddress(kind: DeviceAddress.Kind(rawValue: 0xFE), value: target.value)
    }

    /// The scanner filter policy (Vol 6, Part B, 4.3.3). `advertiser` is nil for anonymous advertising.
    func passesFilter(_ advertiser: PeerAddress?) -> Bool {
        guard scanning.settings.filterPolicy.usesAcceptList else { return true }
        return advertiser.map { acceptList.accepts($0) } ?? acceptList.acceptsAnonymous
    }

    private mutating func scan(
        _ type: HCI.AdvertisingEventType, _ advertiser: PeerAddress, _ data: Span<UInt8>,
        target: DeviceAddress? = nil, _ reception: ReceivedPacket, _ medium: inout Medium
    ) {
        guard passesFilter(advertiser) else { return }
        if scanning.isWorthReporting(type, from: advertiser.reported) {
            report(.init(legacy: type), as: type, advertiser.reported, data, target: target, reception)
        }
        guard type == .connectableUndirected || type == .scannableUndirected,
            !(type == .connectableUndirected && initiates(to: advertiser, on: .oneM)),
            let own = privacy.ownAddress(scanning.settings.ownAddressType, with: advertiser.device)
        else { return }
        let address = advertiser.onAir
        // The scan request, its response and the inter frame spaces must end before a link needs the radio.
        let longest = LL.PHY.oneM.airTime(pduLength: 2 + 12) + LL.PHY.oneM.airTime(pduLength: 2 + 37)
        guard medium.now + longest + LL.interFrameSpace * 3 <= connections.links.nextStart(),
            scanning.wantsResponse(from: address)
        else { return }
        radio.owner = .scanner
        scanning.request(.init(advertiser: address, type: type, channel: reception.channel))
        sendScanRequest(from: own, to: address, on: reception.channel, .oneM, &medium)
    }

    /// Sends a scan request after the inter frame space.
    mutating func sendScanRequest(
        from own: DeviceAddress, to address: DeviceAddress, on channel: UInt8, _ phy: LL.PHY, _ medium: inout Medium
    ) {
        medium.transmit(from: radio.index, at: medium.now + LL.interFrameSpace, on: channel, phy: phy) { pdu in
            let header = LL.AdvertisingHeader(
                type: .scanReq, transmitterIsRandom: own.kind == .random,
                receiverIsRandom: address.kind == .random, length: 12)
            try? pdu.append(encoding: header)
            try? pdu.append(encoding: LL.ScanReq(scanner: own.value, advertiser: address.value))
        }
    }

    /// Reports a legacy packet in the form of the commands that the host uses.
    private mutating func report(
        _ extended: HCI.ExtendedAdvertisingEventType, as type: HCI.AdvertisingEventType, _ address: DeviceAddress,
        _ data: Span<UInt8>, target: DeviceAddress? = nil, _ reception: ReceivedPacket
    ) {
        if scanning.settings.isExtended {
            host.report(extended: extended, from: address, data: data, target: target, rssi: reception.rssi)
        } else {
            host.report(type, from: address, data: data, rssi: reception.rssi)
        }
    }

    mutating func scanRequestSent(_ medium: inout Medium) {
        scanning.requestSent()
        guard case .awaitingResponse(let exchange) = scanning.state else { return radio.release(&medium) }
        medium.listen(radio.index, to: exchange.channel)
        radio.awaitAnswer(on: .oneM, &medium)
    }

    mutating func receivedByScanner(_ pdu: Span<UInt8>, _ reception: ReceivedPacket, _ medium: inout Medium) {
        guard case .awaitingResponse(let exchange) = scanning.state else { return }
        let address = exchange.advertiser
        guard !reception.isCorrupted, case .scanRsp(let header, let response)? = try? LL.AdvertisingPDU(decoding: pdu),
            response.advertiser == address.value, header.transmitterIsRandom == (address.kind == .random),
            let advertiser = privacy.identify(address, using: cryptography.provider)?.reported
        else { return endScanExchange(answered: false, &medium) }
        if scanning.isWorthReporting(.scanResponse, from: advertiser) {
            report(.init(responseTo: exchange.type), as: .scanResponse, advertiser, response.data, reception)
        }
        endScanExchange(answered: true, &medium)
    }

    /// - Parameter answered: Nil if a link interrupted the exchange.
    mutating func endScanExchange(answered: Bool?, _ medium: inout Medium) {
        scanning.endExchange(answered: answered, random: &random)
        radio.release(&medium)
    }
}

extension HCI.ExtendedAdvertisingEventType {
    /// The type of a legacy packet in an extended report (Vol 4, Part E, 7.7.65.13).
    init(legacy type: HCI.AdvertisingEventType) {
        switch type {
        case .connectableUndirected: self = [.legacy, .connectable, .scannable]
        case .connectableDirected: self = [.legacy, .connectable, .directed]
        case .scannableUndirected: self = [.legacy, .scannable]
        default: self = .legacy
        }
    }

    /// The type of the scan response to such a packet.
    init(responseTo type: HCI.AdvertisingEventType) {
        self.init(legacy: type)
        insert(.scanResponse)
    }

    static var connectableDirected: Self { Self(legacy: .connectableDirected) }
}
