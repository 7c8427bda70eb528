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
    /// The part of a seek that is done, 0 to 1; nil without a seek, and for a seek whose end is not known.
    package var progress: Double?
    /// The number of further commands that the room can keep. It refuses commands when none is left.
    package var commandsLeft: Int
    /// The octets of texts, such as profiles, that the room can keep in further commands.
    package var textLeft: Int
}
