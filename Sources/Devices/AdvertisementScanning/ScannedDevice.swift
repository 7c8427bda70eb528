import BLEAdapter
import BLEBeacons
import BLEWire
import Foundation

/// The data that a scan collected about one device.
///
/// A report changes numbers only. The octets are those of the adapter's content, and are decoded when something reads `content`.
package struct ScannedDevice {
    /// A device, or one of its advertising sets.
    package struct Key: Hashable, Sendable {
        package let peer: PeerIdentifier
        /// The Advertising SID, 0 to 15; nil for the device, and for its legacy packets.
        package let set: UInt8?

        package init(peer: PeerIdentifier, set: UInt8? = nil) {
            self.peer = peer
            self.set = set
        }
    }

    package let key: Key
    package var peer: PeerIdentifier { key.peer }
    package private(set) var address: DeviceAddress?
    /// The content of the most recent report.
    private var report: DiscoveryContent?
    package private(set) var isConnectable = false
    /// The last signal strengths in dBm.
    package private(set) var signals = History<Int8>()
    package private(set) var lowestRSSI: Int8 = .max
    package private(set) var highestRSSI: Int8 = .min
    /// The smoothed signal, for the distance of a beacon.
    private var estimator = RangeEstimator()
    /// The number of received advertisements and scan responses.
    package private(set) var count = 0
    /// Times since the start of the scan.
    package private(set) var firstSeen = Duration.zero
    package private(set) var lastSeen = Duration.zero
    /// Times in microseconds between packets of different advertising events.
    private var gaps = History<UInt32>()

    private var decoded = AdvertisementContent()
    private var isDecoded = false

    /// Packets within this time belong to one advertising event. Events are at least 20 ms apart (Vol 6, Part B, 4.4.2.2).
    private static let eventSpan = Duration.milliseconds(10)

    package init(_ key: Key) { self.key = key }
    package init(peer: PeerIdentifier) { key = Key(peer: peer) }

    /// Adds a report that arrived at `now`, a time since the start of the scan.
    package mutating func add(_ discovery: Discovery, at now: Duration) {
        address = discovery.address
        isConnectable = discovery.isConnectable
        if report !== discovery.content {
            // What the octets contained stays until `decode` completes it.
            if report?.octets != discovery.octets { isDecoded = false }
            report = discovery.content
        }
        // 127: not available (Vol 4, Part E, 7.7.65.2).
        if discovery.rssi != 127 {
            signals.append(discovery.rssi)
            lowestRSSI = min(lowestRSSI, discovery.rssi)
            highestRSSI = max(highestRSSI, discovery.rssi)
            estimator.add(rssi: Int(discovery.rssi))
        }
        if count == 0 {
            firstSeen = now
        } else if now - lastSeen >= Self.eventSpan {
            let (seconds, attoseconds) = (now - lastSeen).components
            gaps.append(UInt32(clamping: seconds &* 1_000_000 &+ attoseconds / 1_000_000_000_000))
        }
        count += 1
        lastSeen = now
    }

    /// Decodes the octets unless that is done.
    package mutating func decode() {
        guard !isDecoded, let report else { return }
        var new = AdvertisementContent(
            report.octets, address: address, isScanResponseNewer: report.isScanResponseNewer)
        new.complete(with: decoded)
        decoded = new
        isDecoded = true
    }

    /// What the packets contain. Call `decode` before.
    package var content: AdvertisementContent { decoded }

    /// How the most recent advertisement was sent; nil for legacy packets, and if the adapter does not tell.
    package var extendedForm: AdvertisementForm? { report?.extendedForm }

    /// The octets of the most recent advertisement.
    package var data: [UInt8] { report.map { [UInt8]($0.octets.data) } ?? [] }
    /// Empty until a scan response arrives.
    package var scanResponse: [UInt8] { report.map { [UInt8]($0.octets.scanResponse) } ?? [] }

    package var identifier: UUID { peer.uuid }

    /// The advertised name, otherwise the name by which the adapter knows the device.
    package var name: String? { decoded.name ?? report?.name }

    /// The last signal strength in dBm.
    package var rssi: Int? { signals.last.map(Int.init) }

    /// The advertising interval: the median of the last times between packets, nil before three of them. Missed packets make it
    /// longer.
    package var interval: Duration? {
        let sorted = gaps.values.sorted()
        return sorted.count < 3 ? nil : .microseconds(sorted[sorted.count / 2])
    }

    /// The estimated distance in metres of a beacon that publishes its signal strength at 1 m.
    package var distance: Double? { decoded.beacon?.measuredPower.flatMap { estimator.distance(measuredPower: $0) } }
}

extension AdvertisementForm {
    /// The Advertising SID, 0 to 15; nil without one.
    package var setIdentifier: UInt8? { sid > 15 ? nil : sid }
}

/// The last 16 values of a series, without an allocation.
package struct History<Value: BitwiseCopyable> {
    private var storage: InlineArray<16, Value?> = .init(repeating: nil)
    private var next = 0

    static var capacity: Int { 16 }

    package mutating func append(_ value: Value) {
        storage[next] = value
        next = next == Self.capacity - 1 ? 0 : next + 1
    }

    package var last: Value? { storage[next == 0 ? Self.capacity - 1 : next - 1] }

    /// The values, oldest first.
    package var values: [Value] {
        var values: [Value] = []
        for offset in 0..<Self.capacity {
            if let value = storage[(next + offset) % Self.capacity] { values.append(value) }
        }
        return values
    }
}
