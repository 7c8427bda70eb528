extension SMP {
    /// The reason why a pairing failed (Vol 3, Part H, 3.5.5, table 3.7). The code space is open, so any octet is
    /// valid.
    package struct FailureReason: RawRepresentable, Hashable, Sendable, Error {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        package static let passkeyEntryFailed = FailureReason(rawValue: 0x01)
        package static let outOfBandNotAvailable = FailureReason(rawValue: 0x02)
        package static let authenticationRequirements = FailureReason(rawValue: 0x03)
        package static let confirmValueFailed = FailureReason(rawValue: 0x04)
        package static let pairingNotSupported = FailureReason(rawValue: 0x05)
        package static let encryptionKeySize = FailureReason(rawValue: 0x06)
        package static let commandNotSupported = FailureReason(rawValue: 0x07)
        package static let unspecified = FailureReason(rawValue: 0x08)
        package static let repeatedAttempts = FailureReason(rawValue: 0x09)
        package static let invalidParameters = FailureReason(rawValue: 0x0A)
        package static let dhKeyCheckFailed = FailureReason(rawValue: 0x0B)
        package static let numericComparisonFailed = FailureReason(rawValue: 0x0C)
        package static let classicPairingInProgress = FailureReason(rawValue: 0x0D)
        package static let crossTransportNotAllowed = FailureReason(rawValue: 0x0E)
        package static let keyRejected = FailureReason(rawValue: 0x0F)
        package static let busy = FailureReason(rawValue: 0x10)
    }
}

extension SMP.FailureReason: CustomStringConvertible {
    /// The specification's name, or the value.
    package var description: String {
        switch self {
        case .passkeyEntryFailed: "Passkey Entry Failed"
        case .outOfBandNotAvailable: "OOB Not Available"
        case .authenticationRequirements: "Authentication Requirements"
        case .confirmValueFailed: "Confirm Value Failed"
        case .pairingNotSupported: "Pairing Not Supported"
        case .encryptionKeySize: "Encryption Key Size"
        case .commandNotSupported: "Command Not Supported"
        case .unspecified: "Unspecified Reason"
        case .repeatedAttempts: "Repeated Attempts"
        case .invalidParameters: "Invalid Parameters"
        case .dhKeyCheckFailed: "DHKey Check Failed"
        case .numericComparisonFailed: "Numeric Comparison Failed"
        case .classicPairingInProgress: "BR/EDR Pairing in Progress"
        case .crossTransportNotAllowed: "Cross-transport Key Derivation/Generation Not Allowed"
        case .keyRejected: "Key Rejected"
        case .busy: "Busy"
        default: "Reason 0x" + String(rawValue, radix: 16, uppercase: true)
        }
    }
}
