extension L2CAP {
    /// The limit of channels that one request of the enhanced mode names (Vol 3, Part A, 4.25 and 4.27).
    package static let enhancedChannelLimit = 5

    /// L2CAP_CREDIT_BASED_CONNECTION_REQ: one to five channels to one service (Vol 3, Part A, 4.25).
    package struct EnhancedConnectionRequest: Hashable, Sendable {
        /// The Simplified Protocol/Service Multiplexer, 0x0001 to 0x00FF.
        package var spsm: UInt16
        /// In octets, at least 64.
        package var mtu: UInt16
        /// In octets, 64 to 65,533.
        package var mps: UInt16
        /// The credits of each channel.
        package var initialCredits: UInt16
        /// The sender's ends.
        package var sourceChannels: [ChannelIdentifier]

        package init(
            spsm: UInt16, mtu: UInt16, mps: UInt16, initialCredits: UInt16, sourceChannels: [ChannelIdentifier]
        ) {
            self.spsm = spsm
            self.mtu = mtu
            self.mps = mps
            self.initialCredits = initialCredits
            self.sourceChannels = sourceChannels
        }
    }

    /// L2CAP_CREDIT_BASED_CONNECTION_RSP (Vol 3, Part A, 4.26).
    package struct EnhancedConnectionResponse: Hashable, Sendable {
        package var mtu: UInt16
        package var mps: UInt16
        package var initialCredits: UInt16
        package var result: CreditBasedConnectionResponse.Result
        /// The sender's ends, in the order of the request; null for each channel that was refused. Some peers leave them out if
        /// they refuse all channels.
        package var destinationChannels: [ChannelIdentifier]

        package init(
            mtu: UInt16, mps: UInt16, initialCredits: UInt16, result: CreditBasedConnectionResponse.Result,
            destinationChannels: [ChannelIdentifier]
        ) {
            self.mtu = mtu
            self.mps = mps
            self.initialCredits = initialCredits
            self.result = result
            self.destinationChannels = destinationChannels
        }
    }
}

extension L2CAP.EnhancedConnectionRequest: L2CAP.Signal {
    package static var code: L2CAP.SignalCode { .enhancedConnectionRequest }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        spsm = try bytes.readUInt16()
        mtu = try bytes.readUInt16()
        mps = try bytes.readUInt16()
        initialCredits = try bytes.readUInt16()
        sourceChannels = try bytes.readChannels()
        guard !sourceChannels.isEmpty else { throw .invalidLength }
    }

    package var encodedCount: Int { 8 + 2 * sourceChannels.count }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(spsm)
        try output.write(mtu)
        try output.write(mps)
        try output.write(initialCredits)
        try output.write(channels: sourceChannels)
    }
}

extension L2CAP.EnhancedConnectionResponse: L2CAP.Signal {
    package static var code: L2CAP.SignalCode { .enhancedConnectionResponse }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        mtu = try bytes.readUInt16()
        mps = try bytes.readUInt16()
        initialCredits = try bytes.readUInt16()
        result = L2CAP.CreditBasedConnectionResponse.Result(rawValue: try bytes.readUInt16())
        destinationChannels = try bytes.readChannels()
    }

    package var encodedCount: Int { 8 + 2 * destinationChannels.count }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(mtu)
        try output.write(mps)
        try output.write(initialCredits)
        try output.write(result.rawValue)
        try output.write(channels: destinationChannels)
    }
}

extension Span where Element == UInt8 {
    /// Reads channel identifiers up to the end. Throws if there are more than five.
    @_lifetime(self: copy self)
    mutating func readChannels() throws(DecodeError) -> [L2CAP.ChannelIdentifier] {
        guard count.isMultiple(of: 2), count <= 2 * L2CAP.enhancedChannelLimit else { throw .invalidLength }
        var channels: [L2CAP.ChannelIdentifier] = []
        while !isEmpty { channels.append(L2CAP.ChannelIdentifier(rawValue: try readUInt16())) }
        return channels
    }
}

extension OutputSpan where Element == UInt8 {
    /// Appends one to five channel identifiers, or none.
    @_lifetime(self: copy self)
    mutating func write(channels: [L2CAP.ChannelIdentifier]) throws(EncodeError) {
        guard channels.count <= L2CAP.enhancedChannelLimit else { throw .fieldTooLong }
        for channel in channels { try write(channel.rawValue) }
    }
}
