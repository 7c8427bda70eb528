import BLEWire

/// The peer of an advertiser: equal for reports of one peer, and different for those of others.
///
/// The identifiers of most peers are computed from their addresses, which takes more instructions than all other steps of a report. Such a peer is
/// the address here, and its identifier is computed when a program asks for it. A peer whose identifier no address has, such as one that a program
/// stored before the host lost its key, is the identifier. `PeerIdentification` converts.
@usableFromInline
package struct AdvertiserIdentity: Hashable, Sendable {
    @usableFromInline let high: UInt64
    @usableFromInline let low: UInt64
    /// Whether the identifier is computed: `low` has the address and its kind.
    @usableFromInline let isComputed: Bool

    /// The peer with the identifier that is computed from an address.
    @inlinable
    package init(computedFrom address: DeviceAddress) {
        high = 0
        low = address.key
        isComputed = true
    }

    /// The peer with an identifier that is not computed.
    @inlinable
    package init(_ identifier: PeerIdentifier) {
        high = identifier.high
        low = identifier.low
        isComputed = false
    }

    /// The identifier if it is not computed.
    @inlinable
    package var identifier: PeerIdentifier? { isComputed ? nil : PeerIdentifier(high: high, low: low) }

    /// The address from which the identifier is computed.
    @inlinable
    package var address: DeviceAddress? {
        isComputed
            ? DeviceAddress(kind: DeviceAddress.Kind(rawValue: UInt8(truncatingIfNeeded: low >> 48)), value: low) : nil
    }

    @inlinable
    package static func == (left: AdvertiserIdentity, right: AdvertiserIdentity) -> Bool {
        left.low == right.low && left.high == right.high && left.isComputed == right.isComputed
    }

    /// The key for a `SlotIndex`. Other peers may have it.
    @inlinable
    package var key: UInt64 { high ^ low }

    /// Replaces `Hasher` in tables; see `mixedHash`.
    @inlinable
    package func _rawHashValue(seed: Int) -> Int { mixedHash(key, seed: seed) }
}
