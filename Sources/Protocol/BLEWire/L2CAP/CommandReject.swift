extension L2CAP {
    /// L2CAP_COMMAND_REJECT_RSP (Vol 3, Part A, 4.1).
    package struct CommandReject: ~Escapable {
        package struct Reason: RawRepresentable, Hashable, Sendable {
            package let rawValue: UInt16
            package init(rawValue: UInt16) { self.rawValue = rawValue }

            package static let notUnderstood = Reason(rawValue: 0)
            /// The data is the MTU of the signalling channel, two octets.
            package static let signallingMTUExceeded = Reason(rawValue: 1)
            /// The data is the two channel identifiers in question.
            package static let invalidChannelIdentifier = Reason(rawValue: 2)
        }

        package let reason: Reason
        /// 0, 2 or 4 octets.
        package let data: Span<UInt8>

        @_lifetime(copy data)
        package init(reason: Reason, data: Span<UInt8>) {
            self.reason = reason
            self.data = data
        }
    }
}

extension L2CAP.CommandReject: L2CAP.Signal {
    package static var code: L2CAP.SignalCode { .commandReject }

    @_lifetime(copy bytes)
    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        reason = Reason(rawValue: try bytes.readUInt16())
        guard bytes.count <= 4 else { throw .invalidLength }
        data = bytes
    }

    package var encodedCount: Int { 2 + data.count }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        guard data.count <= 4 else { throw .fieldTooLong }
        try output.write(reason.rawValue)
        try output.write(data)
    }
}
