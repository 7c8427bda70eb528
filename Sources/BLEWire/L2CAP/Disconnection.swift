extension L2CAP {
    /// L2CAP_DISCONNECTION_REQ: ends one dynamic channel (Vol 3, Part A, 4.6).
    package struct DisconnectionRequest: Hashable, Sendable {
        /// The channel's end at the receiver of this packet.
        package var destinationChannel: ChannelIdentifier
        /// The channel's end at the sender.
        package var sourceChannel: ChannelIdentifier

        package init(destinationChannel: ChannelIdentifier, sourceChannel: ChannelIdentifier) {
            self.destinationChannel = destinationChannel
            self.sourceChannel = sourceChannel
        }
    }

    /// L2CAP_DISCONNECTION_RSP (Vol 3, Part A, 4.7), with the identifiers of its request.
    package struct DisconnectionResponse: Hashable, Sendable {
        package var destinationChannel: ChannelIdentifier
        package var sourceChannel: ChannelIdentifier

        package init(destinationChannel: ChannelIdentifier, sourceChannel: ChannelIdentifier) {
            self.destinationChannel = destinationChannel
            self.sourceChannel = sourceChannel
        }
    }
}

extension L2CAP.DisconnectionRequest: L2CAP.Signal {
    package static var code: L2CAP.SignalCode { .disconnectionRequest }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        destinationChannel = L2CAP.ChannelIdentifier(rawValue: try bytes.readUInt16())
        sourceChannel = L2CAP.ChannelIdentifier(rawValue: try bytes.readUInt16())
        try bytes.finish()
    }

    package var encodedCount: Int { 4 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(destinationChannel.rawValue)
        try output.write(sourceChannel.rawValue)
    }
}

extension L2CAP.DisconnectionResponse: L2CAP.Signal {
    package static var code: L2CAP.SignalCode { .disconnectionResponse }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        destinationChannel = L2CAP.ChannelIdentifier(rawValue: try bytes.readUInt16())
        sourceChannel = L2CAP.ChannelIdentifier(rawValue: try bytes.readUInt16())
        try bytes.finish()
    }

    package var encodedCount: Int { 4 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(destinationChannel.rawValue)
        try output.write(sourceChannel.rawValue)
    }
}
