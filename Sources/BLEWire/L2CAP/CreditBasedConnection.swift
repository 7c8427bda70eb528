extension L2CAP {
    /// L2CAP_LE_CREDIT_BASED_CONNECTION_REQ (Vol 3, Part A, 4.22).
    package struct CreditBasedConnectionRequest: Hashable, Sendable {
        /// The Simplified Protocol/Service Multiplexer, 0x0001 to 0x00FF.
        package var spsm: UInt16
        package var sourceChannel: ChannelIdentifier
        /// In octets, at least 23.
        package var mtu: UInt16
        /// In octets, 23 to 65,533.
        package var mps: UInt16
        package var initialCredits: UInt16

        package init(spsm: UInt16, sourceChannel: ChannelIdentifier, mtu: UInt16, mps: UInt16, initialCredits: UInt16) {
            self.spsm = spsm
            self.sourceChannel = sourceChannel
            self.mtu = mtu
            self.mps = mps
            self.initialCredits = initialCredits
        }
    }

    /// L2CAP_LE_CREDIT_BASED_CONNECTION_RSP (Vol 3, Part A, 4.23).
    package struct CreditBasedConnectionResponse: Hashable, Sendable {
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
        }

        package var destinationChannel: ChannelIdentifier
        package var mtu: UInt16
        package var mps: UInt16
        package var initialCredits: UInt16
        package var result: Result

        package init(
            destinationChannel: ChannelIdentifier, mtu: UInt16, mps: UInt16, initialCredits: UInt16, result: Result
        ) {
            self.destinationChannel = destinationChannel
            self.mtu = mtu
            self.mps = mps
            self.initialCredits = initialCredits
            self.result = result
        }
    }

    /// L2CAP_FLOW_CONTROL_CREDIT_IND (Vol 3, Part A, 4.24).
    package struct FlowControlCredit: Hashable, Sendable {
        package var channel: ChannelIdentifier
        package var credits: UInt16

        package init(channel: ChannelIdentifier, credits: UInt16) {
            self.channel = channel
            self.credits = credits
        }
    }
}

extension L2CAP.CreditBasedConnectionRequest: L2CAP.Signal {
    package static var code: L2CAP.SignalCode { .creditBasedConnectionRequest }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        spsm = try bytes.readUInt16()
        sourceChannel = L2CAP.ChannelIdentifier(rawValue: try bytes.readUInt16())
        mtu = try bytes.readUInt16()
        mps = try bytes.readUInt16()
        initialCredits = try bytes.readUInt16()
        try bytes.finish()
    }

    package var encodedCount: Int { 10 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(spsm)
        try output.write(sourceChannel.rawValue)
        try output.write(mtu)
        try output.write(mps)
        try output.write(initialCredits)
    }
}

extension L2CAP.CreditBasedConnectionResponse: L2CAP.Signal {
    package static var code: L2CAP.SignalCode { .creditBasedConnectionResponse }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        destinationChannel = L2CAP.ChannelIdentifier(rawValue: try bytes.readUInt16())
        mtu = try bytes.readUInt16()
        mps = try bytes.readUInt16()
        initialCredits = try bytes.readUInt16()
        result = Result(rawValue: try bytes.readUInt16())
        try bytes.finish()
    }

    package var encodedCount: Int { 10 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(destinationChannel.rawValue)
        try output.write(mtu)
        try output.write(mps)
        try output.write(initialCredits)
        try output.write(result.rawValue)
    }
}

extension L2CAP.FlowControlCredit: L2CAP.Signal {
    package static var code: L2CAP.SignalCode { .flowControlCredit }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        channel = L2CAP.ChannelIdentifier(rawValue: try bytes.readUInt16())
        credits = try bytes.readUInt16()
        try bytes.finish()
    }

    package var encodedCount: Int { 4 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(channel.rawValue)
        try output.write(credits)
    }
}
