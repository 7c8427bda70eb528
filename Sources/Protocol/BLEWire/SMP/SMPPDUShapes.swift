/// The features of a device: Pairing Request and Pairing Response.
package protocol SMPFeaturesPDU: SMPPDU {
    init(features: SMP.PairingFeatures)
    var features: SMP.PairingFeatures { get }
}

extension SMPFeaturesPDU {
    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        self.init(features: try SMP.PairingFeatures(decoding: bytes))
    }
    package var encodedCount: Int { features.encodedCount }
    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) { try features.encode(into: &output) }

    /// The whole PDU with its code as a number of 56 bits, in the format of c1. The code is the lowest octet (2.2.3).
    package var number: UInt128 {
        features.number << 8 | UInt128(Self.code.rawValue)
    }
}

extension Span where Element == UInt8 {
    /// Removes 16 octets as one integer, little endian.
    @_lifetime(self: copy self)
    package mutating func readUInt128() throws(DecodeError) -> UInt128 {
        guard count >= 16 else { throw .truncated }
        let low = try readUInt64()
        return UInt128(try readUInt64()) << 64 | UInt128(low)
    }
}

extension OutputSpan where Element == UInt8 {
    /// Appends 16 octets, little endian.
    @_lifetime(self: copy self)
    package mutating func write(_ value: UInt128) throws(EncodeError) {
        guard freeCapacity >= 16 else { throw .noSpace }
        try write(UInt64(truncatingIfNeeded: value))
        try write(UInt64(truncatingIfNeeded: value >> 64))
    }
}
