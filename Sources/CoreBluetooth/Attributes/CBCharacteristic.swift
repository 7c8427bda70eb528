#if !canImport(Darwin)
internal import BLEWire
import BLEAdapter
import Foundation

/// A value that a service offers, and what can be done with it. A central discovers it; for one of this machine's own see
/// ``CBMutableCharacteristic``.
///
/// All properties may be read from any thread. Those that a delegate's method announces change just before its call.
open class CBCharacteristic: CBAttribute {
    struct Storage {
        weak var service: CBService?
        var properties: CBCharacteristicProperties
        var value: Data?
        var descriptors: [CBDescriptor]?
        var isNotifying = false
    }

    let storage: Lock<Storage>
    /// The value's handle and the last handle of the characteristic in the peer's database; 0 for a local one.
    let handles: HandleRange

    init(
        uuid: CBUUID, properties: CBCharacteristicProperties, value: Data?, handles: HandleRange, service: CBService?
    ) {
        self.handles = handles
        storage = Lock(Storage(service: service, properties: properties, value: value))
        super.init(uuid: uuid)
    }

    /// The service that has the characteristic; nil when that is gone.
    open var service: CBService? { storage.withLock { $0.service } }

    /// What can be done with the value.
    open var properties: CBCharacteristicProperties { storage.withLock { $0.properties } }

    /// The value as it was last read, notified or indicated; nil before that. Writing does not change it, nor does a read that
    /// fails.
    open var value: Data? { storage.withLock { $0.value } }

    /// The descriptors; nil before they were discovered.
    open var descriptors: [CBDescriptor]? { storage.withLock { $0.descriptors } }

    /// Always false: deprecated since iOS 8.
    open var isBroadcasted: Bool { false }

    /// Whether this program is subscribed to the value. Ends with the connection.
    open var isNotifying: Bool { storage.withLock { $0.isNotifying } }

    /// The address, UUID or name, properties, value and whether it is notifying.
    open override var description: String {
        let (properties, data, isNotifying) = storage.withLock { ($0.properties, $0.value, $0.isNotifying) }
        let value = data.map { data in
            let hex = data.prefix(20).map { String(format: "%02x", $0) }.joined()
            return "{length = \(data.count), bytes = 0x\(hex)\(data.count > 20 ? " ..." : "")}"
        }
        return "<\(type(of: self)): \(address(of: self)), UUID = \(uuid), properties = "
            + "0x\(String(properties.rawValue, radix: 16, uppercase: true)), value = \(value ?? "(null)"), "
            + "notifying = \(isNotifying ? "YES" : "NO")>"
    }

    func setService(_ service: CBService?) {
        storage.withLock { $0.service = service }
    }
}
#endif
