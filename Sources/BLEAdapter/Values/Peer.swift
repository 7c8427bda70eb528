/// The identifier by which this host knows a device; the same in every run, and no way from it to the address
/// for others.
package struct PeerIdentifier: Hashable, Sendable {
    package let high: UInt64
    package let low: UInt64
    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }
}

/// What the adapter knows of a peer without asking it.
package struct PeerRecord: Hashable, Sendable {
    package var identifier: PeerIdentifier
    /// The GAP device name if it is known, else the last name advertised.
    package var name: String?
    package init(identifier: PeerIdentifier, name: String?) {
        self.identifier = identifier
        self.name = name
    }
}

/// A connected client of the local database.
package struct CentralRecord: Hashable, Sendable {
    package var identifier: PeerIdentifier
    /// ATT_MTU - 3, octets.
    package var maximumUpdateLength: Int
    package init(identifier: PeerIdentifier, maximumUpdateLength: Int) {
        self.identifier = identifier
        self.maximumUpdateLength = maximumUpdateLength
    }
}
