import BLEAdapter
import BLEHost
import BLELink
import BLEWire

/// L2CAP channels. The driver holds the data that programs write. The session layer decides which sessions may open a
/// channel and when a channel ends.
extension HostSessions {
    /// The time that a closed channel has to send the data written before.
    static let channelLinger = TimeSpan.seconds(10)

    // MARK: Services

    package mutating func publishChannel(requiresEncryption: Bool, session: Int) {
        guard state == .poweredOn, !isGoingDown else {
            return emit(.channelPublished(.failure(.notPoweredOn), session: session))
        }
        guard let psm = channels.takePSM() else {
            return emit(.channelPublished(.failure(.noResources), session: session))
        }
        channels.services.append(.init(session: session, psm: psm))
        host.channelListeners.append(CreditBasedListener(spsm: psm, requiresEncryption: requiresEncryption))
        emit(.channelPublished(.success(psm), session: session))
    }

    package mutating func unpublishChannel(_ psm: UInt16, session: Int, at now: Instant) {
        let isOurs = channels.services.contains { $0.psm == psm && $0.session == session }
        if isOurs { removeChannelService(psm, at: now) }
        emit(.channelUnpublished(psm: psm, isOurs ? nil : .unknownPSM, session: session))
    }

    private mutating func removeChannelService(_ psm: UInt16, at now: Instant) {
        channels.services.removeAll { $0.psm == psm }
        host.channelListeners.removeAll { $0.spsm == psm }
        closeChannels(at: now) { $0.isIncoming && $0.psm == psm }
    }

    /// Closes the channels that `isMeant` selects. Their streams end.
    mutating func closeChannels(at now: Instant, where isMeant: (ChannelTable.Channel) -> Bool) {
        for channel in channels.channels where isMeant(channel) {
            if channel.isOpen { emit(.channelClosing(channel.identifier, .local)) }
            closeChannel(channel.identifier, at: now)
        }
    }

    mutating func closePeripheralChannels(_ session: Int, at now: Instant) {
        for service in channels.services where service.session == session {
            removeChannelService(service.psm, at: now)
        }
    }

    /// Removes all channel services. The adapter is gone, so sessions must publish their services again.
    mutating func forgetChannelServices() {
        channels.services.removeAll()
        host.channelListeners.removeAll()
    }

    /// Removes all channels. All links are gone.
    mutating func forgetChannels() {
        for channel in channels.channels where channel.isOpen {
            emit(.channelClosed(channel.identifier, .linkLost))
        }
        channels.channels.removeAll()
        channels.requests.removeAll()
    }

    /// Closes the channels that a session opened, and forgets those that it asked for.
    ///
    /// - Parameter peer: Nil stands for all peers.
    mutating func closeOwnChannels(of session: Int, to peer: PeerIdentifier?, at now: Instant) {
        channels.requests.removeAll { $0.session == session && (peer == nil || $0.peer == peer) }
        closeChannels(at: now) { !$0.isIncoming && $0.session == session && (peer == nil || $0.peer == peer) }
    }

    // MARK: Channels

    /// Opens a channel to a service of a peer (Vol 3, Part A, 4.22). `channelOpened` or `channelRefused` follows, in the order of the calls,
    /// unless the link ends first.
    package mutating func openChannel(psm: UInt16, to peer: PeerIdentifier, session: Int, at now: Instant) {
        channels.requests.append(.init(session: session, psm: psm, peer: peer))
        openNextChannel(to: peer, of: session, at: now)
    }

    private mutating func openNextChannel(to peer: PeerIdentifier, of session: Int, at now: Instant) {
        while let request = channels.takeRequest(to: peer, of: session) {
            guard let index = usableLink(peer, session: session), links[index].phase == .ready,
                let number = host.connectChannel(spsm: request.psm, on: links[index].identifier, at: now)
            else {
                emit(.channelRefused(.notConnected, psm: request.psm, peer, session: session))
                continue
            }
            channels.channels.append(
                .init(
                    identifier: ChannelIdentifier(link: links[index].identifier, number: number), session: session,
                    isIncoming: false, psm: request.psm, peer: peer, isOpen: false))
        }
    }

    mutating func handle(_ event: CreditBasedEvent, of link: LinkIdentifier, at now: Instant) {
        switch event {
        case .opened(let number, let information):
            let channel = ChannelIdentifier(link: link, number: number)
            if information.isIncoming {
                channelAccepted(channel, information, at: now)
            } else {
                channelOpened(channel, information, at: now)
            }
        case .refused(let number, let refusal):
            guard let index = channels.index(ChannelIdentifier(link: link, number: number)) else { return }
            let channel = channels.channels.remove(at: index)
            // The end of the link already informs the session.
            if refusal == .linkLost { return channels.requests.removeAll { $0.peer == channel.peer } }
            if refusal != .cancelled {
                emit(.channelRefused(refusal.failure, psm: channel.psm, channel.peer, session: channel.session))
            }
            openNextChannel(to: channel.peer, of: channel.session, at: now)
        case .securityRequired(let number, let result):
            securityRequired(forChannel: number, of: link, result, at: now)
        case .received(let number, let range):
            let channel = ChannelIdentifier(link: link, number: number)
            if channels.index(channel) != nil { emit(.channelReceived(channel, shifted(range))) }
        case .writable(let number): emit(.channelWritable(ChannelIdentifier(link: link, number: number)))
        case .closed(let number, let end):
            guard let index = channels.index(ChannelIdentifier(link: link, number: number)) else { return }
            let channel = channels.channels.remove(at: index)
            timers.cancel(.closeChannel(channel.identifier))
            if channel.isOpen { emit(.channelClosed(channel.identifier, end.channelEnd)) }
            if !channel.isIncoming, end != .linkLost { openNextChannel(to: channel.peer, of: channel.session, at: now) }
        }
    }

    private func information(_ information: CreditBasedChannelInformation) -> ChannelInformation {
        ChannelInformation(
            psm: information.spsm, sendMTU: information.sendMTU,
            receiveWindow: host.configuration.creditBased.receiveWindow)
    }

    private mutating func channelOpened(
        _ identifier: ChannelIdentifier, _ opened: CreditBasedChannelInformation, at now: Instant
    ) {
        guard let index = channels.index(identifier), !channels.channels[index].isClosing else {
            return host.closeChannel(identifier.number, of: identifier.link, at: now)
        }
        channels.channels[index].isOpen = true
        let channel = channels.channels[index]
        emit(.channelOpened(identifier, information(opened), channel.peer, session: channel.session))
        openNextChannel(to: channel.peer, of: channel.session, at: now)
    }

    private mutating func channelAccepted(
        _ identifier: ChannelIdentifier, _ opened: CreditBasedChannelInformation, at now: Instant
    ) {
        guard let service = channels.services.first(where: { $0.psm == opened.spsm }),
            let index = linkIndex(identifier.link)
        else { return host.closeChannel(identifier.number, of: identifier.link, at: now) }
        // The peer may have either role.
        let length = max(20, (host.mtu(of: identifier.link) ?? Int(ATT.defaultMTU)) - 3)
        let central = CentralRecord(
            identifier: peers[links[index].peer].identifier, maximumUpdateLength: length)
        channels.channels.append(
            .init(
                identifier: identifier, session: service.session, isIncoming: true, psm: service.psm,
                peer: central.identifier, isOpen: true))
        emit(.channelAccepted(identifier, information(opened), central, session: service.session))
    }

    /// Sends one SDU. Returns false if the channel accepts none now; `channelWritable` follows.
    package mutating func send(_ sdu: Span<UInt8>, on channel: ChannelIdentifier, at now: Instant) -> Bool {
        host.send(sdu, onChannel: channel.number, of: channel.link, at: now) == .queued
    }

    /// Closes a channel (Vol 3, Part A, 4.6) after it has sent all written data, or after `channelLinger`. The driver
    /// gets `channelWritable`, sends the rest and calls `channelFlushed`.
    package mutating func closeChannel(_ channel: ChannelIdentifier, at now: Instant) {
        guard let index = channels.index(channel), !channels.channels[index].isClosing else { return }
        channels.channels[index].isClosing = true
        guard channels.channels[index].isOpen else { return closeNow(channel, at: now) }
        timers.add(.closeChannel(channel), at: now + Self.channelLinger)
        emit(.channelWritable(channel))
    }

    /// Records that the driver has passed all data written on the channel to the host.
    package mutating func channelFlushed(_ channel: ChannelIdentifier, at now: Instant) {
        guard let index = channels.index(channel), channels.channels[index].isClosing else { return }
        closeNow(channel, at: now)
    }

    mutating func channelLingerElapsed(_ channel: ChannelIdentifier, at now: Instant) {
        if channels.index(channel) != nil { closeNow(channel, at: now) }
    }

    private mutating func closeNow(_ channel: ChannelIdentifier, at now: Instant) {
        timers.cancel(.closeChannel(channel))
        host.closeChannel(channel.number, of: channel.link, at: now)
    }
}
