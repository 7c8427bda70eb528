import BLEAdapter
import BLEHost
import BLEWire

extension HostSessions {
    /// Starts a scan for the session, or replaces its running scan.
    package mutating func startScan(_ request: ScanRequest, session: Int, at now: Instant) {
        guard state == .poweredOn, !isGoingDown else { return }
        let wasIdle = scans.sessions.isEmpty
        scans.sessions.removeAll { $0.number == session }
        scans.sessions.append(ScanRequests.Session(number: session, request: request))
        if wasIdle {
            scans.holds = HoldQueue()
            advertisers.beginScan()
            host.setScanning(ScanParameters(), at: now)
        }
    }

    package mutating func stopScan(session: Int, at now: Instant) {
        guard scans.sessions.contains(where: { $0.number == session }) else { return }
        scans.sessions.removeAll { $0.number == session }
        if scans.sessions.isEmpty, state == .poweredOn { host.setScanning(nil, at: now) }
    }

    /// Takes a report that the host would pass on as it is. It skips the host's events, but not those that precede it.
    mutating func received(_ report: HCI.SoleAdvertisingReport, at now: Instant) {
        if hasHostEvents {
            processHostEvents(at: now)
            guard host.passesReports else { return }
        }
        guard let kind = AdvertisingReport.Kind(rawValue: report.eventType) else { return }
        received(
            AdvertisingReport(kind: kind, address: report.device, rssi: report.rssi, data: 0..<0), report.data, at: now)
    }

    // Inlined, because most reports come from the function above.
    @inline(__always)
    mutating func received(_ report: AdvertisingReport, _ data: Span<UInt8>, at now: Instant) {
        guard !scans.sessions.isEmpty else { return }
        // ADV_IND and ADV_SCAN_IND are scannable (Vol 6, Part B, 2.3.1.1 and 2.3.1.4).
        let isScannable =
            switch report.kind {
            case .connectable, .scannable: true
            case .connectableDirected, .nonConnectable, .scanResponse: false
            }
        let known = advertisers.refresh(report.address)
        let slot = known ?? admit(report.address)
        if advertisers.update(slot, report, data, peers.source) { contentChanged(slot, isNew: known == nil) }
        if let hold = advertisers.entries[slot].hold {
            if !isScannable {
                scans.holds.release(hold)
                advertisers[slot].hold = nil
            }
        } else if isScannable, !advertisers.entries[slot].hasScanResponse,
            !advertisers.entries[slot].wasReportedWithoutResponse
        {
            advertisers[slot].hold = scans.holds.add(slot, until: now + ScanRequests.responseTimeout)
        }
        emitDiscovery(slot, isPacket: true)
    }

    private mutating func admit(_ address: DeviceAddress) -> Int {
        let peer = peers.identity(for: address)
        return advertisers.admit(address, peer, peers.names(of: peer), &scans.holds)
    }

    /// Publishes an advertiser that is new or may have a new name, and the advertisement of a connected peer.
    private mutating func contentChanged(_ slot: Int, isNew: Bool) {
        if isNew || advertisers.entries[slot].content!.octets.haveLocalName {
            publish(slot)
        }
        if !links.isEmpty, let peer = linkedPeer(advertisers.entries[slot].peer) {
            publishAdvertisement(slot, of: peer)
        }
    }

    /// The identifier of an advertiser that has a link with this host as its central.
    private mutating func linkedPeer(_ identity: AdvertiserIdentity) -> PeerIdentifier? {
        for index in links.indices where links[index].role == .central && peers.isKey(links[index].peer, of: identity) {
            return peers[links[index].peer].identifier
        }
        return nil
    }

    /// Publishes an advertiser whose name or peer changed.
    mutating func publish(_ slot: Int) {
        guard let content = advertisers.entries[slot].content else { return }
        output.heard.append(DiscoveredAdvertiser(slot: slot, content: content))
    }

    mutating func publishAdvertisement(_ slot: Int, of peer: PeerIdentifier) {
        guard let octets = advertisers.entries[slot].content?.octets else { return }
        emit(.advertised(peer, octets))
    }

    /// Ends an advertiser's wait for its scan response.
    mutating func reportHeld(_ slot: Int) {
        advertisers[slot].hold = nil
        advertisers[slot].wasReportedWithoutResponse = true
        emitDiscovery(slot, isPacket: false)
    }

    /// Reports an advertiser to the sessions whose scan selects it now.
    private mutating func emitDiscovery(_ slot: Int, isPacket: Bool) {
        if scans.sessions.count == 1 {
            guard scans.selects(0, advertisers, slot, isPacket: isPacket) else { return }
            return output.append(advertisers.discovery(slot), session: scans.sessions[0].number)
        }
        let first = output.sessions.count
        scans.select(advertisers, slot, isPacket: isPacket, into: &output.sessions)
        guard output.sessions.count > first else { return }
        output.append(advertisers.discovery(slot), sessionsFrom: first)
    }
}
