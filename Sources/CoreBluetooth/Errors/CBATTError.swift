#if !canImport(Darwin)
import Foundation

/// The domain of errors that a GATT server answers.
public let CBATTErrorDomain: String = "CBATTErrorDomain"

/// What a remote GATT server answered to a request, or what a local one answers to a client. Codes that have no name, such as
/// the application's own from 0x80 to 0x9F, are kept.
public struct CBATTError: _BridgedStoredNSError, CustomStringConvertible, CustomDebugStringConvertible, Sendable {
    /// The ATT error code.
    public typealias Code = CBATTErrorCode

    /// The error as Foundation stores it.
    public let _nsError: NSError

    /// Takes an error of the domain ``CBATTErrorDomain``.
    ///
    /// - Parameter error: An error whose domain must be ``CBATTErrorDomain``.
    public init(_nsError error: NSError) {
        precondition(error.domain == CBATTErrorDomain)
        _nsError = error
    }

    /// The domain of these errors.
    public static var errorDomain: String { CBATTErrorDomain }

    /// The same, for Foundation's bridging.
    public static var _nsErrorDomain: String { CBATTErrorDomain }

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

extension CBATTErrorCode: @retroactive _ErrorCodeProtocol {
    /// The structure that carries this code.
    public typealias _ErrorType = CBATTError
}

extension CBATTError {
    /// No error.
    public static var success: CBATTError.Code { .success }
    /// There is no attribute with this handle.
    public static var invalidHandle: CBATTError.Code { .invalidHandle }
    /// The value cannot be read.
    public static var readNotPermitted: CBATTError.Code { .readNotPermitted }
    /// The value cannot be written.
    public static var writeNotPermitted: CBATTError.Code { .writeNotPermitted }
    /// The server did not understand the request.
    public static var invalidPdu: CBATTError.Code { .invalidPdu }
    /// The value wants authentication.
    public static var insufficientAuthentication: CBATTError.Code { .insufficientAuthentication }
    /// The server does not support the request.
    public static var requestNotSupported: CBATTError.Code { .requestNotSupported }
    /// The offset lies behind the end of the value.
    public static var invalidOffset: CBATTError.Code { .invalidOffset }
    /// The value wants authorization.
    public static var insufficientAuthorization: CBATTError.Code { .insufficientAuthorization }
    /// Too many prepared writes wait.
    public static var prepareQueueFull: CBATTError.Code { .prepareQueueFull }
    /// There is no attribute in the given range.
    public static var attributeNotFound: CBATTError.Code { .attributeNotFound }
    /// The value cannot be read in parts.
    public static var attributeNotLong: CBATTError.Code { .attributeNotLong }
    /// The key of the link's encryption is too short.
    public static var insufficientEncryptionKeySize: CBATTError.Code { .insufficientEncryptionKeySize }
    /// The value has the wrong length.
    public static var invalidAttributeValueLength: CBATTError.Code { .invalidAttributeValueLength }
    /// Something that should not happen.
    public static var unlikelyError: CBATTError.Code { .unlikelyError }
    /// The value wants an encrypted link.
    public static var insufficientEncryption: CBATTError.Code { .insufficientEncryption }
    /// The attribute type is no group.
    public static var unsupportedGroupType: CBATTError.Code { .unsupportedGroupType }
    /// The server has no room for the request.
    public static var insufficientResources: CBATTError.Code { .insufficientResources }
}
#endif
