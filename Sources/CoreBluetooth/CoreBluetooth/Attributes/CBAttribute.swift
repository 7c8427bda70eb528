import Foundation

/// The base class of services, characteristics and descriptors.
open class CBAttribute: NSObject {
    let attributeUUID: CBUUID

    init(uuid: CBUUID) {
        attributeUUID = uuid
        super.init()
    }

    /// The UUID that identifies the type of the attribute.
    open var uuid: CBUUID { attributeUUID }

    /// Takes the value of a read and tells the delegate. Only characteristics and descriptors are read.
    ///
    /// - Parameter value: Nil if the read failed.
    func completeRead(
        _ value: WaitingValue?, _ error: (any Error)?, of peripheral: CBPeripheral,
        _ delegate: (any CBPeripheralDelegate)?
    ) {}

    /// Tells the delegate of the end of a write. Only characteristics and descriptors are written.
    func completeWrite(
        _ error: (any Error)?, of peripheral: CBPeripheral, _ delegate: (any CBPeripheralDelegate)?
    ) {}
}
