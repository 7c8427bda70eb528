internal import BLERuntime
import BLEAdapter
import Foundation

extension PeerIdentifier {
    init(_ uuid: UUID) {
        let octets = uuid.uuid
        func join(_ bytes: [UInt8]) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
        self.init(
            high: join([octets.0, octets.1, octets.2, octets.3, octets.4, octets.5, octets.6, octets.7]),
            low: join([octets.8, octets.9, octets.10, octets.11, octets.12, octets.13, octets.14, octets.15]))
    }

    var uuid: UUID {
        func octet(_ value: UInt64, _ index: UInt64) -> UInt8 { UInt8(truncatingIfNeeded: value >> (56 - 8 * index)) }
        return UUID(
            uuid: (
                octet(high, 0), octet(high, 1), octet(high, 2), octet(high, 3), octet(high, 4), octet(high, 5),
                octet(high, 6), octet(high, 7), octet(low, 0), octet(low, 1), octet(low, 2), octet(low, 3),
                octet(low, 4), octet(low, 5), octet(low, 6), octet(low, 7)
            ))
    }
}
