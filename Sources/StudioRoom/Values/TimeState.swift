/// The topic `time`. Times are nanoseconds of virtual time since the room began.
package struct TimeState: Hashable, Codable, Sendable {
    package var now: Int64
    /// The furthest time reached.
    package var end: Int64
    package var isRunning: Bool
    /// The wanted virtual seconds in a real second; 0 is as fast as possible, at most 1000.
    package var speed: Double
    /// The virtual seconds in a real second that the machine reached in the last second; nil while time stands still and in the first second.
    package var actualSpeed: Double?
    package var isSeeking: Bool
}
