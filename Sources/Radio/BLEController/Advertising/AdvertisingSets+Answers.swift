import BLEWire

/// Scan and connection requests to an advertiser (Vol 6, Part B, 4.4.2.3 and 4.4.2.4).
extension AdvertisingSets {
    mutating func received(
        _ slot: Int, _ pdu: Span<UInt8>, _ reception: ReceivedPacket, _ claims: ListeningClaims,
        _ shared: inout SharedState, _ medium: inout Medium
    ) {
        guard self[slot].isListening else { return }
        shared.radio.cancel(.radio, &medium)
        if !reception.isCorrupted, let packet = try? LL.AdvertisingPDU(decoding: pdu) {
            switch packet {
            case .scanReq(let header, let request):
                if respond(slot, header, request, reception, &shared, &medium) { return }
            case .connectInd(let header, let request):
                if accept(slot, header, request, reception, &shared, &medium) { return }
            default: break
            }
        }
        timedOut(slot, claims, &shared, &medium)
    }

    // A request must contain the advertiser's address (Vol 6, Part B, 2.3.2.1 and 2.3.3.1). The answer follows after T_IFS (4.1.1).

    /// Answers a scan request. Returns false if the advertiser ignores it.
    private mutating func respond(
        _ slot: Int, _ header: LL.AdvertisingHeader, _ request: LL.ScanReq, _ reception: ReceivedPacket,
        _ shared: inout SharedState, _ medium: inout Medium
    ) -> Bool {
        let own = self[slot].addresses.own
        guard header.receiver(request.advertiser) == own else { return false }
        let address = header.transmitter(request.scanner)
        let start = medium.now + LL.interFrameSpace
        guard let scanner = shared.privacy.identifyRequester(address, using: shared.cryptography.provider),
            self[slot].mayScan(scanner, shared.acceptList), self[slot].respond(at: start)
        else { return false }
        if self[slot].parameters.reportsScanRequests, let handle = self[slot].handle {
            shared.host.emit(le: HCI.LEScanRequestReceived(advertisingHandle: handle, scannerAddress: scanner.reported))
        }
        if self[slot].isLegacy {
            medium.transmit(from: shared.radio.index, at: start, on: reception.channel) {
                self[slot].appendLegacyResponse(to: &$0)
            }
        } else {
            medium.transmit(
                from: shared.radio.index, at: start, on: reception.channel, phy: self[slot].secondaryPHY
            ) { self[slot].appendAuxiliaryResponse(0, to: &$0) }
        }
        return true
    }

    /// Takes a connection request. Returns false if the advertiser ignores it.
    private mutating func accept(
        _ slot: Int, _ header: LL.AdvertisingHeader, _ request: LL.ConnectInd, _ reception: ReceivedPacket,
        _ shared: inout SharedState, _ medium: inout Medium
    ) -> Bool {
        let own = self[slot].addresses.own
        guard header.receiver(request.advertiser) == own else { return false }
        let address = header.transmitter(request.initiator)
        guard let initiator = shared.privacy.identifyRequester(address, using: shared.cryptography.provider),
            !shared.connections.links.isConnected(to: initiator.device),
            self[slot].mayConnect(initiator, shared.acceptList), request.isValid, shared.connections.links.hasFreeSlot
        else { return false }
        let phy = self[slot].isLegacy ? LL.PHY.oneM : self[slot].secondaryPHY
        // The transmit window delay (Vol 6, Part B, 4.5.3).
        let delay: TimeSpan = self[slot].isLegacy ? LL.slot : LL.slot * (phy.isCoded ? 3 : 2)
        let acceptance = AdvertisingSet.Acceptance(
            initiator: initiator, request: request,
            windowStart: medium.now + delay + LL.slot * Int(request.windowOffset))
        if self[slot].isLegacy {
            openLink(of: slot, acceptance, usesAlgorithm2: header.channelSelection2, phy, &shared, &medium)
        } else {
            self[slot].accept(acceptance)
            medium.transmit(
                from: shared.radio.index, at: medium.now + LL.interFrameSpace, on: reception.channel, phy: phy
            ) { self[slot].appendAcceptance(for: initiator.onAir, to: &$0) }
        }
        return true
    }

    /// AUX_CONNECT_RSP has been sent. Links of AUX_CONNECT_REQ use channel selection algorithm #2 (Vol 6, Part B, 4.5.8).
    mutating func openLink(
        of slot: Int, _ acceptance: AdvertisingSet.Acceptance, _ shared: inout SharedState, _ medium: inout Medium
    ) {
        openLink(of: slot, acceptance, usesAlgorithm2: true, self[slot].secondaryPHY, &shared, &medium)
    }

    /// The set stops. The host learns the set that has led to the link after the link (Vol 4, Part E, 7.7.65.18).
    private mutating func openLink(
        of slot: Int, _ acceptance: AdvertisingSet.Acceptance, usesAlgorithm2: Bool, _ phy: LL.PHY,
        _ shared: inout SharedState, _ medium: inout Medium
    ) {
        let completed = self[slot].limits.completedEvents
        self[slot].disable()
        arm(&shared, &medium)
        armEnd(&shared, &medium)
        if let link = shared.connections.links.freeSlot() {
            shared.connections.openLink(
                link, .peripheral, peer: acceptance.initiator,
                privateAddress: self[slot].addresses.privateAddress, acceptance.request, phy: phy,
                usesAlgorithm2: usesAlgorithm2, windowStart: acceptance.windowStart, &shared.radio, &shared.host,
                &medium)
            reportTermination(
                of: slot, .success, completed: completed, connection: shared.connections.links[link].handle,
                &shared)
        }
        shared.radio.release(&medium)
    }
}
