import BLELink
import BLEWire

/// Identifies a link for the lifetime of the host. Unlike a connection handle, it is never reused.
@usableFromInline
package struct LinkIdentifier: Hashable, Sendable {
    @usableFromInline package let rawValue: UInt32
    @inlinable
    package init(rawValue: UInt32) { self.rawValue = rawValue }
    @inlinable
    package static func == (left: LinkIdentifier, right: LinkIdentifier) -> Bool { left.rawValue == right.rawValue }
}

@usableFromInline
package enum LinkRole: UInt8, Hashable, Sendable {
    case central = 0
    case peripheral = 1

    // The library's form for types with a raw value calls witnesses.
    @inlinable
    package static func == (left: LinkRole, right: LinkRole) -> Bool {
        switch (left, right) {
        case (.central, .central), (.peripheral, .peripheral): true
        default: false
        }
    }
}

package enum HostState: Hashable, Sendable {
    /// Not started, or powered off.
    case off
    /// The start-up sequence runs.
    case starting
    case ready
    /// An error ended everything. The host repeats the start-up sequence by itself.
    case resetting(HostError)
    /// The host has stopped trying. `start` tries again.
    case failed(HostError)
}

/// The reason why a host cannot continue.
package enum HostError: Error, Hashable, Sendable {
    case transportClosed
    /// The controller did not answer this command in time.
    case noAnswer(HCI.Opcode)
    /// The controller refused a command that the host depends on.
    case commandFailed(HCI.Opcode, HCI.ErrorCode)
    /// The controller's answer to this command cannot be decoded.
    case malformedAnswer(HCI.Opcode)
    /// Hardware Error, with the manufacturer's code (Vol 4, Part E, 7.7.16).
    case hardwareError(UInt8)
    /// The controller does not support Bluetooth LE.
    case noLowEnergy
    /// The controller has no buffers for ACL data (Vol 4, Part E, 7.8.2).
    case noDataBuffers
    /// A Disconnection Complete or a Connection Complete that was due never arrived.
    case missingEvent
}

/// The cause of a link's end. The first cause counts: if this host began to end the link, the host's cause stays,
/// whatever reason the controller gives in Disconnection Complete.
package enum DisconnectionCause: Hashable, Sendable {
    /// The driver called `disconnect` or `cancelConnect`.
    case requested
    /// This host ended the link by itself.
    case host(HostReason)
    /// The controller reported the end with this reason: the peer ended the link, the link was lost, or another reason
    /// (Vol 1, Part F, 1.3). Reason 0x16 here is an end that this host did not request.
    case controller(HCI.ErrorCode)

    package enum HostReason: Hashable, Sendable {
        /// The peer left a request or an indication unanswered for 30 s (Vol 3, Part F, 3.3.3).
        case attributeTimeout
        /// The peer violated the attribute protocol, for example with a response to another request.
        case attributeViolation
        /// The controller completed no packet of the link for 45 s.
        case stalledController
        /// A new connection has the link's handle or its peer. The controller omitted the end of this link.
        case replaced
        /// The peer has no keys of the bond. A new pairing needs the user's consent, because another device may use the
        /// peer's address.
        case keyMissing
        /// The controller could not encrypt the link with the keys of the bond.
        case encryptionFailed
        /// The peer or the controller did not complete an encryption procedure in time.
        case encryptionTimeout
        /// The controller reported the end of encryption, which a link does not survive (Vol 6, Part B, 5.1.3).
        case encryptionEnded
        /// No packet with a valid MIC arrived during the authenticated payload timeout (Vol 6, Part B, 5.4).
        case authenticatedPayloadTimeout
        /// Bluetooth is powered off.
        case powerOff
        /// The controller was reset or is gone.
        case controllerLost
    }
}

/// The current state of a link.
package struct LinkInformation: Hashable, Sendable {
    package var identifier: LinkIdentifier
    package var role: LinkRole
    package var peer: DeviceAddress
    package var parameters: ConnectionParameters
    /// The ATT_MTU in octets.
    package var mtu: UInt16
    /// The longest link-layer data PDU payload to the peer, in octets.
    package var dataLength: UInt16
    /// 1: 1M, 2: 2M, 3: Coded (Vol 4, Part E, 7.7.65.12).
    package var transmitPHY: UInt8
    package var receivePHY: UInt8
}

/// A violation of the specification by a peer or the controller. The host has dropped or answered it; this value is for
/// the log.
package enum ProtocolViolation: Hashable, Sendable {
    /// A packet that is not an HCI packet a controller may send.
    case malformedPacket
    /// The parameters of this event cannot be decoded. For LE Meta the second value is the subevent.
    case malformedEvent(HCI.EventCode, UInt8)
    /// An answer to a command that this host did not send, or that is already answered.
    case unexpectedAnswer(HCI.Opcode)
    /// An event or data for a connection handle without a link.
    case unknownHandle(UInt16)
    /// A new connection with a handle in use. The old link counts as lost.
    case duplicateHandle(UInt16)
    /// A new connection to a peer that already has a link. The old link counts as lost.
    case missingDisconnection(UInt16)
    /// The controller completed no packet for so long that the host ended the waiting links.
    case missingCompletions
    /// The controller completed more packets than were sent.
    case completedMoreThanSent
    /// A dropped fragment (Vol 3, Part A, 7.2.2): it has no start, is too long or above the limit, or the preceding
    /// frame never ended.
    case fragment(FragmentFault)
    /// An L2CAP frame for a channel that does not exist.
    case unknownChannel(UInt16)
    /// The controller reported an encryption for which this host gave no key, or the authenticated payload timeout of a link that is
    /// not encrypted.
    case unexpectedEncryption
    /// A signalling packet that is malformed, unknown or unexpected.
    case signalling
    /// The attribute bearer failed: a request without an answer, or a protocol violation by the peer.
    case attributeBearer
    /// A credit-based channel was closed because its peer violated the protocol.
    case channel(CreditBasedEnd.Violation)

    package enum FragmentFault: Hashable, Sendable { case missingStart, tooLong, aboveLimit, unfinished }
}
