#if !canImport(Darwin)
internal import BLEWire
import BLEAdapter
import Foundation

/// A service of a peripheral: what it can do, as characteristics. A central discovers it; for one of this machine's own see
/// ``CBMutableService``.
open class CBService: CBAttribute {
    struct Storage {
        weak var peripheral: CBPeripheral?
        var includedServices: [CBService]?
        var characteristics: [CBCharacteristic]?
    }

    let storage: Lock<Storage>
    let primary: Bool
    /// Where the service stands in the peer's database; 0...0 for a local one.
    let range: HandleRange

    init(uuid: CBUUID, primary: Bool, range: HandleRange, peripheral: CBPeripheral?) {
        self.primary = primary
        self.range = range
        storage = Lock(Storage(peripheral: peripheral))
        super.init(uuid: uuid)
    }

    /// The peripheral that has the service; nil for a local service, and when the peripheral is gone.
    open var peripheral: CBPeripheral? { storage.withLock { $0.peripheral } }

    /// Whether the service is one of its own, and not only a part that others include.
    open var isPrimary: Bool { primary }

    /// The services that this one includes, as far as they were discovered; nil before that.
    open var includedServices: [CBService]? { storage.withLock { $0.includedServices } }

    /// The characteristics, as far as they were discovered; nil before that.
    open var characteristics: [CBCharacteristic]? { storage.withLock { $0.characteristics } }

    /// The address, whether it is primary, and the UUID or its name.
    open override var description: String {
        "<\(type(of: self)): \(address(of: self)), isPrimary = \(isPrimary ? "YES" : "NO"), UUID = \(uuid)>"
    }
}

/// The address of an object for descriptions.
func address(of object: AnyObject) -> String {
    "0x" + String(UInt(bitPattern: Unmanaged.passUnretained(object).toOpaque()), radix: 16)
}
#endif
