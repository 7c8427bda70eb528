import BLEWire

package struct ScanRequest: Hashable, Sendable {
    /// Report devices that advertise one of these services; an empty list selects every device.
    package var services: [BluetoothUUID]
    /// Report also devices that solicit one of these services.
    package var solicitedServices: [BluetoothUUID]
    /// Report every packet. Otherwise report each device once, and again when its content changes.
    package var allowDuplicates: Bool
    package init(
        services: [BluetoothUUID] = [], solicitedServices: [BluetoothUUID] = [], allowDuplicates: Bool = false
    ) {
        self.services = services
        self.solicitedServices = solicitedServices
        self.allowDuplicates = allowDuplicates
    }
}

/// One report of an advertiser.
package struct Discovery: Sendable {
    package var peer: PeerRecord
    /// The address of the advertiser: its identity address if it is known. Nil if the adapter hides addresses, as Apple's systems do.
    package var address: DeviceAddress?
    /// The AD structures of the advertising data.
    package var data: [UInt8]
    /// The AD structures of the scan response; empty if none was received. Each is parsed separately: a malformed
    /// structure in one does not affect the other (Vol 3, Part C, 11).
    package var scanResponse: [UInt8]
    package var isConnectable: Bool
    /// In dBm; 127 means not available (Vol 4, Part E, 7.7.65.2).
    package var rssi: Int8
    package init(
        peer: PeerRecord, address: DeviceAddress? = nil, data: [UInt8], scanResponse: [UInt8] = [], isConnectable: Bool,
        rssi: Int8
    ) {
        self.peer = peer
        self.address = address
        self.data = data
        self.scanResponse = scanResponse
        self.isConnectable = isConnectable
        self.rssi = rssi
    }
}
