import BLEWire

/// The life of a link (Vol 6, Part B, 4.5 and 5.1.6). Only an established link has a supervision timeout, and only such a link ends by its peer.
enum LinkState: Hashable {
    /// No valid PDU of the peer has been received.
    case created
    /// The supervision timeout runs from this time on: the last valid PDU, or a later instant of new parameters (Vol 6, Part B, 4.5.2 and 5.1.1).
    case established(supervisedFrom: Instant)
    /// The peer terminates the link for this reason. The link ends when the acknowledgement is sent.
    case ending(HCI.ErrorCode, supervisedFrom: Instant)
    case closed

    var isOpen: Bool { self != .closed }

    var isEstablished: Bool { supervisedFrom != nil }

    /// The start of the supervision timeout; nil unless the link is established.
    var supervisedFrom: Instant? {
        switch self {
        case .established(let start), .ending(_, let start): start
        case .created, .closed: nil
        }
    }

    /// The peer's reason to terminate.
    var ending: HCI.ErrorCode? { if case .ending(let reason, _) = self { reason } else { nil } }

    /// Takes a valid PDU of the peer. Returns whether it establishes the link.
    mutating func receive(at now: Instant) -> Bool {
        switch self {
        case .created:
            self = .established(supervisedFrom: now)
            return true
        case .established: self = .established(supervisedFrom: now)
        case .ending(let reason, _): self = .ending(reason, supervisedFrom: now)
        case .closed: break
        }
        return false
    }

    /// Restarts the supervision timeout, unless a later PDU has.
    mutating func restartSupervision(at time: Instant) {
        switch self {
        case .established(let start): self = .established(supervisedFrom: max(start, time))
        case .ending(let reason, let start): self = .ending(reason, supervisedFrom: max(start, time))
        case .created, .closed: break
        }
    }

    /// Takes LL_TERMINATE_IND of the peer.
    mutating func end(_ reason: HCI.ErrorCode) {
        if let supervisedFrom { self = .ending(reason, supervisedFrom: supervisedFrom) }
    }
}
