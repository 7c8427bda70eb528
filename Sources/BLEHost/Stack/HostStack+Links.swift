import BLEAttribute
import BLELink
import BLEWire

extension HostStack {
    /// How long the controller may take to end a link beyond the supervision timeout, after which the peer is given up.
    private static var endingPeriod: TimeSpan { .seconds(5) }
    /// The longest that a connection update may take: its instant lies some intervals ahead.
    private static var updatePeriod: TimeSpan { .seconds(30) }

    mutating func connectionComplete(
        _ status: HCI.ErrorCode, handle: UInt16, role: HCI.Role, peer: DeviceAddress,
        _ parameters: ConnectionParameters,
        at now: Instant
    ) {
        guard phase == .running || isStopping else { return }
        guard status == .success else {
            if role == .central { settle(connector.ended(status, address: peer)) }
            return
        }
        // So this controller does tell of new links.
        unknownLinks = 0
        if let old = connection(handle: handle) {
            report(.duplicateHandle(handle))
            remove(old, .host(.replaced))
        }
        // A controller has one link to a peer: of the end of the old one this host was not told. In the other role it may be
        // alive: that our CONNECT_IND is out does not say that the peer took it.
        if let old = connections.first(where: { $0.peer == peer && ($0.role == .central) == (role == .central) }) {
            report(.missingDisconnection(old.handle))
            remove(old, .host(.replaced))
        }
        let isCentral = role == .central
        var isWanted = true
        if isCentral {
            isWanted = connector.connected(to: peer)
        } else {
            advertiser.connectionMade()
            // As for a peer that is connected before it is wanted.
            if connector.wanted.contains(peer) {
                connector.cancel(peer)
                events.append(.connectionFailed(peer, .connectionAlreadyExists))
            }
        }
        let connection = Connection(
            identifier: LinkIdentifier(rawValue: nextLink), handle: handle, role: isCentral ? .central : .peripheral,
            peer: peer, slot: transmitter.open(handle: handle), parameters: parameters,
            visibility: !isWanted || isStopping ? .silent : isCentral ? .unconfirmed : .open,
            capabilities: capabilities, configuration: configuration)
        nextLink += 1
        connections.append(connection)
        if connection.visibility == .silent {
            end(connection, isStopping ? .host(.powerOff) : .requested, at: now)
            return
        }
        if isCentral {
            unconfirmed += 1
            connection.bearer.exchangeMTU(at: now, output: &attributeOutput)
            flush(connection)
        } else {
            events.append(.connected(connection.identifier, connection.role, peer, parameters))
        }
        goOn(with: connection)
    }

    /// Reports a link of a central when its peer's first packet or acknowledgement arrives. CONNECT_IND is not acknowledged, so
    /// that a link may exist at the central alone until then (Vol 6, Part B, 4.5).
    mutating func confirm(_ connection: Connection) {
        guard connection.visibility == .unconfirmed else { return }
        connection.visibility = .open
        unconfirmed -= 1
        events.append(.connected(connection.identifier, connection.role, connection.peer, connection.parameters))
    }

    /// Sends the next command of a link's set-up.
    mutating func goOn(with connection: Connection) {
        guard !connection.isEnding, let action = connection.setUp.next() else { return }
        let link = connection.identifier
        switch action {
        case .readRemoteFeatures:
            enqueue(
                HCI.LEReadRemoteFeatures(connectionHandle: connection.handle), for: .link(link, .readRemoteFeatures))
        case .setDataLength(let octets, let time):
            enqueue(
                HCI.LESetDataLength(connectionHandle: connection.handle, txOctets: octets, txTime: time),
                for: .link(link, .setDataLength))
        case .setPHY:
            enqueue(
                HCI.LESetPHY(connectionHandle: connection.handle, txPHYs: .le2M, rxPHYs: .le2M),
                for: .link(link, .setPHY))
        }
    }

    /// Takes the answer to a command about a link.
    mutating func completed(
        _ command: LinkCommand, opcode: HCI.Opcode, _ status: HCI.ErrorCode, _ parameters: Span<UInt8>,
        on connection: Connection, at now: Instant
    ) {
        switch command {
        case .disconnect:
            // The link is gone already; why this host ends it, it noted in `end`.
            if status == .unknownConnectionIdentifier { remove(connection, .controller(status)) }
        case .readRSSI(let id):
            let answer = try? HCI.ReadRSSI.ReturnParameters(decoding: parameters)
            let result: Result<GATTResult, GATTFailure> =
                if status == .success, let answer {
                    .success(.rssi(answer.rssi))
                } else {
                    .failure(.attribute(ATT.ErrorCode.unlikelyError.rawValue))
                }
            connection.bearer.finishOperation(id, result, at: now, output: &attributeOutput)
            flush(connection)
        case .readRemoteFeatures:
            // On success the event goes on.
            if status != .success {
                connection.setUp.completed()
                goOn(with: connection)
            }
        case .setDataLength, .setPHY:
            if status != .success, status != .unknownHCICommand { events.append(.controllerError(opcode, status)) }
            connection.setUp.completed()
            goOn(with: connection)
        case .connectionUpdate(let isOurs):
            guard status != .success else { return }
            if isOurs, connection.deadlines[.parameterUpdate] != nil { refuseParameters(connection) }
        case .parameterReply: break
        }
    }

    mutating func disconnectionComplete(_ event: HCI.DisconnectionComplete, at now: Instant) {
        guard let connection = connection(handle: event.connectionHandle) else {
            report(.unknownHandle(event.connectionHandle))
            if event.status == .success { advertiser.unknownLinkEnded() }
            return
        }
        // A failed disconnection leaves the link up; its deadline decides.
        guard event.status == .success else { return }
        remove(connection, .controller(event.reason))
    }

    /// Asks the controller to end a link.
    mutating func end(_ connection: Connection, _ cause: DisconnectionCause, at now: Instant) {
        guard !connection.isEnding else { return }
        connection.end = cause
        let supervision = TimeSpan.milliseconds(10) * Int(connection.parameters.timeout)
        connection.deadlines[.disconnection] = now + supervision + Self.endingPeriod
        enqueue(
            HCI.Disconnect(connectionHandle: connection.handle, reason: .remoteUserTerminatedConnection),
            for: .link(connection.identifier, .disconnect))
    }

    /// The link is gone. `cause` counts unless this host was ending the link.
    mutating func remove(_ connection: Connection, _ cause: DisconnectionCause) {
        let cause = connection.end ?? cause
        if connection.visibility == .unconfirmed {
            connection.visibility = .silent
            unconfirmed -= 1
            if phase == .running { events.append(.connectionFailed(connection.peer, cause.attemptError)) }
        }
        connection.bearer.close(output: &attributeOutput)
        connection.end = cause
        flush(connection)
        connection.channels.linkLost()
        flushChannels(connection)
        if connection.usesChannels { channelLinks -= 1 }
        transmitter.close(connection.slot)
        connections.removeAll { $0 === connection }
        if let index = postponed.firstIndex(of: connection.peer),
            !connections.contains(where: { $0.peer == connection.peer })
        {
            postponed.remove(at: index)
            connector.connect(to: connection.peer)
        }
        if !connection.isSilent { events.append(.disconnected(connection.identifier, cause)) }
        advertiser.linkEnded()
    }
}

extension DisconnectionCause {
    /// The error of an attempt whose link ended before the peer gave a sign of life.
    fileprivate var attemptError: HCI.ErrorCode {
        if case .controller(let code) = self { code } else { .connectionFailedToBeEstablished }
    }
}

/// Connection parameters.
extension HostStack {
    /// Asks for other connection parameters; `parametersChanged` or `parametersRefused` follows.
    package mutating func requestConnectionParameters(
        _ link: LinkIdentifier, _ wish: ConnectionParameterWish, at now: Instant
    ) {
        guard phase == .running, let connection = connection(link), !connection.isEnding else { return }
        let request = L2CAP.ConnectionParameterUpdateRequest(
            intervalMinimum: wish.intervalMinimum, intervalMaximum: wish.intervalMaximum, latency: wish.latency,
            timeout: wish.timeout)
        if !wish.isValid || connection.deadlines[.parameterUpdate] != nil {
            events.append(.parametersRefused(link))
        } else if connection.role == .central {
            // The link layers take two events to agree, six until the instant, and some more where packets are lost.
            let events = TimeSpan.microseconds(1250 * Int(connection.parameters.interval)) * 15
            connection.deadlines[.parameterUpdate] = now + Self.updatePeriod + events
            update(connection, wish, isOurs: true)
        } else if connection.signalling.requestParameterUpdate(request, at: now, output: &signalOutput) {
            connection.deadlines[.parameterUpdate] = now + Self.updatePeriod + Self.updatePeriod
            sendSignal(on: connection)
        } else {
            events.append(.parametersRefused(link))
        }
        finish(at: now)
    }

    mutating func update(_ connection: Connection, _ wish: ConnectionParameterWish, isOurs: Bool) {
        enqueue(
            HCI.LEConnectionUpdate(
                connectionHandle: connection.handle, intervalMinimum: wish.intervalMinimum,
                intervalMaximum: wish.intervalMaximum, maximumLatency: wish.latency, supervisionTimeout: wish.timeout),
            for: .link(connection.identifier, .connectionUpdate(isOurs: isOurs)))
    }

    mutating func refuseParameters(_ connection: Connection) {
        connection.deadlines[.parameterUpdate] = nil
        if !connection.isSilent { events.append(.parametersRefused(connection.identifier)) }
    }

    mutating func updateComplete(_ event: HCI.LEConnectionUpdateComplete, at now: Instant) {
        guard let connection = connection(handle: event.connectionHandle) else { return }
        guard event.status == .success else {
            if connection.deadlines[.parameterUpdate] != nil { refuseParameters(connection) }
            return
        }
        confirm(connection)
        connection.deadlines[.parameterUpdate] = nil
        connection.parameters = ConnectionParameters(
            interval: event.interval, latency: event.latency, timeout: event.supervisionTimeout)
        if connection.isSilent { return }
        events.append(.parametersChanged(connection.identifier, connection.parameters))
    }

    /// The peer's link layer asks for other parameters.
    mutating func parameterRequest(_ event: HCI.LERemoteConnectionParameterRequest) {
        let wish = ConnectionParameterWish(
            intervalMinimum: event.intervalMinimum, intervalMaximum: event.intervalMaximum,
            latency: event.maximumLatency, timeout: event.supervisionTimeout)
        let connection = connection(handle: event.connectionHandle)
        let purpose = connection.map { CommandPurpose.link($0.identifier, .parameterReply) } ?? .staleLink
        // A central may set any valid parameters, asked or not; what a peripheral asks for is judged.
        let isAccepted =
            switch connection?.role {
            case nil: false
            case .peripheral: wish.isValid
            default: ParameterPolicy.accepts(wish)
            }
        if isAccepted {
            enqueue(
                HCI.LERemoteConnectionParameterRequestReply(
                    connectionHandle: event.connectionHandle, intervalMinimum: wish.intervalMinimum,
                    intervalMaximum: wish.intervalMaximum, maximumLatency: wish.latency,
                    supervisionTimeout: wish.timeout), for: purpose)
        } else {
            enqueue(
                HCI.LERemoteConnectionParameterRequestNegativeReply(connectionHandle: event.connectionHandle),
                for: purpose)
        }
    }
}
