import BLESimulator
import Phrases

/// A room with its past: the seed, the commands of the user, and the run that has reached the present.
///
/// A step back begins a new run from the seed and repeats the commands at their times. The commands after the present stay until the user gives
/// another one there.
package final class RoomTimeline {
    /// The longest virtual time of a room: 30 days.
    package static let longest: Int64 = 30 * 86_400 * 1_000_000_000

    package let programs: [WorldProgramKind]
    package let scenes: [RoomScene]
    package private(set) var scene: String
    /// The room at time zero.
    private var world: WorldFile
    /// The number of the room, which a step back in time keeps, and that of the latest new room.
    private(set) var room = 1
    private var roomCount = 1
    private let changed: @Sendable (String) -> Void

    private(set) var run: RoomRun
    private(set) var log: CommandLog
    /// What can be undone and done again.
    var steps: RoomSteps
    private let commandLimit: Int
    /// The room before the latest scene; nil if there was none, or nothing had happened in it.
    package private(set) var former: RoomRecord?
    /// Moves at the present that neither the run nor the log has. They are performed before time advances and before another command.
    private var moves = WaitingMoves()
    /// The index of the first command that the run has not performed.
    private(set) var nextEntry = 0
    /// The furthest time reached, in nanoseconds.
    package private(set) var end: Int64 = 0
    /// The number of runs. Packets and events of two runs with equal numbers are not the same.
    package private(set) var runCount = 1

    /// - Parameters:
    ///   - commandLimit: The most commands of the user that the room keeps; nil selects 50,000.
    ///   - undoLimit: The most changes that can be undone.
    ///   - changed: Called on the room's queue with the identifier of a device when its program has a new snapshot.
    package init(
        programs: [WorldProgramKind], scenes: [RoomScene], scene: String, seed: UInt64, parameters: RoomValue = .null,
        commandLimit: Int? = nil, undoLimit: Int = RoomSteps.limit,
        changed: @escaping @Sendable (String) -> Void = { _ in }
    ) throws {
        self.programs = programs
        self.scenes = scenes
        self.scene = scene
        self.changed = changed
        self.commandLimit = commandLimit ?? CommandLog.limit
        steps = RoomSteps(limit: undoLimit)
        log = CommandLog(limit: self.commandLimit)
        world = try Self.world(scene, scenes, seed, parameters)
        run = try RoomRun(world, programs: programs, changed: changed)
        run.settle()
    }

    private static func world(
        _ scene: String, _ scenes: [RoomScene], _ seed: UInt64, _ parameters: RoomValue
    ) throws -> WorldFile {
        guard let found = scenes.first(where: { $0.id == scene }) else {
            throw PhrasedError(
                "unknown-scene",
                Phrase("There is no scene \(scene.prefix(64)).", "没有场景 \(scene.prefix(64))。"),
                next: RoomRun.choice(of: scenes.map(\.id)))
        }
        var world = try found.make(parameters)
        world.seed = seed
        return world
    }

    /// The record of a scene at time zero.
    package func record(ofScene scene: String, seed: UInt64, parameters: RoomValue) throws -> RoomRecord {
        RoomRecord(scene: scene, world: try Self.world(scene, scenes, seed, parameters))
    }

    /// Begins a scene at time zero. A scene that cannot begin leaves the room as it is.
    package func begin(scene: String, seed: UInt64, parameters: RoomValue) throws {
        try begin(try record(ofScene: scene, seed: seed, parameters: parameters), word: "scene")
    }

    /// Begins a room at time zero, with the commands of its record still to come. A room that cannot begin leaves the present one as it is, which
    /// `former` keeps otherwise.
    ///
    /// - Parameters:
    ///   - word: The command, which can be undone; nil for a change that keeps the steps.
    ///   - number: The number of a room that was there before.
    package func begin(_ record: RoomRecord, word: String? = nil, number: Int? = nil) throws {
        let log = try CommandLog(record.entries, limit: commandLimit)
        let run = try RoomRun(record.world, programs: programs, changed: changed)
        performMoves()
        if let word, steps.isKept { steps.add(self.record, room, word) }
        if end > 0 || now > 0 || self.log.entries.contains(where: { !$0.isPlanned }) { former = self.record }
        (scene, world, self.log) = (record.scene, record.world, log)
        if number == nil { roomCount += 1 }
        room = number ?? roomCount
        end = max(record.now, record.entries.last { !$0.isPlanned }?.time ?? 0)
        use(run)
    }

    /// Replaces the commands of the present room by those of an earlier or later state of it. Returns whether the run begins again, at time zero.
    func replaceLog(by entries: [RoomRecord.Entry]) throws -> Bool {
        let log = try CommandLog(entries, limit: commandLimit)
        let present = self.log.entries
        let common = zip(present, entries).prefix { $0 == $1 }.count
        // The run has performed `nextEntry` entries; further ones at the present moment can still be performed.
        let isAhead = common >= nextEntry && (common == entries.count || entries[common].time >= now)
        let run = isAhead ? nil : try RoomRun(world, programs: programs, changed: changed)
        _ = moves.take()
        self.log = log
        recordCount += 1
        if let run { use(run) } else { performEntries() }
        end = max(end, now)
        return run != nil
    }

    /// Sets the room that `RoomDriver.bringBack` begins.
    package func setFormer(_ record: RoomRecord?) {
        former = record
        recordCount += 1
    }

    /// What begins this room again.
    package var record: RoomRecord {
        var record = RoomRecord(scene: scene, world: world, now: now, entries: log.entries)
        let waiting = moves.all.compactMap { move in
            (try? change(move.command)).map { RoomRecord.Entry(time: now, change: $0) }
        }
        if !waiting.isEmpty { record.entries.insert(contentsOf: waiting, at: nextEntry) }
        return record
    }

    /// Changes with each command that the record has.
    package private(set) var recordCount = 0

    private func use(_ run: RoomRun) {
        self.run = run
        nextEntry = 0
        runCount += 1
        recordCount += 1
        run.settle()
        performEntries()
    }

    // MARK: Time

    /// The present in nanoseconds.
    package var now: Int64 { run.now }

    /// Advances to a time in nanoseconds, or until `stop` says so, and performs the commands of the log on the way. Returns whether the time was
    /// reached.
    ///
    /// - Parameters:
    ///   - holdsMoves: Whether moves wait, so that more of them become one.
    ///   - stop: Called often on another queue while this thread waits, with the number of packets since the call.
    @discardableResult
    package func advance(
        to goal: Int64, holdingMoves holdsMoves: Bool = false,
        stoppingWhen stop: @escaping @Sendable (_ packets: Int) -> Bool = { _ in false }
    ) -> Bool {
        let goal = min(goal, Self.longest)
        if now < goal, !holdsMoves { performMoves() }
        let first = run.counter.packets
        defer { end = max(end, now) }
        while now < goal {
            let target = nextEntry < log.entries.count ? min(goal, log.entries[nextEntry].time) : goal
            let taken = run.counter.packets - first
            guard run.advance(to: target, stoppingWhen: { stop(taken + $0) }) else { return false }
            performEntries()
        }
        return true
    }

    /// Advances to the end of the next packet. Returns false if there is none within `limit`.
    @discardableResult
    package func step(within limit: Duration = .seconds(10)) -> Bool {
        let count = run.counter.packets
        advance(to: now + limit.wholeNanoseconds) { $0 > 0 }
        return run.counter.packets > count
    }

    /// Goes to time zero of the same room. The commands stay, and `advance` performs them again.
    package func restart() throws {
        let run = try RoomRun(world, programs: programs, changed: changed)
        performMoves()
        use(run)
    }

    /// Performs the commands of the log that are due.
    private func performEntries() {
        while nextEntry < log.entries.count, log.entries[nextEntry].time <= now {
            // A command that failed fails again.
            _ = try? run.perform(log.entries[nextEntry].change)
            nextEntry += 1
        }
    }

    // MARK: Commands

    /// Performs a command now. The commands of the log after the present are dropped; the events of the world stay. A move waits until time
    /// advances or another command comes.
    ///
    /// - Parameter drag: The number of a drag. The changes of a drag are undone together.
    package func perform(_ command: RoomCommand, drag: Int? = nil) throws -> RoomValue {
        let change = try change(command)
        let move: WaitingMoves.Move? =
            if case .move(let device, let x, let y) = command { WaitingMoves.Move(device: device, x: x, y: y) } else {
                nil
            }
        let isReplaced = move.map { moves[$0.device] != nil } ?? false
        if let limit = log.obstacle(to: change, at: nextEntry, after: moves.count - (isReplaced ? 1 : 0)) {
            throw PhrasedError.logFull(limit, commandLimit: commandLimit)
        }
        let before = steps.isKept && !steps.continues(drag) ? record : nil
        let cuts = log.cut(from: nextEntry)
        recordCount += 1
        end = now
        if let move {
            moves.add(move)
            if let before { steps.add(before, room, command.word, drag: drag) }
            return .object([:])
        }
        performMoves()
        do {
            let answer = try performNew(change)
            if let before { steps.add(before, room, command.word, drag: drag) }
            return answer
        } catch {
            // Undo brings back the commands that were dropped.
            if let before, cuts { steps.add(before, room, command.word, drag: drag) }
            throw error
        }
    }

    func change(_ command: RoomCommand) throws -> WorldFile.Event.Change {
        try run.change(command) { id in
            world.devices.contains { $0.id == id } || world.walls.contains { $0.id == id }
                || log.entries.contains { $0.change.adds(id) }
        }
    }

    private func performNew(_ change: WorldFile.Event.Change) throws -> RoomValue {
        log.insert(RoomRecord.Entry(time: now, change: change), at: nextEntry)
        nextEntry += 1
        do {
            return try run.perform(change)
        } catch {
            log.setFailed(at: nextEntry - 1)
            throw error
        }
    }

    private func performMoves() {
        for move in moves.take() {
            // The room has checked the move, and has had no other command since.
            guard let change = try? change(move.command) else { continue }
            _ = try? performNew(change)
        }
    }

    package var hasWaitingMoves: Bool { !moves.isEmpty }

    /// The number of further commands that the log takes at the present. Those after it make room.
    package var commandsLeft: Int { max(0, log.room(at: nextEntry) - moves.count) }

    /// The octets of texts that the log takes in further commands at the present.
    package var textLeft: Int { max(0, log.textRoom(at: nextEntry)) }

    // MARK: The state

    package var state: RoomState {
        RoomState(
            scene: scene, seed: seed, environment: RoomEnvironment(run.environment),
            walls: run.walls.map(RoomWall.init),
            devices: deviceStates,
            links: run.links, programs: programs.map { RoomProgramName(id: $0.id, kind: $0.kind, actions: $0.actions) },
            platforms: Platform.presets.keys.sorted(), scenes: scenes.map(\.id), former: former?.scene,
            title: scene == RoomRecord.fileScene ? world.name ?? "" : nil, formerTitle: former?.title,
            undo: steps.undo.last?.word, redo: steps.redo.last?.word)
    }

    /// The devices, at the places to which the user has moved them.
    private var deviceStates: [RoomDevice] {
        guard hasWaitingMoves else { return run.deviceStates }
        return run.deviceStates.map { device in
            var device = device
            if let move = moves[device.id] { (device.x, device.y) = (move.x, move.y) }
            return device
        }
    }

    package var seed: UInt64 { world.seed }
    package var environment: RoomEnvironment { RoomEnvironment(run.environment) }
    package var counts: PacketCounts { run.counter.counts }
    package var packetCount: Int { run.counter.packets }
    package var packets: PacketRing { run.packets }
    package var packetsInFlight: [RoomPacket] { run.packetsInFlight() }
    package var happenedCount: Int { run.happened.count }

    /// The events from a number on that the room keeps, and the number after the last one.
    package func happened(from number: Int) -> (events: ArraySlice<RoomEvent>, next: Int) {
        let log = run.happened.content
        return (log.events(from: number), log.count)
    }

    package func snapshot(of device: String) throws -> (any Encodable & Sendable)? {
        try run.snapshot(of: device)
    }
}

extension WorldFile.Event.Change {
    /// Whether it adds a device or a wall with an identifier.
    fileprivate func adds(_ id: String) -> Bool {
        switch self {
        case .add(let device): device.id == id
        case .wall(let wall): wall.id == id
        default: false
        }
    }
}

extension WaitingMoves.Move {
    var command: RoomCommand { .move(device: device, x: x, y: y) }
}
