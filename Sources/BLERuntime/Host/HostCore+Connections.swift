import BLEHost
import BLEWire

extension HostCore {
    /// Links that break before they are ready are tried again this often.
    private static let establishmentAttempts = 3
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
            dropSubscriptions(of: session, at: index)
            closeChannels { !$0.isIncoming && $0.session == session && $0.peer == peer }
            fallthrough
        case .delayed, .waiting:
            connections[index].users.remove(at: user)
            centralObserver(session)?.disconnected(peer, nil, isReconnecting: false)
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
        tryAgainOrGiveUp(index, error)
    }

    /// After an attempt that ended without a usable link.
    private func tryAgainOrGiveUp(_ index: Int, _ error: HCI.ErrorCode) {
        connections[index].failedEstablishments += 1
        let isTransient = error == .connectionFailedToBeEstablished || error == .connectionTimeout
        if isTransient, connections[index].failedEstablishments < Self.establishmentAttempts {
            return pursue(index)
        }
        connections[index].failedEstablishments = 0
        let peer = connections[index].peer
        for user in connections[index].users where user.state == .waiting {
            centralObserver(user.session)?.connectionFailed(peer, error.establishmentFailure)
        }
        connections[index].users.removeAll { $0.state == .waiting }
        releaseIfUnwanted(index)
    }

    func linkEnded(_ link: LinkIdentifier, _ reason: HCI.ErrorCode) {
        guard let index = connectionIndex(link) else { return }
        timers.cancel(.useLink(link.rawValue))
        let peer = connections[index].peer
        let wasReady = connections[index].isReady
        connections[index].endLink()
        board.content.withLock { content in content.servers.removeAll { $0.peer == peer } }
        guard !isGoingDown else { return }

        var users = connections[index].users
        connections[index].users.removeAll()
        var news: [(session: Int, failure: LinkFailure?, isReconnecting: Bool)] = []
        for position in users.indices {
            switch users[position].state {
            case .delayed, .waiting: break
            case .leaving: news.append((users[position].session, nil, false))
            case .rejoining:
                news.append((users[position].session, nil, false))
                users[position].state = .waiting
            case .connected:
                let failure = reason.linkFailure
                let reconnects = failure != nil && users[position].options.reconnectsAutomatically
                news.append((users[position].session, failure, reconnects))
                users[position].state = reconnects ? .waiting : .leaving
            }
        }
        users.removeAll { $0.state == .leaving }
        connections[index].users = users
        for item in news {
            centralObserver(item.session)?.disconnected(peer, item.failure, isReconnecting: item.isReconnecting)
        }
        if !wasReady, connections[index].isWanted {
            tryAgainOrGiveUp(index, reason)
        } else if connections[index].isWanted {
            pursue(index)
        } else {
            releaseIfUnwanted(index)
        }
    }

    func closeCentral(_ session: Int) {
        centrals.removeAll { $0.number == session }
        stopScan(session: session)
        closeChannels { !$0.isIncoming && $0.session == session }
        for peer in connections.filter({ $0.userIndex(session) != nil }).map(\.peer) {
            guard let index = connectionIndex(peer) else { continue }
            timers.cancel(.startConnecting(peer, session: session))
            dropSubscriptions(of: session, at: index)
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
        runningOperation = nil
        subscribers.removeAll()
        backlog.removeAll()
    }
}

extension HCI.ErrorCode {
    /// Why a link ended; nil if this side asked for it.
    var linkFailure: LinkFailure? {
        switch self {
        case .connectionTerminatedByLocalHost: nil
        case .connectionTimeout: .supervisionTimeout
        case .remoteUserTerminatedConnection, .remoteDeviceTerminatedConnectionDueToLowResources,
            .remoteDeviceTerminatedConnectionDueToPowerOff:
            .endedByPeer
        case .connectionFailedToBeEstablished: .establishmentFailed
        default: .controller(rawValue)
        }
    }

    /// Why there was no link.
    var establishmentFailure: LinkFailure {
        switch self {
        case .connectionLimitExceeded, .memoryCapacityExceeded: .limitReached
        case .connectionFailedToBeEstablished, .connectionTimeout: .establishmentFailed
        default: linkFailure ?? .establishmentFailed
        }
    }
}
