import BLEAdapter
import BLEWire
public import CoreBluetooth

extension CBPeripheralManager {
    /// Advertises a beacon. One peripheralManagerDidStartAdvertising follows; `stopAdvertising()` ends it.
    ///
    /// The advertisement has the octets that the beacon's format defines: the flags, for Eddystone the list of services, and the
    /// manufacturer data or the service data. CoreBluetooth on Apple's systems advertises an iBeacon only, by
    /// `CLBeaconRegion.peripheralData(withMeasuredPower:)`, and accepts connections meanwhile.
    ///
    /// - Parameters:
    ///   - beacon: The beacon.
    ///   - isConnectable: Whether centrals may connect to the services of this process. A beacon usually accepts no connections.
    ///   - interval: The time between two advertisements, 20 ms to 10.24 s. iBeacon recommends 100 ms.
    /// - Throws: ``BeaconError/interval(_:)``; the manager then does what it did before.
    public func startAdvertising(
        _ beacon: Beacon, isConnectable: Bool = false, interval: Duration = .milliseconds(100)
    ) throws(BeaconError) {
        guard (.milliseconds(20) ... .milliseconds(10_240)).contains(interval) else { throw .interval(interval) }
        let structures = [beacon.structure]
        startAdvertising(
            Advertisement(
                localName: nil, services: beacon.services, structures: structures, isConnectable: isConnectable,
                interval: .microseconds(Int(interval / .microseconds(1)))))
    }
}

extension Beacon {
    /// The AD structure of the beacon (CSS, Part A, 1.4 and 1.11).
    var structure: Advertisement.Structure {
        switch self {
        case .iBeacon(let beacon): .init(type: 0xFF, octets: [UInt8](beacon.manufacturerData))
        case .altBeacon(let beacon): .init(type: 0xFF, octets: [UInt8](beacon.manufacturerData))
        case .eddystone(let frame): .init(type: 0x16, octets: Self.serviceUUID + frame.serviceData)
        }
    }

    /// The services of the advertisement. Eddystone requires its own.
    var services: [BluetoothUUID] {
        if case .eddystone = self { [BluetoothUUID(Eddystone.serviceUUID)] } else { [] }
    }

    private static let serviceUUID = [UInt8(Eddystone.serviceUUID & 0xFF), UInt8(Eddystone.serviceUUID >> 8)]
}
