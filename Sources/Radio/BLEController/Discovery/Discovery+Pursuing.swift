import BLEWire

/// Extended advertising on the secondary channels, for the scanner and the initiator (Vol 6, Part B, 4.4.3 and 4.4.4).
extension Discovery {
    // MARK: ADV_EXT_IND

    mutating func receivedAnnouncement(
        _ payload: LL.ExtendedAdvertisement, _ header: LL.AdvertisingHeader, _ reception: ReceivedPacket,
        _ shared: inout SharedState, _ medium: inout Medium
    ) {
        // Hosts of the legacy commands get nothing of extended advertising (Vol 4, Part E, 3.1.1).
        // Mode 3 is reserved (Vol 6, Part B, 2.3.4).
        guard shared.commandFamily == .extended, payload.mode.rawValue <= LL.AdvertisingMode.scannable.rawValue else {
            return
        }
        let phy = PrimaryPHY(reception.phy)
        let isScanned = scanning.schedules.isOpen(on: phy)
        let isAnswerable =
            payload.mode == .connectable && initiating.state == .listening && initiating.schedules.isOpen(on: phy)
        guard isScanned || isAnswerable else { return }
        let announcement = AuxiliaryPursuit.Announcement(payload, header, phy: reception.phy)
        guard let pointer = payload.pointer else {
            if isScanned { scanAlone(announcement, reception, &shared) }
            return
        }
        guard
            let appointment = AuxiliaryPursuit.Appointment(
                pointer, from: reception.start, now: medium.now, supported: shared.capabilities.phys,
                accuracy: shared.capabilities.configuration.clock.accuracy)
        else { return }
        if let ended = pursuits.add(AuxiliaryPursuit(announcement, at: appointment), &shared.random) {
            breakOff(ended, &shared)
        }
        armPursuits(&shared, &medium)
    }

    /// Reports an ADV_EXT_IND without AuxPtr: it has no data, and no device may answer it (Vol 6, Part B, 2.3.1.5).
    private mutating func scanAlone(
        _ announcement: AuxiliaryPursuit.Announcement, _ reception: ReceivedPacket, _ shared: inout SharedState
    ) {
        guard announcement.mode == .none, let address = announcement.advertiser,
            let advertiser = shared.privacy.identify(address, using: shared.cryptography.provider),
            let direction = self.direction(of: announcement.target, from: advertiser, &shared)
        else { return }
        report(
            CollectedPacket(
                [], from: advertiser, target: direction.target, dataInfo: announcement.dataInfo,
                txPower: announcement.txPower, rssi: reception.rssi, primaryPHY: announcement.phy,
                secondaryPHY: nil), &shared)
    }

    // MARK: Appointments

    private func armPursuits(_ shared: inout SharedState, _ medium: inout Medium) {
        if let next = pursuits.next {
            shared.radio.arm(.auxiliary, at: next, &medium)
        } else {
            shared.radio.cancel(.auxiliary, &medium)
        }
    }

    /// Listens for the PDU of an appointment. If the radio is in use, the PDU is missed.
    mutating func appointmentDue(_ shared: inout SharedState, _ medium: inout Medium) {
        while let pursuit = pursuits.takeDue(at: medium.now) {
            guard shared.radio.owner == .free,
                pursuit.stage == .chain || !pursuits.isReserved(during: pursuit.appointment)
            else {
                breakOff(pursuit, &shared)
                continue
            }
            let (channel, phy) = (pursuit.appointment.channel, pursuit.appointment.phy)
            shared.radio.owner = .auxiliary
            shared.radio.arm(.radio, at: pursuit.appointment.closes + phy.synchronisationTime, &medium)
            medium.listen(shared.radio.index, to: channel, phy: phy)
            pursuits.begin(pursuit)
        }
        armPursuits(&shared, &medium)
    }

    /// Ends a pursuit whose next PDU was missed or is not the announced one.
    private mutating func breakOff(_ pursuit: AuxiliaryPursuit, _ shared: inout SharedState) {
        switch pursuit.stage {
        case .advertisement, .request: break
        case .response: scanning.endAuxiliaryExchange(isAnswered: false, random: &shared.random)
        case .chain: if let packet = pursuit.packet { report(packet, isTruncated: true, &shared) }
        }
    }

    /// Ends the pursuit that has the radio.
    mutating func breakOffCurrent(_ shared: inout SharedState, _ medium: inout Medium) {
        if let pursuit = pursuits.takeCurrent() { breakOff(pursuit, &shared) }
        shared.radio.release(&medium)
    }

    /// Another activity takes the radio.
    mutating func interruptPursuit(_ shared: inout SharedState, _ medium: inout Medium) {
        medium.cutTransmission(of: shared.radio.index)
        guard let pursuit = pursuits.takeCurrent() else { return }
        // An interrupted exchange is neither a success nor a failure.
        if pursuit.stage != .response { breakOff(pursuit, &shared) }
    }

    /// Ends all pursuits without reports.
    mutating func stopPursuits(_ shared: inout SharedState, _ medium: inout Medium) {
        pursuits.removeAll()
        shared.radio.cancel(.auxiliary, &medium)
        guard shared.radio.owner == .auxiliary else {
            // A set may wait for the end of a chain.
            if shared.radio.owner == .free { shared.radio.isReleased = true }
            return
        }
        medium.cutTransmission(of: shared.radio.index)
        shared.radio.release(&medium)
    }

    /// Ends a request of the scanner, but not what the initiator waits for.
    mutating func stopScanPursuit(_ shared: inout SharedState, _ medium: inout Medium) {
        guard shared.radio.owner == .auxiliary, pursuits.isExchanging else { return }
        interruptPursuit(&shared, &medium)
        shared.radio.release(&medium)
    }

    /// The time until which the scanner may use the radio for a request: the next event of a link or a train, or the next PDU of a chain. A
    /// connection is worth more than a chain.
    func scanRequestLimit(_ shared: borrowing SharedState) -> Instant {
        min(shared.connections.links.nextStart(), shared.radio.fixedStart, pursuits.nextChain, syncs.nextChain)
    }

    // MARK: PDUs

    mutating func receivedByPursuit(
        _ pdu: Span<UInt8>, _ reception: ReceivedPacket, _ shared: inout SharedState, _ medium: inout Medium
    ) {
        guard let pursuit = pursuits.takeCurrent() else { return }
        shared.radio.release(&medium)
        // The window of a late PDU ended before its access address. With exact clocks only a device that breaks the rules is late.
        let isTooLate =
            !medium.clocks.isEmpty && (pursuit.stage == .advertisement || pursuit.stage == .chain)
            && reception.start > pursuit.appointment.closes
        guard !reception.isCorrupted, !isTooLate,
            case .extended(let header, let payload)? = try? LL.AdvertisingPDU(decoding: pdu)
        else { return breakOff(pursuit, &shared) }
        switch pursuit.stage {
        case .advertisement:
            if pursuit.announcement.announces(payload, header) {
                receivedAdvertisement(pursuit, payload, header, reception, &shared, &medium)
            }
        case .chain: receivedChain(pursuit, payload, header, reception, &shared, &medium)
        case .response: receivedResponse(pursuit, payload, header, reception, &shared, &medium)
        case .request: break
        }
    }

    private mutating func receivedAdvertisement(
        _ pursuit: AuxiliaryPursuit, _ payload: LL.ExtendedAdvertisement, _ header: LL.AdvertisingHeader,
        _ reception: ReceivedPacket, _ shared: inout SharedState, _ medium: inout Medium
    ) {
        let announced = pursuit.announcement
        var advertiser: PeerAddress?
        if let address = payload.advertiser(header) ?? announced.advertiser {
            advertiser = shared.privacy.identify(address, using: shared.cryptography.provider)
            guard advertiser != nil else { return }
        }
        // Only an advertiser that no device may answer is anonymous (Vol 6, Part B, 2.3.1.5).
        guard advertiser != nil || payload.mode == .none else { return }
        let target = payload.target(header) ?? announced.target
        if let advertiser, isScanned(pursuit) {
            syncs.synchronize(with: advertiser, payload, reception, &shared, &medium)
        }
        scan(pursuit, from: advertiser, target, payload, reception, &shared, &medium)
        guard payload.mode == .connectable, let advertiser, shared.radio.owner == .free,
            // The windows are for the primary channels (Vol 6, Part B, 4.4.4).
            initiating.schedules[announced.primaryPHY] != nil, wantsConnection(to: advertiser, shared),
            target == nil || ownTarget(target, initiating.request.ownAddressType, from: advertiser, &shared) != nil,
            initiating.mayRequest(from: advertiser.device)
        else { return }
        connect(to: advertiser, .init(secondary: reception, foundOn: announced.primaryPHY), &shared, &medium)
    }

    /// Reports or collects an AUX_ADV_IND, and requests the scan response.
    private mutating func scan(
        _ pursuit: AuxiliaryPursuit, from advertiser: PeerAddress?, _ target: DeviceAddress?,
        _ payload: LL.ExtendedAdvertisement, _ reception: ReceivedPacket, _ shared: inout SharedState,
        _ medium: inout Medium
    ) {
        guard isScanned(pursuit), let direction = self.direction(of: target, from: advertiser, &shared) else { return }
        let mode: HCI.ExtendedAdvertisingEventType =
            payload.mode == .connectable ? .connectable : payload.mode == .scannable ? .scannable : []
        var pursuit = pursuit
        let announced = pursuit.announcement
        var packet = CollectedPacket(
            mode, from: advertiser, target: direction.target, dataInfo: payload.dataInfo,
            txPower: announced.txPower, rssi: reception.rssi, primaryPHY: announced.phy,
            secondaryPHY: reception.phy)
        pursuit.packet = packet
        let continuation = pursuit.packet?.begin(payload) ?? .complete
        proceed(pursuit, continuation, reception, &shared, &medium)
        guard continuation == .complete, payload.mode == .scannable, direction.isOwn, let advertiser,
            let own = shared.privacy.ownAddress(scanning.settings.ownAddressType, with: advertiser.device)
        else { return }
        // A link interrupts a response that is longer than this.
        let shortest = reception.phy.airTime(pduLength: 2 + 12) + reception.phy.airTime(pduLength: 2 + 31)
        guard medium.now + shortest + LL.interFrameSpace * 3 <= scanRequestLimit(shared),
            scanning.wantsResponse(to: packet)
        else { return }
        // Data and power of AUX_ADV_IND are not those of the response.
        packet.txPower = nil
        pursuit.packet = packet
        pursuit.request()
        pursuits.begin(pursuit)
        shared.radio.isReleased = false
        shared.radio.owner = .auxiliary
        sendScanRequest(from: own, to: advertiser.onAir, on: reception.channel, reception.phy, &shared, &medium)
    }

    /// AUX_SCAN_REQ has been sent.
    mutating func auxiliaryRequestSent(_ shared: inout SharedState, _ medium: inout Medium) {
        guard let appointment = pursuits.current else { return shared.radio.release(&medium) }
        pursuits.requestSent()
        medium.listen(shared.radio.index, to: appointment.channel, phy: appointment.phy)
        shared.radio.awaitAnswer(on: appointment.phy, &medium)
    }

    private mutating func receivedResponse(
        _ pursuit: AuxiliaryPursuit, _ payload: LL.ExtendedAdvertisement, _ header: LL.AdvertisingHeader,
        _ reception: ReceivedPacket, _ shared: inout SharedState, _ medium: inout Medium
    ) {
        guard var packet = pursuit.packet, payload.mode == .none, payload.advertiser(header) == packet.onAir,
            payload.dataInfo == nil || payload.dataInfo == packet.dataInfo
        else { return breakOff(pursuit, &shared) }
        scanning.endAuxiliaryExchange(isAnswered: true, random: &shared.random)
        packet.eventType.insert(.scanResponse)
        packet.rssi = reception.rssi
        let continuation = packet.begin(payload)
        var pursuit = pursuit
        pursuit.packet = packet
        proceed(pursuit, continuation, reception, &shared, &medium)
    }

    private mutating func receivedChain(
        _ pursuit: AuxiliaryPursuit, _ payload: LL.ExtendedAdvertisement, _ header: LL.AdvertisingHeader,
        _ reception: ReceivedPacket, _ shared: inout SharedState, _ medium: inout Medium
    ) {
        guard pursuit.packet?.isContinued(by: payload, header) == true else { return breakOff(pursuit, &shared) }
        var pursuit = pursuit
        let continuation = pursuit.packet?.append(payload) ?? .complete
        proceed(pursuit, continuation, reception, &shared, &medium)
    }

    /// Reports the packet, or waits for its next PDU.
    private mutating func proceed(
        _ pursuit: AuxiliaryPursuit, _ continuation: CollectedPacket.Continuation, _ reception: ReceivedPacket,
        _ shared: inout SharedState, _ medium: inout Medium
    ) {
        guard let packet = pursuit.packet else { return }
        switch continuation {
        case .complete: report(packet, &shared)
        case .excessive: report(packet, isTruncated: true, &shared)
        case .chain(let pointer):
            guard
                let appointment = AuxiliaryPursuit.Appointment(
                    pointer, from: reception.start, now: medium.now, supported: shared.capabilities.phys,
                    accuracy: shared.capabilities.configuration.clock.accuracy)
            else { return report(packet, isTruncated: true, &shared) }
            var pursuit = pursuit
            pursuit.follow(to: appointment)
            pursuits.resume(pursuit)
            armPursuits(&shared, &medium)
        }
    }

    // MARK: Filters and reports

    /// Whether the scanner takes the PDUs of a pursuit. It may have begun for the initiator, or for an earlier scan.
    private func isScanned(_ pursuit: AuxiliaryPursuit) -> Bool {
        scanning.isScanning && scanning.settings[pursuit.announcement.primaryPHY] != nil
    }

    /// Nil if the filter policy excludes the advertiser or the target (Vol 6, Part B, 4.3.3).
    private mutating func direction(
        of target: DeviceAddress?, from advertiser: PeerAddress?, _ shared: inout SharedState
    ) -> (target: DeviceAddress?, isOwn: Bool)? {
        guard passesFilter(advertiser, shared) else { return nil }
        guard let target else { return (nil, true) }
        if let own = ownTarget(target, scanning.settings.ownAddressType, from: advertiser, &shared) {
            return (own, true)
        }
        return scansUnresolved(target) ? (Self.unresolved(target), false) : nil
    }

    private mutating func ownTarget(
        _ target: DeviceAddress?, _ type: HCI.OwnAddressType, from advertiser: PeerAddress?,
        _ shared: inout SharedState
    ) -> DeviceAddress? {
        guard let target else { return nil }
        guard let advertiser else { return target == shared.privacy.fallbackAddress(type) ? target : nil }
        return shared.privacy.ownTarget(target, type, with: advertiser.device, using: shared.cryptography.provider)
    }

    private mutating func report(
        _ packet: CollectedPacket, isTruncated: Bool = false, _ shared: inout SharedState
    ) {
        guard scanning.isScanning, scanning.isWorthReporting(packet, isTruncated: isTruncated) else { return }
        let namesCodings = shared.connections.defaults.hostFeatures.contains(.advertisingCodingSelectionHostSupport)
        shared.host.report(packet, isTruncated: isTruncated, namesCodings: namesCodings)
    }
}
