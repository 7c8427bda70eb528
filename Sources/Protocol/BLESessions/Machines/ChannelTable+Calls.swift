import BLEAdapter
import BLEHost
import BLELink
import BLEWire

/// Which sessions may open a channel, and when a channel ends. The driver holds the data that programs write.
extension ChannelTable {
    /// The time that a closed channel has to send the data written before.
    static let linger = TimeSpan.seconds(10)

    // MARK: Services

    mutating func publish(requiresEncryption: Bool, session: Int, _ context: inout SessionContext) {
        guard let psm = takePSM() else {
            return context.emit(.channelPublished(.failure(.noResources), session: session))
        }
        services.append(.init(session: session, psm: psm))
        context.host.channelListeners.append(CreditBasedListener(spsm: psm, requiresEncryption: requiresEncryption))
        context.emit(.channelPublished(.success(psm), session: session))
    }

    mutating func unpublish(_ psm: UInt16, session: Int, _ context: inout SessionContext, at now: Instant) {
        let isOurs = services.contains { $0.psm == psm && $0.session == session }
        if isOurs { removeService(psm, &context, at: now) }
        context.emit(.channelUnpublished(psm: psm, isOurs ? nil : .unknownPSM, session: session))
    }

    private mutating func removeService(_ psm: UInt16, _ context: inout SessionContext, at now: Instant) {
        services.removeAll { $0.psm == psm }
        context.host.channelListeners.removeAll { $0.spsm == psm }
        close(&context, at: now) { $0.isIncoming && $0.psm == psm }
    }

    /// Closes the channels that `isMeant` selects. Their streams end.
    private mutating func close(
        _ context: inout SessionContext, at now: Instant, where isMeant: (Channel) -> Bool
    ) {
        for channel in channels where isMeant(channel) {
            if channel.isOpen { context.emit(.channelClosing(channel.identifier, .local)) }
            close(channel.identifier, &context, at: now)
        }
    }

    /// Removes the services of a session, and closes their channels.
    mutating func closeServices(of session: Int, _ context: inout SessionContext, at now: Instant) {
        for service in services where service.session == session { removeService(service.psm, &context, at: now) }
    }

    /// Removes all services. The adapter is gone, so sessions must publish their services again.
    mutating func forgetServices(_ context: inout SessionContext) {
        services.removeAll()
        context.host.channelListeners.removeAll()
    }

    /// Removes all channels. All links are gone.
    mutating func forgetChannels(_ context: inout SessionContext) {
        for channel in channels where channel.isOpen { context.emit(.channelClosed(channel.identifier, .linkLost)) }
        channels.removeAll()
        requests.removeAll()
    }

    /// Closes the channels that a session opened, and forgets those that it asked for.
    ///
    /// - Parameter peer: Nil stands for all peers.
    mutating func closeOwn(
        of session: Int, to peer: PeerIdentifier?, _ context: inout SessionContext, at now: Instant
    ) {
        requests.removeAll { $0.session == session && (peer == nil || $0.peer == peer) }
        close(&context, at: now) { !$0.isIncoming && $0.session == session && (peer == nil || $0.peer == peer) }
    }

    // MARK: Channels

    /// Opens a channel to a service of a peer (Vol 3, Part A, 4.22). `channelOpened` or `channelRefused` follows, in the order of the calls,
    /// unless the link ends first.
    ///
    /// - Parameter users: The sessions that use links.
    mutating func open(
        psm: UInt16, to peer: PeerIdentifier, session: Int, users: ConnectionRequests, _ context: inout SessionContext,
        at now: Instant
    ) {
        requests.append(.init(session: session, psm: psm, peer: peer))
        openNext(to: peer, of: session, users, &context, at: now)
    }

    private mutating func openNext(
        to peer: PeerIdentifier, of session: Int, _ users: ConnectionRequests, _ context: inout SessionContext,
        at now: Instant
    ) {
        while let request = takeRequest(to: peer, of: session) {
            guard let index = users.usableLink(peer, session: session, context), context.links[index].phase == .ready,
                let number = context.host.connectChannel(
                    spsm: request.psm, on: context.links[index].identifier, at: now)
            else {
                context.emit(.channelRefused(.notConnected, psm: request.psm, peer, session: session))
                continue
            }
            channels.append(
                .init(
                    identifier: ChannelIdentifier(link: context.links[index].identifier, number: number),
                    session: session, isIncoming: false, psm: request.psm, peer: peer, isOpen: false))
        }
    }

    /// Handles an event of a channel except `securityRequired`.
    mutating func handle(
        _ event: CreditBasedEvent, of link: LinkIdentifier, users: ConnectionRequests,
        _ context: inout SessionContext, at now: Instant
    ) {
        switch event {
        case .opened(let number, let information):
            let channel = ChannelIdentifier(link: link, number: number)
            if information.isIncoming {
                accepted(channel, information, &context, at: now)
            } else {
                opened(channel, information, users, &context, at: now)
            }
        case .refused(let number, let refusal):
            guard let index = index(ChannelIdentifier(link: link, number: number)) else { return }
            let channel = channels.remove(at: index)
            // The end of the link already informs the session.
            if refusal == .linkLost { return requests.removeAll { $0.peer == channel.peer } }
            if refusal != .cancelled {
                context.emit(
                    .channelRefused(refusal.failure, psm: channel.psm, channel.peer, session: channel.session))
            }
            openNext(to: channel.peer, of: channel.session, users, &context, at: now)
        case .securityRequired, .reconfigured: break
        case .received(let number, let range):
            let channel = ChannelIdentifier(link: link, number: number)
            if index(channel) != nil { context.emit(.channelReceived(channel, range)) }
        case .writable(let number): context.emit(.channelWritable(ChannelIdentifier(link: link, number: number)))
        case .closed(let number, let end):
            guard let index = index(ChannelIdentifier(link: link, number: number)) else { return }
            let channel = channels.remove(at: index)
            context.timers.cancel(.closeChannel(channel.identifier))
            if channel.isOpen { context.emit(.channelClosed(channel.identifier, end.channelEnd)) }
            if !channel.isIncoming, end != .linkLost {
                openNext(to: channel.peer, of: channel.session, users, &context, at: now)
            }
        }
    }

    private mutating func opened(
        _ identifier: ChannelIdentifier, _ opened: CreditBasedChannelInformation, _ users: ConnectionRequests,
        _ context: inout SessionContext, at now: Instant
    ) {
        guard let index = index(identifier), !channels[index].isClosing else {
            return context.host.closeChannel(identifier.number, of: identifier.link, at: now)
        }
        channels[index].isOpen = true
        let channel = channels[index]
        let information = ChannelInformation(opened, context.host.configuration)
        context.emit(.channelOpened(identifier, information, channel.peer, session: channel.session))
        openNext(to: channel.peer, of: channel.session, users, &context, at: now)
    }

    private mutating func accepted(
        _ identifier: ChannelIdentifier, _ opened: CreditBasedChannelInformation, _ context: inout SessionContext,
        at now: Instant
    ) {
        guard let service = services.first(where: { $0.psm == opened.spsm }),
            let index = context.links.index(of: identifier.link)
        else { return context.host.closeChannel(identifier.number, of: identifier.link, at: now) }
        // The peer may have either role.
        let length = max(20, (context.host.mtu(of: identifier.link) ?? Int(ATT.defaultMTU)) - 3)
        let central = CentralRecord(
            identifier: context.links[index].peerIdentifier, maximumUpdateLength: length)
        channels.append(
            .init(
                identifier: identifier, session: service.session, isIncoming: true, psm: service.psm,
                peer: central.identifier, isOpen: true))
        let information = ChannelInformation(opened, context.host.configuration)
        context.emit(.channelAccepted(identifier, information, central, session: service.session))
    }

    /// Closes a channel (Vol 3, Part A, 4.6) after it has sent all written data, or after `linger`. The driver
    /// gets `channelWritable`, sends the rest and calls `channelFlushed`.
    mutating func close(_ channel: ChannelIdentifier, _ context: inout SessionContext, at now: Instant) {
        guard let index = index(channel), !channels[index].isClosing else { return }
        channels[index].isClosing = true
        guard channels[index].isOpen else { return closeNow(channel, &context, at: now) }
        context.timers.add(.closeChannel(channel), at: now + Self.linger)
        context.emit(.channelWritable(channel))
    }

    /// Records that the driver has passed all data written on the channel to the host.
    func flushed(_ channel: ChannelIdentifier, _ context: inout SessionContext, at now: Instant) {
        guard let index = index(channel), channels[index].isClosing else { return }
        closeNow(channel, &context, at: now)
    }

    func lingerElapsed(_ channel: ChannelIdentifier, _ context: inout SessionContext, at now: Instant) {
        if index(channel) != nil { closeNow(channel, &context, at: now) }
    }

    private func closeNow(_ channel: ChannelIdentifier, _ context: inout SessionContext, at now: Instant) {
        context.timers.cancel(.closeChannel(channel))
        context.host.closeChannel(channel.number, of: channel.link, at: now)
    }
}

extension ChannelInformation {
    fileprivate init(_ opened: CreditBasedChannelInformation, _ configuration: HostConfiguration) {
        self.init(
            psm: opened.spsm, sendMTU: opened.sendMTU, receiveWindow: configuration.creditBased.receiveWindow)
    }
}
