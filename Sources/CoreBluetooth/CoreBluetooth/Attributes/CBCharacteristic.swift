internal import BLEWire
import BLEAdapter
import Foundation

/// A characteristic of a peripheral's service. A central discovers it. For a characteristic of this machine see
/// ``CBMutableCharacteristic``.
///
/// Any thread may read the properties. A property that a delegate's method announces changes just before the call.
open class CBCharacteristic: CBAttribute {
    struct Storage {
        weak var service: CBService?
        var properties: CBCharacteristicProperties
        var value: Data?
        var descriptors: [CBDescriptor]?
        var isNotifying = false
        /// The changes of the subscription that have not completed.
        var subscriptionChanges = 0

        /// Replaces the value, in its storage if that has the same length and the program does not hold it: most values of a
        /// characteristic have one length, and a new storage costs more than the rest of the way of a value.
        mutating func setValue(_ octets: Span<UInt8>) {
            // A short value has no storage.
            guard octets.count > WaitingValue.dataLimit, value?.count == octets.count else {
                return value = Data(copying: octets)
            }
            value?.withUnsafeMutableBytes { target in octets.withUnsafeBytes { target.copyMemory(from: $0) } }
        }
    }

    let storage: Lock<Storage>
    /// The properties at the initialization. Those of a discovered characteristic do not change.
    let discoveredProperties: CBCharacteristicProperties
    /// The value handle and the last handle of the characteristic in the peer's database; 0 for a local characteristic.
    let handles: HandleRange

    init(
        uuid: CBUUID, properties: CBCharacteristicProperties, value: Data?, handles: HandleRange, service: CBService?
    ) {
        self.handles = handles
        discoveredProperties = properties
        storage = Lock(Storage(service: service, properties: properties, value: value))
        super.init(uuid: uuid)
    }

    /// The service of the characteristic; nil after the service's release.
    open var service: CBService? { storage.withLock { $0.service } }

    /// The operations that the characteristic supports.
    open var properties: CBCharacteristicProperties { storage.withLock { $0.properties } }

    /// The last value that was read, notified or indicated; nil before that. A write and a failed read do not change it.
    open var value: Data? { storage.withLock { $0.value } }

    /// The descriptors; nil before their discovery.
    open var descriptors: [CBDescriptor]? { storage.withLock { $0.descriptors } }

    /// Always false. Deprecated since iOS 8.
    open var isBroadcasted: Bool { false }

    /// Whether this program is subscribed to the value. The subscription ends with the connection.
    open var isNotifying: Bool { storage.withLock { $0.isNotifying } }

    /// The object's address, the UUID or its name, the properties, the value and the subscription.
    open override var description: String {
        let (properties, data, isNotifying) = storage.withLock { ($0.properties, $0.value, $0.isNotifying) }
        let value = data.map { data in
            let hex = Hexadecimal.digits(data.prefix(20))
            return "{length = \(data.count), bytes = 0x\(hex)\(data.count > 20 ? " ..." : "")}"
        }
        return "<\(type(of: self)): \(address(of: self)), UUID = \(uuid), properties = "
            + "0x\(String(properties.rawValue, radix: 16, uppercase: true)), value = \(value ?? "(null)"), "
            + "notifying = \(isNotifying ? "YES" : "NO")>"
    }

    override func completeRead(
        _ value: WaitingValue?, _ error: (any Error)?, of peripheral: CBPeripheral,
        _ delegate: (any CBPeripheralDelegate)?
    ) {
        if let value { setValue(value) }
        delegate?.peripheral(peripheral, didUpdateValueFor: self, error: error)
    }

    override func completeWrite(
        _ error: (any Error)?, of peripheral: CBPeripheral, _ delegate: (any CBPeripheralDelegate)?
    ) {
        delegate?.peripheral(peripheral, didWriteValueFor: self, error: error)
    }

    func setValue(_ octets: Span<UInt8>) {
        storage.withLock { $0.setValue(octets) }
    }

    private func setValue(_ value: WaitingValue) {
        switch value {
        case .data(let data): storage.withLock { $0.value = data }
        case .short(let value): value.withOctets { setValue($0) }
        case .long(let octets): setValue(octets.span)
        }
    }

    /// Begins a change of the subscription. Returns false if it is as it should be, and no other change is on its way.
    func beginSubscription(_ isWanted: Bool) -> Bool {
        storage.withLock { storage in
            guard storage.subscriptionChanges > 0 || storage.isNotifying != isWanted else { return false }
            storage.subscriptionChanges += 1
            return true
        }
    }

    /// - Parameter isNotifying: The subscription now; nil if the change failed.
    func completeSubscription(_ isNotifying: Bool?) {
        storage.withLock { storage in
            storage.subscriptionChanges = max(0, storage.subscriptionChanges - 1)
            if let isNotifying { storage.isNotifying = isNotifying }
        }
    }

    /// The connection or the attribute has ended.
    func endSubscription() {
        storage.withLock { storage in
            storage.subscriptionChanges = 0
            storage.isNotifying = false
        }
    }

    func setService(_ service: CBService?) {
        storage.withLock { $0.service = service }
    }
}
