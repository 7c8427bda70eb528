// Made by Scripts/generate-manifest-tests from Documentation/symbols.tsv. Do not edit.
import CoreBluetooth

extension ManifestChecks {
    /// Rows 1 to 7 of the section "CBUUID".
    func checkCBUUID1(_ objects: ManifestObjects) {
        row("CBUUID", "class", "open class CBUUID : NSObject, NSCopying", of: "CBUUID") {
            let _: NSObject.Type = CBUUID.self
            let _: any NSCopying.Type = CBUUID.self
            return isNamed(CBUUID.self, "CBUUID")
        }
        row("CBUUID", "init", "init(string theString: String)", of: "CBUUID") {
            let function: (String) -> CBUUID = CBUUID.init(string:)
            return isPresent(function)
        }
        row("CBUUID", "init", "init(data theData: Data)", of: "CBUUID") {
            let function: (Data) -> CBUUID = CBUUID.init(data:)
            return isPresent(function)
        }
        row("CBUUID", "init", "init(nsuuid theUUID: UUID)", of: "CBUUID") {
            let function: (UUID) -> CBUUID = CBUUID.init(nsuuid:)
            return isPresent(function)
        }
        row("CBUUID", "init", "init(cfuuid theUUID: CFUUID)", of: "CBUUID") {
            let function: (CFUUID) -> CBUUID = CBUUID.init(cfuuid:)
            return isPresent(function)
        }
        row("CBUUID", "property", "var data: Data { get }", of: "CBUUID") {
            let path: KeyPath<CBUUID, Data> = \CBUUID.data
            return isReadOnly(path)
        }
        row("CBUUID", "property", "var uuidString: String { get }", of: "CBUUID") {
            let path: KeyPath<CBUUID, String> = \CBUUID.uuidString
            return isReadOnly(path)
        }
    }
}
