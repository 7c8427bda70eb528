internal import BLEWire
import BLEAdapter
import Foundation

/// A characteristic of this machine.
open class CBMutableCharacteristic: CBCharacteristic {
    struct LocalStorage {
        var permissions: CBAttributePermissions
        var subscribedCentrals: [CBCentral] = []
    }

    let local: Lock<LocalStorage>

    /// Creates a characteristic.
    ///
    /// - Parameters:
    ///   - UUID: The UUID of the characteristic.
    ///   - properties: The operations that clients can use. ``CBPeripheralManager/add(_:)`` refuses `.broadcast` and
    ///     `.extendedProperties`.
    ///   - value: A static value, which the host serves without the delegate. The characteristic must be read-only then. With nil
    ///     each read and write goes to the delegate.
    ///   - permissions: The permissions of clients for the value.
    public init(
        type UUID: CBUUID, properties: CBCharacteristicProperties, value: Data?, permissions: CBAttributePermissions
    ) {
        local = Lock(LocalStorage(permissions: permissions))
        super.init(
            uuid: UUID, properties: properties, value: value, handles: HandleRange(start: 0, end: 0), service: nil)
    }

    /// The permissions of clients for the value.
    open var permissions: CBAttributePermissions {
        get { local.withLock { $0.permissions } }
        set { local.withLock { $0.permissions = newValue } }
    }

    /// The subscribed clients; nil if there are none.
    open var subscribedCentrals: [CBCentral]? {
        local.withLock { $0.subscribedCentrals.isEmpty ? nil : $0.subscribedCentrals }
    }

    /// The operations that clients can use. A change after the service was added has no effect.
    open override var properties: CBCharacteristicProperties {
        get { super.properties }
        set { storage.withLock { $0.properties = newValue } }
    }

    /// The value. After the service was added, clients do not see changes of it.
    open override var value: Data? {
        get { super.value }
        set {
            let old = storage.withLock { storage in
                let old = storage.value
                storage.value = newValue
                return old
            }
            withExtendedLifetime(old) {}
        }
    }

    /// The descriptors. The host adds the client characteristic configuration.
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
