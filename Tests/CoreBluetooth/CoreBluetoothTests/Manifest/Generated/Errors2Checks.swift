// Made by Scripts/generate-manifest-tests from Documentation/symbols.tsv. Do not edit.
import CoreBluetooth

extension ManifestChecks {
    /// Rows 41 to 60 of the section "Errors".
    func checkErrors2(_ objects: ManifestObjects) {
        row("Errors", "struct member", "init(_nsError: NSError)", of: "CBATTError") {
            let function: (NSError) -> CBATTError = CBATTError.init(_nsError:)
            return isPresent(function)
        }
        row("Errors", "error enum", "enum CBATTError.Code : Int", of: "CBATTError.Code") {
            return isOpenEnumeration(CBATTError.Code.self)
        }
        row("Errors", "error code", "case success = 0x00", of: "CBATTError.Code") {
            let code: CBATTError.Code = CBATTError.success
            return CBATTError.Code.success.rawValue == 0x00 && code.rawValue == 0x00
        }
        row("Errors", "error code", "case invalidHandle = 0x01", of: "CBATTError.Code") {
            let code: CBATTError.Code = CBATTError.invalidHandle
            return CBATTError.Code.invalidHandle.rawValue == 0x01 && code.rawValue == 0x01
        }
        row("Errors", "error code", "case readNotPermitted = 0x02", of: "CBATTError.Code") {
            let code: CBATTError.Code = CBATTError.readNotPermitted
            return CBATTError.Code.readNotPermitted.rawValue == 0x02 && code.rawValue == 0x02
        }
        row("Errors", "error code", "case writeNotPermitted = 0x03", of: "CBATTError.Code") {
            let code: CBATTError.Code = CBATTError.writeNotPermitted
            return CBATTError.Code.writeNotPermitted.rawValue == 0x03 && code.rawValue == 0x03
        }
        row("Errors", "error code", "case invalidPdu = 0x04", of: "CBATTError.Code") {
            let code: CBATTError.Code = CBATTError.invalidPdu
            return CBATTError.Code.invalidPdu.rawValue == 0x04 && code.rawValue == 0x04
        }
        row("Errors", "error code", "case insufficientAuthentication = 0x05", of: "CBATTError.Code") {
            let code: CBATTError.Code = CBATTError.insufficientAuthentication
            return CBATTError.Code.insufficientAuthentication.rawValue == 0x05 && code.rawValue == 0x05
        }
        row("Errors", "error code", "case requestNotSupported = 0x06", of: "CBATTError.Code") {
            let code: CBATTError.Code = CBATTError.requestNotSupported
            return CBATTError.Code.requestNotSupported.rawValue == 0x06 && code.rawValue == 0x06
        }
        row("Errors", "error code", "case invalidOffset = 0x07", of: "CBATTError.Code") {
            let code: CBATTError.Code = CBATTError.invalidOffset
            return CBATTError.Code.invalidOffset.rawValue == 0x07 && code.rawValue == 0x07
        }
        row("Errors", "error code", "case insufficientAuthorization = 0x08", of: "CBATTError.Code") {
            let code: CBATTError.Code = CBATTError.insufficientAuthorization
            return CBATTError.Code.insufficientAuthorization.rawValue == 0x08 && code.rawValue == 0x08
        }
        row("Errors", "error code", "case prepareQueueFull = 0x09", of: "CBATTError.Code") {
            let code: CBATTError.Code = CBATTError.prepareQueueFull
            return CBATTError.Code.prepareQueueFull.rawValue == 0x09 && code.rawValue == 0x09
        }
        row("Errors", "error code", "case attributeNotFound = 0x0A", of: "CBATTError.Code") {
            let code: CBATTError.Code = CBATTError.attributeNotFound
            return CBATTError.Code.attributeNotFound.rawValue == 0x0A && code.rawValue == 0x0A
        }
        row("Errors", "error code", "case attributeNotLong = 0x0B", of: "CBATTError.Code") {
            let code: CBATTError.Code = CBATTError.attributeNotLong
            return CBATTError.Code.attributeNotLong.rawValue == 0x0B && code.rawValue == 0x0B
        }
        row("Errors", "error code", "case insufficientEncryptionKeySize = 0x0C", of: "CBATTError.Code") {
            let code: CBATTError.Code = CBATTError.insufficientEncryptionKeySize
            return CBATTError.Code.insufficientEncryptionKeySize.rawValue == 0x0C && code.rawValue == 0x0C
        }
        row("Errors", "error code", "case invalidAttributeValueLength = 0x0D", of: "CBATTError.Code") {
            let code: CBATTError.Code = CBATTError.invalidAttributeValueLength
            return CBATTError.Code.invalidAttributeValueLength.rawValue == 0x0D && code.rawValue == 0x0D
        }
        row("Errors", "error code", "case unlikelyError = 0x0E", of: "CBATTError.Code") {
            let code: CBATTError.Code = CBATTError.unlikelyError
            return CBATTError.Code.unlikelyError.rawValue == 0x0E && code.rawValue == 0x0E
        }
        row("Errors", "error code", "case insufficientEncryption = 0x0F", of: "CBATTError.Code") {
            let code: CBATTError.Code = CBATTError.insufficientEncryption
            return CBATTError.Code.insufficientEncryption.rawValue == 0x0F && code.rawValue == 0x0F
        }
        row("Errors", "error code", "case unsupportedGroupType = 0x10", of: "CBATTError.Code") {
            let code: CBATTError.Code = CBATTError.unsupportedGroupType
            return CBATTError.Code.unsupportedGroupType.rawValue == 0x10 && code.rawValue == 0x10
        }
        row("Errors", "error code", "case insufficientResources = 0x11", of: "CBATTError.Code") {
            let code: CBATTError.Code = CBATTError.insufficientResources
            return CBATTError.Code.insufficientResources.rawValue == 0x11 && code.rawValue == 0x11
        }
    }
}
