import AdvertisementScanning
import BLEAdapter
import BLEWire

/// A report of the device with a number, in the room of these tests.
package func report(
    _ number: UInt64, rssi: Int8 = -60, at milliseconds: Int = 0, data: [UInt8] = [], response: [UInt8] = [],
    isConnectable: Bool = true, address: UInt64? = nil, name: String? = nil, set: UInt8? = nil
) -> AdvertisementReport {
    let form = set.map {
        AdvertisementForm(isLegacy: false, primaryPHY: 1, secondaryPHY: 1, sid: $0, transmitPower: 127)
    }
    let content = DiscoveryContent(
        identity: AdvertiserIdentity(PeerIdentifier(high: number << 32, low: 1)), source: nil,
        names: PeerNames(deviceName: name),
        address: DeviceAddress(kind: .random, value: address ?? 0xC000_0000_0000 | number),
        octets: AdvertisingOctets(data: data, scanResponse: response), isConnectable: isConnectable, form: form,
        readsName: false)
    return AdvertisementReport(
        discovery: Discovery(content, rssi: rssi), time: start + .milliseconds(milliseconds))
}

/// The time of the reports' beginning.
package let start = ContinuousClock.now

/// A decoded device that sent one packet.
package func device(_ data: [UInt8], response: [UInt8] = [], name: String? = nil, address: UInt64? = nil)
    -> ScannedDevice
{
    var device = ScannedDevice(peer: PeerIdentifier(high: 0x5B1D_7A10_0000_0000, low: 1))
    device.add(report(1, data: data, response: response, address: address, name: name).discovery, at: .zero)
    device.decode()
    return device
}

/// The structures of advertising data from pairs of a type and octets.
package func structures(_ items: (UInt8, [UInt8])...) -> [UInt8] {
    items.flatMap { [UInt8($0.1.count + 1), $0.0] + $0.1 }
}
