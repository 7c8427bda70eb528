extension SMP {
    /// Any PDU of the protocol, decoded by its code. Every PDU has a fixed length, so a packet holds values and no
    /// views.
    package enum Packet: Hashable, Sendable {
        case pairingRequest(PairingRequest)
        case pairingResponse(PairingResponse)
        case pairingConfirm(PairingConfirm)
        case pairingRandom(PairingRandom)
        case pairingFailed(PairingFailed)
        case encryptionInformation(EncryptionInformation)
        case centralIdentification(CentralIdentification)
        case identityInformation(IdentityInformation)
        case identityAddressInformation(IdentityAddressInformation)
        case signingInformation(SigningInformation)
        case securityRequest(SecurityRequest)
        case pairingPublicKey(PairingPublicKey)
        case pairingDHKeyCheck(PairingDHKeyCheck)
        case keypressNotification(KeypressNotification)

        /// Decodes a whole PDU with its code. A code that is reserved for future use throws `.unexpectedType`.
        package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
            var bytes = bytes
            let code = Code(rawValue: try bytes.readUInt8())
            switch code {
            case .pairingRequest: self = .pairingRequest(try .init(decoding: bytes))
            case .pairingResponse: self = .pairingResponse(try .init(decoding: bytes))
            case .pairingConfirm: self = .pairingConfirm(try .init(decoding: bytes))
            case .pairingRandom: self = .pairingRandom(try .init(decoding: bytes))
            case .pairingFailed: self = .pairingFailed(try .init(decoding: bytes))
            case .encryptionInformation: self = .encryptionInformation(try .init(decoding: bytes))
            case .centralIdentification: self = .centralIdentification(try .init(decoding: bytes))
            case .identityInformation: self = .identityInformation(try .init(decoding: bytes))
            case .identityAddressInformation: self = .identityAddressInformation(try .init(decoding: bytes))
            case .signingInformation: self = .signingInformation(try .init(decoding: bytes))
            case .securityRequest: self = .securityRequest(try .init(decoding: bytes))
            case .pairingPublicKey: self = .pairingPublicKey(try .init(decoding: bytes))
            case .pairingDHKeyCheck: self = .pairingDHKeyCheck(try .init(decoding: bytes))
            case .keypressNotification: self = .keypressNotification(try .init(decoding: bytes))
            default: throw .unexpectedType
            }
        }

        package var code: Code {
            switch self {
            case .pairingRequest: .pairingRequest
            case .pairingResponse: .pairingResponse
            case .pairingConfirm: .pairingConfirm
            case .pairingRandom: .pairingRandom
            case .pairingFailed: .pairingFailed
            case .encryptionInformation: .encryptionInformation
            case .centralIdentification: .centralIdentification
            case .identityInformation: .identityInformation
            case .identityAddressInformation: .identityAddressInformation
            case .signingInformation: .signingInformation
            case .securityRequest: .securityRequest
            case .pairingPublicKey: .pairingPublicKey
            case .pairingDHKeyCheck: .pairingDHKeyCheck
            case .keypressNotification: .keypressNotification
            }
        }

        /// The code and the octets after it.
        package var octets: [UInt8] {
            switch self {
            case .pairingRequest(let pdu): Self.octets(of: pdu)
            case .pairingResponse(let pdu): Self.octets(of: pdu)
            case .pairingConfirm(let pdu): Self.octets(of: pdu)
            case .pairingRandom(let pdu): Self.octets(of: pdu)
            case .pairingFailed(let pdu): Self.octets(of: pdu)
            case .encryptionInformation(let pdu): Self.octets(of: pdu)
            case .centralIdentification(let pdu): Self.octets(of: pdu)
            case .identityInformation(let pdu): Self.octets(of: pdu)
            case .identityAddressInformation(let pdu): Self.octets(of: pdu)
            case .signingInformation(let pdu): Self.octets(of: pdu)
            case .securityRequest(let pdu): Self.octets(of: pdu)
            case .pairingPublicKey(let pdu): Self.octets(of: pdu)
            case .pairingDHKeyCheck(let pdu): Self.octets(of: pdu)
            case .keypressNotification(let pdu): Self.octets(of: pdu)
            }
        }

        private static func octets(of pdu: some SMPPDU) -> [UInt8] {
            var octets: [UInt8] = []
            octets.reserveCapacity(1 + pdu.encodedCount)
            // No PDU of the protocol has a field that could exceed its limit.
            try? octets.append(security: pdu)
            return octets
        }
    }
}
