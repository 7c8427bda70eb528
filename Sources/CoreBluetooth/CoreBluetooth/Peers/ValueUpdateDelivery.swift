internal import BLEWire
import BLEAdapter

/// The objects to which consecutive values of a characteristic go, found once for all of them.
/// It cannot be copied, because references to objects with weak references are expensive.
struct ValueUpdateDelivery: ~Copyable {
    private var peripheral: CBPeripheral
    private let characteristic: CBCharacteristic
    /// Weak, so that a delegate that the program releases ends between two values.
    private let delegate: CBPeripheral.DelegateReference
    private let handle: UInt16

    /// Returns nil if there is no characteristic at the handle, or no delegate.
    init?(_ peripheral: CBPeripheral, handle: UInt16) {
        let (attribute, reference) = peripheral.guarded.withLock { ($0.attributes[handle], $0.delegateReference) }
        guard let characteristic = attribute as? CBCharacteristic, let reference, reference.object != nil else {
            return nil
        }
        self.peripheral = peripheral
        self.characteristic = characteristic
        delegate = reference
        self.handle = handle
    }

    /// Returns false, without effect, if the program has released the delegate.
    borrowing func receive(_ value: Span<UInt8>) -> Bool {
        guard let delegate = delegate.object else { return false }
        characteristic.setValue(value)
        delegate.peripheral(peripheral, didUpdateValueFor: characteristic, error: nil)
        return true
    }

    /// Whether the next value of the characteristic still goes to these objects. A peripheral that the program has released ends with this value. (On
    /// a concurrent queue, another thread may still hold it.)
    mutating func isCurrent() -> Bool { !isKnownUniquelyReferenced(&peripheral) && isUnchanged() }

    private borrowing func isUnchanged() -> Bool {
        peripheral.guarded.withLock { state in
            state.delegateReference === delegate && state.attributes.contains(characteristic, at: handle)
        }
    }
}
