internal import BLESecurity
internal import BLEWire
import Foundation

/// The reason why a pairing failed, or why a link could not be encrypted.
public struct PairingError: Error, Hashable, Sendable {
    /// The reasons.
    public enum Code: Hashable, Sendable {
        /// The program, or the user of either device, cancelled the pairing or did not enter a passkey.
        case cancelled
        /// The passkeys of the two devices differ, or a device does not match the out-of-band data about it.
        case wrongPasskey
        /// The user of either device saw other digits than on the other device.
        case comparisonFailed
        /// A device does not pair.
        case notSupported
        /// A device relies on out-of-band data that the other device lacks or has used already.
        case outOfBandDataMissing
        /// A device requires a protection that the capabilities of the two devices do not allow.
        case authenticationRequirements
        /// The link is encrypted, but with less protection than ``PairingManager/pair(_:minimum:)`` requires.
        case insufficientSecurity
        /// A device accepts only longer keys.
        case keySizeTooSmall
        /// Too many pairings failed. The device accepts another one after some time.
        case repeatedAttempts
        /// The device is pairing with another device.
        case busy
        /// The other device has deleted its keys, or another device uses its address. Call
        /// ``PairingManager/unpair(_:)`` to pair again.
        case keyMissing
        /// A public key or a check of the other device is wrong. A device in the middle may be the reason.
        case checkFailed
        /// A device did not answer within 30 s (Vol 3, Part H, 3.4).
        case timedOut
        /// The controller did not encrypt the link.
        case encryptionFailed
        /// The device is not connected, or the link ended.
        case disconnected
        /// Another reason, by its number (Vol 3, Part H, 3.5.5).
        case other(UInt8)
    }

    /// The reason.
    public let code: Code
    /// Whether the other device ended the pairing.
    public let isFromPeer: Bool

    init(_ code: Code, isFromPeer: Bool = false) {
        self.code = code
        self.isFromPeer = isFromPeer
    }

    init(_ failure: PairingProcedureError) {
        switch failure {
        case .local(let reason): self.init(Code(reason))
        case .remote(let reason): self.init(Code(reason), isFromPeer: true)
        case .timeout: self.init(Code.timedOut)
        case .encryption: self.init(Code.encryptionFailed)
        case .keyMissing: self.init(Code.keyMissing)
        case .disconnected: self.init(Code.disconnected)
        }
    }
}

extension PairingError.Code {
    fileprivate init(_ reason: SMP.FailureReason) {
        self =
            switch reason {
            case .passkeyEntryFailed: .cancelled
            case .confirmValueFailed: .wrongPasskey
            case .numericComparisonFailed: .comparisonFailed
            case .pairingNotSupported: .notSupported
            case .outOfBandNotAvailable: .outOfBandDataMissing
            case .authenticationRequirements: .authenticationRequirements
            case .encryptionKeySize: .keySizeTooSmall
            case .repeatedAttempts: .repeatedAttempts
            case .busy: .busy
            case .dhKeyCheckFailed, .invalidParameters: .checkFailed
            default: .other(reason.rawValue)
            }
    }
}

extension PairingError: LocalizedError {
    /// A sentence for the user.
    public var errorDescription: String? {
        let device = isFromPeer ? "The other device" : "This device"
        return switch code {
        case .cancelled: isFromPeer ? "The other device cancelled the pairing." : "The pairing was cancelled."
        case .wrongPasskey: "The passkeys of the two devices differ, or their out-of-band data does not match."
        case .outOfBandDataMissing:
            "\(device) lacks the out-of-band data of this pairing. Transfer new data, and pair again."
        case .comparisonFailed: "The numbers on the two devices differ, or a user rejected them."
        case .notSupported: "\(device) does not pair."
        case .authenticationRequirements:
            "\(device) requires a protection that the two devices have no display or keyboard for."
        case .insufficientSecurity: "The link has less protection than required."
        case .keySizeTooSmall: "\(device) requires a longer encryption key."
        case .repeatedAttempts: "\(device) refuses pairings for some time, because several failed."
        case .busy: "\(device) is pairing with another device."
        case .keyMissing: "The other device has deleted its keys. Unpair it on this device, and pair again."
        case .checkFailed: "\(device) rejected a key or a check. Another device may be manipulating the pairing."
        case .timedOut: "A device did not answer within 30 seconds."
        case .encryptionFailed: "The link could not be encrypted."
        case .disconnected: "The device is not connected."
        case .other(let reason): "\(device) ended the pairing with reason \(reason)."
        }
    }
}
