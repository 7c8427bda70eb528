import BLEWire

/// An event of the credit-based channels of a link. The first value is the channel's number. Unlike channel
/// identifiers, it is never reused on that link.
package enum CreditBasedEvent: Hashable, Sendable {
    case opened(UInt32, CreditBasedChannelInformation)
    /// Answers `connect` if no channel was opened.
    case refused(UInt32, CreditBasedConnectionError)
    /// The peer refused our request because the link's security is too low. `resume` continues the channel. The event requires
    /// `CreditBasedConfiguration.suspendsForSecurity`.
    case securityRequired(UInt32, L2CAP.CreditBasedConnectionResponse.Result)
    /// A whole SDU, as a range of `CreditBasedChannels.bytes`. Its octets count against the window until they are
    /// `consumed`.
    case received(UInt32, Range<Int>)
    /// The peer accepts SDUs of this length from now on, in octets.
    case reconfigured(UInt32, sendMTU: Int)
    /// `send` has returned `full`, and there is room again.
    case writable(UInt32)
    /// Ends every opened channel. SDUs received before remain valid.
    case closed(UInt32, CreditBasedEnd)
}

/// The properties of a channel.
package struct CreditBasedChannelInformation: Hashable, Sendable {
    package var spsm: UInt16
    /// Whether the peer requested the channel.
    package var isIncoming: Bool
    /// The longest SDU that the peer accepts, in octets.
    package var sendMTU: Int

    package init(spsm: UInt16, isIncoming: Bool, sendMTU: Int) {
        self.spsm = spsm
        self.isIncoming = isIncoming
        self.sendMTU = sendMTU
    }
}

/// The reason why a channel was not opened.
package enum CreditBasedConnectionError: Error, Hashable, Sendable {
    /// The result in the peer's answer.
    case result(L2CAP.CreditBasedConnectionResponse.Result)
    /// The peer does not support the request.
    case notUnderstood
    /// The peer accepted with values outside their ranges.
    case invalidResponse
    case noAnswer
    /// The number is not a valid SPSM.
    case invalidSPSM
    /// The link has no free channel.
    case noChannelLeft
    case linkLost
    /// `close` was called before the answer.
    case cancelled
}

/// The reason why a channel ended.
package enum CreditBasedEnd: Hashable, Sendable {
    /// This side closed it.
    case local
    case peer
    case linkLost
    /// The peer violated the rules of the channel, and this side closed it (Vol 3, Part A, 3.4.3 and 10.1).
    case violation(Violation)

    package enum Violation: Hashable, Sendable {
        /// A K-frame without a credit.
        case noCredit
        /// A K-frame longer than our MPS.
        case frameTooLong
        /// A first K-frame without its SDU length.
        case frameTooShort
        /// An SDU longer than our MTU.
        case sduTooLong
        /// More octets than the SDU length states.
        case sduOverrun
        /// More than 65,535 credits.
        case creditOverflow
        /// The peer named the same end for a second channel (Vol 3, Part A, 4.26).
        case duplicateChannel
    }
}
