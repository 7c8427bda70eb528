extension L2CAP {
    /// L2CAP_CREDIT_BASED_RECONFIGURE_REQ: new limits for one to five channels of the enhanced mode (Vol 3, Part A, 4.27).
    package struct EnhancedReconfigureRequest: Hashable, Sendable {
        /// In octets, at least 64, and not below that of any of the channels.
        package var mtu: UInt16
        /// In octets, 64 to 65,533.
        package var mps: UInt16
        /// The sender's ends.
        package var channels: [ChannelIdentifier]

        package init(mtu: UInt16, mps: UInt16, channels: [ChannelIdentifier]) {
            self.mtu = mtu
            self.mps = mps
            self.channels = channels
        }
    }

    /// L2CAP_CREDIT_BASED_RECONFIGURE_RSP (Vol 3, Part A, 4.28).
    package struct EnhancedReconfigureResponse: Signal, FieldPDU, Hashable {
        package static var code: L2CAP.SignalCode { .enhancedReconfigureResponse }

        package struct Result: RawRepresentable, Hashable, Sendable {
            package let rawValue: UInt16
            package init(rawValue: UInt16) { self.rawValue = rawValue }
            package static let successful = Result(rawValue: 0)
            /// The MTU must not become smaller.
            package static let reducedMTU = Result(rawValue: 1)
            /// The MPS must not become smaller for more than one channel at a time.
            package static let reducedMPS = Result(rawValue: 2)
            package static let invalidChannel = Result(rawValue: 3)
            package static let unacceptableParameters = Result(rawValue: 4)
        }

        package var result: Result
    }
}

extension L2CAP.EnhancedReconfigureRequest: L2CAP.Signal {
    package static var code: L2CAP.SignalCode { .enhancedReconfigureRequest }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        mtu = try bytes.readUInt16()
        mps = try bytes.readUInt16()
        channels = try bytes.readChannels()
        guard !channels.isEmpty else { throw .invalidLength }
    }

    package var encodedCount: Int { 4 + 2 * channels.count }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(mtu)
        try output.write(mps)
        try output.write(channels: channels)
    }
}
