internal import BLEWire
import BLEAdapter
import Foundation

/// A service of a peripheral. A central discovers it. For a service of this machine see ``CBMutableService``.
open class CBService: CBAttribute {
    struct Storage {
        weak var peripheral: CBPeripheral?
        var includedServices: [CBService]?
        var characteristics: [CBCharacteristic]?
    }

    let storage: Lock<Storage>
    let primary: Bool
    /// The range of handles in the peer's database; 0...0 for a local service.
    let range: HandleRange

    init(uuid: CBUUID, primary: Bool, range: HandleRange, peripheral: CBPeripheral?) {
        self.primary = primary
        self.range = range
        storage = Lock(Storage(peripheral: peripheral))
        super.init(uuid: uuid)
    }

    /// The peripheral of the service; nil for a local service, and after the peripheral's release.
    open var peripheral: CBPeripheral? { storage.withLock { $0.peripheral } }

    /// Whether the service is primary. A secondary service exists only as a part of services that include it.
    open var isPrimary: Bool { primary }

    /// The discovered services that this service includes; nil before their discovery.
    open var includedServices: [CBService]? { storage.withLock { $0.includedServices } }

    /// The discovered characteristics; nil before their discovery.
    open var characteristics: [CBCharacteristic]? { storage.withLock { $0.characteristics } }

    /// The object's address, whether the service is primary, and the UUID or its name.
    open override var description: String {
        "<\(type(of: self)): \(address(of: self)), isPrimary = \(isPrimary ? "YES" : "NO"), UUID = \(uuid)>"
    }
}

/// The address of an object as text, for descriptions.
func address(of object: AnyObject) -> String {
    "0x" + String(UInt(bitPattern: Unmanaged.passUnretained(object).toOpaque()), radix: 16)
}
