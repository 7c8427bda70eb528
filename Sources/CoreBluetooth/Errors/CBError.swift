#if !canImport(Darwin)
import Foundation

/// The domain of errors of this side and of the link.
public let CBErrorDomain: String = "CBErrorDomain"

/// An error of the local stack or of the link to a device. What a remote GATT server answers is a ``CBATTError``.
public struct CBError: _BridgedStoredNSError, CustomStringConvertible, CustomDebugStringConvertible, Sendable {
    /// What went wrong.
    public typealias Code = CBErrorCode

    /// The error as Foundation stores it.
    public let _nsError: NSError

    /// Takes an error of the domain ``CBErrorDomain``.
    ///
    /// - Parameter error: An error whose domain must be ``CBErrorDomain``.
    public init(_nsError error: NSError) {
        precondition(error.domain == CBErrorDomain)
        _nsError = error
    }

    /// The domain of these errors.
    public static var errorDomain: String { CBErrorDomain }

    /// The same, for Foundation's bridging.
    public static var _nsErrorDomain: String { CBErrorDomain }

    /// Hashes the code. Foundation's own form for bridged errors halts on Linux.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(_nsError.code)
    }

    /// What the error carries, with a sentence for its code where the error has no text of its own.
    public var errorUserInfo: [String: Any] { _nsError.userInfo(withSentence: code.text) }

    /// The domain, the code and the sentence, in the form in which Apple's systems print an error.
    public var description: String { _nsError.description(withSentence: code.text) }

    /// The same as ``description``.
    public var debugDescription: String { description }
}

extension CBErrorCode: @retroactive _ErrorCodeProtocol {
    /// The structure that carries this code.
    public typealias _ErrorType = CBError

    /// An alias of the misspelt `unkownDevice`.
    public static var unknownDevice: CBErrorCode { .unkownDevice }
}

extension CBError {
    /// An error without a closer reason.
    public static var unknown: CBError.Code { .unknown }
    /// One or more parameters were invalid.
    public static var invalidParameters: CBError.Code { .invalidParameters }
    /// The attribute is not, or no longer, one of the peer's.
    public static var invalidHandle: CBError.Code { .invalidHandle }
    /// The device is not connected.
    public static var notConnected: CBError.Code { .notConnected }
    /// There is no room for the operation.
    public static var outOfSpace: CBError.Code { .outOfSpace }
    /// The operation was cancelled.
    public static var operationCancelled: CBError.Code { .operationCancelled }
    /// Nothing was heard of the device for the supervision timeout.
    public static var connectionTimeout: CBError.Code { .connectionTimeout }
    /// The device ended the link.
    public static var peripheralDisconnected: CBError.Code { .peripheralDisconnected }
    /// This UUID cannot be used here.
    public static var uuidNotAllowed: CBError.Code { .uuidNotAllowed }
    /// The manager advertises already.
    public static var alreadyAdvertising: CBError.Code { .alreadyAdvertising }
    /// The link could not be established.
    public static var connectionFailed: CBError.Code { .connectionFailed }
    /// The controller has no room for another link.
    public static var connectionLimitReached: CBError.Code { .connectionLimitReached }
    /// The device is not known; the misspelt name of Apple's.
    public static var unkownDevice: CBError.Code { .unkownDevice }
    /// The device is not known.
    public static var unknownDevice: CBError.Code { .unkownDevice }
    /// The operation is not supported.
    public static var operationNotSupported: CBError.Code { .operationNotSupported }
    /// The device forgot its bond with this machine.
    public static var peerRemovedPairingInformation: CBError.Code { .peerRemovedPairingInformation }
    /// The link could not be encrypted in time.
    public static var encryptionTimedOut: CBError.Code { .encryptionTimedOut }
    /// Too many devices are paired.
    public static var tooManyLEPairedDevices: CBError.Code { .tooManyLEPairedDevices }
    /// A limit of watchOS; never met on Linux.
    public static var leGattExceededBackgroundNotificationLimit: CBError.Code {
        .leGattExceededBackgroundNotificationLimit
    }
    /// A limit of watchOS; never met on Linux.
    public static var leGattNearBackgroundNotificationLimit: CBError.Code { .leGattNearBackgroundNotificationLimit }
    /// Channel Sounding could not be set up.
    public static var channelSoundingConfigurationFailed: CBError.Code { .channelSoundingConfigurationFailed }
    /// A Channel Sounding procedure failed.
    public static var channelSoundingProcedureFailed: CBError.Code { .channelSoundingProcedureFailed }
}
#endif
