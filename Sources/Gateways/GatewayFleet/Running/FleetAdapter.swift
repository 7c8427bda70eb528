import BLEAdapter
import BLEWire
import Dispatch

/// The Bluetooth adapter of one simulated gateway. It reports advertisements of devices that do not exist, and has no links: everything from
/// `CentralObserver.discovered` on is the gateway's own code.
final class FleetAdapter: BluetoothAdapter, PeerIdentification, @unchecked Sendable {
    // `@unchecked Sendable`: the stored properties are used on `queue` only.

    private let queue: DispatchQueue
    private let gateway: Int
    private weak var observer: (any CentralObserver)?
    /// The advertisements of each device.
    private var counts: [UInt32]

    /// - Parameter gateway: The number of the gateway, which is part of the addresses of its devices.
    init(gateway: Int, devices: Int, queue: DispatchQueue) {
        (self.gateway, self.queue) = (gateway, queue)
        counts = [UInt32](repeating: 0, count: devices)
    }

    /// Reports an advertisement of a device.
    ///
    /// - Parameter time: Microseconds since 1970.
    func hear(_ device: Int, time: Int64) {
        let address = DeviceAdvertisement.address(gateway: gateway, device: device)
        let advertisement = DeviceAdvertisement(count: counts[device], time: time)
        counts[device] &+= 1
        observer?.discovered(
            Discovery(
                peer: PeerRecord(identifier: identifier(for: address), name: nil), address: address,
                data: advertisement.octets(device: device), isConnectable: true, rssi: Int8(-40 - device % 50)))
    }

    func openCentral(observer: any CentralObserver) -> any CentralSession {
        queue.async { [weak observer] in
            self.observer = observer
            observer?.adapterStateChanged(.poweredOn)
        }
        return UnavailableSession()
    }

    func openPeripheral(observer: any PeripheralObserver) -> any PeripheralSession { UnavailableSession() }

    var peerIdentification: (any PeerIdentification)? { self }

    func identifier(for address: DeviceAddress) -> PeerIdentifier { PeerIdentifier(high: 0, low: address.value) }

    func address(of identifier: PeerIdentifier) -> DeviceAddress? {
        DeviceAddress(kind: .random, value: identifier.low)
    }
}
