#if !canImport(Darwin)
internal import BLEWire
import BLEAdapter
import Foundation

/// A characteristic that this machine offers.
open class CBMutableCharacteristic: CBCharacteristic {
    struct LocalStorage {
        var permissions: CBAttributePermissions
        var subscribedCentrals: [CBCentral] = []
    }

    let local: Lock<LocalStorage>

    /// Makes a characteristic.
    ///
    /// - Parameters:
    ///   - UUID: The UUID of the characteristic.
    ///   - properties: What clients can do with it. `.broadcast` and `.extendedProperties` are refused by
    ///     ``CBPeripheralManager/add(_:)``.
    ///   - value: A value that never changes and that is served without asking; such a characteristic must be read-only. Nil: each
    ///     read and write goes to the delegate.
    ///   - permissions: What clients may do with the value.
    public init(
        type UUID: CBUUID, properties: CBCharacteristicProperties, value: Data?, permissions: CBAttributePermissions
    ) {
        local = Lock(LocalStorage(permissions: permissions))
        super.init(
            uuid: UUID, properties: properties, value: value, handles: HandleRange(start: 0, end: 0), service: nil)
    }

    /// What clients may do with the value.
    open var permissions: CBAttributePermissions {
        get { local.withLock { $0.permissions } }
        set { local.withLock { $0.permissions = newValue } }
    }

    /// The clients that are subscribed to the value. Nil while there are none.
    open var subscribedCentrals: [CBCentral]? {
        local.withLock { $0.subscribedCentrals.isEmpty ? nil : $0.subscribedCentrals }
    }

    /// What clients can do with the value. Changes after the service was added have no effect.
    open override var properties: CBCharacteristicProperties {
        get { super.properties }
        set { storage.withLock { $0.properties = newValue } }
    }

    /// The value. After the service was added it is the program's own note; what clients see of a static value does not change.
    open override var value: Data? {
        get { super.value }
        set { storage.withLock { $0.value = newValue } }
    }

    /// The descriptors beside the client configuration, which the system adds by itself.
    open override var descriptors: [CBDescriptor]? {
        get { super.descriptors }
        set {
            let old = storage.withLock { storage in
                let old = storage.descriptors
                storage.descriptors = newValue
                return old
            }
            for descriptor in old ?? [] where descriptor.characteristic === self { descriptor.setCharacteristic(nil) }
            for descriptor in newValue ?? [] { descriptor.setCharacteristic(self) }
        }
    }

    func addSubscriber(_ central: CBCentral) {
        local.withLock { local in
            if !local.subscribedCentrals.contains(where: { $0.peer == central.peer }) {
                local.subscribedCentrals.append(central)
            }
        }
    }

    func removeSubscriber(_ central: CBCentral) {
        let old = local.withLock { local in
            let old = local.subscribedCentrals
            local.subscribedCentrals.removeAll { $0.peer == central.peer }
            return old
        }
        withExtendedLifetime(old) {}
    }

    func removeAllSubscribers() {
        let old = local.withLock { local in
            let old = local.subscribedCentrals
            local.subscribedCentrals = []
            return old
        }
        withExtendedLifetime(old) {}
    }
}
#endif
