import BLEWire

/// Channels of the enhanced mode: up to five in one request (Vol 3, Part A, 4.25, 4.26 and 10.2).
extension CreditBasedChannels {
    /// Requests channels of the enhanced mode to a service of the peer, at most five. `opened` or `refused` follows for each of
    /// the returned numbers, which are fewer if the link has no room for all.
    package mutating func connect(
        _ count: Int, spsm: UInt16, offer: CreditBasedOffer, at now: Instant
    ) -> [UInt32] {
        guard (0x0001...0x00FF).contains(spsm), offer.mode == .enhanced else { return [] }
        let identifier = nextIdentifier()
        let total = channels.count + min(count, L2CAP.enhancedChannelLimit)
        let credits = configuration.windowFrames(offer, channels: total)
        var sources: [L2CAP.ChannelIdentifier] = []
        var numbers: [UInt32] = []
        while channels.count < total, let local = freeIdentifier() {
            var channel = CreditBasedChannel(
                number: takeNumber(), spsm: spsm, local: local, isIncoming: false, own: offer,
                state: .connecting(identifier: identifier))
            channel.receiveCredits = credits
            channel.deadline = now + configuration.responseTimeout
            sources.append(local)
            numbers.append(channel.number)
            channels.append(channel)
        }
        guard !sources.isEmpty else { return [] }
        send(
            L2CAP.EnhancedConnectionRequest(
                spsm: spsm, mtu: offer.mtu, mps: offer.mps, initialCredits: UInt16(truncatingIfNeeded: credits),
                sourceChannels: sources), identifier: identifier)
        return numbers
    }

    /// Takes a signalling packet of the enhanced mode.
    mutating func receiveEnhanced(
        _ packet: borrowing L2CAP.SignalPacket, listeners: [CreditBasedListener], security: LinkSecurity,
        at now: Instant
    ) -> SignalOutcome {
        switch packet.code {
        case .enhancedConnectionRequest:
            guard let request = try? L2CAP.EnhancedConnectionRequest(decoding: packet.data) else {
                return reject(packet.identifier)
            }
            answer(request, packet.identifier, listeners, security)
        case .enhancedConnectionResponse:
            guard let response = try? L2CAP.EnhancedConnectionResponse(decoding: packet.data) else {
                return .fault(.malformed)
            }
            return answered(response, packet.identifier, at: now)
        case .enhancedReconfigureRequest:
            guard let request = try? L2CAP.EnhancedReconfigureRequest(decoding: packet.data) else {
                return reject(packet.identifier)
            }
            answer(request, packet.identifier)
        case .enhancedReconfigureResponse:
            // This side sends no such request.
            let isWellFormed = (try? L2CAP.EnhancedReconfigureResponse(decoding: packet.data)) != nil
            return .fault(isWellFormed ? .unexpectedResponse : .malformed)
        default: return .notOurs
        }
        return .handled
    }

    // MARK: Server

    private mutating func answer(
        _ request: L2CAP.EnhancedConnectionRequest, _ identifier: UInt8, _ listeners: [CreditBasedListener],
        _ security: LinkSecurity
    ) {
        let listener = listeners.first { $0.spsm == request.spsm }
        let offer = listener?.offer ?? configuration.offer(.enhanced)
        var result = listener.map { $0.refusal(security) ?? .successful } ?? .spsmNotSupported
        if result == .successful, !request.isValid { result = .invalidParameters }
        guard let listener, result == .successful else {
            let none = request.sourceChannels.map { _ in L2CAP.ChannelIdentifier.null }
            return send(
                L2CAP.EnhancedConnectionResponse(
                    mtu: 0, mps: 0, initialCredits: 0, result: result, destinationChannels: none),
                identifier: identifier)
        }
        let credits = configuration.windowFrames(offer, channels: channels.count + request.sourceChannels.count)
        var ends: [L2CAP.ChannelIdentifier] = []
        for source in request.sourceChannels {
            // A request with several faults gets the result of the first.
            var refusal: L2CAP.CreditBasedConnectionResponse.Result?
            if let local = accept(source, listener, refusal: &refusal) {
                open(request, offer, source: source, local: local, credits: credits)
                ends.append(local)
            } else {
                if result == .successful, let refusal { result = refusal }
                ends.append(.null)
            }
        }
        send(
            L2CAP.EnhancedConnectionResponse(
                mtu: offer.mtu, mps: offer.mps, initialCredits: UInt16(truncatingIfNeeded: credits), result: result,
                destinationChannels: ends), identifier: identifier)
    }

    /// Returns this side's end for one channel of a request, or nil and the reason.
    private mutating func accept(
        _ source: L2CAP.ChannelIdentifier, _ listener: CreditBasedListener,
        refusal: inout L2CAP.CreditBasedConnectionResponse.Result?
    ) -> L2CAP.ChannelIdentifier? {
        if !L2CAP.ChannelIdentifier.dynamic.contains(source.rawValue) {
            refusal = .invalidSourceChannel
        } else if channels.contains(where: { $0.remote == source }) {
            refusal = .sourceChannelAllocated
        } else if channels.count(where: { $0.spsm == listener.spsm }) < listener.channelLimit,
            let local = freeIdentifier()
        {
            return local
        } else {
            refusal = .noResources
        }
        return nil
    }

    private mutating func open(
        _ request: L2CAP.EnhancedConnectionRequest, _ offer: CreditBasedOffer, source: L2CAP.ChannelIdentifier,
        local: L2CAP.ChannelIdentifier, credits: Int
    ) {
        var channel = CreditBasedChannel(
            number: takeNumber(), spsm: request.spsm, local: local, isIncoming: true, own: offer, state: .open)
        channel.remote = source
        channel.peer = ChannelLimits(mtu: Int(request.mtu), mps: Int(request.mps))
        channel.sendCredits = Int(request.initialCredits)
        channel.receiveCredits = credits
        channels.append(channel)
        events.append(.opened(channel.number, channel.information))
    }

    // MARK: Client

    private mutating func answered(
        _ response: L2CAP.EnhancedConnectionResponse, _ identifier: UInt8, at now: Instant
    ) -> SignalOutcome {
        let waiting = channels.filter {
            $0.state == .connecting(identifier: identifier) && $0.own.mode == .enhanced
        }.map(\.number)
        guard !waiting.isEmpty else { return .fault(.unexpectedResponse) }
        if response.result.isPending {
            for number in waiting {
                if let index = index(number: number) { channels[index].deadline = now + configuration.pendingTimeout }
            }
            return .handled
        }
        var isFaulty = false
        for (position, number) in waiting.enumerated() {
            let ends = response.destinationChannels
            let remote = position < ends.count && !response.result.refusesAll ? ends[position] : .null
            guard let index = index(number: number) else { continue }
            if remote == .null {
                let error: CreditBasedConnectionError =
                    response.result == .successful ? .invalidResponse : .result(response.result)
                isFaulty = isFaulty || response.result == .successful
                if !channels[index].isAbandoned { events.append(.refused(number, error)) }
                remove(index)
            } else if !open(index, response, remote: remote, at: now) {
                isFaulty = true
            }
        }
        return isFaulty ? .fault(.malformed) : .handled
    }

    /// Opens a channel that the peer accepted. Returns false if the peer's values are not usable.
    private mutating func open(
        _ index: Int, _ response: L2CAP.EnhancedConnectionResponse, remote: L2CAP.ChannelIdentifier, at now: Instant
    ) -> Bool {
        let number = channels[index].number
        let isAbandoned = channels[index].isAbandoned
        let other = channels.firstIndex { $0.remote == remote }
        guard other == nil, L2CAP.ChannelIdentifier.dynamic.contains(remote.rawValue) else {
            if !isAbandoned { events.append(.refused(number, .invalidResponse)) }
            // Neither of two channels with one end is usable (Vol 3, Part A, 4.26).
            if let other, channels[other].state == .open || channels[other].state == .draining {
                disconnect(other, .violation(.duplicateChannel), at: now)
            }
            remove(index)
            return false
        }
        channels[index].remote = remote
        let hasRanges = CreditBasedMode.enhanced.accepts(mtu: response.mtu, mps: response.mps)
        guard hasRanges, !isAbandoned else {
            if !isAbandoned { events.append(.refused(number, .invalidResponse)) }
            disconnectSilently(index, at: now)
            return hasRanges
        }
        channels[index].peer = ChannelLimits(mtu: Int(response.mtu), mps: Int(response.mps))
        channels[index].sendCredits = Int(response.initialCredits)
        channels[index].deadline = nil
        channels[index].state = .open
        events.append(.opened(number, channels[index].information))
        return true
    }
}

extension L2CAP.EnhancedConnectionRequest {
    /// Whether all values are in their ranges (Vol 3, Part A, 4.25).
    fileprivate var isValid: Bool {
        CreditBasedMode.enhanced.accepts(mtu: mtu, mps: mps) && initialCredits > 0
    }
}

extension L2CAP.CreditBasedConnectionResponse.Result {
    /// Whether the final answer follows (Vol 3, Part A, 4.26).
    fileprivate var isPending: Bool { [.pending, .authenticationPending, .authorizationPending].contains(self) }

    /// Whether none of the requested channels is open (Vol 3, Part A, 4.26).
    fileprivate var refusesAll: Bool {
        switch self {
        case .successful, .noResources, .invalidSourceChannel, .sourceChannelAllocated: false
        default: true
        }
    }
}
