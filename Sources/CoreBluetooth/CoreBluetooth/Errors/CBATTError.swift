import Foundation

/// The domain of ATT errors.
public let CBATTErrorDomain: String = "CBATTErrorDomain"

/// An ATT error: the answer of a remote GATT server, or the answer of this machine's server to a client. Codes without a name, such
/// as the application errors from 0x80 to 0x9F, are preserved.
public struct CBATTError: _BridgedStoredNSError, CustomStringConvertible, CustomDebugStringConvertible, Sendable {
    /// The ATT error code.
    public typealias Code = CBATTErrorCode

    /// The error in Foundation's representation.
    public let _nsError: NSError

    /// Creates an error from one of the domain ``CBATTErrorDomain``.
    ///
    /// - Parameter error: An error whose domain must be ``CBATTErrorDomain``.
    public init(_nsError error: NSError) {
        precondition(error.domain == CBATTErrorDomain)
        _nsError = error
    }

    /// The domain of these errors.
    public static var errorDomain: String { CBATTErrorDomain }

    /// The same domain, for Foundation's bridging.
    public static var _nsErrorDomain: String { CBATTErrorDomain }

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

extension CBATTErrorCode: @retroactive _ErrorCodeProtocol {
    /// The structure that carries this code.
    public typealias _ErrorType = CBATTError
}

extension CBATTError {
    /// No error.
    public static var success: CBATTError.Code { .success }
    /// The server has no attribute with this handle.
    public static var invalidHandle: CBATTError.Code { .invalidHandle }
    /// Clients may not read the value.
    public static var readNotPermitted: CBATTError.Code { .readNotPermitted }
    /// Clients may not write the value.
    public static var writeNotPermitted: CBATTError.Code { .writeNotPermitted }
    /// The server could not decode the request.
    public static var invalidPdu: CBATTError.Code { .invalidPdu }
    /// The value requires authentication.
    public static var insufficientAuthentication: CBATTError.Code { .insufficientAuthentication }
    /// The server does not support the request.
    public static var requestNotSupported: CBATTError.Code { .requestNotSupported }
    /// The offset is beyond the end of the value.
    public static var invalidOffset: CBATTError.Code { .invalidOffset }
    /// The value requires authorization.
    public static var insufficientAuthorization: CBATTError.Code { .insufficientAuthorization }
    /// The queue of prepared writes is full.
    public static var prepareQueueFull: CBATTError.Code { .prepareQueueFull }
    /// The range contains no attribute of the requested type.
    public static var attributeNotFound: CBATTError.Code { .attributeNotFound }
    /// The value cannot be read with an offset.
    public static var attributeNotLong: CBATTError.Code { .attributeNotLong }
    /// The encryption key of the link is too short.
    public static var insufficientEncryptionKeySize: CBATTError.Code { .insufficientEncryptionKeySize }
    /// The value has the wrong length.
    public static var invalidAttributeValueLength: CBATTError.Code { .invalidAttributeValueLength }
    /// The server failed for an unexpected reason.
    public static var unlikelyError: CBATTError.Code { .unlikelyError }
    /// The value requires an encrypted link.
    public static var insufficientEncryption: CBATTError.Code { .insufficientEncryption }
    /// The attribute type is not a grouping attribute.
    public static var unsupportedGroupType: CBATTError.Code { .unsupportedGroupType }
    /// The server has no resources for the request.
    public static var insufficientResources: CBATTError.Code { .insufficientResources }
}
