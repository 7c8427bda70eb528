/// LE events for the key agreement of LE Secure Connections on P-256.
extension HCI {
    /// The controller's new public key (Vol 4, Part E, 7.7.65.8).
    package struct LEReadLocalP256PublicKeyComplete: HCILEEvent, FieldPDU, Hashable {
        package static var subeventCode: HCI.LESubeventCode { .readLocalP256PublicKeyComplete }

        package var status: HCI.ErrorCode
        package var publicKey: P256PublicKey
    }

    /// The DHKey of LE Generate DHKey (Vol 4, Part E, 7.7.65.9).
    package struct LEGenerateDHKeyComplete: HCILEEvent, FieldPDU, Hashable {
        package static var subeventCode: HCI.LESubeventCode { .generateDHKeyComplete }

        package var status: HCI.ErrorCode
        /// All bits are set if the command failed.
        package var key: SharedSecret
    }
}

extension HCI.LEEventMask {
    package static let readLocalP256PublicKeyComplete = Self(rawValue: 1 << 7)
    package static let generateDHKeyComplete = Self(rawValue: 1 << 8)
}

extension HCI.LEFeatures {
    /// LE Generate DHKey refuses a public key that is not on the curve. The feature is not sent to peers (Vol 6, Part B, 4.6).
    package static let remotePublicKeyValidation = Self(rawValue: 1 << 27)
}

extension HCI.EventMaskPage2 {
    /// Whether the second page allows the controller to send this event. Events of the first page are always allowed.
    package func allows(_ event: HCI.EventCode) -> Bool {
        switch event {
        case .authenticatedPayloadTimeoutExpired: contains(.authenticatedPayloadTimeoutExpired)
        case .encryptionChangeV2: contains(.encryptionChangeV2)
        default: true
        }
    }
}
