import BLEWire

/// The identifier of a device for this host. It is the same in every run. Other hosts cannot derive the address from
/// it.
@usableFromInline
package struct PeerIdentifier: Hashable, Sendable {
    @usableFromInline package let high: UInt64
    @usableFromInline package let low: UInt64
    @inlinable
    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    @inlinable
    package static func == (left: PeerIdentifier, right: PeerIdentifier) -> Bool {
        left.low == right.low && left.high == right.high
    }

    /// Replaces `Hasher` in tables; see `mixedHash`.
    @inlinable
    package func _rawHashValue(seed: Int) -> Int { mixedHash(high ^ low, seed: seed) }
}

/// The data about a peer that needs no request to it.
package struct PeerRecord: Hashable, Sendable {
    package var identifier: PeerIdentifier
    /// The GAP device name if it is known, otherwise the last advertised name.
    package var name: String?
    package init(identifier: PeerIdentifier, name: String?) {
        self.identifier = identifier
        self.name = name
    }
}

/// A connected client of the local database.
package struct CentralRecord: Hashable, Sendable {
    package var identifier: PeerIdentifier
    /// ATT_MTU - 3, in octets (Vol 3, Part F, 3.4.7.1).
    package var maximumUpdateLength: Int
    package init(identifier: PeerIdentifier, maximumUpdateLength: Int) {
        self.identifier = identifier
        self.maximumUpdateLength = maximumUpdateLength
    }
}

/// The names of a device.
package struct PeerNames: Hashable, Sendable {
    /// The device name in its GAP service (Vol 3, Part C, 12.1).
    package var deviceName: String?
    package var advertisedName: String?
    package init(deviceName: String? = nil, advertisedName: String? = nil) {
        self.deviceName = deviceName
        self.advertisedName = advertisedName
    }
}
