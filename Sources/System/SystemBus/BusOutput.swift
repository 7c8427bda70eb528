import BLETransport

/// Octets for the bus. The descriptors go with the first of them.
package struct BusOutput {
    package fileprivate(set) var octets: [UInt8]
    package let descriptors: [Descriptor]
    /// That of the message, if it has descriptors.
    fileprivate let serial: UInt32
}

/// What waits to be written.
struct BusOutputQueue {
    private var parts: [BusOutput] = []
    /// The octets that the system has not taken, with those of the parts that the driver has.
    private(set) var octets = 0

    var isEmpty: Bool { parts.isEmpty }

    /// A message with descriptors is a part of its own, because they go with its first octet.
    mutating func append(_ octets: [UInt8], _ descriptors: [Descriptor] = [], serial: UInt32 = 0) {
        self.octets += octets.count
        if descriptors.isEmpty, let last = parts.indices.last, parts[last].descriptors.isEmpty {
            parts[last].octets += octets
        } else {
            parts.append(BusOutput(octets: octets, descriptors: descriptors, serial: serial))
        }
    }

    mutating func take() -> BusOutput? { parts.isEmpty ? nil : parts.removeFirst() }

    /// The driver has written octets.
    mutating func wrote(_ count: Int) { octets = max(0, octets - count) }

    /// Moves everything to the end of another queue. Drops messages with descriptors if the bus passes none, and returns their serials.
    mutating func move(to other: inout BusOutputQueue, withDescriptors: Bool) -> [UInt32] {
        var dropped: [UInt32] = []
        for part in parts {
            if part.descriptors.isEmpty || withDescriptors {
                other.append(part.octets, part.descriptors, serial: part.serial)
            } else {
                dropped.append(part.serial)
            }
        }
        removeAll()
        return dropped
    }

    mutating func removeAll() {
        parts = []
        octets = 0
    }
}
