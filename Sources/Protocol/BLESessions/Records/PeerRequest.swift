import BLEAdapter
import BLEHost
import BLEWire

/// A peer to which sessions request a connection, and its users. A `Link` represents the link, if there is one.
struct PeerRequest {
    struct User {
        enum State {
            case delayed, waiting, connected
            /// Cancelled; the link has not ended yet.
            case leaving
            /// Cancelled, then requested again.
            case rejoining
        }
        var session: Int
        var options: ConnectionOptions
        var state: State
    }

    let peer: PeerKey
    var users: [User] = []
    /// Whether the host is trying to connect.
    var isAttempting = false
    /// Consecutive attempts that ended before a link was ready.
    struct Failures {
        /// The end of the first one, and of the latest one.
        let since: Instant
        var latest: Instant
        var count = 0

        init(since now: Instant) { (since, latest) = (now, now) }
    }
    var failures: Failures?

    init(peer: PeerKey) { self.peer = peer }

    func userIndex(_ session: Int) -> Int? { users.firstIndex { $0.session == session } }

    /// Whether a session requests the link now.
    var isWanted: Bool {
        users.contains {
            switch $0.state {
            case .waiting, .connected, .rejoining: true
            case .delayed, .leaving: false
            }
        }
    }
}

extension DisconnectionCause {
    /// The cause of the failure, for a session that did not cancel the link.
    var failure: ConnectionError {
        switch self {
        case .requested: .endedByHost
        case .host(.attributeTimeout): .attributeTimeout
        case .host(.attributeViolation): .protocolViolation
        // The controller lost the link without reporting it.
        case .host(.stalledController), .host(.replaced): .supervisionTimeout
        // Packets arrived, but none that the peer authenticated.
        case .host(.authenticatedPayloadTimeout): .supervisionTimeout
        case .host(.powerOff), .host(.controllerLost): .adapterLost
        case .host(.keyMissing): .peerRemovedPairingInformation
        case .host(.encryptionTimeout): .encryptionTimedOut
        case .host(.encryptionFailed), .host(.encryptionEnded): .encryptionFailed
        case .controller(let code): code.linkFailure
        }
    }

    /// Whether a link that was being encrypted with the keys of a bond can have ended so because the peer has other keys. The one that first gets a packet
    /// with a wrong MIC leaves the link without a word (Vol 6, Part B, 5.1.3.1), which the other one sees as silence.
    var canMeanOtherKeys: Bool {
        switch self {
        case .controller(.connectionTerminatedDueToMICFailure), .controller(.connectionTimeout): true
        default: false
        }
    }

    /// The cause of a failed attempt whose link ended before it was ready.
    var attemptFailure: ConnectionError {
        if case .controller(let code) = self { return code.attemptFailure }
        return failure == .supervisionTimeout ? .establishmentFailed : failure
    }
}

extension HCI.ErrorCode {
    /// The cause of a link's end, from the reason in Disconnection Complete (Vol 4, Part E, 7.7.5).
    var linkFailure: ConnectionError {
        switch self {
        case .connectionTimeout: .supervisionTimeout
        case .remoteUserTerminatedConnection, .remoteDeviceTerminatedConnectionDueToLowResources,
            .remoteDeviceTerminatedConnectionDueToPowerOff:
            .endedByPeer
        case .connectionFailedToBeEstablished: .establishmentFailed
        // The peer ended the link because it has no keys, or other keys (Vol 1, Part F, 2.5 and 2.6).
        case .authenticationFailure, .pinOrKeyMissing: .peerRemovedPairingInformation
        case .connectionTerminatedDueToMICFailure: .encryptionFailed
        default: .controller(rawValue)
        }
    }

    /// The cause of an attempt that established no link (Vol 1, Part F, 2.7 and 2.9 for the limits).
    var attemptFailure: ConnectionError {
        switch self {
        case .connectionLimitExceeded, .memoryCapacityExceeded: .limitReached
        case .connectionTimeout: .establishmentFailed
        default: linkFailure
        }
    }
}
