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
    package let content: DiscoveryContent
    /// In dBm; 127 means not available (Vol 4, Part E, 7.7.65.2).
    package let rssi: Int8

    @inlinable
    package init(_ content: DiscoveryContent, rssi: Int8) {
        self.content = content
        self.rssi = rssi
    }

    package init(
        peer: PeerRecord, address: DeviceAddress? = nil, data: [UInt8], scanResponse: [UInt8] = [], isConnectable: Bool,
        rssi: Int8
    ) {
        self.init(
            DiscoveryContent(
                peer: peer, address: address, data: data, scanResponse: scanResponse, isConnectable: isConnectable),
            rssi: rssi)
    }

    @inlinable package var peer: PeerRecord { content.peer }
    @inlinable package var address: DeviceAddress? { content.address }
    @inlinable package var data: [UInt8] { content.data }
    @inlinable package var scanResponse: [UInt8] { content.scanResponse }
    @inlinable package var isConnectable: Bool { content.isConnectable }
}

/// The part of reports that only a changed advertisement changes. A class, so that the reports of an unchanged one share it.
package final class DiscoveryContent: Sendable {
    package let peer: PeerRecord
    /// The address of the advertiser: its identity address if it is known. Nil if the adapter hides addresses, as Apple's systems do.
    package let address: DeviceAddress?
    /// The AD structures of the advertising data.
    package let data: [UInt8]
    /// The AD structures of the scan response; empty if none was received. Each is parsed separately: a malformed
    /// structure in one does not affect the other (Vol 3, Part C, 11).
    package let scanResponse: [UInt8]
    package let isConnectable: Bool

    package init(
        peer: PeerRecord, address: DeviceAddress?, data: [UInt8], scanResponse: [UInt8], isConnectable: Bool
    ) {
        self.peer = peer
        self.address = address
        self.data = data
        self.scanResponse = scanResponse
        self.isConnectable = isConnectable
    }

    /// Whether the advertisement is the same: its octets, and whether it is connectable.
    package func hasSameAdvertisement(as other: DiscoveryContent) -> Bool {
        // Arrays with the same storage are equal without a comparison.
        self === other
            || isConnectable == other.isConnectable && data == other.data && scanResponse == other.scanResponse
    }
}
