/// The Logical Link Control and Adaptation Protocol (Vol 3, Part A).
@usableFromInline
package enum L2CAP {
    /// Octets of the basic header: length and channel identifier.
    @inlinable package static var headerCount: Int { 4 }
    /// The MTU of the LE signalling channel, in octets (Vol 3, Part A, 4).
    package static let signallingMTU = 23

    /// A channel identifier on an LE link (Vol 3, Part A, 2.1).
    @usableFromInline
    package struct ChannelIdentifier: RawRepresentable, Hashable, Sendable {
        @usableFromInline package let rawValue: UInt16
        @inlinable
        package init(rawValue: UInt16) { self.rawValue = rawValue }

        @inlinable package static var null: ChannelIdentifier { ChannelIdentifier(rawValue: 0x0000) }
        @inlinable package static var attribute: ChannelIdentifier { ChannelIdentifier(rawValue: 0x0004) }
        @inlinable package static var signalling: ChannelIdentifier { ChannelIdentifier(rawValue: 0x0005) }
        @inlinable package static var securityManager: ChannelIdentifier { ChannelIdentifier(rawValue: 0x0006) }
        /// Channels that are allocated when they are opened.
        package static let dynamic: ClosedRange<UInt16> = 0x0040...0x007F
    }

    /// One basic frame: header and payload (Vol 3, Part A, 3.1).
    package struct Frame: ~Escapable {
        package let channel: ChannelIdentifier
        package let payload: Span<UInt8>

        @_lifetime(copy payload)
        package init(channel: ChannelIdentifier, payload: Span<UInt8>) {
            self.channel = channel
            self.payload = payload
        }
    }
}

extension L2CAP.Frame: PDU {
    @_lifetime(copy bytes)
    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        let length = Int(try bytes.readUInt16())
        channel = L2CAP.ChannelIdentifier(rawValue: try bytes.readUInt16())
        payload = try bytes.readBytes(length)
        try bytes.finish()
    }

    package var encodedCount: Int { L2CAP.headerCount + payload.count }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        guard let length = UInt16(exactly: payload.count) else { throw .fieldTooLong }
        try output.write(length)
        try output.write(channel.rawValue)
        try output.write(payload)
    }
}
