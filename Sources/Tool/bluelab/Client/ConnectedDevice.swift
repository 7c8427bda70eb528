import AdvertisementScanning
import BLEAssignedNumbers
import BLEWire
import CoreBluetooth
import Foundation

/// A connected device.
@MainActor
struct ConnectedDevice {
    let client: CentralClient
    let peripheral: CBPeripheral
    /// What the search received of the device; nil if the store knew it.
    var seen: ScannedDevice?

    /// Discovers the characteristics and finds the one that matches `wanted`.
    func characteristic(_ wanted: String) async throws -> CBCharacteristic {
        let services = try await client.discoverAll(of: peripheral, descriptors: false)
        return try CharacteristicSearch(wanted: wanted).find(in: services)
    }
}
