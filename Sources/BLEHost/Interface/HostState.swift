import BLELink
import BLEWire

/// Names a link as long as the host lives; never used again, unlike a connection handle.
package struct LinkIdentifier: Hashable, Sendable {
    package let rawValue: UInt32
    package init(rawValue: UInt32) { self.rawValue = rawValue }
}

package enum LinkRole: UInt8, Hashable, Sendable { case central = 0, peripheral = 1 }

package enum HostState: Hashable, Sendable {
    /// Not started, or powered off.
    case off
    /// The start-up sequence runs.
    case starting
    case ready
    /// Something went wrong, everything is lost, and the start-up sequence runs again by itself.
    case resetting(HostFailure)
    /// Given up; `start` tries again.
    case failed(HostFailure)
}

/// Why a host cannot go on.
package enum HostFailure: Error, Hashable, Sendable {
    case transportClosed
    /// The controller did not answer this command in time.
    case noAnswer(HCI.Opcode)
    /// The controller refused a command that the host cannot do without.
    case commandFailed(HCI.Opcode, HCI.ErrorCode)
    /// The controller's answer to this command cannot be read.
    case malformedAnswer(HCI.Opcode)
    /// Hardware Error, with the manufacturer's code.
    case hardwareError(UInt8)
    /// The controller does not do Bluetooth LE.
    case noLowEnergy
    /// The controller has no buffers for ACL data.
    case noDataBuffers
    /// A Disconnection Complete or a Connection Complete that was due never came.
    case missingEvent
}

/// Why a link ended. The first cause counts: a link that this host began to end keeps the host's cause, whatever reason the
/// controller gives in Disconnection Complete.
package enum DisconnectionCause: Hashable, Sendable {
    /// The driver called `disconnect` or `cancelConnect`.
    case requested
    /// This host ended the link by itself.
    case host(HostReason)
    /// The controller reported the end and its reason: the peer ended the link, the link was lost, or another
    /// (Vol 1, Part F, 1.3). 0x16 here is an end that this host did not ask for.
    case controller(HCI.ErrorCode)

    package enum HostReason: Hashable, Sendable {
        /// The peer left a request or an indication unanswered for 30 s (Vol 3, Part F, 3.3.3).
        case attributeTimeout
        /// The peer broke the attribute protocol, for example by a response to another request.
        case attributeViolation
        /// The controller completed no packet of the link for 45 s.
        case stalledController
        /// A new connection has the link's handle or its peer: the controller left out the end of this link.
        case replaced
        /// Bluetooth is powered off.
        case powerOff
        /// The controller was reset or is gone.
        case controllerLost
    }
}

/// What a link is like now.
package struct LinkInformation: Hashable, Sendable {
    package var identifier: LinkIdentifier
    package var role: LinkRole
    package var peer: DeviceAddress
    package var parameters: ConnectionParameters
    /// The ATT_MTU, octets.
    package var mtu: UInt16
    /// The longest link-layer data PDU payload to the peer, octets.
    package var dataLength: UInt16
    /// 1: 1M, 2: 2M, 3: Coded.
    package var transmitPHY: UInt8
    package var receivePHY: UInt8
}

/// What a peer or the controller did against the specification. It was dropped or answered; this is for the log.
package enum ProtocolViolation: Hashable, Sendable {
    /// A packet that is no HCI packet a controller sends.
    case malformedPacket
    /// The parameters of this event cannot be read; for LE Meta the subevent is the second value.
    case malformedEvent(HCI.EventCode, UInt8)
    /// An answer to a command that was not asked, or was answered before.
    case unexpectedAnswer(HCI.Opcode)
    /// An event or data for a connection handle that names no link.
    case unknownHandle(UInt16)
    /// A new connection with a handle in use: the old link counts as lost.
    case duplicateHandle(UInt16)
    /// A new connection to a peer that has one: the old link counts as lost.
    case missingDisconnection(UInt16)
    /// No packet was completed for so long that the links that wait for it were ended.
    case missingCompletions
    /// More packets completed than sent.
    case completedMoreThanSent
    /// A fragment was dropped: no start, too long, above the limit, or the frame before it never ended.
    case fragment(FragmentFault)
    /// An L2CAP frame for a channel that does not exist.
    case unknownChannel(UInt16)
    /// A signalling packet that is malformed, unknown, or was not expected.
    case signalling
    /// The attribute bearer failed: an unanswered request, or a peer that breaks the protocol.
    case attributeBearer
    /// A credit-based channel was closed because its peer broke the rules.
    case channel(CreditBasedEnd.Violation)

    package enum FragmentFault: Hashable, Sendable { case missingStart, tooLong, aboveLimit, unfinished }
}
