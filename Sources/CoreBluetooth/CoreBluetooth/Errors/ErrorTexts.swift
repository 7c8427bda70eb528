internal import BLERuntime
internal import BLEWire
import BLEAdapter
import Foundation

// Programs compare these texts, so they match the known texts of Apple's framework.

extension CBError {
    /// The error for delegates, with its text.
    init(describing code: Code) {
        self.init(code, userInfo: [NSLocalizedDescriptionKey: code.text])
    }

    init(describing code: Code, _ text: String) {
        self.init(code, userInfo: [NSLocalizedDescriptionKey: text])
    }

    init(_ failure: ConnectionError) {
        self.init(describing: failure.code)
    }
}

extension CBATTError {
    /// The error for delegates, with its text.
    init(describing code: Code) {
        self.init(code, userInfo: [NSLocalizedDescriptionKey: code.text])
    }
}

extension NSError {
    /// The text of this error, or `sentence` if it has none.
    private func text(orElse sentence: String) -> String {
        userInfo[NSLocalizedDescriptionKey] as? String ?? sentence
    }

    /// The user information with the text under both keys that Foundation on Linux reads: `localizedDescription` uses the
    /// description, and `NSError.description` uses the failure reason.
    func userInfo(withSentence sentence: String) -> [String: Any] {
        var information = userInfo
        let text = text(orElse: sentence)
        information[NSLocalizedDescriptionKey] = text
        if information[NSLocalizedFailureReasonErrorKey] == nil { information[NSLocalizedFailureReasonErrorKey] = text }
        return information
    }

    func description(withSentence sentence: String) -> String {
        let information = userInfo.map { "\($0.key)=\($0.value)" }.sorted().joined(separator: ", ")
        return "Error Domain=\(domain) Code=\(code) \"\(text(orElse: sentence))\""
            + (information.isEmpty ? "" : " UserInfo={\(information)}")
    }
}

extension CBErrorCode {
    var text: String {
        switch self {
        case .unknown: "Unknown error."
        case .invalidParameters: "One or more parameters were invalid."
        case .invalidHandle: "The specified handle is invalid."
        case .notConnected: "The specified device is not connected."
        case .outOfSpace: "There is no space left for the operation."
        case .operationCancelled: "The operation was cancelled."
        case .connectionTimeout: "The connection has timed out unexpectedly."
        case .peripheralDisconnected: "The specified device has disconnected from us."
        case .uuidNotAllowed: "The specified UUID is not allowed for this operation."
        case .alreadyAdvertising: "Advertising has already started."
        case .connectionFailed: "The connection has failed unexpectedly."
        case .connectionLimitReached: "The system has reached the maximum number of connections."
        case .unkownDevice: "The specified device is unknown."
        case .operationNotSupported: "The operation is not supported."
        case .peerRemovedPairingInformation: "Peer removed pairing information"
        case .encryptionTimedOut: "Failed to encrypt the connection, the connection has timed out unexpectedly."
        case .tooManyLEPairedDevices: "Too many LE devices are paired."
        case .channelSoundingConfigurationFailed: "Channel Sounding could not be configured."
        case .channelSoundingProcedureFailed: "The Channel Sounding procedure failed."
        default: "Unknown error."
        }
    }
}

extension CBATTErrorCode {
    var text: String {
        switch self {
        case .success: "Success."
        case .invalidHandle: "The handle is invalid."
        case .readNotPermitted: "Reading is not permitted."
        case .writeNotPermitted: "Writing is not permitted."
        case .invalidPdu: "The command is invalid."
        case .insufficientAuthentication: "Authentication is insufficient."
        case .requestNotSupported: "The request is not supported."
        case .invalidOffset: "The offset is invalid."
        case .insufficientAuthorization: "Authorization is insufficient."
        case .prepareQueueFull: "The prepare queue is full."
        case .attributeNotFound: "The attribute could not be found."
        case .attributeNotLong: "The attribute is not long."
        case .insufficientEncryptionKeySize: "The encryption key size is insufficient."
        case .invalidAttributeValueLength: "The value's length is invalid."
        case .unlikelyError: "Unlikely error."
        case .insufficientEncryption: "Encryption is insufficient."
        case .unsupportedGroupType: "The group type is unsupported."
        case .insufficientResources: "Resources are insufficient."
        default: "Unknown ATT error."
        }
    }
}

extension ConnectionError {
    var code: CBError.Code {
        switch self {
        case .endedByPeer: .peripheralDisconnected
        // The peer does not respond in both cases.
        case .supervisionTimeout, .attributeTimeout: .connectionTimeout
        case .protocolViolation: .connectionFailed
        case .establishmentFailed: .connectionFailed
        case .limitReached: .connectionLimitReached
        case .adapterLost: .notConnected
        case .peerRemovedPairingInformation: .peerRemovedPairingInformation
        case .encryptionTimedOut: .encryptionTimedOut
        case .encryptionFailed: .connectionFailed
        case .controller, .endedByHost: .unknown
        }
    }
}

extension GATTError {
    /// The error for a delegate: a `CBATTError` for the peer's answer, else a `CBError`.
    var error: any Error {
        switch self {
        case .attribute(let code):
            CBATTError(describing: CBATTError.Code(rawValue: Int(code)) ?? .unlikelyError)
        case .valueTooLong: CBATTError(describing: .invalidAttributeValueLength)
        case .bearerLost: CBError(describing: .unknown)
        case .notConnected: CBError(describing: .notConnected)
        }
    }
}
