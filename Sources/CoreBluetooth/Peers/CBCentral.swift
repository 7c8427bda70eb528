#if !canImport(Darwin)
internal import BLERuntime
import BLEAdapter
import Foundation

/// A device that uses this machine's services.
open class CBCentral: CBPeer {
    let updateLength: Lock<Int>

    init(_ record: CentralRecord) {
        updateLength = Lock(record.maximumUpdateLength)
        super.init(peer: record.identifier)
    }

    /// The most octets that one notification or indication to this client can carry: its ATT_MTU less three. Longer values are
    /// cut. 495 between two of these hosts, which fills the data PDUs on the air; see
    /// ``CBPeripheral/maximumWriteValueLength(for:)``.
    open var maximumUpdateValueLength: Int { updateLength.withLock { $0 } }

    /// The address, identifier and length.
    open override var description: String {
        "<\(type(of: self)): \(address(of: self)), identifier = \(identifier), "
            + "maximumUpdateValueLength = \(maximumUpdateValueLength)>"
    }
}
#endif
