public import Foundation

/// The beacons that a program wants to hear of: all of one UUID, of one group, or a single one.
public struct BeaconRegion: Hashable, Sendable {
    /// The identifier that all beacons of the region have.
    public var uuid: UUID
    /// Nil matches every group.
    public var major: UInt16?
    /// Nil matches every beacon.
    public var minor: UInt16?

    /// A region of all beacons with `uuid`, or of those with this group and number.
    public init(uuid: UUID, major: UInt16? = nil, minor: UInt16? = nil) {
        self.uuid = uuid
        self.major = major
        self.minor = minor
    }

    /// Whether the beacon is one of the region's.
    public func contains(_ beacon: IBeacon) -> Bool {
        beacon.uuid == uuid && (major ?? beacon.major) == beacon.major && (minor ?? beacon.minor) == beacon.minor
    }
}

/// Reports when regions are entered and left. A value without a clock: the caller passes the time.
///
/// ```swift
/// var monitor = RegionMonitor([region])
/// for event in monitor.hear(beacon, at: now) { ... }     // for each advertisement
/// for event in monitor.advance(to: now) { ... }          // when `nextDeadline` has come
/// ```
public struct RegionMonitor: Sendable {
    /// A region was entered or left.
    public enum Event: Hashable, Sendable {
        case entered(BeaconRegion)
        case left(BeaconRegion)
    }

    /// A region is left after this time without an advertisement of it. Apple's systems take about 30 s.
    public let exitDelay: Duration
    private let regions: [BeaconRegion]
    /// When a beacon of each region was last heard; nil outside of the region.
    private var lastHeard: [Duration?]

    /// - Parameter exitDelay: how long a region is kept without an advertisement.
    public init(_ regions: [BeaconRegion], exitDelay: Duration = .seconds(30)) {
        self.regions = regions
        self.exitDelay = exitDelay
        lastHeard = Array(repeating: nil, count: regions.count)
    }

    /// The regions that the program is in, in the order in which they were given.
    public var inside: [BeaconRegion] { regions.indices.filter { lastHeard[$0] != nil }.map { regions[$0] } }

    /// When the next region is left if nothing more is heard; nil outside of all regions.
    public var nextDeadline: Duration? { lastHeard.compactMap { $0 }.min().map { $0 + exitDelay } }

    /// Takes in an advertisement that was received at `now`.
    public mutating func hear(_ beacon: IBeacon, at now: Duration) -> [Event] {
        var events = advance(to: now)
        for index in regions.indices where regions[index].contains(beacon) {
            if lastHeard[index] == nil { events.append(.entered(regions[index])) }
            lastHeard[index] = now
        }
        return events
    }

    /// Lets time pass until `now`.
    public mutating func advance(to now: Duration) -> [Event] {
        var events: [Event] = []
        for index in regions.indices {
            guard let last = lastHeard[index], last + exitDelay <= now else { continue }
            lastHeard[index] = nil
            events.append(.left(regions[index]))
        }
        return events
    }
}
