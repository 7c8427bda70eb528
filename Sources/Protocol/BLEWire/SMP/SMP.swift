/// The Security Manager Protocol (Vol 3, Part H, 3): one type per PDU, each with its code. `init(decoding:)` takes the
/// octets after the code. `[UInt8].append(security:)` writes the code and these octets.
package enum SMP {
    /// The channel of the protocol on an LE link (Vol 3, Part A, 2.1).
    package static let channel: UInt16 = 0x0006
    /// The longest PDU with its code, in octets: Pairing Public Key (Vol 3, Part H, 3.2).
    package static let maximumLength = 65

    /// The first octet of every PDU (Vol 3, Part H, 3.3).
    package struct Code: RawRepresentable, Hashable, Sendable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        package static let pairingRequest = Code(rawValue: 0x01)
        package static let pairingResponse = Code(rawValue: 0x02)
        package static let pairingConfirm = Code(rawValue: 0x03)
        package static let pairingRandom = Code(rawValue: 0x04)
        package static let pairingFailed = Code(rawValue: 0x05)
        package static let encryptionInformation = Code(rawValue: 0x06)
        package static let centralIdentification = Code(rawValue: 0x07)
        package static let identityInformation = Code(rawValue: 0x08)
        package static let identityAddressInformation = Code(rawValue: 0x09)
        package static let signingInformation = Code(rawValue: 0x0A)
        package static let securityRequest = Code(rawValue: 0x0B)
        package static let pairingPublicKey = Code(rawValue: 0x0C)
        package static let pairingDHKeyCheck = Code(rawValue: 0x0D)
        package static let keypressNotification = Code(rawValue: 0x0E)
    }
}

extension SMP.Code: CustomStringConvertible {
    /// The specification's name, or the value.
    package var description: String {
        switch self {
        case .pairingRequest: "Pairing Request"
        case .pairingResponse: "Pairing Response"
        case .pairingConfirm: "Pairing Confirm"
        case .pairingRandom: "Pairing Random"
        case .pairingFailed: "Pairing Failed"
        case .encryptionInformation: "Encryption Information"
        case .centralIdentification: "Central Identification"
        case .identityInformation: "Identity Information"
        case .identityAddressInformation: "Identity Address Information"
        case .signingInformation: "Signing Information"
        case .securityRequest: "Security Request"
        case .pairingPublicKey: "Pairing Public Key"
        case .pairingDHKeyCheck: "Pairing DHKey Check"
        case .keypressNotification: "Keypress Notification"
        default: "Code 0x" + String(rawValue, radix: 16, uppercase: true)
        }
    }
}

/// A PDU of the Security Manager Protocol. `init(decoding:)` and `encode(into:)` omit the code.
package protocol SMPPDU: PDU, Hashable, Sendable {
    static var code: SMP.Code { get }
}

extension [UInt8] {
    /// Appends the code and the parameters of `pdu`. On an error the array is unchanged.
    package mutating func append(security pdu: some SMPPDU) throws(EncodeError) {
        let before = count
        append(type(of: pdu).code.rawValue)
        do throws(EncodeError) {
            try append(encoding: pdu)
        } catch {
            removeSubrange(before...)
            throw error
        }
    }
}
