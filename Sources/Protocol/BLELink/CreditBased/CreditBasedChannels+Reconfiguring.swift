import BLEWire

/// New limits of the peer for open channels of the enhanced mode (Vol 3, Part A, 4.27 and 4.28). This side keeps the limits with which it opens a
/// channel.
extension CreditBasedChannels {
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
