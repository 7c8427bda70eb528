import BLEAdapter
import Foundation

/// A descriptor of a characteristic. A central discovers it. For a descriptor of this machine see ``CBMutableDescriptor``.
open class CBDescriptor: CBAttribute {
    struct Storage {
        weak var characteristic: CBCharacteristic?
        var value: Any?
    }

    let storage: Lock<Storage>
    /// The handle in the peer's database; 0 for a local descriptor.
    let handle: UInt16

    init(uuid: CBUUID, value: Any?, handle: UInt16, characteristic: CBCharacteristic?) {
        self.handle = handle
        storage = Lock(Storage(characteristic: characteristic, value: value))
        super.init(uuid: uuid)
    }

    /// The characteristic of the descriptor; nil after the characteristic's release.
    open var characteristic: CBCharacteristic? { storage.withLock { $0.characteristic } }

    /// The last value that was read: an `NSNumber` for 2900, 2902 and 2903, a `String` for 2901, else `Data`. Nil before that.
    open var value: Any? { storage.withLock { $0.value } }

    /// The object's address, the UUID or its name, and the value.
    open override var description: String {
        let shown = value.map { String(describing: $0) } ?? "(null)"
        return "<\(type(of: self)): \(address(of: self)), UUID = \(uuid), value = \(shown)>"
    }

    func setCharacteristic(_ characteristic: CBCharacteristic?) {
        storage.withLock { $0.characteristic = characteristic }
    }

    override func completeRead(
        _ value: WaitingValue?, _ error: (any Error)?, of peripheral: CBPeripheral,
        _ delegate: (any CBPeripheralDelegate)?
    ) {
        if let value { setValue(typedValue(value.octets)) }
        delegate?.peripheral(peripheral, didUpdateValueFor: self, error: error)
    }

    override func completeWrite(
        _ error: (any Error)?, of peripheral: CBPeripheral, _ delegate: (any CBPeripheralDelegate)?
    ) {
        delegate?.peripheral(peripheral, didWriteValueFor: self, error: error)
    }

    func setValue(_ value: Any?) {
        let old = storage.withLock { storage in
            let old = storage.value
            storage.value = value
            return old
        }
        withExtendedLifetime(old) {}
    }

    /// Converts the octets from a peer to the type that the descriptor's UUID requires.
    func typedValue(_ octets: [UInt8]) -> Any {
        switch uuid.value.shortValue {
        case 0x2900, 0x2902, 0x2903:
            // Two octets, the least significant first (Vol 3, Part G, 3.3.3.1, 3.3.3.3 and 3.3.3.4). Fewer octets give
            // the bits that are present; further octets are ignored.
            return NSNumber(value: octets.prefix(2).reversed().reduce(UInt16(0)) { $0 << 8 | UInt16($1) })
        // The user description is UTF-8 (Vol 3, Part G, 3.3.3.2).
        case 0x2901: return String(decoding: octets, as: UTF8.self)
        default: return Data(octets)
        }
    }
}
