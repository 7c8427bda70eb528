import Phrases

/// An item of the stream `happened`.
package struct RoomEvent: Hashable, Codable, Sendable {
    /// The number of the event in this run, from 0.
    package var n: Int
    /// Virtual nanoseconds since the room began.
    package var time: Int64
    /// The identifier of the device; nil for an event of the room.
    package var device: String?
    package var kind: ProgramEvent.Kind
    package var step: Int?
    package var text: Phrase
    package var swift: String?
}
