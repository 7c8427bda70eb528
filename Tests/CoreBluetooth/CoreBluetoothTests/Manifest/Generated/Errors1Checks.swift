// Made by Scripts/generate-manifest-tests from Documentation/symbols.tsv. Do not edit.
import CoreBluetooth

extension ManifestChecks {
    /// Rows 1 to 40 of the section "Errors".
    func checkErrors1(_ objects: ManifestObjects) {
        row("Errors", "struct", "struct CBError : CustomNSError, Hashable, Error, Sendable", of: "CBError") {
            return isErrorStructure(CBError.self)
        }
        row("Errors", "struct member", "init(_ code: CBError.Code, userInfo: [String : Any] = [:])", of: "CBError") {
            let function: (CBError.Code, [String: Any]) -> CBError = CBError.init(_:userInfo:)
            func short(_ argument0: CBError.Code) -> CBError { CBError(argument0) }
            _ = short
            return isPresent(function)
        }
        row("Errors", "struct member", "var code: CBError.Code { get }", of: "CBError") {
            let path: KeyPath<CBError, CBError.Code> = \CBError.code
            return isReadOnly(path)
        }
        row("Errors", "struct member", "var errorCode: Int { get }", of: "CBError") {
            let path: KeyPath<CBError, Int> = \CBError.errorCode
            return isReadOnly(path)
        }
        row("Errors", "struct member", "var userInfo: [String : Any] { get }", of: "CBError") {
            let path: KeyPath<CBError, [String: Any]> = \CBError.userInfo
            return isReadOnly(path)
        }
        row("Errors", "struct member", "var errorUserInfo: [String : Any] { get }", of: "CBError") {
            let path: KeyPath<CBError, [String: Any]> = \CBError.errorUserInfo
            return isReadOnly(path)
        }
        row("Errors", "struct member", "var localizedDescription: String { get }", of: "CBError") {
            let path: KeyPath<CBError, String> = \CBError.localizedDescription
            return isReadOnly(path)
        }
        row("Errors", "struct member", "static var errorDomain: String { get }", of: "CBError") {
            let value: String = CBError.errorDomain
            return isPresent(value)
        }
        row("Errors", "struct member", "init(_nsError: NSError)", of: "CBError") {
            let function: (NSError) -> CBError = CBError.init(_nsError:)
            return isPresent(function)
        }
        row("Errors", "error enum", "enum CBError.Code : Int", of: "CBError.Code") {
            return isOpenEnumeration(CBError.Code.self)
        }
        row("Errors", "error code", "case unknown = 0", of: "CBError.Code") {
            let code: CBError.Code = CBError.unknown
            return CBError.Code.unknown.rawValue == 0 && code.rawValue == 0
        }
        row("Errors", "error code", "case invalidParameters = 1", of: "CBError.Code") {
            let code: CBError.Code = CBError.invalidParameters
            return CBError.Code.invalidParameters.rawValue == 1 && code.rawValue == 1
        }
        row("Errors", "error code", "case invalidHandle = 2", of: "CBError.Code") {
            let code: CBError.Code = CBError.invalidHandle
            return CBError.Code.invalidHandle.rawValue == 2 && code.rawValue == 2
        }
        row("Errors", "error code", "case notConnected = 3", of: "CBError.Code") {
            let code: CBError.Code = CBError.notConnected
            return CBError.Code.notConnected.rawValue == 3 && code.rawValue == 3
        }
        row("Errors", "error code", "case outOfSpace = 4", of: "CBError.Code") {
            let code: CBError.Code = CBError.outOfSpace
            return CBError.Code.outOfSpace.rawValue == 4 && code.rawValue == 4
        }
        row("Errors", "error code", "case operationCancelled = 5", of: "CBError.Code") {
            let code: CBError.Code = CBError.operationCancelled
            return CBError.Code.operationCancelled.rawValue == 5 && code.rawValue == 5
        }
        row("Errors", "error code", "case connectionTimeout = 6", of: "CBError.Code") {
            let code: CBError.Code = CBError.connectionTimeout
            return CBError.Code.connectionTimeout.rawValue == 6 && code.rawValue == 6
        }
        row("Errors", "error code", "case peripheralDisconnected = 7", of: "CBError.Code") {
            let code: CBError.Code = CBError.peripheralDisconnected
            return CBError.Code.peripheralDisconnected.rawValue == 7 && code.rawValue == 7
        }
        row("Errors", "error code", "case uuidNotAllowed = 8", of: "CBError.Code") {
            let code: CBError.Code = CBError.uuidNotAllowed
            return CBError.Code.uuidNotAllowed.rawValue == 8 && code.rawValue == 8
        }
        row("Errors", "error code", "case alreadyAdvertising = 9", of: "CBError.Code") {
            let code: CBError.Code = CBError.alreadyAdvertising
            return CBError.Code.alreadyAdvertising.rawValue == 9 && code.rawValue == 9
        }
        row("Errors", "error code", "case connectionFailed = 10", of: "CBError.Code") {
            let code: CBError.Code = CBError.connectionFailed
            return CBError.Code.connectionFailed.rawValue == 10 && code.rawValue == 10
        }
        row("Errors", "error code", "case connectionLimitReached = 11", of: "CBError.Code") {
            let code: CBError.Code = CBError.connectionLimitReached
            return CBError.Code.connectionLimitReached.rawValue == 11 && code.rawValue == 11
        }
        row("Errors", "error code", "case unkownDevice = 12", of: "CBError.Code") {
            let code: CBError.Code = CBError.unkownDevice
            return CBError.Code.unkownDevice.rawValue == 12 && code.rawValue == 12
        }
        row("Errors", "error code", "case operationNotSupported = 13", of: "CBError.Code") {
            let code: CBError.Code = CBError.operationNotSupported
            return CBError.Code.operationNotSupported.rawValue == 13 && code.rawValue == 13
        }
        row("Errors", "error code", "case peerRemovedPairingInformation = 14", of: "CBError.Code") {
            let code: CBError.Code = CBError.peerRemovedPairingInformation
            return CBError.Code.peerRemovedPairingInformation.rawValue == 14 && code.rawValue == 14
        }
        row("Errors", "error code", "case encryptionTimedOut = 15", of: "CBError.Code") {
            let code: CBError.Code = CBError.encryptionTimedOut
            return CBError.Code.encryptionTimedOut.rawValue == 15 && code.rawValue == 15
        }
        row("Errors", "error code", "case tooManyLEPairedDevices = 16", of: "CBError.Code") {
            let code: CBError.Code = CBError.tooManyLEPairedDevices
            return CBError.Code.tooManyLEPairedDevices.rawValue == 16 && code.rawValue == 16
        }
        row("Errors", "error code", "case leGattExceededBackgroundNotificationLimit = 17", of: "CBError.Code") {
            let code: CBError.Code = CBError.leGattExceededBackgroundNotificationLimit
            return CBError.Code.leGattExceededBackgroundNotificationLimit.rawValue == 17 && code.rawValue == 17
        }
        row("Errors", "error code", "case leGattNearBackgroundNotificationLimit = 18", of: "CBError.Code") {
            let code: CBError.Code = CBError.leGattNearBackgroundNotificationLimit
            return CBError.Code.leGattNearBackgroundNotificationLimit.rawValue == 18 && code.rawValue == 18
        }
        row("Errors", "error code", "case channelSoundingConfigurationFailed = 19", of: "CBError.Code") {
            let code: CBError.Code = CBError.channelSoundingConfigurationFailed
            return CBError.Code.channelSoundingConfigurationFailed.rawValue == 19 && code.rawValue == 19
        }
        row("Errors", "error code", "case channelSoundingProcedureFailed = 20", of: "CBError.Code") {
            let code: CBError.Code = CBError.channelSoundingProcedureFailed
            return CBError.Code.channelSoundingProcedureFailed.rawValue == 20 && code.rawValue == 20
        }
        row("Errors", "error code", "static var unknownDevice: CBError.Code { get }  // 12", of: "CBError.Code") {
            let code: CBError.Code = CBError.unknownDevice
            return CBError.Code.unknownDevice.rawValue == 12 && code.rawValue == 12
        }
        row("Errors", "struct", "struct CBATTError : CustomNSError, Hashable, Error, Sendable", of: "CBATTError") {
            return isErrorStructure(CBATTError.self)
        }
        row(
            "Errors", "struct member", "init(_ code: CBATTError.Code, userInfo: [String : Any] = [:])", of: "CBATTError"
        ) {
            let function: (CBATTError.Code, [String: Any]) -> CBATTError = CBATTError.init(_:userInfo:)
            func short(_ argument0: CBATTError.Code) -> CBATTError { CBATTError(argument0) }
            _ = short
            return isPresent(function)
        }
        row("Errors", "struct member", "var code: CBATTError.Code { get }", of: "CBATTError") {
            let path: KeyPath<CBATTError, CBATTError.Code> = \CBATTError.code
            return isReadOnly(path)
        }
        row("Errors", "struct member", "var errorCode: Int { get }", of: "CBATTError") {
            let path: KeyPath<CBATTError, Int> = \CBATTError.errorCode
            return isReadOnly(path)
        }
        row("Errors", "struct member", "var userInfo: [String : Any] { get }", of: "CBATTError") {
            let path: KeyPath<CBATTError, [String: Any]> = \CBATTError.userInfo
            return isReadOnly(path)
        }
        row("Errors", "struct member", "var errorUserInfo: [String : Any] { get }", of: "CBATTError") {
            let path: KeyPath<CBATTError, [String: Any]> = \CBATTError.errorUserInfo
            return isReadOnly(path)
        }
        row("Errors", "struct member", "var localizedDescription: String { get }", of: "CBATTError") {
            let path: KeyPath<CBATTError, String> = \CBATTError.localizedDescription
            return isReadOnly(path)
        }
        row("Errors", "struct member", "static var errorDomain: String { get }", of: "CBATTError") {
            let value: String = CBATTError.errorDomain
            return isPresent(value)
        }
    }
}
