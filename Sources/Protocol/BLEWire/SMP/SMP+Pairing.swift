extension SMP {
    /// A commitment to a random value (Vol 3, Part H, 3.5.3).
    package struct PairingConfirm: SMPPDU, FieldPDU {
        package static let code = Code.pairingConfirm
        package let number: UInt128
    }

    /// The random value (3.5.4).
    package struct PairingRandom: SMPPDU, FieldPDU {
        package static let code = Code.pairingRandom
        package let number: UInt128
    }

    /// Reports a failed pairing (3.5.5).
    package struct PairingFailed: SMPPDU, FieldPDU {
        package static let code = Code.pairingFailed
        package let reason: FailureReason
    }

    /// A public key of P-256 (3.5.6). Decoding does not check whether it is a point on the curve.
    package struct PairingPublicKey: SMPPDU {
        package static let code = Code.pairingPublicKey
        package let key: P256PublicKey
        package init(key: P256PublicKey) { self.key = key }
        package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
            var bytes = bytes
            let x = UInt256(low: try bytes.readUInt128(), high: try bytes.readUInt128())
            let y = UInt256(low: try bytes.readUInt128(), high: try bytes.readUInt128())
            try bytes.finish()
            key = P256PublicKey(x: x, y: y)
        }
        package var encodedCount: Int { 64 }
        package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
            guard output.freeCapacity >= encodedCount else { throw .noSpace }
            for coordinate in [key.x, key.y] {
                try output.write(coordinate.low)
                try output.write(coordinate.high)
            }
        }
    }

    /// The check value of Secure Connections (3.5.7).
    package struct PairingDHKeyCheck: SMPPDU, FieldPDU {
        package static let code = Code.pairingDHKeyCheck
        package let number: UInt128
    }

    /// Reports a key press of the user during passkey entry (3.5.8).
    package struct KeypressNotification: SMPPDU, FieldPDU {
        /// The type of key press.
        package struct Kind: RawRepresentable, Hashable, Sendable {
            package let rawValue: UInt8
            package init(rawValue: UInt8) { self.rawValue = rawValue }
            package static let entryStarted = Kind(rawValue: 0)
            package static let digitEntered = Kind(rawValue: 1)
            package static let digitErased = Kind(rawValue: 2)
            package static let cleared = Kind(rawValue: 3)
            package static let entryCompleted = Kind(rawValue: 4)
            /// False for values that are reserved for future use.
            package var isDefined: Bool { rawValue <= 4 }
        }

        package static let code = Code.keypressNotification
        package let kind: Kind
    }
}
