import BLEWire

/// The flags of a characteristic for bluetoothd (org.bluez.GattCharacteristic1, Flags). bluetoothd derives properties and permissions from
/// them together, so that a property cannot be without its permission, or the other way round.
struct PublishedFlags {
    private enum Property {
        static let broadcast: UInt = 0x01
        static let read: UInt = 0x02
        static let writeWithoutResponse: UInt = 0x04
        static let write: UInt = 0x08
        static let notify: UInt = 0x10
        static let indicate: UInt = 0x20
        static let signedWrite: UInt = 0x40
        static let notifyEncrypted: UInt = 0x100
        static let indicateEncrypted: UInt = 0x200
    }

    private enum Permission {
        static let read: UInt = 0x01
        static let write: UInt = 0x02
        static let readEncrypted: UInt = 0x04
        static let writeEncrypted: UInt = 0x08
    }

    static let extendedProperties = BluetoothUUID(0x2900 as UInt16)
    static let clientConfiguration = BluetoothUUID(0x2902 as UInt16)

    private let properties: UInt
    private let permissions: UInt
    /// The bits of the descriptor for extended properties (Vol 3, Part G, 3.3.3.1).
    private let extended: UInt8
    private let isStatic: Bool

    init(_ characteristic: CharacteristicDefinition) {
        properties = characteristic.properties
        permissions = characteristic.permissions
        extended = characteristic.descriptors.first { $0.uuid == Self.extendedProperties }?.value.first ?? 0
        isStatic = characteristic.value != nil
    }

    private func has(_ bits: UInt) -> Bool { properties & bits != 0 }

    var isReadable: Bool { permissions & (Permission.read | Permission.readEncrypted) != 0 }
    var isWriteable: Bool { !isStatic && permissions & (Permission.write | Permission.writeEncrypted) != 0 }
    var hasUpdates: Bool {
        has(Property.notify | Property.indicate | Property.notifyEncrypted | Property.indicateEncrypted)
    }
    /// Whether subscriptions need encryption, which bluetoothd knows from 5.62 on.
    var hasEncryptedUpdates: Bool { has(Property.notifyEncrypted | Property.indicateEncrypted) }

    /// - Parameter knowsEncryptedUpdates: Whether this version knows the flags for subscriptions that need encryption.
    func names(knowsEncryptedUpdates: Bool) -> [String] {
        var names: [String] = []
        if has(Property.broadcast) { names.append("broadcast") }
        if has(Property.read) { names.append(permissions & Permission.readEncrypted != 0 ? "encrypt-read" : "read") }
        if has(Property.writeWithoutResponse) { names.append("write-without-response") }
        if has(Property.signedWrite) { names.append("authenticated-signed-writes") }
        // The only flag that demands encryption for commands too. It adds the property Write.
        if permissions & Permission.writeEncrypted != 0, has(Property.write | Property.writeWithoutResponse) {
            names.append("encrypt-write")
        } else if has(Property.write) {
            names.append("write")
        }
        if has(Property.notifyEncrypted), knowsEncryptedUpdates {
            names.append("encrypt-notify")
        } else if has(Property.notify | Property.notifyEncrypted) {
            names.append("notify")
        }
        if has(Property.indicateEncrypted), knowsEncryptedUpdates {
            names.append("encrypt-indicate")
        } else if has(Property.indicate | Property.indicateEncrypted) {
            names.append("indicate")
        }
        // bluetoothd adds the descriptor.
        if extended & 1 != 0 { names.append("reliable-write") }
        if extended & 2 != 0 { names.append("writable-auxiliaries") }
        // bluetoothd refuses an empty list. This flag is about prepared writes, and sets no property.
        return names.isEmpty ? ["authorize"] : names
    }
}
