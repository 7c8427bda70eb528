import BLEWire

/// The scanner (Vol 6, Part B, 4.4.3), on the primary channels.
extension Discovery {
    /// Starts a scan, instead of the running one if there is one.
    mutating func startScanning(
        filter: HCI.DuplicateFilter, duration: ScanDuration = .endless, _ shared: inout SharedState,
        _ medium: inout Medium
    ) throws(HCI.ErrorCode) {
        // The controller has no such own address. The check applies to passive scanning as well (Vol 4, Part E, 7.8.11).
        guard shared.privacy.hasOwnAddress(scanning.settings.ownAddressType, with: nil) else {
            throw .invalidHCICommandParameters
        }
        if scanning.isEnabled { stopScanning(&shared, &medium) }
        scanning.enable(filter: filter, duration: duration)
        beginScanPeriod(&shared, &medium)
    }

    private mutating func beginScanPeriod(_ shared: inout SharedState, _ medium: inout Medium) {
        switch scanning.duration {
        case .endless: break
        case .once(let duration), .periodic(let duration, _):
            shared.radio.arm(.scanPeriod, at: medium.now + duration, &medium)
        }
        beginListening(.scanner, &shared, &medium)
    }

    mutating func stopScanning(_ shared: inout SharedState, _ medium: inout Medium) {
        scanning.disable()
        shared.radio.cancel(.scanPeriod, &medium)
        endScanPeriod(&shared, &medium)
    }

    private mutating func endScanPeriod(_ shared: inout SharedState, _ medium: inout Medium) {
        cancelTimers(of: .scanner, &shared, &medium)
        if initiating.isEnabled { stopScanPursuit(&shared, &medium) } else { stopPursuits(&shared, &medium) }
        if shared.radio.owner == .scanner {
            medium.cutTransmission(of: shared.radio.index)
            shared.radio.release(&medium)
        } else {
            listenInBackground(&shared, &medium)
        }
    }

    /// The end of the duration of a scan, or of the pause after it (Vol 4, Part E, 7.8.65).
    mutating func scanPeriodTimerFired(_ shared: inout SharedState, _ medium: inout Medium) {
        switch scanning.duration {
        case .endless: break
        case .once:
            guard scanning.isEnabled else { return }
            stopScanning(&shared, &medium)
            shared.host.emit(le: HCI.LEScanTimeout())
        case .periodic(let duration, let period):
            switch scanning.state {
            case .off: break
            case .resting:
                scanning.resume()
                beginScanPeriod(&shared, &medium)
            case .listening, .requesting, .awaitingResponse:
                scanning.rest()
                shared.radio.arm(.scanPeriod, at: medium.now + (period - duration), &medium)
                endScanPeriod(&shared, &medium)
            }
        }
    }

    // MARK: Legacy advertising

    /// Takes an advertising PDU that arrived during background listening.
    mutating func receivedWhileListening(
        _ pdu: Span<UInt8>, _ reception: ReceivedPacket, _ shared: inout SharedState, _ medium: inout Medium
    ) {
        guard let packet = try? LL.AdvertisingPDU(decoding: pdu) else { return }
        if case .extended(let header, let payload) = packet {
            return receivedAnnouncement(payload, header, reception, &shared, &medium)
        }
        // Legacy advertising uses 1M only (Vol 6, Part B, 2.3.1).
        guard reception.phy == .oneM else { return }
        switch packet {
        case .advInd(let header, let payload):
            receivedAdvertisement(
                .connectableUndirected, payload.advertiser, header, payload.data, reception, &shared, &medium)
        case .advScanInd(let header, let payload):
            receivedAdvertisement(
                .scannableUndirected, payload.advertiser, header, payload.data, reception, &shared, &medium)
        case .advNonconnInd(let header, let payload):
            receivedAdvertisement(
                .nonconnectableUndirected, payload.advertiser, header, payload.data, reception, &shared, &medium)
        case .advDirectInd(let header, let payload):
            let (address, target) = (header.transmitter(payload.advertiser), header.receiver(payload.target))
            guard let advertiser = shared.privacy.identify(address, using: shared.cryptography.provider) else { return }
            if initiates(to: advertiser, on: .oneM, shared),
                shared.privacy.ownTarget(
                    target, initiating.request.ownAddressType, with: advertiser.device,
                    using: shared.cryptography.provider)
                    != nil
            {
                connect(to: advertiser, .init(header, reception), &shared, &medium)
            } else if scanning.schedules.isOpen(on: .oneM) {
                scanDirected(advertiser, target, pdu.extracting(first: 0), reception, &shared, &medium)
            }
        case .scanReq, .scanRsp, .connectInd, .extended, .auxConnectRsp, .unknown: break
        }
    }

    private mutating func receivedAdvertisement(
        _ type: HCI.AdvertisingEventType, _ address: UInt64, _ header: LL.AdvertisingHeader, _ data: Span<UInt8>,
        _ reception: ReceivedPacket, _ shared: inout SharedState, _ medium: inout Medium
    ) {
        guard
            let advertiser = shared.privacy.identify(
                header.transmitter(address), using: shared.cryptography.provider)
        else { return }
        if scanning.schedules.isOpen(on: .oneM) { scan(type, advertiser, data, reception, &shared, &medium) }
        if type == .connectableUndirected, shared.radio.owner == .free, initiates(to: advertiser, on: .oneM, shared) {
            connect(to: advertiser, .init(header, reception), &shared, &medium)
        }
    }

    /// Takes directed advertising.
    private mutating func scanDirected(
        _ advertiser: PeerAddress, _ target: DeviceAddress, _ data: Span<UInt8>, _ reception: ReceivedPacket,
        _ shared: inout SharedState, _ medium: inout Medium
    ) {
        if let own = shared.privacy.ownTarget(
            target, scanning.settings.ownAddressType, with: advertiser.device, using: shared.cryptography.provider)
        {
            return scan(.connectableDirected, advertiser, data, target: own, reception, &shared, &medium)
        }
        guard passesFilter(advertiser, shared), scansUnresolved(target),
            scanning.isWorthReporting(.connectableDirected, from: advertiser.reported)
        else { return }
        if shared.commandFamily == .extended {
            shared.host.report(
                extended: .connectableDirected, from: advertiser.reported, data: data, target: Self.unresolved(target),
                rssi: reception.rssi)
        } else {
            shared.host.emit(
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
    func passesFilter(_ advertiser: PeerAddress?, _ shared: borrowing SharedState) -> Bool {
        guard scanning.settings.filterPolicy.usesAcceptList else { return true }
        guard let advertiser else { return shared.acceptList.acceptsAnonymous }
        return shared.acceptList.accepts(advertiser)
    }

    private mutating func scan(
        _ type: HCI.AdvertisingEventType, _ advertiser: PeerAddress, _ data: Span<UInt8>,
        target: DeviceAddress? = nil, _ reception: ReceivedPacket, _ shared: inout SharedState, _ medium: inout Medium
    ) {
        guard passesFilter(advertiser, shared) else { return }
        if scanning.isWorthReporting(type, from: advertiser.reported) {
            report(.init(legacy: type), as: type, advertiser.reported, data, target: target, reception, &shared)
        }
        guard type == .connectableUndirected || type == .scannableUndirected,
            !(type == .connectableUndirected && initiates(to: advertiser, on: .oneM, shared)),
            let own = shared.privacy.ownAddress(scanning.settings.ownAddressType, with: advertiser.device)
        else { return }
        let address = advertiser.onAir
        // The scan request, its response and the inter frame spaces must end before another activity needs the radio.
        let longest = LL.PHY.oneM.airTime(pduLength: 2 + 12) + LL.PHY.oneM.airTime(pduLength: 2 + 37)
        guard medium.now + longest + LL.interFrameSpace * 3 <= scanRequestLimit(shared),
            scanning.wantsResponse(from: address)
        else { return }
        shared.radio.owner = .scanner
        scanning.request(.init(advertiser: address, type: type, channel: reception.channel))
        sendScanRequest(from: own, to: address, on: reception.channel, .oneM, &shared, &medium)
    }

    /// Sends a scan request after the inter frame space.
    func sendScanRequest(
        from own: DeviceAddress, to address: DeviceAddress, on channel: UInt8, _ phy: LL.PHY,
        _ shared: inout SharedState, _ medium: inout Medium
    ) {
        medium.transmit(from: shared.radio.index, at: medium.now + LL.interFrameSpace, on: channel, phy: phy) { pdu in
            let header = LL.AdvertisingHeader(
                type: .scanReq, transmitterIsRandom: own.kind == .random,
                receiverIsRandom: address.kind == .random, length: 12)
            try? pdu.append(encoding: header)
            try? pdu.append(encoding: LL.ScanReq(scanner: own.value, advertiser: address.value))
        }
    }

    /// Reports a legacy packet in the form of the commands that the host uses.
    private func report(
        _ extended: HCI.ExtendedAdvertisingEventType, as type: HCI.AdvertisingEventType, _ address: DeviceAddress,
        _ data: Span<UInt8>, target: DeviceAddress? = nil, _ reception: ReceivedPacket,
        _ shared: inout SharedState
    ) {
        if shared.commandFamily == .extended {
            shared.host.report(extended: extended, from: address, data: data, target: target, rssi: reception.rssi)
        } else {
            shared.host.report(type, from: address, data: data, rssi: reception.rssi)
        }
    }

    mutating func scanRequestSent(_ shared: inout SharedState, _ medium: inout Medium) {
        scanning.requestSent()
        guard case .awaitingResponse(let exchange) = scanning.state else { return shared.radio.release(&medium) }
        medium.listen(shared.radio.index, to: exchange.channel)
        shared.radio.awaitAnswer(on: .oneM, &medium)
    }

    mutating func receivedByScanner(
        _ pdu: Span<UInt8>, _ reception: ReceivedPacket, _ shared: inout SharedState, _ medium: inout Medium
    ) {
        guard case .awaitingResponse(let exchange) = scanning.state else { return }
        guard !reception.isCorrupted, case .scanRsp(let header, let response)? = try? LL.AdvertisingPDU(decoding: pdu),
            header.transmitter(response.advertiser) == exchange.advertiser,
            let advertiser = shared.privacy.identify(exchange.advertiser, using: shared.cryptography.provider)?
                .reported
        else { return endScanExchange(answered: false, &shared, &medium) }
        if scanning.isWorthReporting(.scanResponse, from: advertiser) {
            report(.init(responseTo: exchange.type), as: .scanResponse, advertiser, response.data, reception, &shared)
        }
        endScanExchange(answered: true, &shared, &medium)
    }

    /// - Parameter answered: Nil if a link interrupted the exchange.
    mutating func endScanExchange(answered: Bool?, _ shared: inout SharedState, _ medium: inout Medium) {
        scanning.endExchange(answered: answered, random: &shared.random)
        shared.radio.release(&medium)
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
