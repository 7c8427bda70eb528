import BLEWire

/// The advertising data or scan response data of a set, which the host may give in fragments (Vol 4, Part E, 7.8.54 and 7.8.55).
enum AdvertisingPayload: Hashable {
    case complete([UInt8])
    /// The last fragment is missing. Such a set cannot be enabled.
    case partial([UInt8])

    var octets: [UInt8] {
        switch self {
        case .complete(let octets), .partial(let octets): octets
        }
    }

    var isComplete: Bool { if case .complete = self { true } else { false } }

    /// Takes a fragment of at most 251 octets. A fragment beyond `LL.maximumExtendedAdvertisingData` discards all octets.
    mutating func take(_ operation: HCI.DataOperation, _ fragment: Span<UInt8>) throws(HCI.ErrorCode) {
        switch operation {
        case .complete: self = .complete([UInt8](fragment))
        case .first: self = .partial([UInt8](fragment))
        case .intermediate, .last:
            // Such a fragment follows a first one.
            guard case .partial(var octets) = self else { throw .commandDisallowed }
            guard octets.count + fragment.count <= LL.maximumExtendedAdvertisingData else {
                self = .complete([])
                throw .memoryCapacityExceeded
            }
            octets.append(fragment)
            self = operation == .last ? .complete(octets) : .partial(octets)
        default: throw .invalidHCICommandParameters
        }
    }
}
