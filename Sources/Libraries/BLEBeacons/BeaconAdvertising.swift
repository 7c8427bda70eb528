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
    ///   - extended: The PHY of extended packets; nil for legacy ones, which every device hears. Each manager with extended packets has an advertising set of
    ///     its own, so that several advertise side by side. A controller without LE Extended Advertising, or without
    ///     a free set, refuses them, and so does an adapter that bluetoothd has.
    /// - Throws: ``BeaconError/interval(_:)``; the manager then does what it did before.
    public func startAdvertising(
        _ beacon: Beacon, isConnectable: Bool = false, interval: Duration = .milliseconds(100),
        extended: ExtendedPHY? = nil
    ) throws(BeaconError) {
        guard (.milliseconds(20) ... .milliseconds(10_240)).contains(interval) else { throw .interval(interval) }
        let structures = [beacon.structure]
        startAdvertising(
            Advertisement(
                localName: nil, services: beacon.services, structures: structures, isConnectable: isConnectable,
                interval: .microseconds(Int(interval / .microseconds(1))), extended: extended?.phys))
    }
}

/// The PHY of the data of extended advertising (Vol 6, Part B, 2.3.4).
public enum ExtendedPHY: RawRepresentable, Hashable, Sendable, CaseIterable {
    /// LE 1M.
    case le1M
    /// LE 2M, announced on LE 1M.
    case le2M
    /// LE Coded, also on the primary channels: about twice the range of LE 1M, for devices that listen to LE Coded.
    case leCoded

    /// `1m`, `2m` or `coded`.
    public var rawValue: String { phys.secondaryPHY.option }

    /// - Parameter rawValue: `1m`, `2m` or `coded`.
    public init?(rawValue: String) {
        guard let phy = Self.allCases.first(where: { $0.rawValue == rawValue }) else { return nil }
        self = phy
    }

    var phys: Advertisement.Extended {
        switch self {
        case .le1M: Advertisement.Extended()
        case .le2M: Advertisement.Extended(secondaryPHY: .le2M)
        case .leCoded: Advertisement.Extended(primaryPHY: .leCoded, secondaryPHY: .leCoded)
        }
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
