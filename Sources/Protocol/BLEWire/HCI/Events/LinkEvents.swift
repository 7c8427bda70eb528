/// Events of connections.
extension HCI {
    /// A connection ended (Vol 4, Part E, 7.7.5).
    package struct DisconnectionComplete: HCIEvent, FieldPDU, Hashable {
        package static var eventCode: HCI.EventCode { .disconnectionComplete }

        package var status: HCI.ErrorCode
        package var connectionHandle: HCI.ConnectionHandle
        package var reason: HCI.ErrorCode
    }

    /// Encryption of a connection was turned on or off [v1] (Vol 4, Part E, 7.7.8).
    package struct EncryptionChange: HCIEvent, FieldPDU, Hashable {
        package static var eventCode: HCI.EventCode { .encryptionChange }

        package var status: HCI.ErrorCode
        package var connectionHandle: HCI.ConnectionHandle
        /// 0: off. 1: on (AES-CCM on LE). 2: on with AES-CCM on BR/EDR.
        package var encryptionEnabled: UInt8
    }

    /// The peer's version (Vol 4, Part E, 7.7.12).
    package struct ReadRemoteVersionInformationComplete: HCIEvent, FieldPDU, Hashable {
        package static var eventCode: HCI.EventCode { .readRemoteVersionInformationComplete }

        package var status: HCI.ErrorCode
        package var connectionHandle: HCI.ConnectionHandle
        package var version: HCI.CoreVersion
        package var companyIdentifier: UInt16
        package var subversion: UInt16
    }

    /// The key of a connection was refreshed (Vol 4, Part E, 7.7.39).
    package struct EncryptionKeyRefreshComplete: HCIEvent, FieldPDU, Hashable {
        package static var eventCode: HCI.EventCode { .encryptionKeyRefreshComplete }

        package var status: HCI.ErrorCode
        package var connectionHandle: HCI.ConnectionHandle
    }

    /// No authenticated packet arrived within the authenticated payload timeout (Vol 4, Part E, 7.7.75).
    package struct AuthenticatedPayloadTimeoutExpired: HCIEvent, FieldPDU, Hashable {
        package static var eventCode: HCI.EventCode { .authenticatedPayloadTimeoutExpired }

        package var connectionHandle: HCI.ConnectionHandle
    }
}
