/// The PDUs that distribute keys. They are sent only over an encrypted link (Vol 3, Part H, 3.6).
extension SMP {
    /// The LTK of legacy pairing (3.6.2).
    package struct EncryptionInformation: SMPPDU, FieldPDU {
        package static let code = Code.encryptionInformation
        package let key: LongTermKey
    }

    /// The EDIV and Rand that identify an LTK of legacy pairing (3.6.3).
    package struct CentralIdentification: SMPPDU, FieldPDU {
        package static let code = Code.centralIdentification
        package let diversifier: UInt16
        package let random: UInt64
    }

    /// The IRK; all zeros if the device has no resolvable private address (3.6.4).
    package struct IdentityInformation: SMPPDU, FieldPDU {
        package static let code = Code.identityInformation
        package let key: IdentityResolvingKey
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
    package struct SigningInformation: SMPPDU, FieldPDU {
        package static let code = Code.signingInformation
        package let key: SignatureKey
    }
}
