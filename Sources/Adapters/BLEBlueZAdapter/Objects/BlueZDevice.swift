import BLEWire
import SystemBus

/// A device that bluetoothd knows (org.bluez.Device1).
struct BlueZDevice {
    let path: String
    /// The identity address once bluetoothd knows it.
    let address: DeviceAddress
    private let properties: BusProperties

    /// Returns nil if the object has no valid address.
    init?(_ path: String, _ properties: BusProperties) {
        guard let text = properties["Address"]?.text, let address = Self.address(text, properties["AddressType"]?.text)
        else { return nil }
        self.path = path
        self.address = address
        self.properties = properties
    }

    /// The address in a property, with the property for its kind. Returns nil if it has another form.
    static func address(_ text: String, _ type: String?) -> DeviceAddress? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 6, parts.allSatisfy({ $0.utf8.count == 2 }) else { return nil }
        var value: UInt64 = 0
        for part in parts {
            guard part.allSatisfy(\.isHexDigit), let octet = UInt8(part, radix: 16) else { return nil }
            value = value << 8 | UInt64(octet)
        }
        return DeviceAddress(kind: type == "random" ? .random : .public, value: value)
    }

    /// Whether there is a link, of either bearer.
    var isConnected: Bool { properties["Connected"]?.flag == true }
    var hasServices: Bool { properties["ServicesResolved"]?.flag == true }
    var isPaired: Bool { properties["Paired"]?.flag == true }
    /// Whether bluetoothd keeps the keys. Versions before 5.65 do not tell, and keep those of all that are paired.
    var isBonded: Bool { properties["Bonded"]?.flag ?? isPaired }
    /// The name that the device advertised, or the one in its GAP service: bluetoothd does not tell which.
    var name: String? { properties["Name"]?.text }
    /// In dBm; nil if no advertisement has arrived for some time.
    var rssi: Int8? { properties["RSSI"]?.signed.map { Int8(clamping: $0) } }
    /// In dBm.
    var transmitPower: Int8? { properties["TxPower"]?.signed.map { Int8(clamping: $0) } }
    var uuids: [BluetoothUUID] {
        properties["UUIDs"]?.elements?.compactMap { $0.text.flatMap { BluetoothUUID($0) } } ?? []
    }

    subscript(name: String) -> BusValue? { properties[name] }
}
