extension L2CAP {
    /// L2CAP_LE_CREDIT_BASED_CONNECTION_REQ (Vol 3, Part A, 4.22).
    package struct CreditBasedConnectionRequest: Signal, FieldPDU, Hashable {
        package static var code: L2CAP.SignalCode { .creditBasedConnectionRequest }

        /// The Simplified Protocol/Service Multiplexer, 0x0001 to 0x00FF.
        package var spsm: UInt16
        package var sourceChannel: ChannelIdentifier
        /// In octets, at least 23.
        package var mtu: UInt16
        /// In octets, 23 to 65,533.
        package var mps: UInt16
        package var initialCredits: UInt16
    }

    /// L2CAP_LE_CREDIT_BASED_CONNECTION_RSP (Vol 3, Part A, 4.23).
    package struct CreditBasedConnectionResponse: Signal, FieldPDU, Hashable {
        package static var code: L2CAP.SignalCode { .creditBasedConnectionResponse }

        package struct Result: RawRepresentable, Hashable, Sendable {
            package let rawValue: UInt16
            package init(rawValue: UInt16) { self.rawValue = rawValue }
            package static let successful = Result(rawValue: 0x0000)
            package static let spsmNotSupported = Result(rawValue: 0x0002)
            package static let noResources = Result(rawValue: 0x0004)
            package static let insufficientAuthentication = Result(rawValue: 0x0005)
            package static let insufficientAuthorization = Result(rawValue: 0x0006)
            package static let keySizeTooShort = Result(rawValue: 0x0007)
            package static let insufficientEncryption = Result(rawValue: 0x0008)
            package static let invalidSourceChannel = Result(rawValue: 0x0009)
            package static let sourceChannelAllocated = Result(rawValue: 0x000A)
            package static let unacceptableParameters = Result(rawValue: 0x000B)
            // Of the enhanced mode alone (Vol 3, Part A, 4.26).
            package static let invalidParameters = Result(rawValue: 0x000C)
            package static let pending = Result(rawValue: 0x000D)
            package static let authenticationPending = Result(rawValue: 0x000E)
            package static let authorizationPending = Result(rawValue: 0x000F)
        }

        package var destinationChannel: ChannelIdentifier
        package var mtu: UInt16
        package var mps: UInt16
        package var initialCredits: UInt16
        package var result: Result
    }

    /// L2CAP_FLOW_CONTROL_CREDIT_IND (Vol 3, Part A, 4.24).
    package struct FlowControlCredit: Signal, FieldPDU, Hashable {
        package static var code: L2CAP.SignalCode { .flowControlCredit }

        package var channel: ChannelIdentifier
        package var credits: UInt16
    }
}
