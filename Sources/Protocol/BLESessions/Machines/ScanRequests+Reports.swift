import BLEAdapter
import BLEHost
import BLEWire

extension ScanRequests {
    /// Starts a scan for the session, or replaces its running scan.
    mutating func start(_ request: ScanRequest, session: Int, _ context: inout SessionContext, at now: Instant) {
        let wasIdle = sessions.isEmpty
        sessions.removeAll { $0.number == session }
        sessions.append(Session(number: session, request: request))
        if wasIdle {
            holds = HoldQueue()
            context.advertisers.beginScan()
            context.host.setScanning(ScanParameters(phys: context.host.scanPHYs), at: now)
        }
    }

    /// Ends the scan of the session. Returns true if no session scans any more.
    mutating func stop(session: Int) -> Bool {
        guard sessions.contains(where: { $0.number == session }) else { return false }
        sessions.removeAll { $0.number == session }
        return sessions.isEmpty
    }

    // Inlined, because most reports come from one function.
    @inline(__always)
    mutating func received(
        _ report: AdvertisingReport, _ data: Span<UInt8>, _ context: inout SessionContext, at now: Instant
    ) {
        guard !sessions.isEmpty else { return }
        let isScannable = report.isScannable
        let known = context.advertisers.refresh(report.address, report.form)
        let slot = known ?? admit(report.address, report.form, &context)
        if context.advertisers.update(slot, report, data, context.peers.source) {
            contentChanged(slot, isNew: known == nil, &context)
        }
        if let hold = context.advertisers.entries[slot].hold {
            if !isScannable {
                holds.release(hold)
                context.advertisers[slot].hold = nil
            }
        } else if isScannable, !context.advertisers.entries[slot].hasScanResponse,
            !context.advertisers.entries[slot].wasReportedWithoutResponse
        {
            context.advertisers[slot].hold = holds.add(slot, until: now + Self.responseTimeout)
        }
        emitDiscovery(slot, isPacket: true, &context)
    }

    private mutating func admit(
        _ address: DeviceAddress, _ form: AdvertisementForm, _ context: inout SessionContext
    ) -> Int {
        let peer = context.peers.identity(for: address)
        var names = context.peers.names(of: peer)
        // A set without a name is of a device that has one.
        names.advertisedName = context.advertisers.advertisedName(of: address) ?? names.advertisedName
        return context.advertisers.admit(address, as: form, peer, names, &holds)
    }

    /// Publishes an advertiser that is new or may have a new name, and the advertisement of a connected peer.
    private func contentChanged(_ slot: Int, isNew: Bool, _ context: inout SessionContext) {
        if isNew || context.advertisers.entries[slot].content!.octets.haveLocalName {
            context.publish(slot)
        }
        if !context.links.isEmpty, let peer = linkedPeer(context.advertisers.entries[slot].peer, &context) {
            context.publishAdvertisement(slot, of: peer)
        }
    }

    /// The identifier of an advertiser that has a link with this host as its central.
    private func linkedPeer(_ identity: AdvertiserIdentity, _ context: inout SessionContext) -> PeerIdentifier? {
        for index in context.links.indices
        where context.links[index].role == .central && context.peers.isKey(context.links[index].peer, of: identity) {
            return context.links[index].peerIdentifier
        }
        return nil
    }

    /// Ends the waits for scan responses that are due.
    mutating func handleTimeout(_ context: inout SessionContext, at now: Instant) {
        while let slot = holds.take(dueAt: now) {
            context.advertisers[slot].hold = nil
            context.advertisers[slot].wasReportedWithoutResponse = true
            emitDiscovery(slot, isPacket: false, &context)
        }
    }

    /// Reports an advertiser to the sessions whose scan selects it now.
    private mutating func emitDiscovery(_ slot: Int, isPacket: Bool, _ context: inout SessionContext) {
        if sessions.count == 1 {
            guard selects(0, context.advertisers, slot, isPacket: isPacket) else { return }
            return context.output.append(context.advertisers.discovery(slot), session: sessions[0].number)
        }
        let first = context.output.sessions.count
        select(context.advertisers, slot, isPacket: isPacket, into: &context.output.sessions)
        guard context.output.sessions.count > first else { return }
        context.output.append(context.advertisers.discovery(slot), sessionsFrom: first)
    }
}
