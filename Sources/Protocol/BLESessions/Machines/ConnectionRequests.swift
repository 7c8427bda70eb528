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
struct ConnectionRequests {
    /// The time in which attempts are repeated, after the first one that failed.
    static let attemptPeriod = TimeSpan.seconds(10)
    /// More attempts than fit in `attemptPeriod`, for a controller whose attempts take no time.
    static let maximumAttempts = 100
    /// The time that a new link has to agree on an ATT_MTU. After it, sessions get the link without an agreement.
    static let negotiationTimeout = TimeSpan.seconds(3)

    /// What a session leaves when it cancels its connection.
    enum Cancellation {
        /// The link ends first, or there is nothing to cancel.
        case nothing
        /// The session leaves the link, which other sessions use. The caller ends the operations and channels of the session and then calls
        /// `remove`.
        case leavesLink(PeerKey)
        /// The session waited for a link. The caller then calls `remove`.
        case stopsWaiting(PeerKey)
    }

    private(set) var requests: [PeerRequest] = []

    /// Prepares the tables that a connection fills: at the start the program waits for its controller anyway.
    init() {
        requests.prepareStorage()
        var users: [PeerRequest.User] = []
        users.prepareStorage()
    }

    // MARK: Calls of sessions

    /// Requests a connection without a timeout. `connected`, `connectionFailed` or `disconnected` ends the attempt.
    mutating func connect(
        _ identifier: PeerIdentifier, options: ConnectionOptions, session: Int, _ context: inout SessionContext,
        at now: Instant
    ) {
        let index: Int
        if let known = self.index(of: identifier, context.peers) {
            index = known
        } else if let peer = context.peers.claim(identifier, heard: context.heardAddress(of: identifier)) {
            index = requests.endIndex
            requests.append(PeerRequest(peer: peer))
        } else {
            return context.emit(.connectionFailed(identifier, .establishmentFailed, session: session))
        }
        if let user = requests[index].userIndex(session) {
            requests[index].users[user].options = options
            switch requests[index].users[user].state {
            case .connected: context.emit(.connected(context.record(of: requests[index].peer), session: session))
            case .leaving: requests[index].users[user].state = .rejoining
            case .delayed, .waiting, .rejoining: break
            }
            return
        }
        let isDelayed = options.startDelay > .zero
        requests[index].users.append(
            .init(session: session, options: options, state: isDelayed ? .delayed : .waiting))
        if isDelayed {
            context.timers.add(
                .startConnecting(requests[index].peer, session: session), at: now + options.startDelay)
        } else {
            proceed(index, &context, at: now)
        }
    }

    mutating func startDelayElapsed(
        _ peer: PeerKey, session: Int, _ context: inout SessionContext, at now: Instant
    ) {
        guard let index = index(of: peer), let user = requests[index].userIndex(session),
            requests[index].users[user].state == .delayed
        else { return }
        requests[index].users[user].state = .waiting
        proceed(index, &context, at: now)
    }

    /// Ends the session's attempt or its use of the link. `disconnected` with `.cancelled` follows.
    mutating func cancel(
        _ identifier: PeerIdentifier, session: Int, _ context: inout SessionContext, at now: Instant
    ) -> Cancellation {
        guard let index = index(of: identifier, context.peers), let user = requests[index].userIndex(session) else {
            return .nothing
        }
        let peer = requests[index].peer
        switch requests[index].users[user].state {
        case .leaving: return .nothing
        case .rejoining:
            requests[index].users[user].state = .leaving
            return .nothing
        case .connected:
            requests[index].users[user].state = .leaving
            if !requests[index].isWanted, let link = context.links.index(to: peer, role: .central),
                context.links[link].phase != .ending
            {
                end(link, &context, at: now)
                return .nothing
            }
            return .leavesLink(peer)
        case .delayed, .waiting: return .stopsWaiting(peer)
        }
    }

    /// Removes a session from the users of a peer. The link or the attempt ends if no session requests it any more.
    mutating func remove(_ session: Int, from peer: PeerKey, _ context: inout SessionContext, at now: Instant) {
        guard let index = index(of: peer) else { return }
        context.timers.cancel(.startConnecting(peer, session: session))
        requests[index].users.removeAll { $0.session == session }
        releaseIfUnwanted(index, &context, at: now)
    }

    /// The peers to which a session requests connections, the latest first.
    func peers(of session: Int) -> [PeerKey] {
        requests.reversed().filter { $0.userIndex(session) != nil }.map(\.peer)
    }

    // MARK: Events of the host

    /// Takes a new link. Returns its index; nil if no session requests it any more.
    mutating func linkIsUp(
        _ link: LinkIdentifier, to address: DeviceAddress, _ context: inout SessionContext, at now: Instant
    ) -> Int? {
        guard let peer = context.peers.key(at: address), let index = index(of: peer), requests[index].isWanted else {
            // The session cancelled the request while the link was being set up.
            context.host.disconnect(link, at: now)
            return nil
        }
        requests[index].isAttempting = false
        context.peers.claim(peer)
        context.links.append(Link(link, to: peer, context.peers[peer].identifier, role: .central))
        context.timers.add(.useLink(link), at: now + Self.negotiationTimeout)
        return context.links.count - 1
    }

    /// Takes a link that is ready for use: its users get it.
    mutating func linkIsReady(to peer: PeerKey, _ context: inout SessionContext) {
        guard let index = index(of: peer) else { return }
        requests[index].failures = nil
        admitUsers(index, &context)
    }

    mutating func attemptFailed(
        _ address: DeviceAddress, _ error: HCI.ErrorCode, isGoingDown: Bool, _ context: inout SessionContext,
        at now: Instant
    ) {
        guard let peer = context.peers.key(at: address), let index = index(of: peer), requests[index].isAttempting
        else { return }
        requests[index].isAttempting = false
        guard !isGoingDown else { return }
        let failure = error.attemptFailure
        let repeats = failure == .establishmentFailed || failure == .endedByPeer
        repeatOrGiveUp(index, failure, repeats: repeats, &context, at: now)
    }

    /// Takes the end of a link, which is no longer in `context`.
    mutating func linkEnded(
        _ link: borrowing Link, _ cause: DisconnectionCause, _ context: inout SessionContext, at now: Instant
    ) {
        guard let index = index(of: link.peer) else { return }
        reportEnd(index, cause, &context)
        if !requests[index].isWanted {
            releaseIfUnwanted(index, &context, at: now)
        } else if link.phase != .settingUp || cause == .requested {
            // The remaining users requested the link after its end was requested, or lost a link that worked.
            requests[index].failures = nil
            proceed(index, &context, at: now)
        } else {
            let hasOtherKeys = link.awaitsEncryption && cause.canMeanOtherKeys
            let failure = hasOtherKeys ? .peerRemovedPairingInformation : cause.attemptFailure
            repeatOrGiveUp(index, failure, repeats: failure == .establishmentFailed, &context, at: now)
        }
    }

    /// Forgets all requests: the adapter is off.
    mutating func removeAll(_ context: inout SessionContext) {
        for request in requests { context.peers.release(request.peer) }
        requests.removeAll()
    }

    // MARK: Attempts

    private func end(_ link: Int, _ context: inout SessionContext, at now: Instant) {
        context.links[link].phase = .ending
        // The terminate connection procedure (Vol 3, Part C, 9.3.10).
        context.host.disconnect(context.links[link].identifier, at: now)
    }

    /// Ends the attempt or the link if no session requests it any more.
    private mutating func releaseIfUnwanted(_ index: Int, _ context: inout SessionContext, at now: Instant) {
        guard !requests[index].isWanted else { return }
        let peer = requests[index].peer
        if requests[index].isAttempting {
            requests[index].isAttempting = false
            context.host.cancelConnect(to: context.peers[peer].address, at: now)
        }
        if let link = context.links.index(to: peer, role: .central), context.links[link].phase != .ending {
            end(link, &context, at: now)
        }
        if requests[index].users.isEmpty {
            requests.remove(at: index)
            context.peers.release(peer)
        }
    }

    /// Starts an attempt for the waiting users, or gives them the link if it is ready.
    private mutating func proceed(_ index: Int, _ context: inout SessionContext, at now: Instant) {
        let peer = requests[index].peer
        if let link = context.links.index(to: peer, role: .central) {
            if context.links[link].phase == .ready { admitUsers(index, &context) }
        } else if !requests[index].isAttempting {
            requests[index].isAttempting = true
            let address = context.peers[peer].address
            context.host.connect(to: address, heardOn: context.advertisers.primaryPHY(of: address), at: now)
        }
    }

    private mutating func admitUsers(_ index: Int, _ context: inout SessionContext) {
        let record = context.record(of: requests[index].peer)
        for user in requests[index].users.indices where requests[index].users[user].state == .waiting {
            requests[index].users[user].state = .connected
            context.emit(.connected(record, session: requests[index].users[user].session))
        }
    }

    /// Handles an attempt that ended before its link was ready.
    ///
    /// - Parameter repeats: Whether the retry policy above starts another attempt after this failure.
    private mutating func repeatOrGiveUp(
        _ index: Int, _ failure: ConnectionError, repeats: Bool, _ context: inout SessionContext, at now: Instant
    ) {
        var failures = requests[index].failures ?? .init(since: now)
        if now - failures.latest >= Self.attemptPeriod { failures = .init(since: now) }
        failures.count += 1
        failures.latest = now
        if repeats, now - failures.since < Self.attemptPeriod, failures.count < Self.maximumAttempts {
            requests[index].failures = failures
            return proceed(index, &context, at: now)
        }
        requests[index].failures = nil
        let peer = context.peers[requests[index].peer].identifier
        for user in requests[index].users where user.state == .waiting {
            context.emit(.connectionFailed(peer, failure, session: user.session))
        }
        requests[index].users.removeAll { $0.state == .waiting }
        releaseIfUnwanted(index, &context, at: now)
    }

    /// Reports the end of a link to its users. Users that reconnect automatically start to wait again.
    private mutating func reportEnd(_ index: Int, _ cause: DisconnectionCause, _ context: inout SessionContext) {
        let peer = context.peers[requests[index].peer].identifier
        for user in requests[index].users.indices {
            let session = requests[index].users[user].session
            switch requests[index].users[user].state {
            case .delayed, .waiting: break
            case .leaving: context.emit(.disconnected(peer, .cancelled, isReconnecting: false, session: session))
            case .rejoining:
                context.emit(.disconnected(peer, .cancelled, isReconnecting: false, session: session))
                requests[index].users[user].state = .waiting
            case .connected:
                // The session did not cancel the link, so the link failed for that session, whatever the cause.
                let reconnects = requests[index].users[user].options.reconnectsAutomatically
                context.emit(
                    .disconnected(peer, .failed(cause.failure), isReconnecting: reconnects, session: session))
                requests[index].users[user].state = reconnects ? .waiting : .leaving
            }
        }
        requests[index].users.removeAll { $0.state == .leaving }
    }

    // MARK: Look-ups

    private func index(of peer: PeerKey) -> Int? {
        for index in requests.indices where requests[index].peer == peer { return index }
        return nil
    }

    private func index(of identifier: PeerIdentifier, _ peers: borrowing PeerTable) -> Int? {
        for index in requests.indices where peers[requests[index].peer].identifier == identifier { return index }
        return nil
    }

    /// The link that a session uses now, or nil if the session is not connected to the peer.
    func usableLink(_ identifier: PeerIdentifier, session: Int, _ context: borrowing SessionContext) -> Int? {
        guard let link = context.links.index(to: identifier, role: .central),
            context.links[link].phase != .settingUp,
            let request = index(of: context.links[link].peer), let user = requests[request].userIndex(session),
            requests[request].users[user].state == .connected
        else { return nil }
        return link
    }

    /// Appends the sessions that use the link to a peer.
    func appendUsers(of peer: PeerKey, to context: inout SessionContext) -> Range<Int> {
        let first = context.output.sessions.count
        if let request = index(of: peer) {
            for user in requests[request].users where user.state == .connected {
                context.output.sessions.append(user.session)
            }
        }
        return first..<context.output.sessions.count
    }
}
