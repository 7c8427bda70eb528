public import Foundation

/// A set of beacons: all beacons of one UUID, of one group, or a single one.
public struct BeaconRegion: Hashable, Sendable {
    /// The identifier of all beacons of the region.
    public var uuid: UUID
    /// Nil matches every group.
    public var major: UInt16?
    /// Nil matches every beacon.
    public var minor: UInt16?

    /// Creates a region of all beacons with `uuid`, or of those with this group and number.
    public init(uuid: UUID, major: UInt16? = nil, minor: UInt16? = nil) {
        self.uuid = uuid
        self.major = major
        self.minor = minor
    }

    /// Whether the beacon belongs to the region.
    public func contains(_ beacon: IBeacon) -> Bool {
        beacon.uuid == uuid && (major ?? beacon.major) == beacon.major && (minor ?? beacon.minor) == beacon.minor
    }
}

/// Reports when the program enters and leaves regions. The value has no clock; the caller passes the time.
///
/// ```swift
/// var monitor = RegionMonitor([region])
/// for event in monitor.observe(beacon, at: now) { ... }  // for each advertisement
/// for event in monitor.advance(to: now) { ... }          // when `nextDeadline` has come
/// ```
public struct RegionMonitor: Sendable {
    /// The program entered or left a region.
    public enum Event: Hashable, Sendable {
        case entered(BeaconRegion)
        case left(BeaconRegion)
    }

    /// The time without an advertisement after which the program leaves a region. Apple's systems use about 30 s.
    public let exitDelay: Duration
    private let regions: [BeaconRegion]
    /// The time of the last advertisement for each region; nil outside the region.
    private var lastObserved: [Duration?]

    /// - Parameters:
    ///   - regions: The regions, in any order.
    ///   - exitDelay: The time without an advertisement after which the program leaves a region.
    public init(_ regions: [BeaconRegion], exitDelay: Duration = .seconds(30)) {
        self.regions = regions
        self.exitDelay = exitDelay
        lastObserved = Array(repeating: nil, count: regions.count)
    }

    /// The regions that the program is in, in the order of the initialiser.
    public var inside: [BeaconRegion] { regions.indices.filter { lastObserved[$0] != nil }.map { regions[$0] } }

    /// The time at which the program leaves the next region without further advertisements; nil outside all regions.
    public var nextDeadline: Duration? { lastObserved.compactMap { $0 }.min().map { $0 + exitDelay } }

    /// Takes an advertisement that was received at `now`.
    public mutating func observe(_ beacon: IBeacon, at now: Duration) -> [Event] {
        var events = advance(to: now)
        for index in regions.indices where regions[index].contains(beacon) {
            if lastObserved[index] == nil { events.append(.entered(regions[index])) }
            lastObserved[index] = now
        }
        return events
    }

    /// Advances the time to `now`.
    public mutating func advance(to now: Duration) -> [Event] {
        var events: [Event] = []
        for index in regions.indices {
            guard let last = lastObserved[index], last + exitDelay <= now else { continue }
            lastObserved[index] = nil
            events.append(.left(regions[index]))
        }
        return events
    }
}
