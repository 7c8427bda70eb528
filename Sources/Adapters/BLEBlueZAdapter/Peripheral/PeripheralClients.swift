import BLEAdapter
import BLEWire
import SystemBus

/// The devices with a link to this adapter, in whichever role: bluetoothd does not tell which side began a link.
struct PeripheralClients {
    struct Client {
        let identifier: PeerIdentifier
        /// Whether a value on its socket goes to it alone. That is so from 5.76 on; the property that shows it came with 5.83.
        let hasOwnValues: Bool
        /// ATT_MTU - 3, in octets: the least until bluetoothd tells.
        var maximumUpdateLength = 20

        var record: CentralRecord {
            CentralRecord(identifier: identifier, maximumUpdateLength: maximumUpdateLength)
        }
    }

    /// More than a controller has links.
    static let limit = 256

    private(set) var clients: [String: Client] = [:]

    subscript(device: String) -> Client? { clients[device] }
    /// The device, if only one has a link.
    var only: String? { clients.count == 1 ? clients.keys.first : nil }

    func device(of identifier: PeerIdentifier) -> String? {
        clients.first { $0.value.identifier == identifier }?.key
    }

    /// Returns false if the device has a link already, or there are too many.
    mutating func connect(_ device: BlueZDevice, _ identification: any PeerIdentification) -> Bool {
        guard clients[device.path] == nil, clients.count < Self.limit else { return false }
        clients[device.path] = Client(
            identifier: identification.identifier(for: device.address), hasOwnValues: device["CablePairing"] != nil)
        return true
    }

    mutating func disconnect(_ device: String) { clients[device] = nil }

    /// Takes the ATT_MTU of a call's options. Returns the client if that is news.
    mutating func setMTU(_ mtu: UInt64?, of device: String) -> Client? {
        // Longer than the longest value helps nobody (Vol 3, Part F, 3.2.9).
        guard let mtu, mtu >= 23, clients[device] != nil else { return nil }
        let length = Int(min(mtu, 517)) - 3
        guard clients[device]?.maximumUpdateLength != length else { return nil }
        clients[device]?.maximumUpdateLength = length
        return clients[device]
    }

    mutating func removeAll() { clients = [:] }
}
