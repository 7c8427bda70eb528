import BLEAdapter
import BLEAttribute
import BLEHost
import BLEWire

/// Calls of central and peripheral sessions.
extension HostSessions {
    // MARK: Central sessions

    /// Opens a central session. No open session may have the same number.
    package mutating func openCentral(_ session: Int, at now: Instant) {
        register.open(session, as: .central, &context, at: now)
    }

    /// Ends all attempts and links of the session.
    package mutating func closeCentral(_ session: Int, at now: Instant) {
        register.close(session, &context)
        stopScan(session: session, at: now)
        channels.closeOwn(of: session, to: nil, &context, at: now)
        for peer in connections.peers(of: session) {
            operations.drop(of: session, to: peer, &context, at: now)
            connections.remove(session, from: peer, &context, at: now)
        }
    }

    /// Starts a scan for the session, or replaces its running scan.
    package mutating func startScan(_ request: ScanRequest, session: Int, at now: Instant) {
        if power.isUsable { scans.start(request, session: session, &context, at: now) }
    }

    package mutating func stopScan(session: Int, at now: Instant) {
        if scans.stop(session: session), power.state == .poweredOn { context.host.setScanning(nil, at: now) }
    }

    /// Requests a connection without a timeout. `connected`, `connectionFailed` or `disconnected` ends the attempt.
    package mutating func connect(
        _ peer: PeerIdentifier, options: ConnectionOptions, session: Int, at now: Instant
    ) {
        if power.isUsable { connections.connect(peer, options: options, session: session, &context, at: now) }
    }

    /// Ends the session's attempt or its use of the link. `disconnected` with `.cancelled` follows.
    package mutating func cancelConnection(_ identifier: PeerIdentifier, session: Int, at now: Instant) {
        let left: PeerKey
        switch connections.cancel(identifier, session: session, &context, at: now) {
        case .nothing: return
        case .leavesLink(let peer):
            operations.drop(of: session, to: peer, &context, at: now)
            channels.closeOwn(of: session, to: identifier, &context, at: now)
            left = peer
        case .stopsWaiting(let peer): left = peer
        }
        context.emit(.disconnected(identifier, .cancelled, isReconnecting: false, session: session))
        connections.remove(session, from: left, &context, at: now)
    }

    /// Queues an operation in the host. One `completed` follows unless the link ends first.
    package mutating func submit(
        _ operation: GATTOperation, to peer: PeerIdentifier, session: Int, at now: Instant
    ) {
        guard let link = connections.usableLink(peer, session: session, context) else {
            return context.emit(.completed(operation, peer, .failure(.notConnected), session: session))
        }
        operations.submit(operation, session: session, on: link, &context, at: now)
    }

    /// Takes the end of an operation if it is the only event, as most are: it needs none of the work for other events, which
    /// `takeOutput` handles.
    package mutating func takeSoleCompletion() -> OperationCompletion? {
        guard isQuiet, let done = context.host.output.events.takeCompletion() else { return nil }
        // The value of a read has an array of its own now.
        context.host.output.events.removeAll()
        guard let completion = completion(done.id, done.result, on: done.link) else { return nil }
        if context.output.isEmpty { return completion }
        context.emit(
            .completed(completion.operation, completion.peer, completion.result, session: completion.session))
        return nil
    }

    /// Takes the end of a read in the same way, without an array for the value.
    ///
    /// - Parameter octets: An empty buffer. It receives the octets of the arena.
    package mutating func takeSoleRead(into octets: inout [UInt8]) -> ReadCompletion? {
        guard let done = context.host.output.events.read, isQuiet else { return nil }
        return operations.takeRead(done, into: &octets, &context)
    }

    /// Whether the end of an operation is the only event, if there is one.
    private var isQuiet: Bool {
        context.host.output.events.pending.isEmpty && context.output.isEmpty && context.output.heard.isEmpty
    }

    /// Sends Write Commands or queues them. Drops those of a session that is not connected to the peer. `commandsSent` follows in each case,
    /// once for consecutive ones of a session.
    package mutating func write(_ batch: borrowing WriteCommandBatch, at now: Instant) {
        ValueQueues.write(batch, users: connections, &context, at: now)
    }

    /// The properties of the link with a peer of which this host is the central; nil without one.
    package func linkDescription(of peer: PeerIdentifier) -> LinkDescription? {
        guard let index = context.links.index(to: peer, role: .central),
            let information = context.host.information(of: context.links[index].identifier)
        else { return nil }
        return LinkDescription(
            address: information.peer.asDevice, interval: information.parameters.interval,
            latency: information.parameters.latency, supervisionTimeout: information.parameters.timeout,
            transmitPHY: information.transmitPHY, receivePHY: information.receivePHY,
            security: context.links[index].security)
    }

    // MARK: Peripheral sessions

    package mutating func openPeripheral(_ session: Int, at now: Instant) {
        register.open(session, as: .peripheral, &context, at: now)
    }

    /// Removes the services, advertising and channels of the session.
    package mutating func closePeripheral(_ session: Int, at now: Instant) {
        register.close(session, &context)
        stopAdvertising(session: session, at: now)
        channels.closeServices(of: session, &context, at: now)
        server.refuseRequests(of: session, &context, at: now)
        server.removeServices(of: session, &context, at: now) { _ in true }
    }

    package mutating func add(_ definition: ServiceDefinition, token: Int, session: Int, at now: Instant) {
        guard power.state == .poweredOn || power.state == .poweredOff else {
            return context.emit(.serviceAdded(token: token, .notPoweredOn, session: session))
        }
        server.add(definition, token: token, session: session, &context, at: now)
    }

    package mutating func removeServices(of session: Int, at now: Instant, where isMeant: (_ token: Int) -> Bool) {
        server.removeServices(of: session, &context, at: now, where: isMeant)
    }

    package mutating func startAdvertising(_ advertisement: Advertisement, session: Int, at now: Instant) {
        guard power.isUsable else { return context.emit(.advertisingStarted(.notPoweredOn, session: session)) }
        advertising.start(advertisement, session: session, &context, at: now)
    }

    package mutating func stopAdvertising(session: Int, at now: Instant) {
        advertising.stop(session: session, isOn: power.isUsable, &context, at: now)
    }

    /// Answers a request of a client. An `error` of 0 accepts it. Has no effect if the request is unknown or already
    /// answered.
    package mutating func respond(
        to identifier: RequestIdentifier, error: UInt8, value: [UInt8]?, at now: Instant
    ) {
        server.respond(to: identifier, error: error, value: value, &context, at: now)
    }

    /// Sends a value to the subscribed clients among `targets`. `updatesSent` follows for each target.
    package mutating func update(
        _ value: Span<UInt8>, of characteristic: CharacteristicReference, session: Int, targets: [PeerIdentifier],
        at now: Instant
    ) {
        let handle = server.services.valueHandle(of: characteristic, session: session)
        ValueQueues.update(value, handle: handle, targets: targets, &context, at: now)
    }

    /// Requests other parameters of the link to a central (Vol 3, Part C, 9.3.9).
    package mutating func setLatency(_ latency: RequestedLatency, of central: PeerIdentifier, at now: Instant) {
        guard let index = context.links.index(to: central, role: .peripheral) else { return }
        context.host.requestConnectionParameters(
            context.links[index].identifier, latency.parameters, at: now)
    }

    /// Requests the same parameters of all links to centrals.
    package mutating func requestParameters(_ requested: RequestedConnectionParameters, at now: Instant) {
        for index in context.links.indices where context.links[index].role == .peripheral {
            context.host.requestConnectionParameters(context.links[index].identifier, requested, at: now)
        }
    }

    /// Moves the programs to the background of a phone or back. It changes what scans report, and what is advertised.
    package mutating func setBackground(_ isInBackground: Bool, at now: Instant) {
        scans.isInBackground = isInBackground
        advertising.isInBackground = isInBackground
        if power.state == .poweredOn { advertising.applyAll(&context, at: now) }
    }

    /// Changes the GAP device name of this host. Connected clients get Service Changed for the GAP service.
    package mutating func rename(_ name: [UInt8], at now: Instant) {
        context.host.database.deviceName = name
        context.host.databaseChanged([context.host.database.gapService], at: now)
    }

    // MARK: L2CAP channels

    /// Publishes a service to which peers open channels. `channelPublished` follows.
    package mutating func publishChannel(requiresEncryption: Bool, session: Int) {
        guard power.isUsable else {
            return context.emit(.channelPublished(.failure(.notPoweredOn), session: session))
        }
        channels.publish(requiresEncryption: requiresEncryption, session: session, &context)
    }

    package mutating func unpublishChannel(_ psm: UInt16, session: Int, at now: Instant) {
        channels.unpublish(psm, session: session, &context, at: now)
    }

    /// Opens a channel to a service of a peer (Vol 3, Part A, 4.22). `channelOpened` or `channelRefused` follows, in the order of the calls,
    /// unless the link ends first.
    package mutating func openChannel(psm: UInt16, to peer: PeerIdentifier, session: Int, at now: Instant) {
        channels.open(psm: psm, to: peer, session: session, users: connections, &context, at: now)
    }

    /// Sends one SDU. Returns false if the channel accepts none now; `channelWritable` follows.
    package mutating func send(_ sdu: Span<UInt8>, on channel: ChannelIdentifier, at now: Instant) -> Bool {
        context.host.send(sdu, onChannel: channel.number, of: channel.link, at: now) == .queued
    }

    /// Closes a channel (Vol 3, Part A, 4.6) after it has sent all written data, or after 10 s. The driver gets
    /// `channelWritable`, sends the rest and calls `channelFlushed`.
    package mutating func closeChannel(_ channel: ChannelIdentifier, at now: Instant) {
        channels.close(channel, &context, at: now)
    }

    /// Records that the driver has passed all data written on the channel to the host.
    package mutating func channelFlushed(_ channel: ChannelIdentifier, at now: Instant) {
        channels.flushed(channel, &context, at: now)
    }
}

extension RequestedLatency {
    /// Intervals: 15 to 30 ms; 60 to 90 ms; 300 to 400 ms, where the peripheral may skip two of three events (Vol 6,
    /// Part B, 4.5.1).
    fileprivate var parameters: RequestedConnectionParameters {
        switch self {
        case .low: RequestedConnectionParameters(intervalMinimum: 12, intervalMaximum: 24, latency: 0, timeout: 200)
        case .medium: RequestedConnectionParameters(intervalMinimum: 48, intervalMaximum: 72, latency: 0, timeout: 400)
        case .high: RequestedConnectionParameters(intervalMinimum: 240, intervalMaximum: 320, latency: 2, timeout: 600)
        }
    }
}
