import BLEAdapter
import BLEAttribute
import BLEWire

/// The events of a session layer and what they refer to. The driver takes the whole output and empties it.
/// The arrays keep their capacity.
package struct SessionOutput: ~Copyable, Sendable {
    package var events: [SessionEvent] = []
    /// The arena of the host's events, with the octets and the subscribers of values, the octets of writes, and SDUs.
    package internal(set) var arena = EventArena()
    package internal(set) var items: [SessionWriteItem] = []
    package internal(set) var discoveries: [Discovery] = []
    /// The runs of discoveries to which `SessionEvent.discovered` refers.
    package private(set) var runs: [DiscoveryRun] = []
    /// The advertisers that are new or may have a new name. They are no events, so that the discoveries of new advertisers stay together. The driver
    /// publishes them before it handles the events.
    package internal(set) var heard: [DiscoveredAdvertiser] = []
    /// Numbers of sessions.
    package internal(set) var sessions: [Int] = []

    package init() {}

    package var isEmpty: Bool { events.isEmpty }

    package mutating func removeAll() {
        events.empty()
        arena.removeAll()
        items.empty()
        discoveries.empty()
        runs.empty()
        heard.empty()
        sessions.empty()
    }

    /// Appends a discovery for one session.
    mutating func append(_ discovery: consuming Discovery, session: Int) {
        let last = runs.count - 1
        if last >= 0, runs[last].event == events.count - 1, runs[last].sessions.count == 1,
            sessions[runs[last].sessions.lowerBound] == session
        {
            discoveries.append(discovery)
            runs[last].end = discoveries.count
            return
        }
        sessions.append(session)
        append(discovery, sessionsFrom: sessions.count - 1)
    }

    /// Appends a discovery for the sessions from `first` on. Consecutive discoveries for the same sessions share one event.
    mutating func append(_ discovery: consuming Discovery, sessionsFrom first: Int) {
        discoveries.append(discovery)
        let last = runs.count - 1
        if last >= 0, runs[last].event == events.count - 1, reaches(first, runs[last].sessions) {
            while sessions.count > first { sessions.removeLast() }
            runs[last].end = discoveries.count
            return
        }
        runs.append(
            DiscoveryRun(
                start: discoveries.count - 1, end: discoveries.count, sessions: first..<sessions.count,
                event: events.count))
        events.append(.discovered(run: runs.count - 1))
    }

    /// Whether the sessions from `first` on are those of a run.
    private func reaches(_ first: Int, _ run: Range<Int>) -> Bool {
        guard sessions.count - first == run.count else { return false }
        for offset in 0..<run.count where sessions[first + offset] != sessions[run.lowerBound + offset] { return false }
        return true
    }
}

/// The advertiser in a slot, a small number. It replaces the one that had the slot before.
package struct DiscoveredAdvertiser: Sendable {
    package let slot: Int
    package let content: DiscoveryContent

    package init(slot: Int, content: DiscoveryContent) {
        self.slot = slot
        self.content = content
    }
}

/// Consecutive discoveries for the same sessions.
package struct DiscoveryRun: Sendable {
    fileprivate let start: Int
    fileprivate var end: Int
    /// A range of `SessionOutput.discoveries`.
    package var discoveries: Range<Int> { start..<end }
    /// A range of `SessionOutput.sessions`.
    package let sessions: Range<Int>
    /// The index of the event.
    fileprivate let event: Int
}
