import BLEWire

/// Advertising data as Apple's peripheral manager accepts it. The adapter decides about its layout in the packets.
package struct Advertisement: Hashable, Sendable {
    package var localName: String?
    package var services: [BluetoothUUID]
    package init(localName: String?, services: [BluetoothUUID]) {
        self.localName = localName
        self.services = services
    }
}

package enum AdvertisingFailure: Error, Hashable, Sendable {
    case alreadyAdvertising
    case notPoweredOn
    /// The controller refused, with its error code.
    case controller(UInt8)
}
