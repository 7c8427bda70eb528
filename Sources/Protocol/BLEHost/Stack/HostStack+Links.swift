import BLEAttribute
import BLELink
import BLEWire

extension HostStack {
    /// The time that the controller has to end a link, in addition to the supervision timeout.
    private static var endingPeriod: TimeSpan { .seconds(5) }
    /// The longest duration of a connection update. Its instant lies at least six connection events ahead (Vol 6, Part
    /// B, 5.1.1).
    private static var updatePeriod: TimeSpan { .seconds(30) }

    mutating func connectionComplete(
        _ status: HCI.ErrorCode, handle: UInt16, role: HCI.Role, reported: DeviceAddress,
        localPrivateAddress: DeviceAddress? = nil, peerPrivateAddress: DeviceAddress? = nil,
        _ parameters: ConnectionParameters,
        at now: Instant
    ) {
        guard phase == .running || isStopping else { return }
        guard status == .success else {
            // The controller repeats the address of the request, which is not that of a packet.
            let requested = reported.asDevice
            let peer = requested == targetAddress ? initiator.target ?? requested : requested
            if role == .central { act(on: initiator.ended(status, address: peer)) }
            return
        }
        let peer = identify(reported)
        // The controller reports new links.
        unknownLinks = 0
        if let old = connection(handle: handle) {
            report(.duplicateHandle(handle))
            remove(old, .host(.replaced), at: now)
        }
        // A controller has one link to a peer in each role, so it omitted the end of the old link. A link in the other
        // role may still exist: the peer may not have received our CONNECT_IND.
        if let old = connections.first(where: { $0.peer == peer && ($0.role == .central) == (role == .central) }) {
            report(.missingDisconnection(old.handle))
            remove(old, .host(.replaced), at: now)
        }
        let isCentral = role == .central
        var isWanted = true
        if isCentral {
            // The caller may have requested a private address before the bond with its device.
            isWanted = initiator.connected(to: peer) || initiator.connected(to: reported.asDevice)
        } else {
            advertiser.connectionMade()
            // A later request to connect to this peer gets the same answer.
            if initiator.requested.contains(peer) {
                initiator.cancel(peer)
                events.append(.connectionFailed(peer, .connectionAlreadyExists))
            }
        }
        let connection = Connection(
            identifier: LinkIdentifier(rawValue: nextLink), handle: handle, role: isCentral ? .central : .peripheral,
            peer: peer,
            onAir: addressesOnAir(reported, local: localPrivateAddress, peer: peerPrivateAddress),
            slot: transmitter.open(handle: handle), parameters: parameters,
            visibility: !isWanted || isStopping ? .silent : isCentral ? .unconfirmed : .open,
            capabilities: capabilities, configuration: configuration)
        nextLink += 1
        connections.append(connection)
        openSecurity(of: connection)
        if connection.visibility == .silent {
            end(connection, isStopping ? .host(.powerOff) : .requested, at: now)
            return
        }
        if isCentral {
            unconfirmed += 1
            // The client exchanges the ATT_MTU once (Vol 3, Part G, 4.3.1).
            connection.bearer.exchangeMTU(at: now, output: &attributeOutput)
            flush(connection)
        } else {
            events.append(.connected(connection.identifier, connection.role, peer, parameters))
        }
        continueSetUp(of: connection)
    }

    /// Reports a link of a central at its peer's first packet or acknowledgement. CONNECT_IND is not acknowledged, so a
    /// link may exist at the central alone until then (Vol 6, Part B, 4.5).
    mutating func confirm(_ connection: Connection) {
        guard connection.visibility == .unconfirmed else { return }
        connection.visibility = .open
        unconfirmed -= 1
        events.append(.connected(connection.identifier, connection.role, connection.peer, connection.parameters))
    }

    /// Sends the next command of a link's set-up.
    mutating func continueSetUp(of connection: Connection) {
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
            // The link has ended already. Its cause is in `end`.
            if status == .unknownConnectionIdentifier { remove(connection, .controller(status), at: now) }
        case .readRSSI(let id):
            let answer = try? HCI.ReadRSSI.ReturnParameters(decoding: parameters)
            let result: Result<GATTResult, GATTError> =
                if status == .success, let answer {
                    .success(.rssi(answer.rssi))
                } else {
                    .failure(.attribute(ATT.ErrorCode.unlikelyError.rawValue))
                }
            connection.bearer.finishOperation(id, result, at: now, output: &attributeOutput)
            flush(connection)
        case .readRemoteFeatures:
            // After success LE Read Remote Features Complete follows.
            if status != .success {
                connection.setUp.completed()
                continueSetUp(of: connection)
            }
        case .setDataLength, .setPHY:
            if status != .success, status != .unknownHCICommand { events.append(.controllerError(opcode, status)) }
            connection.setUp.completed()
            continueSetUp(of: connection)
        case .connectionUpdate(let isOurs):
            guard status != .success else { return }
            if isOurs, connection.deadlines[.parameterUpdate] != nil { refuseParameters(connection) }
        case .enableEncryption:
            // After success Encryption Change or Encryption Key Refresh Complete follows.
            if status != .success { encryptionFailed(status, on: connection, at: now) }
        case .parameterReply, .longTermKeyReply: break
        }
    }

    mutating func disconnectionComplete(_ event: HCI.DisconnectionComplete, at now: Instant) {
        guard let connection = connection(handle: event.connectionHandle) else {
            report(.unknownHandle(event.connectionHandle))
            if event.status == .success { advertiser.unknownLinkEnded() }
            return
        }
        // The link stays after a failed disconnection (Vol 4, Part E, 7.7.5). Its deadline decides.
        guard event.status == .success else { return }
        remove(connection, endOfEncryption(connection, event.reason) ?? .controller(event.reason), at: now)
    }

    /// The longest time that the end of a link waits for the acknowledgement of Pairing Failed.
    private static var refusalPeriod: TimeSpan { .seconds(2) }

    /// Ends a link. If the program disconnects right after a failed pairing, Pairing Failed leaves first, so that the peer learns the
    /// reason (Vol 3, Part H, 3.5.5): the link layer may send LL_TERMINATE_IND before queued data (Vol 6, Part B, 5.1.6).
    mutating func end(_ connection: Connection, _ cause: DisconnectionCause, at now: Instant) {
        guard !connection.isEnding else {
            // A cause beside the request does not wait for the acknowledgement.
            if connection.isDisconnectHeld, cause != .requested { sendDisconnect(connection, at: now) }
            return
        }
        connection.end = cause
        if cause == .requested, connection.securityManager?.undeliveredRefusal != nil {
            connection.isDisconnectHeld = true
            connection.deadlines[.disconnection] = now + min(connection.parameters.supervisionSpan, Self.refusalPeriod)
        } else {
            sendDisconnect(connection, at: now)
        }
    }

    /// Requests the end of a link from the controller (Vol 4, Part E, 7.1.6).
    mutating func sendDisconnect(_ connection: Connection, at now: Instant) {
        connection.isDisconnectHeld = false
        connection.deadlines[.disconnection] = now + connection.parameters.supervisionSpan + Self.endingPeriod
        enqueue(
            HCI.Disconnect(connectionHandle: connection.handle, reason: .remoteUserTerminatedConnection),
            for: .link(connection.identifier, .disconnect))
    }

    /// Removes an ended link. `cause` applies unless this host was already ending the link.
    mutating func remove(_ connection: Connection, _ cause: DisconnectionCause, at now: Instant) {
        let cause = connection.end ?? cause
        if connection.visibility == .unconfirmed {
            connection.visibility = .silent
            unconfirmed -= 1
            if phase == .running { events.append(.connectionFailed(connection.peer, cause.attemptError)) }
        }
        closeSecurity(of: connection, at: now)
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
            initiator.connect(to: connection.peer)
        }
        if !connection.isSilent { events.append(.disconnected(connection.identifier, cause)) }
        advertiser.linkEnded()
    }
}

extension DisconnectionCause {
    /// The error of an attempt whose link ended before the peer's first packet.
    fileprivate var attemptError: HCI.ErrorCode {
        if case .controller(let code) = self { code } else { .connectionFailedToBeEstablished }
    }
}

/// Connection parameters.
extension HostStack {
    /// Requests other connection parameters (Vol 3, Part C, 9.3.9): as central by a connection update, as peripheral on
    /// the signalling channel (Vol 3, Part A, 4.20). `parametersChanged` or `parametersRefused` follows.
    package mutating func requestConnectionParameters(
        _ link: LinkIdentifier, _ requested: RequestedConnectionParameters, at now: Instant
    ) {
        guard phase == .running, let connection = connection(link), !connection.isEnding else { return }
        let request = L2CAP.ConnectionParameterUpdateRequest(
            intervalMinimum: requested.intervalMinimum, intervalMaximum: requested.intervalMaximum,
            latency: requested.latency,
            timeout: requested.timeout)
        if !requested.isValid || connection.deadlines[.parameterUpdate] != nil {
            events.append(.parametersRefused(link))
        } else if connection.role == .central {
            // The link layers need two connection events to agree and six until the instant (Vol 6, Part B, 5.1.1), and
            // more where packets are lost.
            let events = connection.parameters.intervalSpan * 15
            connection.deadlines[.parameterUpdate] = now + Self.updatePeriod + events
            update(connection, requested, isOurs: true)
        } else if connection.signalling.requestParameterUpdate(request, at: now, output: &signalOutput) {
            connection.deadlines[.parameterUpdate] = now + Self.updatePeriod + Self.updatePeriod
            sendSignal(on: connection)
        } else {
            events.append(.parametersRefused(link))
        }
        finish(at: now)
    }

    mutating func update(_ connection: Connection, _ requested: RequestedConnectionParameters, isOurs: Bool) {
        enqueue(
            HCI.LEConnectionUpdate(
                connectionHandle: connection.handle, intervalMinimum: requested.intervalMinimum,
                intervalMaximum: requested.intervalMaximum, maximumLatency: requested.latency,
                supervisionTimeout: requested.timeout),
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

    /// Answers the peer's connection parameters request (Vol 6, Part B, 5.1.7).
    mutating func parameterRequest(_ event: HCI.LERemoteConnectionParameterRequest) {
        let requested = RequestedConnectionParameters(
            intervalMinimum: event.intervalMinimum, intervalMaximum: event.intervalMaximum,
            latency: event.maximumLatency, timeout: event.supervisionTimeout)
        let connection = connection(handle: event.connectionHandle)
        let purpose = connection.map { CommandPurpose.link($0.identifier, .parameterReply) } ?? .staleLink
        // A central may set any valid parameters, so a peripheral accepts them. A central decides on the request of its
        // peripheral.
        let isAccepted =
            switch connection?.role {
            case nil: false
            case .peripheral: requested.isValid
            default: ParameterPolicy.accepts(requested)
            }
        if isAccepted {
            enqueue(
                HCI.LERemoteConnectionParameterRequestReply(
                    connectionHandle: event.connectionHandle, intervalMinimum: requested.intervalMinimum,
                    intervalMaximum: requested.intervalMaximum, maximumLatency: requested.latency,
                    supervisionTimeout: requested.timeout), for: purpose)
        } else {
            enqueue(
                HCI.LERemoteConnectionParameterRequestNegativeReply(connectionHandle: event.connectionHandle),
                for: purpose)
        }
    }
}
