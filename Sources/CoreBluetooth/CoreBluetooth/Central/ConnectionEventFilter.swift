internal import BLEWire
import Foundation

/// Matches the devices of a registration for connection events.
struct ConnectionEventFilter {
    let identifiers: [UUID]
    let services: [BluetoothUUID]

    /// The limit that Apple documents.
    static let maximumServiceCount = 4

    /// Nil if `options` contains more services than the limit.
    init?(_ options: [CBConnectionEventMatchingOption: Any]) {
        identifiers = options[.peripheralUUIDs] as? [UUID] ?? []
        services = (options[.serviceUUIDs] as? [CBUUID] ?? []).map(\.value)
        guard services.count <= Self.maximumServiceCount else { return nil }
    }

    func matches(_ peripheral: CBPeripheral) -> Bool {
        identifiers.contains(peripheral.identifier) || services.contains { peripheral.isKnownToHave($0) }
    }
}
