internal import BLEWire
import BLEAdapter

/// The objects to which consecutive values of a characteristic go, found once for all of them.
/// It cannot be copied, because references to objects with weak references are expensive.
struct ValueUpdateDelivery: ~Copyable {
    private var peripheral: CBPeripheral
    private let characteristic: CBCharacteristic
    private var delegate: any CBPeripheralDelegate
    private let delegateReference: CBPeripheral.DelegateReference
    private let handle: UInt16

    /// Returns nil if there is no characteristic at the handle, or no delegate.
    init?(_ peripheral: CBPeripheral, handle: UInt16) {
        let (attribute, reference) = peripheral.guarded.withLock { ($0.attributes[handle], $0.delegateReference) }
        guard let characteristic = attribute as? CBCharacteristic, let reference, let delegate = reference.object else {
            return nil
        }
        self.peripheral = peripheral
        self.characteristic = characteristic
        self.delegate = delegate
        delegateReference = reference
        self.handle = handle
    }

    borrowing func receive(_ value: Span<UInt8>) {
        characteristic.setValue(value)
        delegate.peripheral(peripheral, didUpdateValueFor: characteristic, error: nil)
    }

    /// Whether the next value of the characteristic still goes to these objects. Those that the program has released end with this value. (On a
    /// concurrent queue, another thread may still hold them.)
    mutating func isCurrent() -> Bool {
        !isKnownUniquelyReferenced(&peripheral) && !isDelegateReleased() && isUnchanged()
    }

    /// Whether the program has released the delegate.
    private mutating func isDelegateReleased() -> Bool {
        withUnsafeMutablePointer(to: &delegate) { delegate in
            // The object is the first word of such a value (ABI, "Class Existential Containers"). Without optimization, a generic function or
            // `withMemoryRebound` would retain it here.
            isKnownUniquelyReferenced(
                &UnsafeMutableRawPointer(delegate).assumingMemoryBound(to: AnyObject.self).pointee)
        }
    }

    private borrowing func isUnchanged() -> Bool {
        peripheral.guarded.withLock { state in
            state.delegateReference === delegateReference && state.attributes.contains(characteristic, at: handle)
        }
    }
}
