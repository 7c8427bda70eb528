internal import BLEAdapter
import Foundation

/// A device, by the identifier and the name that CoreBluetooth reports.
public struct PairingDevice: Hashable, Sendable {
    /// The `identifier` of the `CBPeripheral` or `CBCentral`.
    public let identifier: UUID
    /// The GAP device name if it is known, otherwise the last advertised name.
    public let name: String?

    init(_ record: PeerRecord) {
        identifier = record.identifier.uuid
        name = record.name
    }
}

/// A device whose keys this host keeps.
public struct PairedDevice: Hashable, Sendable {
    /// The device.
    public let device: PairingDevice
    /// The protection of a link that is encrypted with the kept keys.
    public let security: PairingSecurity
    /// Whether the keys come from a debug key pair, so that a sniffer can decrypt the link.
    public let usesDebugKeys: Bool

    /// The `identifier` of the `CBPeripheral` or `CBCentral`.
    public var identifier: UUID { device.identifier }
    /// The GAP device name if it is known, otherwise the last advertised name.
    public var name: String? { device.name }

    init(_ record: BondRecord) {
        device = PairingDevice(record.peer)
        security = PairingSecurity(record.security)
        usesDebugKeys = record.usesDebugKeys
    }
}

extension PeerIdentifier {
    init(_ uuid: UUID) {
        let halves = withUnsafeBytes(of: uuid.uuid) { octets in
            (octets.loadUnaligned(as: UInt64.self), octets.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
        }
        self.init(high: UInt64(bigEndian: halves.0), low: UInt64(bigEndian: halves.1))
    }

    var uuid: UUID {
        withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }
}
