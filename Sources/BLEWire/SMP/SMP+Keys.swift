/// The PDUs that distribute keys. They are sent only over an encrypted link (Vol 3, Part H, 3.6).
extension SMP {
    /// The LTK of legacy pairing (3.6.2).
    package struct EncryptionInformation: SMPPDU {
        package static let code = Code.encryptionInformation
        package let key: LongTermKey
        package init(key: LongTermKey) { self.key = key }
        package init(decoding bytes: Span<UInt8>) throws(DecodeError) { key = try LongTermKey(decoding: bytes) }
        package var encodedCount: Int { 16 }
        package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) { try output.write(key.value) }
    }

    /// The EDIV and Rand that identify an LTK of legacy pairing (3.6.3).
    package struct CentralIdentification: SMPPDU {
        package static let code = Code.centralIdentification
        package let diversifier: UInt16
        package let random: UInt64
        package init(diversifier: UInt16, random: UInt64) {
            self.diversifier = diversifier
            self.random = random
        }
        package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
            var bytes = bytes
            diversifier = try bytes.readUInt16()
            random = try bytes.readUInt64()
            try bytes.finish()
        }
        package var encodedCount: Int { 10 }
        package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
            guard output.freeCapacity >= encodedCount else { throw .noSpace }
            try output.write(diversifier)
            try output.write(random)
        }
    }

    /// The IRK; all zeros if the device has no resolvable private address (3.6.4).
    package struct IdentityInformation: SMPPDU {
        package static let code = Code.identityInformation
        package let key: IdentityResolvingKey
        package init(key: IdentityResolvingKey) { self.key = key }
        package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
            key = try IdentityResolvingKey(decoding: bytes)
        }
        package var encodedCount: Int { 16 }
        package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) { try output.write(key.value) }
    }

    /// The public or static random address of the device (3.6.5).
    package struct IdentityAddressInformation: SMPPDU {
        package static let code = Code.identityAddressInformation
        package let address: DeviceAddress
        package init(address: DeviceAddress) { self.address = address }
        package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
            var bytes = bytes
            let kind = DeviceAddress.Kind(rawValue: try bytes.readUInt8())
            address = DeviceAddress(kind: kind, value: try bytes.readUInt48())
            try bytes.finish()
            guard kind == .public || kind == .random else { throw .invalidValue }
        }
        package var encodedCount: Int { 7 }
        package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
            guard output.freeCapacity >= encodedCount else { throw .noSpace }
            try output.write(address.kind.rawValue)
            try output.writeLittleEndian(address.value, 6)
        }
    }

    /// The CSRK (3.6.6).
    package struct SigningInformation: SMPPDU {
        package static let code = Code.signingInformation
        package let key: SignatureKey
        package init(key: SignatureKey) { self.key = key }
        package init(decoding bytes: Span<UInt8>) throws(DecodeError) { key = try SignatureKey(decoding: bytes) }
        package var encodedCount: Int { 16 }
        package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) { try output.write(key.value) }
    }
}

extension SecretKey {
    /// Takes exactly 16 octets, little endian.
    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        let value = try bytes.readUInt128()
        try bytes.finish()
        self.init(value: value)
    }
}
