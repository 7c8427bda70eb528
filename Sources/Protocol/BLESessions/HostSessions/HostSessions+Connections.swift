import BLEAdapter
import BLEHost
import BLEWire

/// Connections that sessions request.
///
/// This is the only retry policy. An attempt fails if it ends before its link is ready. A link is ready when its
/// ATT_MTU is settled, at the latest 3 s after the peer's first packet. The next attempt starts at once in two cases:
///
/// - The link was not established or was lost: it ended with Connection Failed to be Established or Connection Timeout,
///   or the controller lost it without a report (Vol 6, Part B, 4.5; Vol 1, Part F, 2.8 and 2.58).
/// - The peer ended the link before its first packet. A peer that ends a link after that refuses this host.
///
/// Sessions get `connectionFailed` if an attempt fails 10 s or more after the first one in a row that did, and after any other
/// failure. A time is the limit, because a failed attempt takes a quarter of a second (six connection intervals and an advertisement), and in
/// a crowd one follows the other. A link that becomes ready ends the row, and so do 10 s without a failure: an attempt itself has no limit, and
/// the next failure of a device that was out of range for hours is no reason to give up.
///
/// A link to a bonded peer is ready when it is encrypted, too (see `encryptIfBonded`).
extension HostSessions {
    /// The time in which attempts are repeated, after the first one that failed.
    static let attemptPeriod = TimeSpan.seconds(10)
    /// More attempts than fit in `attemptPeriod`, for a controller whose attempts take no time.
    static let maximumAttempts = 100
    /// The time that a new link has to agree on an ATT_MTU. After it, sessions get the link without an agreement.
    static let negotiationTimeout = TimeSpan.seconds(3)

    /// Requests a connection without a timeout. `connected`, `connectionFailed` or `disconnected` ends the attempt.
    package mutating func connect(
        _ identifier: PeerIdentifier, options: ConnectionOptions, session: Int, at now: Instant
    ) {
        guard state == .poweredOn, !isGoingDown else { return }
        let index: Int
        if let known = requestIndex(identifier) {
            index = known
        } else if let peer = peers.claim(identifier, heard: heardAddress(of: identifier)) {
            index = requests.endIndex
            requests.append(PeerRequest(peer: peer))
        } else {
            return emit(.connectionFailed(identifier, .establishmentFailed, session: session))
        }
        if let user = requests[index].userIndex(session) {
            requests[index].users[user].options = options
            switch requests[index].users[user].state {
            case .connected: emit(.connected(record(of: requests[index].peer), session: session))
            case .leaving: requests[index].users[user].state = .rejoining
            case .delayed, .waiting, .rejoining: break
            }
            return
        }
        let isDelayed = options.startDelay > .zero
        requests[index].users.append(
            .init(session: session, options: options, state: isDelayed ? .delayed : .waiting))
        if isDelayed {
            timers.add(
                .startConnecting(requests[index].peer, session: session), at: now + options.startDelay)
        } else {
            proceed(index, at: now)
        }
    }

    mutating func startDelayElapsed(_ peer: PeerKey, session: Int, at now: Instant) {
        guard let index = requestIndex(peer), let user = requests[index].userIndex(session),
            requests[index].users[user].state == .delayed
        else { return }
        requests[index].users[user].state = .waiting
        proceed(index, at: now)
    }

    /// Ends the session's attempt or its use of the link. `disconnected` with `.cancelled` follows.
    package mutating func cancelConnection(_ identifier: PeerIdentifier, session: Int, at now: Instant) {
        guard let index = requestIndex(identifier), let user = requests[index].userIndex(session) else { return }
        let peer = requests[index].peer
        timers.cancel(.startConnecting(peer, session: session))
        switch requests[index].users[user].state {
        case .leaving: return
        case .rejoining:
            requests[index].users[user].state = .leaving
            return
        case .connected:
            requests[index].users[user].state = .leaving
            if !requests[index].isWanted, let link = linkIndex(to: peer, role: .central),
                links[link].phase != .ending
            {
                return end(link, at: now)
            }
            dropOperations(of: session, to: peer, at: now)
            closeOwnChannels(of: session, to: identifier, at: now)
            fallthrough
        case .delayed, .waiting:
            requests[index].users.remove(at: user)
            emit(.disconnected(identifier, .cancelled, isReconnecting: false, session: session))
            releaseIfUnwanted(index, at: now)
        }
    }

    private mutating func end(_ link: Int, at now: Instant) {
        links[link].phase = .ending
        // The terminate connection procedure (Vol 3, Part C, 9.3.10).
        host.disconnect(links[link].identifier, at: now)
    }

    /// Ends the attempt or the link if no session requests it any more.
    private mutating func releaseIfUnwanted(_ index: Int, at now: Instant) {
        guard !requests[index].isWanted else { return }
        let peer = requests[index].peer
        if requests[index].isAttempting {
            requests[index].isAttempting = false
            host.cancelConnect(to: peers[peer].address, at: now)
        }
        if let link = linkIndex(to: peer, role: .central), links[link].phase != .ending { end(link, at: now) }
        if requests[index].users.isEmpty {
            requests.remove(at: index)
            peers.release(peer)
        }
    }

    /// Starts an attempt for the waiting users, or gives them the link if it is ready.
    private mutating func proceed(_ index: Int, at now: Instant) {
        if let link = linkIndex(to: requests[index].peer, role: .central) {
            if links[link].phase == .ready { admitUsers(index) }
        } else if !requests[index].isAttempting {
            requests[index].isAttempting = true
            host.connect(to: peers[requests[index].peer].address, at: now)
        }
    }

    mutating func linkIsUp(_ link: LinkIdentifier, to address: DeviceAddress, at now: Instant) {
        guard let peer = peers.key(at: address), let index = requestIndex(peer), requests[index].isWanted else {
            // The session cancelled the request while the link was being set up.
            return host.disconnect(link, at: now)
        }
        requests[index].isAttempting = false
        peers.claim(peer)
        links.append(Link(link, to: peer, role: .central))
        timers.add(.useLink(link), at: now + Self.negotiationTimeout)
        encryptIfBonded(links.count - 1, at: now)
    }

    mutating func mtuChanged(_ link: LinkIdentifier, _ mtu: Int, at now: Instant) {
        guard let index = linkIndex(link) else { return }
        if links[index].role == .peripheral {
            clientMTUChanged(index, mtu)
        } else if links[index].phase == .settingUp {
            negotiationEnded(link, at: now)
        } else {
            emit(.mtuChanged(peers[links[index].peer].identifier, .central, mtu: mtu))
        }
    }

    /// The ATT_MTU is settled, or its negotiation has taken too long.
    mutating func negotiationEnded(_ link: LinkIdentifier, at now: Instant) {
        guard let index = linkIndex(link) else { return }
        links[index].hasMTU = true
        // The host ends a link whose encryption takes too long.
        if !links[index].awaitsEncryption { linkIsReady(link, at: now) }
    }

    mutating func linkIsReady(_ link: LinkIdentifier, at now: Instant) {
        timers.cancel(.useLink(link))
        guard let index = linkIndex(link), links[index].phase == .settingUp else { return }
        links[index].phase = .ready
        let peer = links[index].peer
        emit(.linkUp(peers[peer].identifier, .central, mtu: host.mtu(of: link) ?? Int(ATT.defaultMTU)))
        if let slot = advertisers.slot(of: peers[peer].address) {
            publishAdvertisement(slot, of: peers[peer].identifier)
        }
        let cached = host.cachedServices(on: link)
        if !cached.isEmpty { emit(.servicesFound(peers[peer].identifier, cached)) }
        rememberNames(of: peer)
        // The name discovery procedure (Vol 3, Part C, 9.2.7), and indications of Service Changed (Vol 3, Part G, 7.1).
        readName(index, at: now)
        host.enableServiceChanged(id: Self.serviceChangedOperation, on: link, at: now)
        guard let request = requestIndex(peer) else { return }
        requests[request].failures = nil
        admitUsers(request)
    }

    private mutating func admitUsers(_ index: Int) {
        let record = record(of: requests[index].peer)
        for user in requests[index].users.indices where requests[index].users[user].state == .waiting {
            requests[index].users[user].state = .connected
            emit(.connected(record, session: requests[index].users[user].session))
        }
    }

    mutating func attemptFailed(_ address: DeviceAddress, _ error: HCI.ErrorCode, at now: Instant) {
        guard let peer = peers.key(at: address), let index = requestIndex(peer), requests[index].isAttempting
        else { return }
        requests[index].isAttempting = false
        guard !isGoingDown else { return }
        let failure = error.attemptFailure
        let repeats = failure == .establishmentFailed || failure == .endedByPeer
        repeatOrGiveUp(index, failure, repeats: repeats, at: now)
    }

    /// Handles an attempt that ended before its link was ready.
    ///
    /// - Parameter repeats: Whether the retry policy above starts another attempt after this failure.
    private mutating func repeatOrGiveUp(_ index: Int, _ failure: ConnectionError, repeats: Bool, at now: Instant) {
        var failures = requests[index].failures ?? .init(since: now)
        if now - failures.latest >= Self.attemptPeriod { failures = .init(since: now) }
        failures.count += 1
        failures.latest = now
        if repeats, now - failures.since < Self.attemptPeriod, failures.count < Self.maximumAttempts {
            requests[index].failures = failures
            return proceed(index, at: now)
        }
        requests[index].failures = nil
        let peer = peers[requests[index].peer].identifier
        for user in requests[index].users where user.state == .waiting {
            emit(.connectionFailed(peer, failure, session: user.session))
        }
        requests[index].users.removeAll { $0.state == .waiting }
        releaseIfUnwanted(index, at: now)
    }

    mutating func linkEnded(_ link: LinkIdentifier, _ cause: DisconnectionCause, at now: Instant) {
        guard let index = linkIndex(link) else { return }
        if links[index].role == .peripheral { return clientDisconnected(index) }
        if case .host(let reason) = cause { note(.linkEndedByHost(reason)) }
        timers.cancel(.useLink(link))
        let peer = links[index].peer
        let phase = links[index].phase
        let hasOtherKeys = links[index].awaitsEncryption && cause.canMeanOtherKeys
        links.remove(at: index)
        emit(.linkDown(peers[peer].identifier, .central))
        if !isGoingDown, let request = requestIndex(peer) {
            reportEnd(request, cause)
            if !requests[request].isWanted {
                releaseIfUnwanted(request, at: now)
            } else if phase != .settingUp || cause == .requested {
                // The remaining users requested the link after its end was requested, or lost a link that worked.
                requests[request].failures = nil
                proceed(request, at: now)
            } else {
                let failure = hasOtherKeys ? .peerRemovedPairingInformation : cause.attemptFailure
                repeatOrGiveUp(request, failure, repeats: failure == .establishmentFailed, at: now)
            }
        }
        peers.release(peer)
    }

    /// Reports the end of a link to its users. Users that reconnect automatically start to wait again.
    private mutating func reportEnd(_ index: Int, _ cause: DisconnectionCause) {
        let peer = peers[requests[index].peer].identifier
        for user in requests[index].users.indices {
            let session = requests[index].users[user].session
            switch requests[index].users[user].state {
            case .delayed, .waiting: break
            case .leaving: emit(.disconnected(peer, .cancelled, isReconnecting: false, session: session))
            case .rejoining:
                emit(.disconnected(peer, .cancelled, isReconnecting: false, session: session))
                requests[index].users[user].state = .waiting
            case .connected:
                // The session did not cancel the link, so the link failed for that session, whatever the cause.
                let reconnects = requests[index].users[user].options.reconnectsAutomatically
                emit(.disconnected(peer, .failed(cause.failure), isReconnecting: reconnects, session: session))
                requests[index].users[user].state = reconnects ? .waiting : .leaving
            }
        }
        requests[index].users.removeAll { $0.state == .leaving }
    }

    /// Ends all attempts and links of the session.
    package mutating func closeCentral(_ session: Int, at now: Instant) {
        centrals.removeAll { $0.number == session }
        timers.cancel(.reportFirstState(session: session))
        stopScan(session: session, at: now)
        closeOwnChannels(of: session, to: nil, at: now)
        for index in requests.indices.reversed() where requests[index].userIndex(session) != nil {
            let peer = requests[index].peer
            timers.cancel(.startConnecting(peer, session: session))
            dropOperations(of: session, to: peer, at: now)
            requests[index].users.removeAll { $0.session == session }
            releaseIfUnwanted(index, at: now)
        }
    }

    // Searches by index: a closure would copy each request with its users.
    func requestIndex(_ peer: PeerKey) -> Int? {
        for index in requests.indices where requests[index].peer == peer { return index }
        return nil
    }

    func requestIndex(_ identifier: PeerIdentifier) -> Int? {
        for index in requests.indices where peers[requests[index].peer].identifier == identifier { return index }
        return nil
    }

    /// The link that a session uses now, or nil if the session is not connected to the peer.
    func usableLink(_ identifier: PeerIdentifier, session: Int) -> Int? {
        guard let link = linkIndex(to: identifier, role: .central), links[link].phase != .settingUp,
            let request = requestIndex(links[link].peer), let user = requests[request].userIndex(session),
            requests[request].users[user].state == .connected
        else { return nil }
        return link
    }
}
