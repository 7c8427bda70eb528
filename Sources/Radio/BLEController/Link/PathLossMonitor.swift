import BLEWire

/// The zone of a link's path loss, which the host learns when it changes (Vol 6, Part B, 4.5.16; Vol 4, Part E, 7.8.119 and 7.8.120).
struct PathLossMonitor: Hashable {
    enum Zone: UInt8, Hashable {
        case low = 0
        case middle = 1
        case high = 2
    }

    /// The boundaries of the zones, in dB, and the time in another zone before its report.
    struct Zones: Hashable {
        private let high: (up: Int, down: Int, threshold: Int)
        private let low: (up: Int, down: Int, threshold: Int)
        /// In connection events.
        let minimumTime: UInt16

        /// Nil if the values contradict each other.
        init?(_ command: HCI.LESetPathLossReportingParameters) {
            let (high, highMargin) = (Int(command.highThreshold), Int(command.highHysteresis))
            let (low, lowMargin) = (Int(command.lowThreshold), Int(command.lowHysteresis))
            guard high + highMargin <= 0xFF, low >= lowMargin, low <= high, low + lowMargin <= high - highMargin else {
                return nil
            }
            self.high = (high + highMargin, high - highMargin, high)
            self.low = (low + lowMargin, low - lowMargin, low)
            minimumTime = command.minimumTime
        }

        /// The zone of a path loss in dB. A boundary is farther away for a link that is in a zone.
        func zone(of loss: UInt8, after old: Zone?) -> Zone {
            let loss = Int(loss)
            switch old {
            case .low: return loss > high.up ? .high : loss > low.up ? .middle : .low
            case .middle: return loss > high.up ? .high : loss < low.down ? .low : .middle
            case .high: return loss < low.down ? .low : loss < high.down ? .middle : .high
            case nil: return loss > high.threshold ? .high : loss < low.threshold ? .low : .middle
            }
        }

        static func == (one: Zones, other: Zones) -> Bool {
            one.high == other.high && one.low == other.low && one.minimumTime == other.minimumTime
        }

        func hash(into hasher: inout Hasher) {
            hasher.combine(high.up)
            hasher.combine(low.up)
            hasher.combine(minimumTime)
        }
    }

    struct Report: Hashable {
        /// In dB; 255 if it is not known.
        var loss: UInt8
        var zone: Zone
    }

    private enum State: Hashable {
        case off
        /// The host knows no zone.
        case starting
        case inside(Zone)
        /// In another zone than the one that the host knows, for `events` connection events up to the one with the counter `last`.
        case leaving(Zone, for: Zone, events: UInt32, last: UInt16)
        /// In the zone by boundaries that the host has replaced.
        case replaced(Zone)
    }

    /// Nil until the host sets them.
    private(set) var zones: Zones?
    private var state = State.off

    var isOn: Bool { state != .off }

    /// The zone that the host knows.
    private var knownZone: Zone? {
        switch state {
        case .off, .starting: nil
        case .inside(let zone), .leaving(let zone, _, _, _), .replaced(let zone): zone
        }
    }

    mutating func set(_ zones: Zones) {
        self.zones = zones
        if let knownZone { state = .replaced(knownZone) }
    }

    /// Turns the reports on or off. Has no effect if they are.
    mutating func turn(on isOn: Bool) {
        if !isOn {
            state = .off
        } else if state == .off {
            state = .starting
        }
    }

    /// Takes the path loss in a connection event. Returns what the host learns.
    ///
    /// - Parameters:
    ///   - loss: In dB, 0 to 254; nil if it is not known.
    ///   - event: The counter of the event.
    mutating func measure(_ loss: UInt8?, event: UInt16) -> Report? {
        guard let zones else { return nil }
        guard let loss else {
            // When the path loss is known again, the host learns the zone as if it were another one (Vol 6, Part B, 4.5.16).
            guard let knownZone else { return nil }
            state = .starting
            return Report(loss: 0xFF, zone: knownZone)
        }
        switch state {
        case .off: return nil
        case .starting: return enter(zones.zone(of: loss, after: nil), loss)
        case .replaced(let known):
            let zone = zones.zone(of: loss, after: known)
            state = .inside(known)
            return zone == known ? nil : enter(zone, loss)
        case .inside(let known):
            let zone = zones.zone(of: loss, after: known)
            return zone == known ? nil : leave(known, for: zone, after: 0, event, loss)
        case .leaving(let known, let other, let events, let last):
            let zone = zones.zone(of: loss, after: known)
            guard zone != known else {
                state = .inside(known)
                return nil
            }
            return leave(known, for: zone, after: zone == other ? events + UInt32(event &- last) : 0, event, loss)
        }
    }

    private mutating func leave(
        _ known: Zone, for zone: Zone, after events: UInt32, _ event: UInt16, _ loss: UInt8
    ) -> Report? {
        guard let zones, events < UInt32(zones.minimumTime) else { return enter(zone, loss) }
        state = .leaving(known, for: zone, events: events, last: event)
        return nil
    }

    private mutating func enter(_ zone: Zone, _ loss: UInt8) -> Report {
        state = .inside(zone)
        return Report(loss: loss, zone: zone)
    }
}
