/// Identifies a characteristic of an added service by the service's token and the index in its definition.
package struct CharacteristicReference: Hashable, Sendable {
    package var service: Int
    package var index: Int
    package init(service: Int, index: Int) {
        self.service = service
        self.index = index
    }
}

package struct RequestIdentifier: Hashable, Sendable {
    package let rawValue: UInt64
    package init(rawValue: UInt64) { self.rawValue = rawValue }
}

package struct WriteItem: Hashable, Sendable {
    package var characteristic: CharacteristicReference
    package var offset: Int
    package var value: [UInt8]
    package init(characteristic: CharacteristicReference, offset: Int, value: [UInt8]) {
        self.characteristic = characteristic
        self.offset = offset
        self.value = value
    }
}

package enum PublishingError: Error, Hashable, Sendable {
    /// The database has no handles left.
    case outOfSpace
    /// An included service is not in the database.
    case unknownIncludedService
    /// The adapter is not powered on.
    case notPoweredOn
}

package enum RequestedLatency: Int, Sendable { case low, medium, high }
