extension HCI {
    /// A controller error code: the status of a command or the reason of a disconnection (Vol 1, Part F).
    package struct ErrorCode: RawRepresentable, Error, Hashable, Sendable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }
    }
}

extension HCI.ErrorCode {
    package static let success = Self(rawValue: 0x00)
    package static let unknownHCICommand = Self(rawValue: 0x01)
    package static let unknownConnectionIdentifier = Self(rawValue: 0x02)
    package static let hardwareFailure = Self(rawValue: 0x03)
    package static let pageTimeout = Self(rawValue: 0x04)
    package static let authenticationFailure = Self(rawValue: 0x05)
    package static let pinOrKeyMissing = Self(rawValue: 0x06)
    package static let memoryCapacityExceeded = Self(rawValue: 0x07)
    package static let connectionTimeout = Self(rawValue: 0x08)
    package static let connectionLimitExceeded = Self(rawValue: 0x09)
    package static let synchronousConnectionLimitToADeviceExceeded = Self(rawValue: 0x0A)
    package static let connectionAlreadyExists = Self(rawValue: 0x0B)
    package static let commandDisallowed = Self(rawValue: 0x0C)
    package static let connectionRejectedDueToLimitedResources = Self(rawValue: 0x0D)
    package static let connectionRejectedDueToSecurityReasons = Self(rawValue: 0x0E)
    package static let connectionRejectedDueToUnacceptableBDADDR = Self(rawValue: 0x0F)
    package static let connectionAcceptTimeoutExceeded = Self(rawValue: 0x10)
    package static let unsupportedFeatureOrParameterValue = Self(rawValue: 0x11)
    package static let invalidHCICommandParameters = Self(rawValue: 0x12)
    package static let remoteUserTerminatedConnection = Self(rawValue: 0x13)
    package static let remoteDeviceTerminatedConnectionDueToLowResources = Self(rawValue: 0x14)
    package static let remoteDeviceTerminatedConnectionDueToPowerOff = Self(rawValue: 0x15)
    package static let connectionTerminatedByLocalHost = Self(rawValue: 0x16)
    package static let repeatedAttempts = Self(rawValue: 0x17)
    package static let pairingNotAllowed = Self(rawValue: 0x18)
    package static let unknownLMPPDU = Self(rawValue: 0x19)
    package static let unsupportedRemoteFeature = Self(rawValue: 0x1A)
    package static let scoOffsetRejected = Self(rawValue: 0x1B)
    package static let scoIntervalRejected = Self(rawValue: 0x1C)
    package static let scoAirModeRejected = Self(rawValue: 0x1D)
    package static let invalidLLParameters = Self(rawValue: 0x1E)
    package static let unspecifiedError = Self(rawValue: 0x1F)
    package static let unsupportedLLParameterValue = Self(rawValue: 0x20)
    package static let roleChangeNotAllowed = Self(rawValue: 0x21)
    package static let llResponseTimeout = Self(rawValue: 0x22)
    package static let llProcedureCollision = Self(rawValue: 0x23)
    package static let lmpPDUNotAllowed = Self(rawValue: 0x24)
    package static let encryptionModeNotAcceptable = Self(rawValue: 0x25)
    package static let linkKeyCannotBeChanged = Self(rawValue: 0x26)
    package static let requestedQoSNotSupported = Self(rawValue: 0x27)
    package static let instantPassed = Self(rawValue: 0x28)
    package static let pairingWithUnitKeyNotSupported = Self(rawValue: 0x29)
    package static let differentTransactionCollision = Self(rawValue: 0x2A)
    package static let qosUnacceptableParameter = Self(rawValue: 0x2C)
    package static let qosRejected = Self(rawValue: 0x2D)
    package static let channelClassificationNotSupported = Self(rawValue: 0x2E)
    package static let insufficientSecurity = Self(rawValue: 0x2F)
    package static let parameterOutOfMandatoryRange = Self(rawValue: 0x30)
    package static let roleSwitchPending = Self(rawValue: 0x32)
    package static let reservedSlotViolation = Self(rawValue: 0x34)
    package static let roleSwitchFailed = Self(rawValue: 0x35)
    package static let extendedInquiryResponseTooLarge = Self(rawValue: 0x36)
    package static let secureSimplePairingNotSupportedByHost = Self(rawValue: 0x37)
    package static let hostBusyPairing = Self(rawValue: 0x38)
    package static let connectionRejectedDueToNoSuitableChannelFound = Self(rawValue: 0x39)
    package static let controllerBusy = Self(rawValue: 0x3A)
    package static let unacceptableConnectionParameters = Self(rawValue: 0x3B)
    package static let advertisingTimeout = Self(rawValue: 0x3C)
    package static let connectionTerminatedDueToMICFailure = Self(rawValue: 0x3D)
    package static let connectionFailedToBeEstablished = Self(rawValue: 0x3E)
    package static let macConnectionFailed = Self(rawValue: 0x3F)
    package static let coarseClockAdjustmentRejected = Self(rawValue: 0x40)
    package static let type0SubmapNotDefined = Self(rawValue: 0x41)
    package static let unknownAdvertisingIdentifier = Self(rawValue: 0x42)
    package static let limitReached = Self(rawValue: 0x43)
    package static let operationCancelledByHost = Self(rawValue: 0x44)
    package static let packetTooLong = Self(rawValue: 0x45)
    package static let tooLate = Self(rawValue: 0x46)
    package static let tooEarly = Self(rawValue: 0x47)
    package static let insufficientChannels = Self(rawValue: 0x48)
}

extension HCI.ErrorCode: CustomStringConvertible {
    /// The specification's name, or the number.
    package var description: String {
        switch self {
        case .success: "Success"
        case .unknownHCICommand: "Unknown HCI Command"
        case .unknownConnectionIdentifier: "Unknown Connection Identifier"
        case .hardwareFailure: "Hardware Failure"
        case .pageTimeout: "Page Timeout"
        case .authenticationFailure: "Authentication Failure"
        case .pinOrKeyMissing: "PIN or Key Missing"
        case .memoryCapacityExceeded: "Memory Capacity Exceeded"
        case .connectionTimeout: "Connection Timeout"
        case .connectionLimitExceeded: "Connection Limit Exceeded"
        case .synchronousConnectionLimitToADeviceExceeded: "Synchronous Connection Limit To A Device Exceeded"
        case .connectionAlreadyExists: "Connection Already Exists"
        case .commandDisallowed: "Command Disallowed"
        case .connectionRejectedDueToLimitedResources: "Connection Rejected due to Limited Resources"
        case .connectionRejectedDueToSecurityReasons: "Connection Rejected Due To Security Reasons"
        case .connectionRejectedDueToUnacceptableBDADDR: "Connection Rejected due to Unacceptable BD_ADDR"
        case .connectionAcceptTimeoutExceeded: "Connection Accept Timeout Exceeded"
        case .unsupportedFeatureOrParameterValue: "Unsupported Feature or Parameter Value"
        case .invalidHCICommandParameters: "Invalid HCI Command Parameters"
        case .remoteUserTerminatedConnection: "Remote User Terminated Connection"
        case .remoteDeviceTerminatedConnectionDueToLowResources:
            "Remote Device Terminated Connection due to Low Resources"
        case .remoteDeviceTerminatedConnectionDueToPowerOff: "Remote Device Terminated Connection due to Power Off"
        case .connectionTerminatedByLocalHost: "Connection Terminated By Local Host"
        case .repeatedAttempts: "Repeated Attempts"
        case .pairingNotAllowed: "Pairing Not Allowed"
        case .unknownLMPPDU: "Unknown LMP PDU"
        case .unsupportedRemoteFeature: "Unsupported Remote Feature"
        case .scoOffsetRejected: "SCO Offset Rejected"
        case .scoIntervalRejected: "SCO Interval Rejected"
        case .scoAirModeRejected: "SCO Air Mode Rejected"
        case .invalidLLParameters: "Invalid LMP Parameters / Invalid LL Parameters"
        case .unspecifiedError: "Unspecified Error"
        case .unsupportedLLParameterValue: "Unsupported LMP Parameter Value / Unsupported LL Parameter Value"
        case .roleChangeNotAllowed: "Role Change Not Allowed"
        case .llResponseTimeout: "LMP Response Timeout / LL Response Timeout"
        case .llProcedureCollision: "LMP Error Transaction Collision / LL Procedure Collision"
        case .lmpPDUNotAllowed: "LMP PDU Not Allowed"
        case .encryptionModeNotAcceptable: "Encryption Mode Not Acceptable"
        case .linkKeyCannotBeChanged: "Link Key cannot be Changed"
        case .requestedQoSNotSupported: "Requested QoS Not Supported"
        case .instantPassed: "Instant Passed"
        case .pairingWithUnitKeyNotSupported: "Pairing With Unit Key Not Supported"
        case .differentTransactionCollision: "Different Transaction Collision"
        case .qosUnacceptableParameter: "QoS Unacceptable Parameter"
        case .qosRejected: "QoS Rejected"
        case .channelClassificationNotSupported: "Channel Classification Not Supported"
        case .insufficientSecurity: "Insufficient Security"
        case .parameterOutOfMandatoryRange: "Parameter Out Of Mandatory Range"
        case .roleSwitchPending: "Role Switch Pending"
        case .reservedSlotViolation: "Reserved Slot Violation"
        case .roleSwitchFailed: "Role Switch Failed"
        case .extendedInquiryResponseTooLarge: "Extended Inquiry Response Too Large"
        case .secureSimplePairingNotSupportedByHost: "Secure Simple Pairing Not Supported By Host"
        case .hostBusyPairing: "Host Busy - Pairing"
        case .connectionRejectedDueToNoSuitableChannelFound: "Connection Rejected due to No Suitable Channel Found"
        case .controllerBusy: "Controller Busy"
        case .unacceptableConnectionParameters: "Unacceptable Connection Parameters"
        case .advertisingTimeout: "Advertising Timeout"
        case .connectionTerminatedDueToMICFailure: "Connection Terminated due to MIC Failure"
        case .connectionFailedToBeEstablished: "Connection Failed to be Established / Synchronization Timeout"
        case .macConnectionFailed: "MAC Connection Failed"
        case .coarseClockAdjustmentRejected:
            "Coarse Clock Adjustment Rejected but Will Try to Adjust Using Clock Dragging"
        case .type0SubmapNotDefined: "Type0 Submap Not Defined"
        case .unknownAdvertisingIdentifier: "Unknown Advertising Identifier"
        case .limitReached: "Limit Reached"
        case .operationCancelledByHost: "Operation Cancelled by Host"
        case .packetTooLong: "Packet Too Long"
        case .tooLate: "Too Late"
        case .tooEarly: "Too Early"
        case .insufficientChannels: "Insufficient Channels"
        default: "error 0x" + hexadecimal(UInt16(rawValue), digits: 2)
        }
    }
}
