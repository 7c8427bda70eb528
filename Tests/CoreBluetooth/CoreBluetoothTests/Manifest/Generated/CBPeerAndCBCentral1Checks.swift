// Made by Scripts/generate-manifest-tests from Documentation/symbols.tsv. Do not edit.
import CoreBluetooth

extension ManifestChecks {
    /// Rows 1 to 4 of the section "CBPeer and CBCentral".
    func checkCBPeerAndCBCentral1(_ objects: ManifestObjects) {
        row("CBPeer and CBCentral", "class", "open class CBPeer : NSObject, NSCopying", of: "CBPeer") {
            let _: NSObject.Type = CBPeer.self
            let _: any NSCopying.Type = CBPeer.self
            return isNamed(CBPeer.self, "CBPeer")
        }
        row("CBPeer and CBCentral", "property", "var identifier: UUID { get }", of: "CBPeer") {
            let path: KeyPath<CBPeer, UUID> = \CBPeer.identifier
            return isReadOnly(path)
        }
        row("CBPeer and CBCentral", "class", "open class CBCentral : CBPeer", of: "CBCentral") {
            let _: CBPeer.Type = CBCentral.self
            return isNamed(CBCentral.self, "CBCentral")
        }
        row("CBPeer and CBCentral", "property", "var maximumUpdateValueLength: Int { get }", of: "CBCentral") {
            let path: KeyPath<CBCentral, Int> = \CBCentral.maximumUpdateValueLength
            return isReadOnly(path)
        }
    }
}
