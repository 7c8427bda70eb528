import BLEWire

/// Something that happened to the credit-based channels of a link. The first value is the channel's number, which is never
/// used again on that link, unlike its channel identifiers.
package enum CreditBasedEvent: Hashable, Sendable {
    case opened(UInt32, CreditBasedChannelInformation)
    /// Answers `connect` when there is no channel.
    case refused(UInt32, CreditBasedRefusal)
    /// A whole SDU, as a range of `CreditBasedChannels.bytes`. Its octets count against the window until they are `consumed`.
    case received(UInt32, Range<Int>)
    /// `send` said full, and there is room again.
    case writable(UInt32)
    /// Ends every channel that was opened. What was received before is still good.
    case closed(UInt32, CreditBasedEnd)
}

/// What a channel is like.
package struct CreditBasedChannelInformation: Hashable, Sendable {
    package var spsm: UInt16
    /// The peer asked for it.
    package var isIncoming: Bool
    /// The longest SDU that the peer takes, octets.
    package var sendMTU: Int

    package init(spsm: UInt16, isIncoming: Bool, sendMTU: Int) {
        self.spsm = spsm
        self.isIncoming = isIncoming
        self.sendMTU = sendMTU
    }
}

/// Why there is no channel.
package enum CreditBasedRefusal: Error, Hashable, Sendable {
    /// The peer's answer.
    case result(L2CAP.CreditBasedConnectionResponse.Result)
    /// The peer does not know the request.
    case notUnderstood
    /// The peer accepted with values outside their ranges.
    case invalidResponse
    case noAnswer
    /// Not a number that a service can have.
    case invalidSPSM
    /// This link has no channel left.
    case noChannelLeft
    case linkLost
    /// `close` came first.
    case cancelled
}

/// Why a channel is no more.
package enum CreditBasedEnd: Hashable, Sendable {
    /// This side closed it.
    case local
    case peer
    case linkLost
    /// The peer broke the rules of the channel, which is then closed from here (Vol 3, Part A, 3.4.3 and 10.1).
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
        /// More octets than the SDU length says.
        case sduOverrun
        /// More than 65,535 credits.
        case creditOverflow
    }
}
