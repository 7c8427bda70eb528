import CoreBluetooth
import Foundation

/// One reported advertisement.
struct AdvertisementEvent {
    let identifier: UUID
    let name: String?
    /// dBm; nil if the controller did not measure it.
    let rssi: Int?
    let isConnectable: Bool
    let services: [CBUUID]
    let manufacturerData: Data?
    let serviceData: [CBUUID: Data]
    /// dBm, as advertised.
    let transmitPower: Int?

    init(_ peripheral: CBPeripheral, _ advertisement: [String: Any], _ rssi: NSNumber) {
        identifier = peripheral.identifier
        name = advertisement[CBAdvertisementDataLocalNameKey] as? String ?? peripheral.name
        // 127: not available (Vol 4, Part E, 7.7.65.2).
        self.rssi = rssi.intValue == 127 ? nil : rssi.intValue
        isConnectable = (advertisement[CBAdvertisementDataIsConnectable] as? NSNumber)?.boolValue ?? false
        services = advertisement[CBAdvertisementDataServiceUUIDsKey] as? [CBUUID] ?? []
        manufacturerData = advertisement[CBAdvertisementDataManufacturerDataKey] as? Data
        serviceData = advertisement[CBAdvertisementDataServiceDataKey] as? [CBUUID: Data] ?? [:]
        transmitPower = (advertisement[CBAdvertisementDataTxPowerLevelKey] as? NSNumber)?.intValue
    }
}
