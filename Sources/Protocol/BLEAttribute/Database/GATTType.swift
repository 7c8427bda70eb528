import BLEWire

/// Attribute types of GATT (Assigned Numbers, 3.5 to 3.8).
package enum GATTType {
    static let primaryServiceValue: UInt16 = 0x2800
    static let primaryService = BluetoothUUID(UInt16(0x2800))
    static let secondaryService = BluetoothUUID(UInt16(0x2801))
    static let include = BluetoothUUID(UInt16(0x2802))
    static let characteristic = BluetoothUUID(UInt16(0x2803))
    static let clientConfiguration = BluetoothUUID(UInt16(0x2902))
    static let gapService = BluetoothUUID(UInt16(0x1800))
    static let gattService = BluetoothUUID(UInt16(0x1801))
    static let deviceName = BluetoothUUID(UInt16(0x2A00))
    static let appearance = BluetoothUUID(UInt16(0x2A01))
    static let serviceChanged = BluetoothUUID(UInt16(0x2A05))
    static let clientSupportedFeatures = BluetoothUUID(UInt16(0x2B29))
    static let serverSupportedFeatures = BluetoothUUID(UInt16(0x2B3A))
    static let databaseHash = BluetoothUUID(UInt16(0x2B2A))

    /// Whether a service is the GAP or the GATT service, which every server has (Vol 3, Part G, 7, and Part C, 12).
    package static func isSystemService(_ service: BluetoothUUID) -> Bool {
        service == gapService || service == gattService
    }

    static func isServiceDeclaration(_ type: BluetoothUUID) -> Bool {
        type == primaryService || type == secondaryService
    }

    /// Whether an attribute of this type begins a service or a characteristic.
    static func isDeclaration(_ type: BluetoothUUID) -> Bool {
        guard let value = type.shortValue else { return false }
        return (0x2800...0x2803).contains(value)
    }
}
