import BLEAdapter
import BLEHost
import BLEWire

extension HostCore {
    /// The retry policy, the only one: an attempt whose link ends before it is ready for use is made again at once, five times
    /// in all; then the sessions that wait hear of the failure. Other failures of an attempt are final. The count starts
    /// again with each link that becomes ready.
    private static let establishmentAttempts = 5
    /// How long a new link may take to agree on an MTU before sessions hear of it anyway.
    private static let negotiationPatience = TimeSpan.seconds(3)

    func connect(_ peer: PeerIdentifier, options: ConnectionOptions, session: Int) {
        guard state == .poweredOn, !isGoingDown else { return }
        guard let address = identities.address(of: peer) else {
            centralObserver(session)?.connectionFailed(peer, .establishmentFailed)
            return
        }
        let index = connectionIndex(peer) ?? connections.endIndex
        if index == connections.endIndex { connections.append(PeerConnection(peer: peer, address: address)) }
        if let user = connections[index].userIndex(session) {
            connections[index].users[user].options = options
            switch connections[index].users[user].state {
            case .connected: centralObserver(session)?.connected(board.record(of: peer, at: address))
            case .leaving: connections[index].users[user].state = .rejoining
            case .delayed, .waiting, .rejoining: break
            }
            return
        }
        let isDelayed = options.startDelay > .zero
        connections[index].users.append(
            .init(session: session, options: options, state: isDelayed ? .delayed : .waiting))
        if isDelayed {
            timers.add(.startConnecting(peer, session: session), at: now + options.startDelay)
        } else {
            pursue(index)
        }
    }

    func startDelayElapsed(_ peer: PeerIdentifier, session: Int) {
        guard let index = connectionIndex(peer),
            let user = connections[index].userIndex(session), connections[index].users[user].state == .delayed
        else { return }
        connections[index].users[user].state = .waiting
        pursue(index)
    }

    func cancelConnection(_ peer: PeerIdentifier, session: Int) {
        guard let index = connectionIndex(peer),
            let user = connections[index].userIndex(session)
        else { return }
        timers.cancel(.startConnecting(peer, session: session))
        switch connections[index].users[user].state {
        case .leaving: return
        case .rejoining:
            connections[index].users[user].state = .leaving
            return
        case .connected:
            connections[index].users[user].state = .leaving
            if !connections[index].isWanted, case .up(let link) = connections[index].phase {
                connections[index].phase = .ending(link)
                host.disconnect(link, at: now)
                return
            }
            dropOperations(of: session, at: index)
            closeChannels { !$0.isIncoming && $0.session == session && $0.peer == peer }
            fallthrough
        case .delayed, .waiting:
            connections[index].users.remove(at: user)
            centralObserver(session)?.disconnected(peer, .cancelled, isReconnecting: false)
            releaseIfUnwanted(index)
        }
    }

    /// Ends what no session wants any more.
    func releaseIfUnwanted(_ index: Int) {
        guard !connections[index].isWanted else { return }
        switch connections[index].phase {
        case .pending:
            host.cancelConnect(to: connections[index].address, at: now)
            connections[index].phase = .idle
        case .up(let link):
            connections[index].phase = .ending(link)
            host.disconnect(link, at: now)
        case .idle, .ending: break
        }
        if connections[index].phase == .idle, connections[index].users.isEmpty { connections.remove(at: index) }
    }

    /// Brings waiting users nearer to their link.
    private func pursue(_ index: Int) {
        switch connections[index].phase {
        case .idle:
            connections[index].phase = .pending
            host.connect(to: connections[index].address, at: now)
        case .up: if connections[index].isReady { admitUsers(index) }
        case .pending, .ending: break
        }
    }

    func linkIsUp(_ link: LinkIdentifier, to address: DeviceAddress) {
        guard let index = connections.firstIndex(where: { $0.address == address }), connections[index].isWanted else {
            // Cancelled in the moment in which it came about.
            host.disconnect(link, at: now)
            return
        }
        connections[index].phase = .up(link)
        connections[index].isReady = false
        // Sessions hear of the link once its MTU is settled, as a phone's programs do.
        timers.add(.useLink(link.rawValue), at: now + Self.negotiationPatience)
    }

    func mtuChanged(_ link: LinkIdentifier, _ mtu: Int) {
        clientMTUChanged(link, mtu)
        guard let index = connectionIndex(link) else { return }
        board.content.withLock { content in
            if let server = content.serverIndex(connections[index].peer) { content.servers[server].mtu = mtu }
        }
        linkIsReady(link.rawValue)
    }

    func linkIsReady(_ number: UInt32) {
        let link = LinkIdentifier(rawValue: number)
        timers.cancel(.useLink(number))
        guard let index = connectionIndex(link), connections[index].phase == .up(link), !connections[index].isReady
        else {
            return
        }
        connections[index].isReady = true
        connections[index].failedEstablishments = 0
        let server = SharedBoard.Server(
            peer: connections[index].peer, address: connections[index].address, mtu: host.mtu(of: link) ?? 23)
        board.content.withLock { $0.addServer(server) }
        rememberNames(index)
        readName(index, link)
        host.enableServiceChanged(id: Self.serviceChangedOperation, on: link, at: now)
        admitUsers(index)
    }

    private func admitUsers(_ index: Int) {
        let record = board.record(of: connections[index].peer, at: connections[index].address)
        for user in connections[index].users.indices where connections[index].users[user].state == .waiting {
            connections[index].users[user].state = .connected
            centralObserver(connections[index].users[user].session)?.connected(record)
        }
    }

    func attemptFailed(_ address: DeviceAddress, _ error: HCI.ErrorCode) {
        guard let index = connections.firstIndex(where: { $0.address == address }), connections[index].phase == .pending
        else { return }
        connections[index].phase = .idle
        guard !isGoingDown else { return }
        // A peer that ends a link with its first packet counts as one that was not reached.
        let failure = error.attemptFailure
        tryAgainOrGiveUp(index, failure, canRetry: failure == .establishmentFailed || failure == .endedByPeer)
    }

    /// After an attempt that ended without a usable link.
    private func tryAgainOrGiveUp(_ index: Int, _ failure: LinkFailure, canRetry: Bool) {
        connections[index].failedEstablishments += 1
        if canRetry, connections[index].failedEstablishments < Self.establishmentAttempts {
            return pursue(index)
        }
        connections[index].failedEstablishments = 0
        let peer = connections[index].peer
        for user in connections[index].users where user.state == .waiting {
            centralObserver(user.session)?.connectionFailed(peer, failure)
        }
        connections[index].users.removeAll { $0.state == .waiting }
        releaseIfUnwanted(index)
    }

    func linkEnded(_ link: LinkIdentifier, _ cause: DisconnectionCause) {
        guard let index = connectionIndex(link) else { return }
        if case .host(let reason) = cause { log.debug("The host ended a link: \(reason).") }
        timers.cancel(.useLink(link.rawValue))
        let peer = connections[index].peer
        let wasReady = connections[index].isReady
        let wasEnding = connections[index].phase == .ending(link)
        connections[index].endLink()
        board.content.withLock { content in content.servers.removeAll { $0.peer == peer } }
        guard !isGoingDown else { return }

        var users = connections[index].users
        connections[index].users.removeAll()
        var news: [(session: Int, end: LinkEnd, isReconnecting: Bool)] = []
        for position in users.indices {
            switch users[position].state {
            case .delayed, .waiting: break
            case .leaving: news.append((users[position].session, .cancelled, false))
            case .rejoining:
                news.append((users[position].session, .cancelled, false))
                users[position].state = .waiting
            case .connected:
                // It did not cancel, so whatever the cause is, to this session the link failed.
                let reconnects = users[position].options.reconnectsAutomatically
                news.append((users[position].session, .failed(cause.failure), reconnects))
                users[position].state = reconnects ? .waiting : .leaving
            }
        }
        users.removeAll { $0.state == .leaving }
        connections[index].users = users
        for item in news {
            centralObserver(item.session)?.disconnected(peer, item.end, isReconnecting: item.isReconnecting)
        }
        if !connections[index].isWanted {
            releaseIfUnwanted(index)
        } else if wasReady || wasEnding || cause == .requested {
            // Those that want it came after the end was requested, whatever ended the link in the end, or lost a link that worked.
            connections[index].failedEstablishments = 0
            pursue(index)
        } else {
            let failure = cause.attemptFailure
            tryAgainOrGiveUp(index, failure, canRetry: failure == .establishmentFailed)
        }
    }

    func closeCentral(_ session: Int) {
        centrals.removeAll { $0.number == session }
        stopScan(session: session)
        closeChannels { !$0.isIncoming && $0.session == session }
        for peer in connections.filter({ $0.userIndex(session) != nil }).map(\.peer) {
            guard let index = connectionIndex(peer) else { continue }
            timers.cancel(.startConnecting(peer, session: session))
            dropOperations(of: session, at: index)
            connections[index].users.removeAll { $0.session == session }
            releaseIfUnwanted(index)
        }
    }

    // By index: a closure would get a copy of each connection, with all its arrays.
    func connectionIndex(_ link: LinkIdentifier) -> Int? {
        for index in connections.indices where connections[index].link == link { return index }
        return nil
    }

    func connectionIndex(_ peer: PeerIdentifier) -> Int? {
        for index in connections.indices where connections[index].peer == peer { return index }
        return nil
    }
}

extension PeerConnection {
    fileprivate mutating func endLink() {
        phase = .idle
        isReady = false
        isReadingName = false
        operations.removeAll()
        backlog.removeAll()
    }
}

extension DisconnectionCause {
    /// Why the link failed, for a session that did not cancel it.
    var failure: LinkFailure {
        switch self {
        case .requested: .endedByHost
        case .host(.attributeTimeout): .attributeTimeout
        case .host(.attributeViolation): .protocolViolation
        // The controller lost the link, and did not say so.
        case .host(.stalledController), .host(.replaced): .supervisionTimeout
        case .host(.powerOff), .host(.controllerLost): .adapterLost
        case .controller(let code): code.linkFailure
        }
    }

    /// Why there is no usable link, where it ended before it was one.
    var attemptFailure: LinkFailure {
        if case .controller(let code) = self { return code.attemptFailure }
        return failure == .supervisionTimeout ? .establishmentFailed : failure
    }
}

extension HCI.ErrorCode {
    /// Why a link ended, by the reason in Disconnection Complete.
    var linkFailure: LinkFailure {
        switch self {
        case .connectionTimeout: .supervisionTimeout
        case .remoteUserTerminatedConnection, .remoteDeviceTerminatedConnectionDueToLowResources,
            .remoteDeviceTerminatedConnectionDueToPowerOff:
            .endedByPeer
        case .connectionFailedToBeEstablished: .establishmentFailed
        default: .controller(rawValue)
        }
    }

    /// Why there was no link.
    var attemptFailure: LinkFailure {
        switch self {
        case .connectionLimitExceeded, .memoryCapacityExceeded: .limitReached
        case .connectionTimeout: .establishmentFailed
        default: linkFailure
        }
    }
}
