internal import BLEWire
import Foundation

/// A service of this machine. Set its ``characteristics`` and pass it to ``CBPeripheralManager/add(_:)``. Clients do not see later
/// changes.
open class CBMutableService: CBService {
    /// Creates a service without characteristics.
    ///
    /// - Parameters:
    ///   - UUID: The UUID of the service.
    ///   - isPrimary: Whether the service is primary. A secondary service exists only as a part of services that include it.
    public init(type UUID: CBUUID, primary isPrimary: Bool) {
        super.init(uuid: UUID, primary: isPrimary, range: HandleRange(start: 0, end: 0), peripheral: nil)
    }

    /// The services that this service includes. Add them first.
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
