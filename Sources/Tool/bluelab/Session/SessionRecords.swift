import DeviceFiles
import CoreBluetooth
import BLEValues
import BluetoothPairing
import Foundation

/// What happens to the link of a session, in the output of `bluelab shell --json`.
struct LinkRecord: Encodable {
    enum State: String, Encodable { case connected, lost, reconnected, disconnected, rssi, mtu }

    let type = "link"
    /// What happened; `rssi` and `mtu` are the answers to these commands.
    let state: State
    var identifier: String?
    var name: String?
    /// Seconds that the connection or the reconnection took.
    var duration: Double?
    /// Why the link ended.
    var reason: String?
    /// dBm.
    var rssi: Int?
    /// Octets.
    var mtu: Int?

    @MainActor
    init(_ state: State, _ peripheral: CBPeripheral?) {
        self.state = state
        identifier = peripheral?.identifier.uuidString
        name = (peripheral?.name).map(ValueText.printable)
    }
}

/// A device of a scan, in the output of `bluelab shell --json`.
struct SeenRecord: Encodable {
    let type = "seen"
    let identifier: String
    let name: String?
    /// dBm.
    let rssi: Int?
    let connectable: Bool
    let services: [String]

    init(_ sighting: AdvertisementEvent) {
        identifier = sighting.identifier.uuidString
        name = sighting.name.map(ValueText.printable)
        rssi = sighting.rssi
        connectable = sighting.isConnectable
        services = sighting.services.map(\.uuidString)
    }
}

/// Seconds with three decimals, for JSON.
func jsonSeconds(_ duration: Duration) -> Double { (duration / .milliseconds(1)).rounded() / 1000 }

extension ObservedValue {
    init(_ octets: [UInt8], of characteristic: CBUUID) {
        let decoded = characteristic.shortValue.flatMap { Schemas.schema(of: $0) }.flatMap { try? $0.decode(octets) }
        self.init(octets, text: ValueText.fitting(octets, of: characteristic), number: decoded?.number)
    }
}

extension ScriptSecurity {
    var level: PairingSecurity.Level {
        switch self {
        case .encrypted: .encrypted
        case .authenticated: .authenticated
        case .secureConnections: .secureConnections
        }
    }
}
