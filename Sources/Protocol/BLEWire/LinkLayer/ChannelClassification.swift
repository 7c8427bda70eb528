extension LL {
    /// What a device knows about the 37 data channels: two bits for each, from channel 0 on (Vol 6, Part B, 2.4.2.39).
    package struct ChannelClassification: RawRepresentable, Hashable, Sendable {
        package enum Status: UInt8, Hashable, Sendable {
            case unknown = 0
            case good = 1
            case reserved = 2
            case bad = 3
        }

        package let rawValue: UInt128
        /// Drops the bits above the 80th.
        package init(rawValue: UInt128) { self.rawValue = rawValue & ((1 << 80) - 1) }

        /// Nothing is known about any channel.
        package static let unknown = ChannelClassification(rawValue: 0)

        /// The channels of a set are bad, and nothing is known about the others.
        package init(bad: ChannelMap) {
            var bits: UInt128 = 0
            for channel in UInt8(0)..<37 where bad.contains(channel) { bits |= 3 << (2 * UInt128(channel)) }
            self.init(rawValue: bits)
        }

        /// The status of a channel; unknown for a channel above 36.
        package subscript(channel: UInt8) -> Status {
            guard channel < 37 else { return .unknown }
            return Status(rawValue: UInt8(truncatingIfNeeded: rawValue >> (2 * UInt128(channel)) & 3)) ?? .unknown
        }

        /// The channels with a status.
        package func channels(_ status: Status) -> ChannelMap {
            var bits: UInt64 = 0
            for channel in UInt8(0)..<37 where self[channel] == status { bits |= 1 << UInt64(channel) }
            return ChannelMap(rawValue: bits)
        }
    }
}

extension Span where Element == UInt8 {
    /// Ten octets.
    @_lifetime(self: copy self)
    mutating func readChannelClassification() throws(DecodeError) -> LL.ChannelClassification {
        guard count >= 10 else { throw .truncated }
        let low = try readUInt64()
        return LL.ChannelClassification(rawValue: UInt128(try readUInt16()) << 64 | UInt128(low))
    }
}

extension OutputSpan where Element == UInt8 {
    /// Ten octets.
    @_lifetime(self: copy self)
    mutating func write(_ classification: LL.ChannelClassification) throws(EncodeError) {
        guard freeCapacity >= 10 else { throw .noSpace }
        try write(UInt64(truncatingIfNeeded: classification.rawValue))
        try write(UInt16(truncatingIfNeeded: classification.rawValue >> 64))
    }
}
