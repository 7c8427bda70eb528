/// Where the value of a characteristic comes from.
package enum ValueSource: Hashable, Sendable {
    case constant([UInt8])
    case number(NumberSource)
    case replay(Replay)
    case clock(Clock)

    package enum Clock: String, Hashable, Sendable, CaseIterable {
        /// The value of Current Time (2A2B): date, time, day of the week, fractions and adjust reason, 10 octets.
        case currentTime = "current-time"
        /// The value of Date Time (2A08), 7 octets.
        case dateTime = "date-time"
        /// Seconds since 1970-01-01 as a little-endian u32.
        case unix
    }

    /// Rows of values, one after another.
    package struct Replay: Hashable, Sendable {
        package enum Origin: Hashable, Sendable {
            /// The values are in the profile.
            case inline
            /// A column of a CSV file; the path is relative to the folder of the profile.
            case file(String, column: String)
        }

        package let origin: Origin
        package let rows: [[UInt8]]
        package let interval: Duration
        /// Whether the rows start again after the last one; otherwise the last one stays.
        package let repeats: Bool
    }
}

/// A number that changes with the time, in the format of its characteristic.
package struct NumberSource: Hashable, Sendable {
    package enum Shape: Hashable, Sendable {
        /// Starts at the lower bound (upper bound for a negative step) and starts again after the other bound.
        case counter(step: Double, interval: Duration)
        case sine(period: Duration)
        /// Moves by at most `step` in each interval. The seed determines all moves.
        case randomWalk(start: Double, step: Double, interval: Duration, seed: UInt64)
    }

    package let shape: Shape
    package let bounds: ClosedRange<Double>
    /// The encoded number is the number times `factor`.
    package let factor: Double
    /// Octets before and after the encoded number, such as flags.
    package let prefix: [UInt8]
    package let suffix: [UInt8]
}

/// The time for a value.
package struct ProfileTime: Hashable, Sendable {
    /// Since the profile was loaded.
    package let elapsed: Duration
    /// Local time in seconds since 1970-01-01.
    package let localSeconds: Double

    package init(elapsed: Duration, localSeconds: Double) {
        self.elapsed = elapsed
        self.localSeconds = localSeconds
    }
}
