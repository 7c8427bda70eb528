import BLEAdapter
import BLEHost
import BLELink
import BLEWire

/// The L2CAP channels of all sessions, and the services to which peers open them.
struct ChannelTable {
    struct Channel {
        let identifier: ChannelIdentifier
        let session: Int
        let isIncoming: Bool
        let psm: UInt16
        let peer: PeerIdentifier
        /// False until the peer answers.
        var isOpen: Bool
        /// This side closed the channel. Queued data is still to be sent.
        var isClosing = false
    }

    /// A channel that a session asked for, behind others to the same peer.
    struct Request {
        let session: Int
        let psm: UInt16
        let peer: PeerIdentifier
    }

    struct Service {
        let session: Int
        let psm: UInt16
    }

    var channels: [Channel] = []
    var services: [Service] = []
    /// In the order of the calls. One channel of a session to a peer is opened at a time, so that the results come in that order: a refusal
    /// names no channel.
    var requests: [Request] = []
    /// The number after the most recent one. A new service thus does not immediately reuse the number of a removed
    /// service.
    var nextPSM: UInt16 = 0x0080

    func index(_ identifier: ChannelIdentifier) -> Int? {
        for index in channels.indices where channels[index].identifier == identifier { return index }
        return nil
    }

    /// Removes and returns the next request of a session to a peer, unless the peer has yet to answer the one before.
    mutating func takeRequest(to peer: PeerIdentifier, of session: Int) -> Request? {
        let isOpening = channels.contains { !$0.isIncoming && !$0.isOpen && $0.peer == peer && $0.session == session }
        guard !isOpening, let index = requests.firstIndex(where: { $0.peer == peer && $0.session == session }) else {
            return nil
        }
        return requests.remove(at: index)
    }

    /// A dynamic SPSM for a new service (Vol 3, Part A, 4.22); nil if all are in use.
    mutating func takePSM() -> UInt16? {
        for _ in 0x0080...0x00FF {
            let psm = nextPSM
            nextPSM = psm == 0x00FF ? 0x0080 : psm + 1
            if !services.contains(where: { $0.psm == psm }) { return psm }
        }
        return nil
    }
}

extension CreditBasedEnd {
    var channelEnd: ChannelEnd {
        switch self {
        case .local: .local
        case .peer: .peer
        case .linkLost: .linkLost
        case .violation: .violation
        }
    }
}

extension CreditBasedConnectionError {
    /// The failure for the result of a connection request (Vol 3, Part A, 4.23).
    var failure: ChannelError {
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
