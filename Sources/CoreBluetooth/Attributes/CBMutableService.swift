#if !canImport(Darwin)
internal import BLEWire
import Foundation

/// A service that this machine offers. Fill in ``characteristics``, then give it to ``CBPeripheralManager/add(_:)``: from then
/// on changes of it have no effect on what clients see.
open class CBMutableService: CBService {
    /// Makes a service without characteristics.
    ///
    /// - Parameters:
    ///   - UUID: The UUID of the service.
    ///   - isPrimary: Whether it is a service of its own, and not only a part that others include.
    public init(type UUID: CBUUID, primary isPrimary: Bool) {
        super.init(uuid: UUID, primary: isPrimary, range: HandleRange(start: 0, end: 0), peripheral: nil)
    }

    /// The services that this one includes. They have to be added before it.
    open override var includedServices: [CBService]? {
        get { super.includedServices }
        set {
            let old = storage.withLock { storage in
                let old = storage.includedServices
                storage.includedServices = newValue
                return old
            }
            withExtendedLifetime(old) {}
        }
    }

    /// The characteristics of the service.
    open override var characteristics: [CBCharacteristic]? {
        get { super.characteristics }
        set {
            let old = storage.withLock { storage in
                let old = storage.characteristics
                storage.characteristics = newValue
                return old
            }
            for characteristic in old ?? [] where characteristic.service === self { characteristic.setService(nil) }
            for characteristic in newValue ?? [] { characteristic.setService(self) }
        }
    }
}
#endif
