#if !canImport(Darwin)
internal import BLEWire
import Foundation

/// The devices whose connections a program registered for.
struct ConnectionEventFilter {
    let identifiers: [UUID]
    let services: [BluetoothUUID]

    /// Apple's limit.
    static let maximumServiceCount = 4

    /// Nil if `options` asks for more than is allowed.
    init?(_ options: [CBConnectionEventMatchingOption: Any]) {
        identifiers = options[.peripheralUUIDs] as? [UUID] ?? []
        services = (options[.serviceUUIDs] as? [CBUUID] ?? []).map(\.value)
        guard services.count <= Self.maximumServiceCount else { return nil }
    }

    func matches(_ peripheral: CBPeripheral) -> Bool {
        identifiers.contains(peripheral.identifier) || services.contains { peripheral.isKnownToHave($0) }
    }
}
#endif
