import BLEAttribute
import BLELink
import BLEWire

/// The begin and the end of links.
extension HostStack {
    /// Takes the end of an attempt: a new link or an error.
    mutating func connectionComplete(_ status: HCI.ErrorCode, _ link: NewLink, at now: Instant) {
        guard lifecycle.isRunning || lifecycle.isStopping else { return }
        guard status == .success else {
            if link.role == .central { access.attemptEnded(status, reported: link.reported, &output) }
            return
        }
        let peer = access.privacy.identify(link.reported, using: security.crypto)
        connections.linkReported()
        removeReplaced(by: link, to: peer, at: now)
        let isWanted = access.linkMade(link, to: peer, &output)
        let connection = Connection(
            identifier: connections.makeIdentifier(), link, peer: peer, onAir: access.addressesOnAir(link),
            slot: output.data.transmitter.open(handle: link.handle),
            visibility: !isWanted || lifecycle.isStopping ? .silent : link.role == .central ? .unconfirmed : .open,
            capabilities: lifecycle.capabilities, configuration: configuration, seed: random.next())
        connections.append(connection)
        security.open(connection, lifecycle.capabilities)
        switch connection.visibility {
        case .silent:
            connection.end(lifecycle.isStopping ? .host(.powerOff) : .requested, at: now, &output)
            return
        case .unconfirmed:
            // The client exchanges the ATT_MTU once (Vol 3, Part G, 4.3.1).
            if configuration.exchangesMTU {
                connection.bearer.exchangeMTU(at: now, output: &output.events.attributes)
                output.flush(connection)
            }
        case .open:
            output.events.append(.connected(connection.identifier, link.role, peer, link.parameters))
        }
        if link.role == .central, access.controller.mayConnectOnCoded { connection.setUp.readsPHY() }
        connection.continueSetUp(&output)
    }

    /// Removes links whose end the controller omitted: one with the handle of a new link, and one to its peer.
    private mutating func removeReplaced(by link: NewLink, to peer: DeviceAddress, at now: Instant) {
        if let old = connections[handle: link.handle] {
            output.events.report(.duplicateHandle(link.handle))
            remove(old, .host(.replaced), at: now)
        }
        // A controller has one link to a peer in each role. A link in the other
        // role may still exist: the peer may not have received our CONNECT_IND.
        if let old = connections.first(where: { $0.peer == peer && $0.role == link.role }) {
            output.events.report(.missingDisconnection(old.handle))
            remove(old, .host(.replaced), at: now)
        }
    }

    /// Takes LE Advertising Set Terminated, which follows the connection complete event of its link (Vol 4, Part E, 7.7.65.18).
    mutating func advertisingTerminated(_ event: HCI.LEAdvertisingSetTerminated) {
        if event.status == .success, let connection = connections[handle: event.connectionHandle],
            let set = access.advertisers[AdvertisingSet(handle: event.advertisingHandle)]
        {
            connection.begins(on: set.linkPHY)
        }
        access.advertisingTerminated(event, &output)
    }

    mutating func disconnectionComplete(_ event: HCI.DisconnectionComplete, at now: Instant) {
        guard let connection = connections[handle: event.connectionHandle] else {
            output.events.report(.unknownHandle(event.connectionHandle))
            if event.status == .success { access.advertisers.unknownLinkEnded() }
            return
        }
        // The link stays after a failed disconnection (Vol 4, Part E, 7.7.5). Its deadline decides.
        guard event.status == .success else { return }
        remove(connection, connection.endOfEncryption(event.reason) ?? .controller(event.reason), at: now)
    }

    /// Removes an ended link. `cause` applies unless this host was already ending the link.
    mutating func remove(_ connection: Connection, _ cause: DisconnectionCause, at now: Instant) {
        let cause = connection.cause ?? cause
        if connections.silence(connection), lifecycle.isRunning {
            output.events.append(.connectionFailed(connection.peer, cause.attemptError))
        }
        security.close(connection, at: now, &output)
        settleSecurity()
        connection.close(cause, &output)
        connections.remove(connection)
        if let attempt = connections.takePostponed(connection.peer) {
            access.connect(to: attempt.peer, heardOn: attempt.phy)
        }
        if !connection.isSilent { output.events.append(.disconnected(connection.identifier, cause)) }
        access.linkEnded(connection.identifier, &output)
    }

    /// Requests other connection parameters (Vol 3, Part C, 9.3.9): as central by a connection update, as peripheral on
    /// the signalling channel (Vol 3, Part A, 4.20). `parametersChanged` or `parametersRefused` follows.
    package mutating func requestConnectionParameters(
        _ link: LinkIdentifier, _ requested: RequestedConnectionParameters, at now: Instant
    ) {
        guard lifecycle.isRunning, let connection = connections[link], !connection.isEnding else { return }
        connection.request(requested, at: now, &output)
        finish(at: now)
    }
}
