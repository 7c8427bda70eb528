import BLEWire

/// Extended advertising on the secondary channels, for the scanner and the initiator (Vol 6, Part B, 4.4.3 and 4.4.4).
extension Controller {
    // MARK: ADV_EXT_IND

    mutating func receivedAnnouncement(
        _ payload: LL.ExtendedAdvertisement, _ header: LL.AdvertisingHeader, _ reception: ReceivedPacket,
        _ medium: inout Medium
    ) {
        let phy = PrimaryPHY(reception.phy)
        let isScanned = scanning.settings.isExtended && isScannerListening(on: phy)
        let isAnswerable =
            payload.mode == .connectable && initiating.request.isExtended && initiating.state == .listening
            && initiating.schedules.isOpen(on: phy)
        guard isScanned || isAnswerable else { return }
        let announcement = AuxiliaryPursuit.Announcement(payload, header, primaryPHY: phy)
        guard let pointer = payload.pointer else {
            if isScanned { scanAlone(announcement, reception) }
            return
        }
        guard
            let appointment = AuxiliaryPursuit.Appointment(
                pointer, from: reception.start, now: medium.now, supported: capabilities.phys)
        else { return }
        pursuits.add(AuxiliaryPursuit(announcement, at: appointment))
        armPursuits(&medium)
    }

    /// Reports an ADV_EXT_IND without AuxPtr: it has no data, and no device may answer it (Vol 6, Part B, 2.3.1.5).
    private mutating func scanAlone(_ announcement: AuxiliaryPursuit.Announcement, _ reception: ReceivedPacket) {
        guard announcement.mode == .none, let address = announcement.advertiser,
            let advertiser = privacy.identify(address, using: cryptography.provider),
            let direction = self.direction(of: announcement.target, from: advertiser)
        else { return }
        report(
            CollectedPacket(
                [], from: advertiser, target: direction.target, dataInfo: announcement.dataInfo,
                txPower: announcement.txPower, rssi: reception.rssi, primaryPHY: announcement.primaryPHY,
                secondaryPHY: nil))
    }

    // MARK: Appointments

    private mutating func armPursuits(_ medium: inout Medium) {
        if let next = pursuits.next {
            radio.arm(.auxiliary, at: next, &medium)
        } else {
            radio.cancel(.auxiliary, &medium)
        }
    }

    /// Listens for the PDU of an appointment. If the radio is in use, the PDU is missed.
    mutating func appointmentDue(_ medium: inout Medium) {
        while let pursuit = pursuits.takeDue(at: medium.now) {
            guard radio.owner == .free,
                pursuit.stage == .chain || !pursuits.isReserved(during: pursuit.appointment)
            else {
                breakOff(pursuit)
                continue
            }
            let (channel, phy) = (pursuit.appointment.channel, pursuit.appointment.phy)
            radio.owner = .auxiliary
            radio.arm(.radio, at: pursuit.appointment.closes + phy.synchronisationTime, &medium)
            medium.listen(radio.index, to: channel, phy: phy)
            pursuits.begin(pursuit)
        }
        armPursuits(&medium)
    }

    /// Ends a pursuit whose next PDU was missed or is not the announced one.
    private mutating func breakOff(_ pursuit: AuxiliaryPursuit) {
        switch pursuit.stage {
        case .advertisement, .request: break
        case .response: scanning.endAuxiliaryExchange(isAnswered: false, random: &random)
        case .chain: if let packet = pursuit.packet { report(packet, isTruncated: true) }
        }
    }

    /// Ends the pursuit that has the radio.
    mutating func breakOffCurrent(_ medium: inout Medium) {
        if let pursuit = pursuits.takeCurrent() { breakOff(pursuit) }
        radio.release(&medium)
    }

    /// Another activity takes the radio.
    mutating func interruptPursuit(_ medium: inout Medium) {
        medium.cutTransmission(of: radio.index)
        guard let pursuit = pursuits.takeCurrent() else { return }
        // An interrupted exchange is neither a success nor a failure.
        if pursuit.stage != .response { breakOff(pursuit) }
    }

    /// Ends all pursuits without reports.
    mutating func stopPursuits(_ medium: inout Medium) {
        pursuits.removeAll()
        radio.cancel(.auxiliary, &medium)
        guard radio.owner == .auxiliary else { return }
        medium.cutTransmission(of: radio.index)
        radio.release(&medium)
    }

    // MARK: PDUs

    mutating func receivedByPursuit(_ pdu: Span<UInt8>, _ reception: ReceivedPacket, _ medium: inout Medium) {
        guard let pursuit = pursuits.takeCurrent() else { return }
        radio.release(&medium)
        guard !reception.isCorrupted, case .extended(let header, let payload)? = try? LL.AdvertisingPDU(decoding: pdu)
        else { return breakOff(pursuit) }
        switch pursuit.stage {
        case .advertisement:
            if pursuit.announcement.announces(payload, header) {
                receivedAdvertisement(pursuit, payload, header, reception, &medium)
            }
        case .chain: receivedChain(pursuit, payload, header, reception, &medium)
        case .response: receivedResponse(pursuit, payload, header, reception, &medium)
        case .request: break
        }
    }

    private mutating func receivedAdvertisement(
        _ pursuit: AuxiliaryPursuit, _ payload: LL.ExtendedAdvertisement, _ header: LL.AdvertisingHeader,
        _ reception: ReceivedPacket, _ medium: inout Medium
    ) {
        let announced = pursuit.announcement
        var advertiser: PeerAddress?
        if let address = payload.advertiser(header) ?? announced.advertiser {
            advertiser = privacy.identify(address, using: cryptography.provider)
            guard advertiser != nil else { return }
        }
        // Only an advertiser that no device may answer is anonymous (Vol 6, Part B, 2.3.1.5).
        guard advertiser != nil || payload.mode == .none else { return }
        let target = payload.target(header) ?? announced.target
        scan(pursuit, from: advertiser, target, payload, reception, &medium)
        guard payload.mode == .connectable, let advertiser, radio.owner == .free,
            initiating.request.isExtended, initiates(to: advertiser, on: announced.primaryPHY),
            target == nil || isOwn(target, initiating.request.ownAddressType, from: advertiser),
            initiating.mayRequest()
        else { return }
        connect(to: advertiser, .init(secondary: reception, foundOn: announced.primaryPHY), &medium)
    }

    /// Reports or collects an AUX_ADV_IND, and requests the scan response.
    private mutating func scan(
        _ pursuit: AuxiliaryPursuit, from advertiser: PeerAddress?, _ target: DeviceAddress?,
        _ payload: LL.ExtendedAdvertisement, _ reception: ReceivedPacket, _ medium: inout Medium
    ) {
        guard isScanned(pursuit), let direction = self.direction(of: target, from: advertiser) else { return }
        let mode: HCI.ExtendedAdvertisingEventType =
            payload.mode == .connectable ? .connectable : payload.mode == .scannable ? .scannable : []
        var pursuit = pursuit
        let announced = pursuit.announcement
        let packet = CollectedPacket(
            mode, from: advertiser, target: direction.target, dataInfo: payload.dataInfo,
            txPower: announced.txPower, rssi: reception.rssi, primaryPHY: announced.primaryPHY,
            secondaryPHY: reception.phy)
        pursuit.packet = packet
        let continuation = pursuit.packet?.begin(payload) ?? .complete
        proceed(pursuit, continuation, reception, &medium)
        guard continuation == .complete, payload.mode == .scannable, direction.isOwn, let advertiser,
            let own = privacy.ownAddress(scanning.settings.ownAddressType, with: advertiser.device)
        else { return }
        // A link interrupts a response that is longer than this.
        let shortest = reception.phy.airTime(pduLength: 2 + 12) + reception.phy.airTime(pduLength: 2 + 31)
        guard medium.now + shortest + LL.interFrameSpace * 3 <= connections.links.nextStart(),
            scanning.wantsResponse(to: packet)
        else { return }
        pursuit.request()
        pursuits.begin(pursuit)
        radio.isReleased = false
        radio.owner = .auxiliary
        sendScanRequest(from: own, to: advertiser.onAir, on: reception.channel, reception.phy, &medium)
    }

    /// AUX_SCAN_REQ has been sent.
    mutating func auxiliaryRequestSent(_ medium: inout Medium) {
        guard let appointment = pursuits.current else { return radio.release(&medium) }
        pursuits.requestSent()
        medium.listen(radio.index, to: appointment.channel, phy: appointment.phy)
        radio.awaitAnswer(on: appointment.phy, &medium)
    }

    private mutating func receivedResponse(
        _ pursuit: AuxiliaryPursuit, _ payload: LL.ExtendedAdvertisement, _ header: LL.AdvertisingHeader,
        _ reception: ReceivedPacket, _ medium: inout Medium
    ) {
        guard var packet = pursuit.packet, payload.mode == .none, payload.advertiser(header) == packet.onAir,
            payload.dataInfo == nil || payload.dataInfo == packet.dataInfo
        else { return breakOff(pursuit) }
        scanning.endAuxiliaryExchange(isAnswered: true, random: &random)
        packet.eventType.insert(.scanResponse)
        packet.rssi = reception.rssi
        let continuation = packet.begin(payload)
        var pursuit = pursuit
        pursuit.packet = packet
        proceed(pursuit, continuation, reception, &medium)
    }

    private mutating func receivedChain(
        _ pursuit: AuxiliaryPursuit, _ payload: LL.ExtendedAdvertisement, _ header: LL.AdvertisingHeader,
        _ reception: ReceivedPacket, _ medium: inout Medium
    ) {
        guard pursuit.packet?.isContinued(by: payload, header) == true else { return breakOff(pursuit) }
        var pursuit = pursuit
        let continuation = pursuit.packet?.append(payload) ?? .complete
        proceed(pursuit, continuation, reception, &medium)
    }

    /// Reports the packet, or waits for its next PDU.
    private mutating func proceed(
        _ pursuit: AuxiliaryPursuit, _ continuation: CollectedPacket.Continuation, _ reception: ReceivedPacket,
        _ medium: inout Medium
    ) {
        guard let packet = pursuit.packet else { return }
        switch continuation {
        case .complete: report(packet)
        case .excessive: report(packet, isTruncated: true)
        case .chain(let pointer):
            guard
                let appointment = AuxiliaryPursuit.Appointment(
                    pointer, from: reception.start, now: medium.now, supported: capabilities.phys)
            else { return report(packet, isTruncated: true) }
            var pursuit = pursuit
            pursuit.follow(to: appointment)
            pursuits.resume(pursuit)
            armPursuits(&medium)
        }
    }

    // MARK: Filters and reports

    /// Whether the scanner takes the PDUs of a pursuit. It may have begun for the initiator, or for an earlier scan.
    private func isScanned(_ pursuit: AuxiliaryPursuit) -> Bool {
        scanning.isScanning && scanning.settings.isExtended
            && scanning.settings[pursuit.announcement.primaryPHY] != nil
    }

    /// Nil if the filter policy excludes the advertiser or the target (Vol 6, Part B, 4.3.3).
    private mutating func direction(
        of target: DeviceAddress?, from advertiser: PeerAddress?
    ) -> (target: DeviceAddress?, isOwn: Bool)? {
        guard passesFilter(advertiser) else { return nil }
        guard let target else { return (nil, true) }
        if isOwn(target, scanning.settings.ownAddressType, from: advertiser) { return (target, true) }
        return scansUnresolved(target) ? (Self.unresolved(target), false) : nil
    }

    private mutating func isOwn(
        _ target: DeviceAddress?, _ type: HCI.OwnAddressType, from advertiser: PeerAddress?
    ) -> Bool {
        guard let target else { return false }
        guard let advertiser else { return target == privacy.fallbackAddress(type) }
        return privacy.isOwn(target, type, with: advertiser.device, using: cryptography.provider)
    }

    private mutating func report(_ packet: CollectedPacket, isTruncated: Bool = false) {
        guard scanning.isScanning, scanning.isWorthReporting(packet, isTruncated: isTruncated) else { return }
        host.report(packet, isTruncated: isTruncated)
    }
}
