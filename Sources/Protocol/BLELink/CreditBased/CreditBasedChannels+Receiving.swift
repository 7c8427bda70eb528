import BLEWire

/// Reception of K-frames (Vol 3, Part A, 3.4).
extension CreditBasedChannels {
    /// Takes the payload of a frame on a dynamic channel. Returns false if there is no such channel.
    package mutating func receive(
        _ payload: Span<UInt8>, on channel: L2CAP.ChannelIdentifier, at now: Instant
    ) -> Bool {
        guard let index = index(local: channel) else { return false }
        switch channels[index].state {
        case .connecting, .suspended: return false
        case .disconnecting: return true
        case .open, .draining: break
        }
        if let violation = accept(payload, on: index) { disconnect(index, .violation(violation), at: now) }
        return true
    }

    private mutating func accept(_ payload: Span<UInt8>, on index: Int) -> CreditBasedEnd.Violation? {
        guard channels[index].receiveCredits > 0 else { return .noCredit }
        channels[index].receiveCredits -= 1
        guard payload.count <= Int(channels[index].own.mps) else { return .frameTooLong }
        if let missing = channels[index].missing {
            guard payload.count <= missing else { return .sduOverrun }
            channels[index].partial.append(payload)
            channels[index].missing = missing - payload.count
            if missing == payload.count { deliverPartial(index) }
        } else {
            var body = payload
            guard let length = try? Int(body.readUInt16()) else { return .frameTooShort }
            guard length <= Int(channels[index].own.mtu) else { return .sduTooLong }
            guard body.count <= length else { return .sduOverrun }
            if body.count == length {
                deliver(body, index)
            } else {
                channels[index].partial.append(body)
                channels[index].missing = length - body.count
            }
        }
        giveCredits(index)
        return nil
    }

    private mutating func deliverPartial(_ index: Int) {
        var sdu: [UInt8] = []
        swap(&sdu, &channels[index].partial)
        deliver(sdu.span, index)
        sdu.removeAll(keepingCapacity: true)
        swap(&sdu, &channels[index].partial)
        channels[index].missing = nil
    }

    private mutating func deliver(_ sdu: Span<UInt8>, _ index: Int) {
        guard channels[index].state == .open, !sdu.isEmpty else { return }
        let start = bytes.count
        bytes.append(sdu)
        channels[index].unread += sdu.count
        events.append(.received(channels[index].number, start..<bytes.count))
    }
}
