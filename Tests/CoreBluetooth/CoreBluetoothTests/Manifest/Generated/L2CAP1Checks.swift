// Made by Scripts/generate-manifest-tests from Documentation/symbols.tsv. Do not edit.
import CoreBluetooth

extension ManifestChecks {
    /// Rows 1 to 6 of the section "L2CAP".
    func checkL2CAP1(_ objects: ManifestObjects) {
        row("L2CAP", "typealias", "typealias CBL2CAPPSM = UInt16", of: "CBUUID") {
            return CBL2CAPPSM.self == UInt16.self
        }
        row("L2CAP", "class", "open class CBL2CAPChannel : NSObject", of: "CBL2CAPChannel") {
            let _: NSObject.Type = CBL2CAPChannel.self
            return isNamed(CBL2CAPChannel.self, "CBL2CAPChannel")
        }
        row("L2CAP", "property", "var peer: CBPeer! { get }", of: "CBL2CAPChannel") {
            let path: KeyPath<CBL2CAPChannel, CBPeer?> = \CBL2CAPChannel.peer
            return isReadOnly(path)
        }
        row("L2CAP", "property", "var inputStream: InputStream! { get }", of: "CBL2CAPChannel") {
            let path: KeyPath<CBL2CAPChannel, InputStream?> = \CBL2CAPChannel.inputStream
            return isReadOnly(path)
        }
        row("L2CAP", "property", "var outputStream: OutputStream! { get }", of: "CBL2CAPChannel") {
            let path: KeyPath<CBL2CAPChannel, OutputStream?> = \CBL2CAPChannel.outputStream
            return isReadOnly(path)
        }
        row("L2CAP", "property", "var psm: CBL2CAPPSM { get }", of: "CBL2CAPChannel") {
            let path: KeyPath<CBL2CAPChannel, CBL2CAPPSM> = \CBL2CAPChannel.psm
            return isReadOnly(path)
        }
    }
}
