import AdvertisementScanning
import BLEAdapter
import BLEBeacons
import BLEValues
import BLEWire
import Foundation

/// A report in the output of `bluelab scan --json`. Documentation/Schemas/sighting.json describes it.
struct AdvertisementEventRecord: Encodable {
    let type = "sighting"
    let identifier: String
    let address: String?
    let addressType: DeviceAddress.TypeName?
    let publishedAddress: String?
    let name: String?
    let time: Double
    let rssi: Int?
    let connectable: Bool
    let services: [String]
    let company: String?
    let manufacturerData: String?
    let serviceData: [String: String]?
    let txPower: Int?
    let primaryPHY: String?
    let secondaryPHY: String?
    let set: Int?
    let appearance: String?
    let beacon: String?
    let distance: Double?
    let interval: Double?
    let count: Int
    let data: String
    let scanResponse: String?

    /// - Parameter device: A decoded device.
    init(_ device: ScannedDevice) {
        let content = device.content
        identifier = device.identifier.uuidString
        address = device.address?.description
        addressType = device.address?.typeName
        publishedAddress = content.publishedAddress?.text
        name = device.name
        time = Self.thousandths(device.lastSeen)
        rssi = device.rssi
        connectable = device.isConnectable
        services = content.services.map(\.description)
        company = content.company
        manufacturerData = content.manufacturerData.map(Hexadecimal.digits)
        serviceData =
            content.serviceData.isEmpty
            ? nil
            : Dictionary(
                content.serviceData.map { ($0.key.description, Hexadecimal.digits($0.value)) }, uniquingKeysWith: { $1 }
            )
        let extended = device.extendedForm
        txPower = content.transmitPower ?? extended?.advertisedPower
        primaryPHY = extended.map { HCI.PHY(rawValue: $0.primaryPHY).name }
        secondaryPHY = extended.flatMap { $0.secondaryPHY == 0 ? nil : HCI.PHY(rawValue: $0.secondaryPHY).name }
        set = extended?.setIdentifier.map { Int($0) }
        appearance = content.appearance.map { hexadecimal($0, digits: 4) }
        beacon = content.beacon.map(BeaconText.long)
        distance = device.distance.map { ($0 * 10).rounded() / 10 }
        interval = device.interval.map(Self.thousandths)
        count = device.count
        data = Hexadecimal.digits(device.data)
        scanResponse = device.scanResponse.isEmpty ? nil : Hexadecimal.digits(device.scanResponse)
    }

    private static func thousandths(_ time: Duration) -> Double { (time / .milliseconds(1)).rounded() / 1000 }
}
