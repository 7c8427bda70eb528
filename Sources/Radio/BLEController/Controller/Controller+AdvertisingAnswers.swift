import BLEWire

/// Scan and connection requests to an advertiser (Vol 6, Part B, 4.4.2.3 and 4.4.2.4).
extension Controller {
    mutating func receivedByAdvertiser(
        _ slot: Int, _ pdu: Span<UInt8>, _ reception: ReceivedPacket, _ medium: inout Medium
    ) {
        guard advertising[slot].isListening else { return }
        radio.cancel(.radio, &medium)
        if !reception.isCorrupted, let packet = try? LL.AdvertisingPDU(decoding: pdu) {
            switch packet {
            case .scanReq(let header, let request):
                if respond(slot, header, request, reception, &medium) { return }
            case .connectInd(let header, let request):
                if accept(slot, header, request, reception, &medium) { return }
            default: break
            }
        }
        act(on: advertising[slot].timedOut(), slot, &medium)
    }

    // A request must contain the advertiser's address (Vol 6, Part B, 2.3.2.1 and 2.3.3.1). The answer follows after T_IFS (4.1.1).

    /// Answers a scan request. Returns false if the advertiser ignores it.
    private mutating func respond(
        _ slot: Int, _ header: LL.AdvertisingHeader, _ request: LL.ScanReq, _ reception: ReceivedPacket,
        _ medium: inout Medium
    ) -> Bool {
        let own = advertising[slot].addresses.own
        guard request.advertiser == own.value, header.receiverIsRandom == (own.kind == .random) else { return false }
        let address = DeviceAddress(kind: header.transmitterIsRandom ? .random : .public, value: request.scanner)
        guard let scanner = privacy.identifyRequester(address, using: cryptography.provider),
            advertising[slot].mayScan(scanner, acceptList), advertising[slot].respond()
        else { return false }
        if advertising[slot].parameters.reportsScanRequests, let handle = advertising[slot].handle {
            host.emit(le: HCI.LEScanRequestReceived(advertisingHandle: handle, scannerAddress: scanner.reported))
        }
        let start = medium.now + LL.interFrameSpace
        if advertising[slot].isLegacy {
            medium.transmit(from: radio.index, at: start, on: reception.channel) {
                advertising[slot].appendLegacyResponse(to: &$0)
            }
        } else {
            medium.transmit(
                from: radio.index, at: start, on: reception.channel, phy: advertising[slot].secondaryPHY
            ) { advertising[slot].appendAuxiliaryResponse(0, to: &$0) }
        }
        return true
    }

    /// Takes a connection request. Returns false if the advertiser ignores it.
    private mutating func accept(
        _ slot: Int, _ header: LL.AdvertisingHeader, _ request: LL.ConnectInd, _ reception: ReceivedPacket,
        _ medium: inout Medium
    ) -> Bool {
        let own = advertising[slot].addresses.own
        guard request.advertiser == own.value, header.receiverIsRandom == (own.kind == .random) else { return false }
        let address = DeviceAddress(kind: header.transmitterIsRandom ? .random : .public, value: request.initiator)
        guard let initiator = privacy.identifyRequester(address, using: cryptography.provider),
            !connections.links.isConnected(to: initiator.device),
            advertising[slot].mayConnect(initiator, acceptList), request.isValid, connections.links.hasFreeSlot
        else { return false }
        let phy = advertising[slot].isLegacy ? LL.PHY.oneM : advertising[slot].secondaryPHY
        // The transmit window delay (Vol 6, Part B, 4.5.3).
        let delay: TimeSpan = advertising[slot].isLegacy ? LL.slot : LL.slot * (phy.isCoded ? 3 : 2)
        let acceptance = AdvertisingSet.Acceptance(
            initiator: initiator, request: request,
            windowStart: medium.now + delay + LL.slot * Int(request.windowOffset))
        if advertising[slot].isLegacy {
            openLink(of: slot, acceptance, usesAlgorithm2: header.channelSelection2, phy, &medium)
        } else {
            advertising[slot].accept(acceptance)
            medium.transmit(
                from: radio.index, at: medium.now + LL.interFrameSpace, on: reception.channel, phy: phy
            ) { advertising[slot].appendAcceptance(for: initiator.onAir, to: &$0) }
        }
        return true
    }

    /// AUX_CONNECT_RSP has been sent. Links of AUX_CONNECT_REQ use channel selection algorithm #2 (Vol 6, Part B, 4.5.8).
    mutating func openLink(
        of slot: Int, _ acceptance: AdvertisingSet.Acceptance, _ medium: inout Medium
    ) {
        openLink(of: slot, acceptance, usesAlgorithm2: true, advertising[slot].secondaryPHY, &medium)
    }

    /// The set stops. The host learns the set that has led to the link after the link (Vol 4, Part E, 7.7.65.18).
    private mutating func openLink(
        of slot: Int, _ acceptance: AdvertisingSet.Acceptance, usesAlgorithm2: Bool, _ phy: LL.PHY,
        _ medium: inout Medium
    ) {
        let completed = advertising[slot].limits.completedEvents
        advertising[slot].disable()
        armAdvertising(&medium)
        armAdvertisingEnd(&medium)
        if let link = connections.links.freeSlot() {
            connections.openLink(
                link, .peripheral, peer: acceptance.initiator,
                privateAddress: advertising[slot].addresses.privateAddress, acceptance.request, phy: phy,
                usesAlgorithm2: usesAlgorithm2, windowStart: acceptance.windowStart, &radio, &host, &medium)
            reportTermination(
                of: slot, .success, completed: completed, connection: connections.links[link].handle)
        }
        radio.release(&medium)
    }
}
