import BLEWire

/// The signalling packets of credit-based channels.
extension CreditBasedChannels {
    /// The result of a signalling packet.
    package enum SignalOutcome: Hashable, Sendable {
        /// The packet does not concern these channels.
        case notOurs
        case handled
        case fault(SignallingChannel.Fault)
    }

    /// Takes the payload of a frame on the signalling channel.
    ///
    /// - Parameter security: The present security of the link. It decides about listeners that require encryption.
    package mutating func receive(
        signal payload: Span<UInt8>, listeners: [CreditBasedListener], security: LinkSecurity, at now: Instant
    ) -> SignalOutcome {
        guard payload.count <= L2CAP.signallingMTU, let packet = try? L2CAP.SignalPacket(decoding: payload),
            packet.identifier != 0
        else { return .notOurs }
        let identifier = packet.identifier
        // A peer that keeps sending requests without receiving the answers gets no more of them.
        if waitingSignalOctets >= Self.waitingSignalLimit {
            switch packet.code {
            case .creditBasedConnectionRequest, .disconnectionRequest, .enhancedConnectionRequest,
                .enhancedReconfigureRequest:
                return .fault(.tooManyRequests)
            default: break
            }
        }
        switch packet.code {
        case .creditBasedConnectionRequest:
            guard let request = try? L2CAP.CreditBasedConnectionRequest(decoding: packet.data) else {
                return reject(identifier)
            }
            answer(request, identifier, listeners, security)
        case .creditBasedConnectionResponse:
            guard let response = try? L2CAP.CreditBasedConnectionResponse(decoding: packet.data) else {
                return .fault(.malformed)
            }
            return answered(response, identifier, at: now)
        case .flowControlCredit:
            guard let credit = try? L2CAP.FlowControlCredit(decoding: packet.data) else { return reject(identifier) }
            return take(credit, at: now)
        case .disconnectionRequest:
            guard let request = try? L2CAP.DisconnectionRequest(decoding: packet.data) else {
                return reject(identifier)
            }
            return ended(request, identifier)
        case .disconnectionResponse:
            guard let response = try? L2CAP.DisconnectionResponse(decoding: packet.data) else {
                return .fault(.malformed)
            }
            return ended(response, identifier)
        case .commandReject:
            return rejected(identifier)
        default: return receiveEnhanced(packet, listeners: listeners, security: security, at: now)
        }
        return .handled
    }

    mutating func reject(_ identifier: UInt8) -> SignalOutcome {
        if waitingSignalOctets < Self.waitingSignalLimit {
            send(L2CAP.CommandReject(reason: .notUnderstood, data: Span()), identifier: identifier)
        }
        return .fault(.malformed)
    }

    // MARK: Connecting

    private mutating func answer(
        _ request: L2CAP.CreditBasedConnectionRequest, _ identifier: UInt8, _ listeners: [CreditBasedListener],
        _ security: LinkSecurity
    ) {
        let result = verdict(on: request, listeners, security)
        let offer = configuration.offer(.basic)
        guard result == .successful, let local = freeIdentifier() else {
            return send(
                L2CAP.CreditBasedConnectionResponse(
                    destinationChannel: .null, mtu: 0, mps: 0, initialCredits: 0,
                    result: result == .successful ? .noResources : result), identifier: identifier)
        }
        var channel = CreditBasedChannel(
            number: takeNumber(), spsm: request.spsm, local: local, isIncoming: true, own: offer, state: .open)
        channel.remote = request.sourceChannel
        channel.peer = ChannelLimits(mtu: Int(request.mtu), mps: Int(request.mps))
        channel.sendCredits = Int(request.initialCredits)
        channel.receiveCredits = configuration.windowFrames(offer, channels: channels.count + 1)
        channels.append(channel)
        send(
            L2CAP.CreditBasedConnectionResponse(
                destinationChannel: local, mtu: configuration.mtu, mps: configuration.mps,
                initialCredits: UInt16(truncatingIfNeeded: channel.receiveCredits), result: .successful),
            identifier: identifier)
        events.append(.opened(channel.number, channel.information))
    }

    private func verdict(
        on request: L2CAP.CreditBasedConnectionRequest, _ listeners: [CreditBasedListener], _ security: LinkSecurity
    ) -> L2CAP.CreditBasedConnectionResponse.Result {
        guard let listener = listeners.first(where: { $0.spsm == request.spsm && $0.offer == nil }) else {
            return .spsmNotSupported
        }
        if let refusal = listener.refusal(security) { return refusal }
        guard L2CAP.ChannelIdentifier.dynamic.contains(request.sourceChannel.rawValue) else {
            return .invalidSourceChannel
        }
        guard !channels.contains(where: { $0.remote == request.sourceChannel }) else { return .sourceChannelAllocated }
        guard CreditBasedMode.basic.accepts(mtu: request.mtu, mps: request.mps) else { return .unacceptableParameters }
        return .successful
    }

    private mutating func answered(
        _ response: L2CAP.CreditBasedConnectionResponse, _ identifier: UInt8, at now: Instant
    ) -> SignalOutcome {
        guard
            let index = channels.firstIndex(where: {
                $0.state == .connecting(identifier: identifier) && $0.own.mode == .basic
            })
        else {
            return .fault(.unexpectedResponse)
        }
        let number = channels[index].number
        let isAbandoned = channels[index].isAbandoned
        guard response.result == .successful else {
            if !isAbandoned, suspend(index, for: response.result) { return .handled }
            if !isAbandoned { events.append(.refused(number, .result(response.result))) }
            remove(index)
            return .handled
        }
        let remote = response.destinationChannel
        let isUsable =
            L2CAP.ChannelIdentifier.dynamic.contains(remote.rawValue)
            && !channels.contains { $0.remote == remote }
        guard isUsable else {
            if !isAbandoned { events.append(.refused(number, .invalidResponse)) }
            remove(index)
            return .fault(.malformed)
        }
        channels[index].remote = remote
        let hasRanges = CreditBasedMode.basic.accepts(mtu: response.mtu, mps: response.mps)
        if isAbandoned || !hasRanges {
            // The peer has opened a channel that this side has closed or cannot use.
            if !isAbandoned { events.append(.refused(number, .invalidResponse)) }
            disconnectSilently(index, at: now)
            return hasRanges ? .handled : .fault(.malformed)
        }
        channels[index].peer = ChannelLimits(mtu: Int(response.mtu), mps: Int(response.mps))
        channels[index].sendCredits = Int(response.initialCredits)
        channels[index].deadline = nil
        channels[index].state = .open
        events.append(.opened(number, channels[index].information))
        return .handled
    }

    /// Takes a Command Reject: the peer does not support such channels, or has no such channel.
    private mutating func rejected(_ identifier: UInt8) -> SignalOutcome {
        let before = channels.count
        // The channels of one request have one identifier, and end in their order.
        for number in channels.map(\.number) {
            guard let index = index(number: number) else { continue }
            switch channels[index].state {
            case .connecting(identifier):
                if !channels[index].isAbandoned { events.append(.refused(number, .notUnderstood)) }
                remove(index)
            case .disconnecting(identifier): remove(index)
            default: continue
            }
        }
        return channels.count < before ? .handled : .notOurs
    }

    // MARK: Credits

    private mutating func take(_ credit: L2CAP.FlowControlCredit, at now: Instant) -> SignalOutcome {
        guard credit.credits > 0, let index = channels.firstIndex(where: { $0.remote == credit.channel }) else {
            return .fault(.malformed)
        }
        switch channels[index].state {
        case .connecting, .suspended, .disconnecting: return .handled
        case .open, .draining: break
        }
        channels[index].sendCredits += Int(credit.credits)
        if channels[index].sendCredits > 0xFFFF { disconnect(index, .violation(.creditOverflow), at: now) }
        return .handled
    }

    // MARK: Disconnecting

    private mutating func ended(_ request: L2CAP.DisconnectionRequest, _ identifier: UInt8) -> SignalOutcome {
        guard let index = index(local: request.destinationChannel), channels[index].remote != .null else {
            let ends: [4 of UInt8] = [
                UInt8(truncatingIfNeeded: request.destinationChannel.rawValue),
                UInt8(truncatingIfNeeded: request.destinationChannel.rawValue >> 8),
                UInt8(truncatingIfNeeded: request.sourceChannel.rawValue),
                UInt8(truncatingIfNeeded: request.sourceChannel.rawValue >> 8),
            ]
            send(L2CAP.CommandReject(reason: .invalidChannelIdentifier, data: ends.span), identifier: identifier)
            return .fault(.malformed)
        }
        // A request with the right destination and the wrong source is discarded silently (Vol 3, Part A, 4.6).
        guard channels[index].remote == request.sourceChannel else { return .fault(.malformed) }
        send(
            L2CAP.DisconnectionResponse(
                destinationChannel: request.destinationChannel, sourceChannel: request.sourceChannel),
            identifier: identifier)
        if channels[index].state == .open || channels[index].state == .draining {
            events.append(.closed(channels[index].number, .peer))
        }
        remove(index)
        return .handled
    }

    private mutating func ended(_ response: L2CAP.DisconnectionResponse, _ identifier: UInt8) -> SignalOutcome {
        guard
            let index = channels.firstIndex(where: {
                $0.state == .disconnecting(identifier: identifier) && $0.remote == response.destinationChannel
                    && $0.local == response.sourceChannel
            })
        else { return .fault(.unexpectedResponse) }
        remove(index)
        return .handled
    }
}

extension CreditBasedListener {
    /// The result for a client whose link is not secure enough; nil if it is.
    func refusal(_ security: LinkSecurity) -> L2CAP.CreditBasedConnectionResponse.Result? {
        guard requiresEncryption else { return nil }
        return switch security.shortfall(for: requirement) {
        case nil: nil
        case .authentication: .insufficientAuthentication
        case .encryption: .insufficientEncryption
        case .keySize: .keySizeTooShort
        }
    }
}

extension CreditBasedChannel {
    var information: CreditBasedChannelInformation {
        CreditBasedChannelInformation(spsm: spsm, isIncoming: isIncoming, sendMTU: peer.mtu)
    }
}
