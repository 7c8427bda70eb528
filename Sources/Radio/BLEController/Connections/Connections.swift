import BLEWire

/// The Connection State of a controller (Vol 6, Part B, 4.5): its links with their events, procedures and encryption.
///
/// The controller gives a link the radio for an event. The link releases it at the end of the event.
struct Connections {
    private(set) var capabilities: LocalCapabilities
    let cryptography: Cryptography
    /// The settings for new links. `reset` restores the defaults.
    var defaults: LinkDefaults
    var links: LinkTable
    var flow: ACLFlowControl
    /// Storage for the actions of procedures.
    var actions: [LinkLayerProcedures.Action] = []
    /// The trains that peers have told of in the current call.
    var transfers: [ReceivedTransfer] = []
    /// Storage for the payload of a received encrypted PDU.
    var plaintext: [UInt8] = []

    init(_ capabilities: LocalCapabilities, _ cryptography: Cryptography) {
        let configuration = capabilities.configuration
        self.capabilities = capabilities
        self.cryptography = cryptography
        defaults = LinkDefaults(phys: capabilities.phys)
        links = LinkTable(limit: max(1, min(64, configuration.connectionLimit)))
        flow = ACLFlowControl(
            bufferCount: configuration.aclBufferCount, bufferLength: configuration.aclDataLength)
    }

    /// Closes all links. Peers receive no notice.
    mutating func reset(_ radio: inout ControllerRadio, _ medium: inout Medium) {
        for slot in links.openSlots {
            radio.cancel(ofLink: slot, &medium)
            radio.unsubscribe(from: links[slot].access.address, &medium)
        }
        links.closeAll()
        flow.reset()
        defaults = LinkDefaults(phys: capabilities.phys)
    }

    /// The clock has changed. Peers learn its accuracy when one side requests the Sleep Clock Accuracy Update procedure (Vol 6, Part B, 5.1.14).
    mutating func use(_ clock: ClockSetting) {
        capabilities.set(clock: clock)
        for slot in links.openSlots {
            links[slot].procedures.ownAccuracy = clock.accuracy
            links[slot].timing.use(clock.accuracy)
        }
    }

    // MARK: Opening and closing

    /// Opens a link after CONNECT_IND or AUX_CONNECT_REQ (Vol 6, Part B, 4.5.4 and 4.5.5).
    ///
    /// - Parameter phy: The PHY of that PDU, which is the link's PHY in both directions.
    mutating func openLink(
        _ slot: Int, _ role: HCI.Role, peer: PeerAddress, privateAddress: DeviceAddress?, _ request: LL.ConnectInd,
        phy: LL.PHY, usesAlgorithm2: Bool, windowStart: Instant, _ radio: inout ControllerRadio,
        _ host: inout HostInterface,
        _ medium: inout Medium
    ) {
        var procedures = LinkLayerProcedures(
            role: role, features: capabilities.features.union(defaults.hostFeatures).subtracting(.hostOnly),
            version: LL.VersionInd(version: HCI.CoreVersion.v5_4.rawValue, company: 0xFFFF, subversion: 1),
            dataLength: DataLength(tx: defaults.suggestedLength, rx: capabilities.length), phys: defaults.phys,
            acceptedSubrate: defaults.subrate,
            power: LinkPower(range: capabilities.powers, preferred: capabilities.configuration.preferredRSSI))
        procedures.ownAccuracy = capabilities.configuration.clock.accuracy
        let link = LinkLayerConnection(
            handle: UInt16(LinkTable.firstHandle + slot), role: role, peer: peer.device, request: request,
            selection: usesAlgorithm2 ? .second(accessAddress: request.accessAddress) : .first(hop: request.hop),
            anchor: windowStart, window: role == .central ? .zero : LL.slot * Int(request.windowSize), phy: phy,
            procedures: procedures)
        link.timing.heard = medium.now
        link.syncTransfer.reception = defaults.syncTransfer
        links.add(link, in: slot)
        radio.subscribe(to: link.access.address, &medium)
        awaitEvent(slot, &radio, &medium)
        // The connection is not established without a PDU within six intervals (Vol 6, Part B, 4.5.2).
        radio.arm(.supervision(Int32(slot)), at: windowStart + link.timing.intervalSpan * 6, &medium)
        host.reportConnection(
            links[slot], status: .success, peer: peer.reported, role: role, localPrivateAddress: privateAddress,
            peerPrivateAddress: peer.isResolved ? peer.onAir : nil)
        if defaults.suggestedLength.octets > 27 { requestProcedure(.length, slot, &radio, &host, &medium) }
        if role == .central, let reporting = capabilities.configuration.channelReporting {
            links[slot].channels.peripheralStatus = .unknown
            requestProcedure(.channelReporting(reporting), slot, &radio, &host, &medium)
        }
    }

    /// Closes a link and discards the host's data in it.
    mutating func endLink(
        _ slot: Int, _ reason: HCI.ErrorCode, _ radio: inout ControllerRadio, _ host: inout HostInterface,
        _ medium: inout Medium
    ) {
        guard links[slot].state.isOpen else { return }
        links.close(slot)
        flow.free(links[slot].transmitter.queue.count + Int(links[slot].transmitter.completed))
        radio.cancel(ofLink: slot, &medium)
        radio.unsubscribe(from: links[slot].access.address, &medium)
        if radio.owner == .link(slot) {
            medium.cutTransmission(of: radio.index)
            radio.release(&medium)
        }
        host.emit(
            HCI.DisconnectionComplete(status: .success, connectionHandle: links[slot].handle, reason: reason))
    }

    // MARK: Data from the host

    mutating func sendData(
        _ packet: HCI.ACLPacket, _ radio: inout ControllerRadio, _ host: inout HostInterface, _ medium: inout Medium
    ) {
        guard let slot = links.slot(of: packet.connectionHandle) else { return }
        guard flow.take(packet.data.count) else { return host.emit(HCI.DataBufferOverflow(linkType: 1)) }
        guard packet.data.count > 0 else {
            // A link has no empty fragments.
            links[slot].transmitter.completed += 1
            return reportCompleted(slot, &host)
        }
        links[slot].transmitter.queue.append(packet.data, isStart: packet.boundary.isFirst)
        wakeLink(slot, &radio, &medium)
    }

    /// Uses an earlier event of a peripheral that skips events by its latency, because data or a PDU is waiting.
    mutating func wakeLink(_ slot: Int, _ radio: inout ControllerRadio, _ medium: inout Medium) {
        if links[slot].wake(now: medium.now) { awaitEvent(slot, &radio, &medium) }
    }

    mutating func reportCompleted(_ slot: Int, _ host: inout HostInterface) {
        let count = links[slot].transmitter.completed
        guard count > 0 else { return }
        links[slot].transmitter.completed = 0
        flow.free(Int(count))
        try? host.output.append(
            completedPackets: HCI.CompletedPackets(connectionHandle: links[slot].handle, count: count))
    }
}
