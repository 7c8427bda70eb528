internal import BLERuntime
import BLEAdapter
import Foundation

/// A client of this machine's services.
open class CBCentral: CBPeer {
    let updateLength: Lock<Int>

    init(_ record: CentralRecord) {
        updateLength = Lock(record.maximumUpdateLength)
        super.init(peer: record.identifier)
    }

    /// The longest notification or indication to this client, in octets: its ATT_MTU less three. Longer values are truncated.
    /// Between two of these hosts the length is 495 octets, which fills the data PDUs on the air; see
    /// ``CBPeripheral/maximumWriteValueLength(for:)``.
    open var maximumUpdateValueLength: Int { updateLength.withLock { $0 } }

    /// The object's address, the identifier and the length.
    open override var description: String {
        "<\(type(of: self)): \(address(of: self)), identifier = \(identifier), "
            + "maximumUpdateValueLength = \(maximumUpdateValueLength)>"
    }
}
