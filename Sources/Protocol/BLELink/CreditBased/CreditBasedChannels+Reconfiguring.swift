import BLEWire

/// New limits of open channels of the enhanced mode (Vol 3, Part A, 4.27 and 4.28).
extension CreditBasedChannels {
    /// A request of this side.
    struct Reconfiguration {
        let identifier: UInt8
        let deadline: Instant
        let numbers: [UInt32]
        /// The new MPS, which applies from the peer's answer on.
        let mps: UInt16
    }

    /// Requests new limits for what the peer sends on one to five channels. `reconfigureAnswered` follows for each. This side
    /// accepts the longer of old and new frames from now on.
    ///
    /// - Returns: False, without effect, if the specification does not allow the request: a channel is not open or not of the
    ///   enhanced mode, or has an unanswered request; a limit is below 64 octets; the MTU becomes smaller; the MPS of more than
    ///   one channel becomes smaller.
    package mutating func reconfigure(_ numbers: [UInt32], mtu: UInt16, mps: UInt16, at now: Instant) -> Bool {
        let indices = numbers.compactMap(index(number:)).filter {
            channels[$0].state == .open && channels[$0].own.mode == .enhanced
        }
        guard (1...L2CAP.enhancedChannelLimit).contains(numbers.count), Set(indices).count == numbers.count,
            CreditBasedMode.enhanced.accepts(mtu: mtu, mps: mps),
            !reconfigurations.contains(where: { !Set($0.numbers).isDisjoint(with: numbers) }),
            indices.allSatisfy({ channels[$0].own.mtu <= mtu }),
            indices.count == 1 || indices.allSatisfy({ channels[$0].own.mps <= mps })
        else { return false }
        for index in indices {
            channels[index].own.mtu = mtu
            channels[index].own.mps = max(channels[index].own.mps, mps)
        }
        let identifier = nextIdentifier()
        reconfigurations.append(
            Reconfiguration(
                identifier: identifier, deadline: now + configuration.responseTimeout, numbers: numbers, mps: mps))
        send(
            L2CAP.EnhancedReconfigureRequest(mtu: mtu, mps: mps, channels: indices.map { channels[$0].local }),
            identifier: identifier)
        return true
    }

    /// Takes the peer's answer; nil if there is none. Returns false if no request waits for it.
    mutating func endReconfiguration(
        _ identifier: UInt8, _ result: L2CAP.EnhancedReconfigureResponse.Result?
    ) -> Bool {
        guard let position = reconfigurations.firstIndex(where: { $0.identifier == identifier }) else { return false }
        let ended = reconfigurations.remove(at: position)
        for number in ended.numbers {
            guard let index = index(number: number), channels[index].state == .open else { continue }
            if result == .successful { channels[index].own.mps = ended.mps }
            events.append(.reconfigureAnswered(number, result))
        }
        return true
    }

    mutating func reconfigurationsTimedOut(at now: Instant) {
        while let first = reconfigurations.first, first.deadline <= now {
            _ = endReconfiguration(first.identifier, nil)
        }
    }

    /// Answers a request of the peer, which names its own ends of the channels.
    mutating func answer(_ request: L2CAP.EnhancedReconfigureRequest, _ identifier: UInt8) {
        let indices = request.channels.compactMap { end in
            channels.firstIndex {
                $0.remote == end && $0.own.mode == .enhanced && ($0.state == .open || $0.state == .draining)
            }
        }
        let result: L2CAP.EnhancedReconfigureResponse.Result =
            if Set(indices).count < request.channels.count {
                .invalidChannel
            } else if !CreditBasedMode.enhanced.accepts(mtu: request.mtu, mps: request.mps) {
                .unacceptableParameters
            } else if indices.contains(where: { channels[$0].peer.mtu > Int(request.mtu) }) {
                .reducedMTU
            } else if indices.count > 1, indices.contains(where: { channels[$0].peer.mps > Int(request.mps) }) {
                .reducedMPS
            } else {
                .successful
            }
        if result == .successful {
            for index in indices {
                channels[index].peer = ChannelLimits(mtu: Int(request.mtu), mps: Int(request.mps))
                events.append(.reconfigured(channels[index].number, sendMTU: Int(request.mtu)))
            }
        }
        send(L2CAP.EnhancedReconfigureResponse(result: result), identifier: identifier)
    }
}
