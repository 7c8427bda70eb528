extension ATT {
    /// The code of an Error Response (Vol 3, Part F, 3.4.1.1, table 3.4). The code space is open, so any octet is
    /// valid.
    package struct ErrorCode: RawRepresentable, Hashable, Sendable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        package static let invalidHandle = ErrorCode(rawValue: 0x01)
        package static let readNotPermitted = ErrorCode(rawValue: 0x02)
        package static let writeNotPermitted = ErrorCode(rawValue: 0x03)
        package static let invalidPDU = ErrorCode(rawValue: 0x04)
        package static let insufficientAuthentication = ErrorCode(rawValue: 0x05)
        package static let requestNotSupported = ErrorCode(rawValue: 0x06)
        package static let invalidOffset = ErrorCode(rawValue: 0x07)
        package static let insufficientAuthorization = ErrorCode(rawValue: 0x08)
        package static let prepareQueueFull = ErrorCode(rawValue: 0x09)
        package static let attributeNotFound = ErrorCode(rawValue: 0x0A)
        package static let attributeNotLong = ErrorCode(rawValue: 0x0B)
        package static let encryptionKeySizeTooShort = ErrorCode(rawValue: 0x0C)
        package static let invalidAttributeValueLength = ErrorCode(rawValue: 0x0D)
        package static let unlikelyError = ErrorCode(rawValue: 0x0E)
        package static let insufficientEncryption = ErrorCode(rawValue: 0x0F)
        package static let unsupportedGroupType = ErrorCode(rawValue: 0x10)
        package static let insufficientResources = ErrorCode(rawValue: 0x11)
        package static let databaseOutOfSync = ErrorCode(rawValue: 0x12)
        package static let valueNotAllowed = ErrorCode(rawValue: 0x13)
        /// Common profile and service error codes (Core Specification Supplement, Part B, 1.2).
        package static let writeRequestRejected = ErrorCode(rawValue: 0xFC)
        package static let clientConfigurationImproperlyConfigured = ErrorCode(rawValue: 0xFD)
        package static let procedureAlreadyInProgress = ErrorCode(rawValue: 0xFE)
        package static let outOfRange = ErrorCode(rawValue: 0xFF)
    }
}

extension ATT.ErrorCode: CustomStringConvertible {
    /// The specification's name, or the kind of code with its value.
    package var description: String {
        switch rawValue {
        case 0x01: "Invalid Handle"
        case 0x02: "Read Not Permitted"
        case 0x03: "Write Not Permitted"
        case 0x04: "Invalid PDU"
        case 0x05: "Insufficient Authentication"
        case 0x06: "Request Not Supported"
        case 0x07: "Invalid Offset"
        case 0x08: "Insufficient Authorization"
        case 0x09: "Prepare Queue Full"
        case 0x0A: "Attribute Not Found"
        case 0x0B: "Attribute Not Long"
        case 0x0C: "Encryption Key Size Too Short"
        case 0x0D: "Invalid Attribute Value Length"
        case 0x0E: "Unlikely Error"
        case 0x0F: "Insufficient Encryption"
        case 0x10: "Unsupported Group Type"
        case 0x11: "Insufficient Resources"
        case 0x12: "Database Out Of Sync"
        case 0x13: "Value Not Allowed"
        case 0xFC: "Write Request Rejected"
        case 0xFD: "Client Characteristic Configuration Descriptor Improperly Configured"
        case 0xFE: "Procedure Already In Progress"
        case 0xFF: "Out Of Range"
        case 0x80...0x9F: "Application Error 0x" + String(rawValue, radix: 16, uppercase: true)
        default: "Error 0x" + String(rawValue, radix: 16, uppercase: true)
        }
    }
}
