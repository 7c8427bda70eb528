import BLEWire

package struct ScanRequest: Hashable, Sendable {
    /// Report devices that advertise one of these services; empty: every device.
    package var services: [BluetoothUUID]
    /// Report also devices that solicit one of these services.
    package var solicitedServices: [BluetoothUUID]
    /// Report every packet instead of each device once (and again when its content changed).
    package var allowDuplicates: Bool
    package init(
        services: [BluetoothUUID] = [], solicitedServices: [BluetoothUUID] = [], allowDuplicates: Bool = false
    ) {
        self.services = services
        self.solicitedServices = solicitedServices
        self.allowDuplicates = allowDuplicates
    }
}

/// One advertisement as the façade needs it.
package struct Discovery: Sendable {
    package var peer: PeerRecord
    /// The AD structures of the advertising data.
    package var data: [UInt8]
    /// Those of the scan response; empty if none was received. Each is parsed alone: what is malformed in one does not reach the
    /// other (Vol 3, Part C, 11).
    package var scanResponse: [UInt8]
    package var isConnectable: Bool
    /// dBm; 127 when not available.
    package var rssi: Int8
    package init(
        peer: PeerRecord, data: [UInt8], scanResponse: [UInt8] = [], isConnectable: Bool, rssi: Int8
    ) {
        self.peer = peer
        self.data = data
        self.scanResponse = scanResponse
        self.isConnectable = isConnectable
        self.rssi = rssi
    }
}
