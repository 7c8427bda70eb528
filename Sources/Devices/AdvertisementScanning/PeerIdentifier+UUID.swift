import BLEAdapter
import BLEWire
import Foundation

extension PeerIdentifier {
    /// The peer of a `CBPeripheral` with this `identifier`.
    package init(_ uuid: UUID) {
        let halves = withUnsafeBytes(of: uuid.uuid) { octets in
            (octets.loadUnaligned(as: UInt64.self), octets.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
        }
        self.init(high: UInt64(bigEndian: halves.0), low: UInt64(bigEndian: halves.1))
    }

    /// The `identifier` of the `CBPeripheral` of this peer.
    package var uuid: UUID {
        withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }

    /// The first eight digits of the identifier. Every command accepts them as the device.
    package var shortText: String { hexadecimal(high >> 32, digits: 8) }
}
