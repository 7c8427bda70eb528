import BLEWire
import Synchronization

/// One report of an advertiser.
@usableFromInline
package struct Discovery: Sendable {
    @usableFromInline package let content: DiscoveryContent
    /// In dBm; 127 means not available (Vol 4, Part E, 7.7.65.2).
    @usableFromInline package let rssi: Int8

    @inlinable
    package init(_ content: DiscoveryContent, rssi: Int8) {
        self.content = content
        self.rssi = rssi
    }

    package init(
        peer: PeerRecord, address: DeviceAddress? = nil, data: [UInt8], scanResponse: [UInt8] = [], isConnectable: Bool,
        rssi: Int8
    ) {
        self.init(
            DiscoveryContent(
                peer: peer, address: address, data: data, scanResponse: scanResponse, isConnectable: isConnectable),
            rssi: rssi)
    }

    package var peer: PeerRecord { content.peer }
    @inlinable package var address: DeviceAddress? { content.address }
    @inlinable package var data: [UInt8] { content.data }
    @inlinable package var scanResponse: [UInt8] { content.scanResponse }
    @inlinable package var isConnectable: Bool { content.isConnectable }
}

/// The part of reports that only a changed advertisement changes. A class, so that the reports of an unchanged one share it.
@usableFromInline
package final class DiscoveryContent: Sendable {
    /// The peer. Its identifier is computed at the first use of `peer`.
    @usableFromInline package let identity: AdvertiserIdentity
    /// The GAP device name if it is known, otherwise the last advertised name.
    @usableFromInline package let name: String?
    /// The address of the advertiser: its identity address if it is known. Nil if the adapter hides addresses, as Apple's systems do.
    @usableFromInline package let address: DeviceAddress?
    /// The AD structures of the advertising data.
    @usableFromInline package let data: [UInt8]
    /// The AD structures of the scan response; empty if none was received. Each is parsed separately: a malformed
    /// structure in one does not affect the other (Vol 3, Part C, 11).
    @usableFromInline package let scanResponse: [UInt8]
    @usableFromInline package let isConnectable: Bool
    /// Nil if the identifier is not computed.
    private let source: IdentifierSource?
    /// The computed identifier. `high` is stored last, and is 0 before.
    private let high = Atomic<UInt64>(0)
    private let low = Atomic<UInt64>(0)

    /// - Parameter source: Computes the identifier.
    package init(
        identity: AdvertiserIdentity, source: IdentifierSource, name: String?, address: DeviceAddress?,
        data: [UInt8], scanResponse: [UInt8], isConnectable: Bool
    ) {
        self.identity = identity
        self.source = source
        self.name = name
        self.address = address
        self.data = data
        self.scanResponse = scanResponse
        self.isConnectable = isConnectable
    }

    /// The content of a report of a peer whose identifier is not computed.
    package init(
        peer: PeerRecord, address: DeviceAddress?, data: [UInt8], scanResponse: [UInt8], isConnectable: Bool
    ) {
        identity = AdvertiserIdentity(peer.identifier)
        source = nil
        name = peer.name
        self.address = address
        self.data = data
        self.scanResponse = scanResponse
        self.isConnectable = isConnectable
    }

    package var peer: PeerRecord { PeerRecord(identifier: identifier, name: name) }

    package var identifier: PeerIdentifier {
        if let identifier = identity.identifier { return identifier }
        let known = high.load(ordering: .acquiring)
        if known != 0 { return PeerIdentifier(high: known, low: low.load(ordering: .relaxed)) }
        guard let source, let address = identity.address else { return PeerIdentifier(high: 0, low: 0) }
        // Other threads compute the same.
        let computed = source.identification.computedIdentifier(for: address)
        low.store(computed.low, ordering: .relaxed)
        high.store(computed.high, ordering: .releasing)
        return computed
    }

    /// Whether the advertisement is the same: its octets, and whether it is connectable.
    package func hasSameAdvertisement(as other: DiscoveryContent) -> Bool {
        // Arrays with the same storage are equal without a comparison.
        self === other
            || isConnectable == other.isConnectable && data == other.data && scanResponse == other.scanResponse
    }
}

/// Computes the identifiers of advertisers. A class, because a copy of a value of any type costs more than a reference.
package final class IdentifierSource: Sendable {
    package let identification: any PeerIdentification

    package init(_ identification: any PeerIdentification) { self.identification = identification }
}
