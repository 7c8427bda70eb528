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
                peer: peer, address: address, octets: AdvertisingOctets(data: data, scanResponse: scanResponse),
                isConnectable: isConnectable),
            rssi: rssi)
    }

    package var peer: PeerRecord { content.peer }
    @inlinable package var address: DeviceAddress? { content.address }
    @inlinable package var isConnectable: Bool { content.isConnectable }

    @inlinable package var octets: AdvertisingOctets { content.octets }
}

/// The part of reports that only a changed advertisement changes. A class, so that the reports of an unchanged one share it.
@usableFromInline
package final class DiscoveryContent: Sendable {
    /// The peer. Its identifier is computed at the first use of `peer`.
    @usableFromInline package let identity: AdvertiserIdentity
    /// The address of the advertiser: its identity address if it is known. Nil if the adapter hides addresses, as Apple's systems do.
    @usableFromInline package let address: DeviceAddress?
    @usableFromInline package let octets: AdvertisingOctets
    @usableFromInline package let isConnectable: Bool
    /// Nil if the adapter does not tell how the packets were sent.
    package let form: AdvertisementForm?
    /// How extended packets were sent; nil for legacy ones as well.
    package var extendedForm: AdvertisementForm? { form.flatMap { $0.isLegacy ? nil : $0 } }
    /// Whether the scan response arrived last: its values precede those of the advertising data under the same key.
    package let isScanResponseNewer: Bool
    /// The GAP device name if it is known, and the last name that the device advertised before.
    package let names: PeerNames
    /// Whether the octets may contain the name. If not, `names` has it.
    private let readsName: Bool
    /// Nil if the identifier is not computed.
    private let source: IdentifierSource?
    /// The computed identifier. `high` is stored last, and is 0 before.
    private let high = Atomic<UInt64>(0)
    private let low = Atomic<UInt64>(0)

    /// - Parameter source: Computes the identifier.
    package init(
        identity: AdvertiserIdentity, source: IdentifierSource?, names: PeerNames, address: DeviceAddress?,
        octets: consuming AdvertisingOctets, isConnectable: Bool, form: AdvertisementForm? = nil,
        isScanResponseNewer: Bool = true, readsName: Bool = true
    ) {
        self.identity = identity
        self.source = source
        self.names = names
        self.address = address
        self.octets = octets
        self.isConnectable = isConnectable
        self.form = form
        self.isScanResponseNewer = isScanResponseNewer
        self.readsName = readsName
    }

    /// The content of a report of a peer whose identifier and name do not come from the report.
    package convenience init(
        peer: PeerRecord, address: DeviceAddress?, octets: AdvertisingOctets, isConnectable: Bool
    ) {
        self.init(
            identity: AdvertiserIdentity(peer.identifier), source: nil, names: PeerNames(deviceName: peer.name),
            address: address, octets: octets, isConnectable: isConnectable, readsName: false)
    }

    /// The same content of another peer or with other names.
    package func with(identity: AdvertiserIdentity, names: PeerNames) -> DiscoveryContent {
        DiscoveryContent(
            identity: identity, source: source, names: names, address: address, octets: octets,
            isConnectable: isConnectable, form: form, isScanResponseNewer: isScanResponseNewer, readsName: readsName)
    }

    /// The same content after a packet of the other half has arrived once more.
    package func with(isScanResponseNewer: Bool) -> DiscoveryContent {
        DiscoveryContent(
            identity: identity, source: source, names: names, address: address, octets: octets,
            isConnectable: isConnectable, form: form, isScanResponseNewer: isScanResponseNewer, readsName: readsName)
    }

    package var peer: PeerRecord { PeerRecord(identifier: identifier, name: name) }

    /// The GAP device name if it is known, otherwise the last advertised name. Each use decodes it.
    package var name: String? { names.deviceName ?? (readsName ? advertisedName : nil) }

    /// The last advertised name.
    package var advertisedName: String? {
        let octets = octets
        return AD.localName(in: octets.data, scanResponse: octets.scanResponse) ?? names.advertisedName
    }

    /// The same as `name`.
    ///
    /// - Parameter localName: The local name in the octets.
    package func name(_ localName: String?) -> String? {
        names.deviceName ?? (readsName ? localName ?? names.advertisedName : nil)
    }

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

    /// Whether a scan selects the device.
    package func isSelected(by request: ScanRequest) -> Bool {
        request.selects(octets.data, scanResponse: octets.scanResponse)
    }

    /// Whether the advertisement is the same: its octets, which half of them is newer, whether it is connectable, and how it was sent.
    package func hasSameAdvertisement(as other: DiscoveryContent) -> Bool {
        self === other
            || isConnectable == other.isConnectable && isScanResponseNewer == other.isScanResponseNewer
                && form == other.form && octets == other.octets
    }
}

/// Computes the identifiers of advertisers. A class, because a copy of a value of any type costs more than a reference.
package final class IdentifierSource: Sendable {
    package let identification: any PeerIdentification

    package init(_ identification: any PeerIdentification) { self.identification = identification }
}
