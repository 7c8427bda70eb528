import Foundation

/// The state of a ``BeaconScanner``: whether the program is in the monitored regions, and the beacons of the ranged ones. The value has no clock; the
/// caller passes the time, which begins at zero.
struct BeaconScan {
    typealias Event = BeaconScanner.Event

    /// The time between two reports of ranged beacons.
    static let reportInterval = Duration.seconds(1)
    /// The time without an advertisement after which a ranged beacon is no longer reported.
    static let memory = Duration.seconds(5)
    /// The time for which the scanner listens before a region without a beacon counts as left.
    static let settling = Duration.seconds(3)
    /// The most ranged beacons. A stranger can send any number of them; the others are ignored.
    static let beaconLimit = 1_024
    /// The most events that wait. A program that is later than that loses the oldest.
    static let eventLimit = 256

    private struct Monitored {
        var monitor: RegionMonitor
        /// Whether the program has been told where it is.
        var isDetermined = false
        /// The time at which a region without a beacon counts as left; nil while Bluetooth is not on.
        var settlesAt: Duration?
    }

    private struct Ranged {
        var beacon: IBeacon
        var estimator = RangeEstimator()
        var lastHeard: Duration
        /// The signal strengths since the last report.
        var sum = 0
        var count = 0
    }

    /// What makes two advertisements those of one beacon.
    private struct Identity: Hashable {
        let uuid: UUID
        let major: UInt16
        let minor: UInt16
    }

    private var monitored: [(region: BeaconRegion, state: Monitored)] = []
    private var rangedRegions: [BeaconRegion] = []
    private var ranged: [Identity: Ranged] = [:]
    /// The time of the next report; nil if nothing is ranged or Bluetooth is not on.
    private var nextReport: Duration?
    private var events: [Event] = []
    /// Whether Bluetooth is on; nil while that is not known.
    private(set) var isAvailable: Bool?

    var isNeeded: Bool { !monitored.isEmpty || !rangedRegions.isEmpty }
    var hasEvents: Bool { !events.isEmpty }

    /// The time at which `advance` has something to do; nil if it never has.
    var nextDeadline: Duration? {
        let regions = monitored.compactMap {
            [$0.state.monitor.nextDeadline, $0.state.settlesAt].compactMap(\.self).min()
        }
        return (regions + [nextReport].compactMap(\.self)).min()
    }

    /// Removes and returns the oldest event.
    mutating func takeEvent() -> Event? { events.isEmpty ? nil : events.removeFirst() }

    // MARK: Regions

    mutating func startMonitoring(_ region: BeaconRegion, at now: Duration) {
        guard !monitored.contains(where: { $0.region == region }) else { return }
        monitored.append((region, initialState(region, at: now)))
    }

    mutating func stopMonitoring(_ region: BeaconRegion) { monitored.removeAll { $0.region == region } }

    /// Nil if the region is not monitored, or if it is not known whether the program is inside.
    func isInside(_ region: BeaconRegion) -> Bool? {
        guard let state = monitored.first(where: { $0.region == region })?.state, state.isDetermined else { return nil }
        return !state.monitor.inside.isEmpty
    }

    private func initialState(_ region: BeaconRegion, at now: Duration) -> Monitored {
        Monitored(monitor: RegionMonitor([region]), settlesAt: isAvailable == true ? now + Self.settling : nil)
    }

    // MARK: Ranging

    mutating func startRanging(_ region: BeaconRegion, at now: Duration) {
        guard !rangedRegions.contains(region) else { return }
        rangedRegions.append(region)
        if isAvailable == true, nextReport == nil { nextReport = now + Self.reportInterval }
    }

    mutating func stopRanging(_ region: BeaconRegion) {
        rangedRegions.removeAll { $0 == region }
        if rangedRegions.isEmpty { nextReport = nil }
        ranged = ranged.filter { _, entry in rangedRegions.contains { $0.contains(entry.beacon) } }
    }

    // MARK: Events

    /// Takes the state of Bluetooth. What was heard before a change no longer counts.
    mutating func setAvailable(_ isAvailable: Bool, at now: Duration) {
        guard isAvailable != self.isAvailable else { return }
        self.isAvailable = isAvailable
        append(isAvailable ? .available : .unavailable)
        for index in monitored.indices { monitored[index].state = initialState(monitored[index].region, at: now) }
        ranged = [:]
        nextReport = isAvailable && !rangedRegions.isEmpty ? now + Self.reportInterval : nil
    }

    /// Takes an advertisement that was received at `now`.
    ///
    /// - Parameter rssi: The signal strength in dBm; 127 if it is not available.
    mutating func observe(_ beacon: IBeacon, rssi: Int, at now: Duration) {
        for index in monitored.indices where monitored[index].region.contains(beacon) {
            for event in monitored[index].state.monitor.observe(beacon, at: now) { report(event, at: index) }
        }
        guard rangedRegions.contains(where: { $0.contains(beacon) }) else { return }
        let identity = Identity(uuid: beacon.uuid, major: beacon.major, minor: beacon.minor)
        guard ranged[identity] != nil || ranged.count < Self.beaconLimit else { return }
        var entry = ranged[identity] ?? Ranged(beacon: beacon, lastHeard: now)
        entry.beacon = beacon
        entry.lastHeard = now
        entry.estimator.add(rssi: rssi)
        if rssi != 127 {
            entry.sum += rssi
            entry.count += 1
        }
        ranged[identity] = entry
    }

    /// Advances the time to `now`.
    mutating func advance(to now: Duration) {
        for index in monitored.indices {
            for event in monitored[index].state.monitor.advance(to: now) { report(event, at: index) }
            guard let settlesAt = monitored[index].state.settlesAt, settlesAt <= now else { continue }
            determine(index, isInside: false)
        }
        guard let due = nextReport, due <= now else { return }
        // A program that was late gets one report, and the next one a whole interval later.
        nextReport = due + Self.reportInterval > now ? due + Self.reportInterval : now + Self.reportInterval
        reportRanged(at: now)
    }

    private mutating func report(_ event: RegionMonitor.Event, at index: Int) {
        switch event {
        case .entered: determine(index, isInside: true)
        case .left: determine(index, isInside: false)
        }
    }

    /// The first state since monitoring began is not a crossing of the region's boundary.
    private mutating func determine(_ index: Int, isInside: Bool) {
        let region = monitored[index].region
        if monitored[index].state.isDetermined {
            append(isInside ? .entered(region) : .left(region))
        } else {
            append(.determined(region, isInside: isInside))
        }
        monitored[index].state.isDetermined = true
        monitored[index].state.settlesAt = nil
    }

    private mutating func reportRanged(at now: Duration) {
        ranged = ranged.filter { $0.value.lastHeard + Self.memory > now }
        let beacons = ranged.values.map { Self.report($0) }.sorted(by: Self.precedes)
        for region in rangedRegions {
            // A report that still waits is out of date.
            events.removeAll {
                if case .ranged(region, _) = $0 { true } else { false }
            }
            append(.ranged(region, beacons.filter { region.contains($0.beacon) }))
        }
        for identity in ranged.keys {
            ranged[identity]?.sum = 0
            ranged[identity]?.count = 0
        }
    }

    private static func report(_ entry: Ranged) -> RangedBeacon {
        guard entry.count > 0 else { return RangedBeacon(beacon: entry.beacon, rssi: nil, distance: nil) }
        let mean = (Double(entry.sum) / Double(entry.count)).rounded()
        return RangedBeacon(
            beacon: entry.beacon, rssi: Int(mean),
            distance: entry.estimator.distance(measuredPower: Int(entry.beacon.measuredPower)))
    }

    /// The nearest beacon precedes the others, and those without a distance are last. Beacons at one distance have an order, so that equal
    /// runs are equal.
    private static func precedes(_ one: RangedBeacon, _ other: RangedBeacon) -> Bool {
        let (near, far) = (one.distance ?? .infinity, other.distance ?? .infinity)
        if near != far { return near < far }
        return (one.beacon.uuid.uuidString, one.beacon.major, one.beacon.minor)
            < (other.beacon.uuid.uuidString, other.beacon.major, other.beacon.minor)
    }

    private mutating func append(_ event: Event) {
        if events.count == Self.eventLimit { events.removeFirst() }
        events.append(event)
    }
}
