import BLEAdapter
import BLEHost
import BLELink
import BLEWire

/// The L2CAP channels of all sessions.
struct ChannelTable {
    struct Channel {
        let link: LinkIdentifier
        let number: UInt32
        let session: Int
        let isIncoming: Bool
        let psm: UInt16
        let peer: PeerIdentifier
        /// Nil while the peer has not answered.
        var handle: ChannelHandle?
        /// Closed by this side; something is still to be sent.
        var isClosing = false
    }

    struct Service {
        let session: Int
        let psm: UInt16
    }

    var channels: [Channel] = []
    var services: [Service] = []
    /// The number after the last one given out: a service that is gone does not come back as another one at once.
    var nextPSM: UInt16 = 0x0080

    func index(_ link: LinkIdentifier, _ number: UInt32) -> Int? {
        channels.firstIndex { $0.link == link && $0.number == number }
    }

    /// A number for a new service; nil: all are taken.
    mutating func takePSM() -> UInt16? {
        for _ in 0x0080...0x00FF {
            let psm = nextPSM
            nextPSM = psm == 0x00FF ? 0x0080 : psm + 1
            if !services.contains(where: { $0.psm == psm }) { return psm }
        }
        return nil
    }
}

/// Carries what a handle asks to the executor.
final class HostChannelDriver: ChannelDriver {
    private weak let adapter: HostAdapter?
    private let link: LinkIdentifier
    private let number: UInt32

    init(adapter: HostAdapter?, link: LinkIdentifier, number: UInt32) {
        self.adapter = adapter
        self.link = link
        self.number = number
    }

    func pump() { adapter?.submit { [link, number] in $0.pumpChannel(link, number) } }
    func consumed(_ count: Int) {
        adapter?.submit { [link, number] in
            $0.host.consumed(count, onChannel: number, of: link, at: $0.now)
        }
    }
    func close() { adapter?.submit { [link, number] in $0.closeChannel(link, number) } }
}

extension HostCore {
    /// How long a channel that was closed may take to send what was written before.
    private static let channelLinger = TimeSpan.seconds(10)

    // MARK: Services

    func publishChannel(requiresEncryption: Bool, session: Int) {
        let observer = peripheralObserver(session)
        guard state == .poweredOn, !isGoingDown else {
            observer?.channelPublished(.failure(.notPoweredOn))
            return
        }
        guard let psm = channels.takePSM() else {
            observer?.channelPublished(.failure(.noResources))
            return
        }
        channels.services.append(.init(session: session, psm: psm))
        host.channelListeners.append(CreditBasedListener(spsm: psm, requiresEncryption: requiresEncryption))
        observer?.channelPublished(.success(psm))
    }

    func unpublishChannel(_ psm: UInt16, session: Int) {
        let isOurs = channels.services.contains { $0.psm == psm && $0.session == session }
        if isOurs { removeChannelService(psm) }
        peripheralObserver(session)?.channelUnpublished(psm: psm, isOurs ? nil : .unknownPSM)
    }

    private func removeChannelService(_ psm: UInt16) {
        channels.services.removeAll { $0.psm == psm }
        host.channelListeners.removeAll { $0.spsm == psm }
        closeChannels { $0.isIncoming && $0.psm == psm }
    }

    /// Closes the channels that `isMeant` says; their streams see the end.
    func closeChannels(where isMeant: (ChannelTable.Channel) -> Bool) {
        for channel in channels.channels where isMeant(channel) {
            channel.handle?.finish(.local)
            closeChannel(channel.link, channel.number)
        }
    }

    func closePeripheralChannels(_ session: Int) {
        for service in channels.services where service.session == session { removeChannelService(service.psm) }
    }

    /// The adapter is gone: services have to be published anew.
    func forgetChannelServices() {
        channels.services.removeAll()
        host.channelListeners.removeAll()
    }

    /// All links are gone.
    func forgetChannels() {
        let old = channels.channels
        channels.channels.removeAll()
        for channel in old { channel.handle?.finish(.linkLost) }
    }

    // MARK: Channels

    func openChannel(psm: UInt16, to peer: PeerIdentifier, session: Int) {
        guard let index = connectionIndex(peer), connections[index].isReady,
            let user = connections[index].userIndex(session), connections[index].users[user].state == .connected,
            case .up(let link) = connections[index].phase,
            let number = host.connectChannel(spsm: psm, on: link, at: now)
        else {
            centralObserver(session)?.channelOpened(.failure(.notConnected), psm: psm, of: peer)
            return
        }
        channels.channels.append(
            .init(link: link, number: number, session: session, isIncoming: false, psm: psm, peer: peer))
    }

    func handle(_ event: CreditBasedEvent, of link: LinkIdentifier, _ batch: borrowing EventBatch) {
        switch event {
        case .opened(let number, let information):
            if information.isIncoming {
                channelCame(link, number, information)
            } else {
                channelOpened(link, number, information)
            }
        case .refused(let number, let refusal):
            guard let index = channels.index(link, number) else { return }
            let channel = channels.channels.remove(at: index)
            // The end of the link says it all.
            guard refusal != .linkLost, refusal != .cancelled else { return }
            centralObserver(channel.session)?.channelOpened(
                .failure(refusal.failure), psm: channel.psm, of: channel.peer)
        case .received(let number, let range):
            guard let index = channels.index(link, number) else { return }
            channels.channels[index].handle?.deliver(batch.bytes.span.extracting(range))
        case .writable(let number): pumpChannel(link, number)
        case .closed(let number, let end):
            guard let index = channels.index(link, number) else { return }
            let channel = channels.channels.remove(at: index)
            timers.cancel(.closeChannel(link.rawValue, number))
            channel.handle?.finish(end.channelEnd)
        }
    }

    private func makeHandle(
        _ link: LinkIdentifier, _ number: UInt32, _ information: CreditBasedChannelInformation
    ) -> ChannelHandle {
        ChannelHandle(
            psm: information.spsm, sendMTU: information.sendMTU,
            receiveWindow: host.configuration.creditBased.receiveWindow,
            driver: HostChannelDriver(adapter: adapter, link: link, number: number))
    }

    private func channelOpened(
        _ link: LinkIdentifier, _ number: UInt32, _ information: CreditBasedChannelInformation
    ) {
        guard let index = channels.index(link, number) else {
            return host.closeChannel(number, of: link, at: now)
        }
        let handle = makeHandle(link, number, information)
        channels.channels[index].handle = handle
        let channel = channels.channels[index]
        if channel.isClosing { return closeNow(channel) }
        centralObserver(channel.session)?.channelOpened(.success(handle), psm: channel.psm, of: channel.peer)
    }

    private func channelCame(
        _ link: LinkIdentifier, _ number: UInt32, _ information: CreditBasedChannelInformation
    ) {
        guard let service = channels.services.first(where: { $0.psm == information.spsm }),
            let observer = peripheralObserver(service.session), let central = channelClient(link)
        else { return host.closeChannel(number, of: link, at: now) }
        let handle = makeHandle(link, number, information)
        channels.channels.append(
            .init(
                link: link, number: number, session: service.session, isIncoming: true, psm: service.psm,
                peer: central.identifier, handle: handle))
        observer.channelOpened(handle, by: central)
    }

    /// Who is at the other end of a link, whichever role it has there.
    private func channelClient(_ link: LinkIdentifier) -> CentralRecord? {
        if let client = clients.first(where: { $0.link == link }) { return client.record }
        guard let index = connectionIndex(link) else { return nil }
        return CentralRecord(
            identifier: connections[index].peer, maximumUpdateLength: max(20, (host.mtu(of: link) ?? 23) - 3))
    }

    /// Moves what was written to the host, as far as it takes it.
    func pumpChannel(_ link: LinkIdentifier, _ number: UInt32) {
        guard let index = channels.index(link, number) else { return }
        let channel = channels.channels[index]
        let now = self.now
        channel.handle?.takeSDUs { host.send($0, onChannel: number, of: link, at: now) == .queued }
        if channel.isClosing, channel.handle?.hasUnsent != true { closeNow(channel) }
    }

    /// Closes a channel once everything was sent, or the linger time is over.
    func closeChannel(_ link: LinkIdentifier, _ number: UInt32) {
        guard let index = channels.index(link, number), !channels.channels[index].isClosing else { return }
        channels.channels[index].isClosing = true
        timers.add(.closeChannel(link.rawValue, number), at: now + Self.channelLinger)
        pumpChannel(link, number)
    }

    func channelLingeredLongEnough(_ link: LinkIdentifier, _ number: UInt32) {
        guard let index = channels.index(link, number) else { return }
        closeNow(channels.channels[index])
    }

    private func closeNow(_ channel: ChannelTable.Channel) {
        timers.cancel(.closeChannel(channel.link.rawValue, channel.number))
        host.closeChannel(channel.number, of: channel.link, at: now)
    }
}

extension CreditBasedEnd {
    fileprivate var channelEnd: ChannelEnd {
        switch self {
        case .local: .local
        case .peer: .peer
        case .linkLost: .linkLost
        case .violation: .violation
        }
    }
}

extension CreditBasedRefusal {
    fileprivate var failure: ChannelFailure {
        switch self {
        case .result(.spsmNotSupported), .invalidSPSM: .unknownPSM
        case .result(.noResources), .noChannelLeft: .noResources
        case .result(.insufficientAuthentication): .insufficientAuthentication
        case .result(.insufficientAuthorization): .insufficientAuthorization
        case .result(.keySizeTooShort): .insufficientKeySize
        case .result(.insufficientEncryption): .insufficientEncryption
        case .noAnswer: .noAnswer
        case .linkLost, .cancelled: .notConnected
        case .result, .notUnderstood, .invalidResponse: .refused
        }
    }
}
