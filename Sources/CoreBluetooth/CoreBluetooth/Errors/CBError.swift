import Foundation

/// The domain of errors of the local host and of links.
public let CBErrorDomain: String = "CBErrorDomain"

/// An error of the local host or of the link to a device. For errors of a remote GATT server see ``CBATTError``.
public struct CBError: _BridgedStoredNSError, CustomStringConvertible, CustomDebugStringConvertible, Sendable {
    /// The error code.
    public typealias Code = CBErrorCode

    /// The error in Foundation's representation.
    public let _nsError: NSError

    /// Creates an error from one of the domain ``CBErrorDomain``.
    ///
    /// - Parameter error: An error whose domain must be ``CBErrorDomain``.
    public init(_nsError error: NSError) {
        precondition(error.domain == CBErrorDomain)
        _nsError = error
    }

    /// The domain of these errors.
    public static var errorDomain: String { CBErrorDomain }

    /// The same domain, for Foundation's bridging.
    public static var _nsErrorDomain: String { CBErrorDomain }

    /// Hashes the code. Foundation's implementation for bridged errors traps on Linux.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(_nsError.code)
    }

    /// The error's user information. An error without a text gets the sentence of its code.
    public var errorUserInfo: [String: Any] { _nsError.userInfo(withSentence: code.text) }

    /// The domain, the code and the text, in the format of Apple's systems.
    public var description: String { _nsError.description(withSentence: code.text) }

    /// The same as ``description``.
    public var debugDescription: String { description }
}

extension CBErrorCode: @retroactive _ErrorCodeProtocol {
    /// The structure that carries this code.
    public typealias _ErrorType = CBError

    /// The correct spelling of `unkownDevice`.
    public static var unknownDevice: CBErrorCode { .unkownDevice }
}

extension CBError {
    /// An error without a specific reason.
    public static var unknown: CBError.Code { .unknown }
    /// One or more parameters were invalid.
    public static var invalidParameters: CBError.Code { .invalidParameters }
    /// The attribute does not belong to the peer's current database.
    public static var invalidHandle: CBError.Code { .invalidHandle }
    /// The device is not connected.
    public static var notConnected: CBError.Code { .notConnected }
    /// The host has no space for the operation.
    public static var outOfSpace: CBError.Code { .outOfSpace }
    /// The operation was cancelled.
    public static var operationCancelled: CBError.Code { .operationCancelled }
    /// The device did not respond within the supervision timeout.
    public static var connectionTimeout: CBError.Code { .connectionTimeout }
    /// The device terminated the link.
    public static var peripheralDisconnected: CBError.Code { .peripheralDisconnected }
    /// The UUID is not allowed for this operation.
    public static var uuidNotAllowed: CBError.Code { .uuidNotAllowed }
    /// The manager is advertising already.
    public static var alreadyAdvertising: CBError.Code { .alreadyAdvertising }
    /// The link could not be established.
    public static var connectionFailed: CBError.Code { .connectionFailed }
    /// The controller supports no further link.
    public static var connectionLimitReached: CBError.Code { .connectionLimitReached }
    /// The device is not known. The name contains Apple's misspelling.
    public static var unkownDevice: CBError.Code { .unkownDevice }
    /// The device is not known.
    public static var unknownDevice: CBError.Code { .unkownDevice }
    /// The operation is not supported.
    public static var operationNotSupported: CBError.Code { .operationNotSupported }
    /// The device has removed its bond with this machine.
    public static var peerRemovedPairingInformation: CBError.Code { .peerRemovedPairingInformation }
    /// The link was not encrypted in time.
    public static var encryptionTimedOut: CBError.Code { .encryptionTimedOut }
    /// Too many devices are paired.
    public static var tooManyLEPairedDevices: CBError.Code { .tooManyLEPairedDevices }
    /// A limit of watchOS. Not used on Linux.
    public static var leGattExceededBackgroundNotificationLimit: CBError.Code {
        .leGattExceededBackgroundNotificationLimit
    }
    /// A limit of watchOS. Not used on Linux.
    public static var leGattNearBackgroundNotificationLimit: CBError.Code { .leGattNearBackgroundNotificationLimit }
    /// The Channel Sounding session could not be configured.
    public static var channelSoundingConfigurationFailed: CBError.Code { .channelSoundingConfigurationFailed }
    /// A Channel Sounding procedure failed.
    public static var channelSoundingProcedureFailed: CBError.Code { .channelSoundingProcedureFailed }
}
