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
