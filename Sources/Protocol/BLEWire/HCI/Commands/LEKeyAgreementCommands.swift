/// LE commands for the key agreement of LE Secure Connections on P-256.
extension HCI {
    /// Generates a key pair. LE Read Local P-256 Public Key Complete follows (Vol 4, Part E, 7.8.36).
    package struct LEReadLocalP256PublicKey: HCIStatusCommand, ParameterlessPDU, Hashable, Sendable {
        package static var opcode: HCI.Opcode { .leReadLocalP256PublicKey }

        package init() {}
    }

    /// Computes a DHKey with the key pair of LE Read Local P-256 Public Key [v1]. LE Generate DHKey Complete follows (Vol 4,
    /// Part E, 7.8.37).
    package struct LEGenerateDHKey: HCIStatusCommand, FieldPDU, Hashable {
        package static var opcode: HCI.Opcode { .leGenerateDHKey }

        package var remoteKey: P256PublicKey
    }

    /// Computes a DHKey with the generated key pair or the debug key pair [v2] (Vol 4, Part E, 7.8.37).
    package struct LEGenerateDHKeyV2: HCIStatusCommand, FieldPDU, Hashable {
        package static var opcode: HCI.Opcode { .leGenerateDHKeyV2 }

        /// The private key of this side.
        package struct KeyType: RawRepresentable, Hashable, Sendable {
            package let rawValue: UInt8
            package init(rawValue: UInt8) { self.rawValue = rawValue }

            package static let generated = KeyType(rawValue: 0)
            package static let debug = KeyType(rawValue: 1)
        }

        package var remoteKey: P256PublicKey
        package var keyType: KeyType
    }
}

extension Span where Element == UInt8 {
    /// A number of 256 bits, little endian.
    @_lifetime(self: copy self)
    mutating func readUInt256() throws(DecodeError) -> UInt256 {
        UInt256(low: try readUInt128(), high: try readUInt128())
    }

    /// Both coordinates of a public key.
    @_lifetime(self: copy self)
    mutating func readP256PublicKey() throws(DecodeError) -> P256PublicKey {
        P256PublicKey(x: try readUInt256(), y: try readUInt256())
    }
}

extension OutputSpan where Element == UInt8 {
    /// A number of 256 bits, little endian.
    @_lifetime(self: copy self)
    mutating func write(_ value: UInt256) throws(EncodeError) {
        try write(value.low)
        try write(value.high)
    }

    /// Both coordinates of a public key.
    @_lifetime(self: copy self)
    mutating func write(_ key: P256PublicKey) throws(EncodeError) {
        try write(key.x)
        try write(key.y)
    }
}
