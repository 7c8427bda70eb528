import BLEAdapter

/// The latest events of a run. It keeps `limit` events. A phrase bounds its values.
struct RoomEventLog: Sendable {
    static let limit = 10_000
    static let swiftLimit = 500

    private var events: [RoomEvent] = []
    /// The number of events of the run, which is the number of the next one.
    private(set) var count = 0

    mutating func append(_ happening: ProgramEvent, device: String?, at time: Int64) {
        events.append(
            RoomEvent(
                n: count, time: time, device: device, kind: happening.kind, step: happening.step,
                text: happening.text,
                swift: happening.swift.map { String($0.prefix(Self.swiftLimit)) }))
        count += 1
        if events.count >= Self.limit + Self.limit / 4 { events.removeFirst(events.count - Self.limit) }
    }

    /// The events from a number on that are kept.
    func events(from number: Int) -> ArraySlice<RoomEvent> {
        let first = count - events.count
        return events.dropFirst(max(0, number - first))
    }
}
