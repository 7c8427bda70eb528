import BLEAdapter
import BLEWire

/// The events of a session layer and the arenas to which they refer. The driver takes the whole output and empties it.
/// The arrays keep their capacity.
package struct SessionOutput: ~Copyable, Sendable {
    package internal(set) var events: [SessionEvent] = []
    package internal(set) var bytes: [UInt8] = []
    package internal(set) var items: [SessionWriteItem] = []
    package internal(set) var discoveries: [Discovery] = []
    /// Numbers of sessions.
    package internal(set) var sessions: [Int] = []

    package init() {}

    package var isEmpty: Bool { events.isEmpty }

    package mutating func removeAll() {
        events.empty()
        bytes.empty()
        items.empty()
        discoveries.empty()
        sessions.empty()
    }
}
