extension L2CAP {
    /// L2CAP_DISCONNECTION_REQ: ends one dynamic channel (Vol 3, Part A, 4.6).
    package struct DisconnectionRequest: Signal, FieldPDU, Hashable {
        package static var code: L2CAP.SignalCode { .disconnectionRequest }

        /// The channel's end at the receiver of this packet.
        package var destinationChannel: ChannelIdentifier
        /// The channel's end at the sender.
        package var sourceChannel: ChannelIdentifier
    }

    /// L2CAP_DISCONNECTION_RSP (Vol 3, Part A, 4.7), with the identifiers of its request.
    package struct DisconnectionResponse: Signal, FieldPDU, Hashable {
        package static var code: L2CAP.SignalCode { .disconnectionResponse }

        package var destinationChannel: ChannelIdentifier
        package var sourceChannel: ChannelIdentifier
    }
}
