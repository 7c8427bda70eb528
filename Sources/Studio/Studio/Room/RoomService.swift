import BLEAdapter
import StudioRoom
import StudioServer

/// The room of the studio: its topics, streams and commands.
///
/// - Topic `time`: a `TimeState`. Topic `room`: a `RoomState`. Topic `counts`: a `PacketCounts`. Topic `flight`: `{"packets"}`, the packets that have
///   begun and not ended, while time stands still or runs at a speed of 0.1 or less. They have the members of the stream `packets` but
///   `receivers` and `octets`; their numbers are those that they get if no other packet ends before them.
/// - Stream `packets`: see `RoomPacket.appendJSON`. A page that cannot get all packets in time gets the latest ones. Stream `happened`: `RoomEvent`s.
/// - Commands `time.*` and `room.*`: see `RoomService+Commands` and `RoomService+World`.
package final class RoomService: Sendable {
    /// The most packets and events in one update of a page: 12,000 packets in a second with 30 updates.
    static let itemLimit = 400

    // The hub keeps the service, so the service does not keep the hub.
    package let engine: RoomEngine
    let prefix: String
    /// The programs that devices can run.
    package let programs: [WorldProgramKind]

    /// - Parameters:
    ///   - prefix: What the names of its topics, streams and commands begin with.
    ///   - programs: The programs that devices can run.
    ///   - scenes: The scenes that the user can begin. The first one is the room at the start.
    ///   - isOwn: Whether it is the room of the user, which is kept, saved and opened, and whose changes can be undone.
    ///   - onChange: Called after the pages were told of a change, at most 30 times a second.
    package init(
        _ hub: StudioHub, prefix: String = "", programs: [WorldProgramKind], scenes: [RoomScene], isOwn: Bool = true,
        onChange: @escaping @Sendable (RoomChanges) -> Void = { _ in }
    ) throws {
        self.prefix = prefix
        self.programs = programs
        engine = try RoomEngine(programs: programs, scenes: scenes, scene: scenes.first?.id ?? "", keepsSteps: isOwn) {
            [weak hub] changes in
            if let hub { Self.report(changes, to: hub, prefix) }
            onChange(changes)
        }
        addTopics(to: hub)
        addTimeCommands(to: hub)
        addRoomCommands(to: hub)
        if isOwn { addWorldCommands(to: hub) }
    }

    /// Ends the room.
    package func end() { engine.end() }

    private static func report(_ changes: RoomChanges, to hub: StudioHub, _ prefix: String) {
        if let reset = changes.reset {
            hub.resetStream(prefix + "packets", to: reset.packets)
            hub.resetStream(prefix + "happened", to: reset.happened)
        }
        if changes.time { hub.touch(prefix + "time") }
        if changes.room { hub.touch(prefix + "room") }
        if changes.flight { hub.touch(prefix + "flight") }
        if changes.counts { hub.touch(prefix + "counts") }
        if changes.packets { hub.touchStream(prefix + "packets") }
        if changes.happened { hub.touchStream(prefix + "happened") }
    }

    private func addTopics(to hub: StudioHub) {
        let engine = engine
        hub.addTopic(prefix + "time") { await Self.text { try await engine.perform { $0.time } } }
        hub.addTopic(prefix + "room") { await Self.text { try await engine.perform { $0.timeline.state } } }
        hub.addTopic(prefix + "counts") { await Self.text { try await engine.perform { $0.timeline.counts } } }
        hub.addTopic(prefix + "flight") {
            let packets = try? await engine.perform { $0.showsFlight ? $0.timeline.packetsInFlight : [] }
            let items = (packets ?? []).map { $0.json(isInFlight: true).text }
            return JSONText(#"{"packets":[\#(items.joined(separator: ","))]}"#)
        }
        hub.addStream(prefix + "packets") { [self] position, limit in await packets(from: position, limit: limit) }
        hub.addStream(prefix + "happened") { [self] position, limit in await happened(from: position, limit: limit) }
    }

    private static func text(_ value: () async throws -> some Encodable) async -> JSONText {
        do { return try JSONText(encoding: try await value()) } catch { return JSONText("null") }
    }

    /// The items of the stream `packets` from a position on.
    func packets(from position: Int, limit: Int) async -> StreamBatch {
        let limit = min(limit, Self.itemLimit)
        let found = try? await engine.perform { driver -> (first: Int, packets: [RoomPacket])? in
            guard !driver.isSeeking else { return nil }
            let count = driver.timeline.packetCount
            let first = max(min(position, count), count - limit)
            var packets: [RoomPacket] = []
            driver.timeline.packets.forEach(in: first..<count) { packet in
                packets.append(packet)
                return true
            }
            return (count - packets.count, packets)
        }
        guard let batch = found ?? nil else { return StreamBatch(items: [], next: position) }
        return StreamBatch(
            items: batch.packets.map { $0.json() }, next: batch.first + batch.packets.count,
            missed: max(0, batch.first - position))
    }

    /// The items of the stream `happened` from a position on.
    func happened(from position: Int, limit: Int) async -> StreamBatch {
        let limit = min(limit, Self.itemLimit)
        let found = try? await engine.perform { driver -> (events: [RoomEvent], next: Int)? in
            guard !driver.isSeeking else { return nil }
            let (events, next) = driver.timeline.happened(from: min(position, driver.timeline.happenedCount))
            return (events.suffix(limit), next)
        }
        guard let batch = found ?? nil else { return StreamBatch(items: [], next: position) }
        let items = batch.events.compactMap { try? JSONText(encoding: $0) }
        return StreamBatch(items: items, next: batch.next, missed: max(0, batch.next - items.count - position))
    }
}
