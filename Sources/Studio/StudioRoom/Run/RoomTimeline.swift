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
    package private(set) var seed: UInt64
    private var parameters: RoomValue
    private var setup: RoomSetup
    private let changed: @Sendable (String) -> Void

    private(set) var run: RoomRun
    private(set) var log: CommandLog
    private let commandLimit: Int
    /// The room before the latest scene; nil if there was none, or nothing had happened in it.
    package private(set) var former: RoomRecord?
    /// Moves at the present that neither the run nor the log has. They are performed before time advances and before another command.
    private var moves = WaitingMoves()
    /// The index of the first command that the run has not performed.
    private var nextEntry = 0
    /// The furthest time reached, in nanoseconds.
    package private(set) var end: Int64 = 0
    /// The number of runs. Packets and events of two runs with equal numbers are not the same.
    package private(set) var runCount = 1

    /// - Parameters:
    ///   - commandLimit: The most commands of the user that the room keeps; nil selects 50,000.
    ///   - changed: Called on the room's queue with the identifier of a device when its program has a new snapshot.
    package init(
        programs: [WorldProgramKind], scenes: [RoomScene], scene: String, seed: UInt64, parameters: RoomValue = .null,
        commandLimit: Int? = nil, changed: @escaping @Sendable (String) -> Void = { _ in }
    ) throws {
        self.programs = programs
        self.scenes = scenes
        self.scene = scene
        self.seed = seed
        self.parameters = parameters
        self.changed = changed
        self.commandLimit = commandLimit ?? CommandLog.limit
        log = CommandLog(limit: self.commandLimit)
        setup = try Self.setup(scene, scenes, parameters)
        run = try RoomRun(setup, seed: seed, programs: programs, changed: changed)
        run.settle()
    }

    private static func setup(_ scene: String, _ scenes: [RoomScene], _ parameters: RoomValue) throws -> RoomSetup {
        guard let found = scenes.first(where: { $0.id == scene }) else {
            throw PhrasedError(
                "unknown-scene",
                Phrase("There is no scene \(scene.prefix(64)).", "没有场景 \(scene.prefix(64))。"),
                next: RoomRun.choice(of: scenes.map(\.id)))
        }
        return try found.make(parameters)
    }

    /// Begins a scene at time zero. A scene that cannot begin leaves the room as it is.
    package func begin(scene: String, seed: UInt64, parameters: RoomValue) throws {
        try begin(RoomRecord(scene: scene, parameters: parameters, seed: seed))
    }

    /// Begins a room at time zero, with the commands of its record still to come. A room that cannot begin leaves the present one as it is, which
    /// `former` keeps otherwise.
    package func begin(_ record: RoomRecord) throws {
        let setup = try Self.setup(record.scene, scenes, record.parameters)
        let log = try CommandLog(record.commands, limit: commandLimit)
        let run = try RoomRun(setup, seed: record.seed, programs: programs, changed: changed)
        performMoves()
        if end > 0 || now > 0 || !self.log.entries.isEmpty { former = self.record }
        (scene, seed, parameters, self.setup, self.log) = (record.scene, record.seed, record.parameters, setup, log)
        end = max(record.now, record.commands.last?.time ?? 0)
        use(run)
    }

    /// Sets the room that `RoomDriver.bringBack` begins.
    package func setFormer(_ record: RoomRecord?) {
        former = record
        recordCount += 1
    }

    /// What begins this room again.
    package var record: RoomRecord {
        RoomRecord(
            scene: scene, parameters: parameters, seed: seed, now: now,
            commands: log.entries.map { RoomRecord.Entry(time: $0.time, command: $0.command) }
                + moves.all.map {
                    RoomRecord.Entry(time: now, command: .move(device: $0.device, x: $0.x, y: $0.y))
                })
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
        let run = try RoomRun(setup, seed: seed, programs: programs, changed: changed)
        performMoves()
        use(run)
    }

    /// Performs the commands of the log that are due.
    private func performEntries() {
        while nextEntry < log.entries.count, log.entries[nextEntry].time <= now {
            // A command that failed fails again.
            _ = try? run.perform(log.entries[nextEntry].command)
            nextEntry += 1
        }
    }

    // MARK: Commands

    /// Performs a command now. The commands of the log after the present are dropped. A move waits until time advances or another command comes.
    package func perform(_ command: RoomCommand) throws -> RoomValue {
        try run.check(command)
        let move: WaitingMoves.Move? =
            if case .move(let device, let x, let y) = command { WaitingMoves.Move(device: device, x: x, y: y) } else {
                nil
            }
        let isReplaced = move.map { moves[$0.device] != nil } ?? false
        if let limit = log.obstacle(to: command, at: nextEntry, after: moves.count - (isReplaced ? 1 : 0)) {
            throw PhrasedError.logFull(limit, commandLimit: commandLimit)
        }
        log.cut(from: nextEntry)
        recordCount += 1
        end = now
        if let move {
            moves.add(move)
            return .object([:])
        }
        performMoves()
        return try performNew(command)
    }

    private func performNew(_ command: RoomCommand) throws -> RoomValue {
        log.append(command, at: now)
        nextEntry = log.entries.count
        return try run.perform(command)
    }

    private func performMoves() {
        for move in moves.take() {
            // The room has checked the move, and has had no other command since.
            _ = try? performNew(.move(device: move.device, x: move.x, y: move.y))
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
            scene: scene, seed: seed, environment: run.environment, walls: run.walls, devices: deviceStates,
            links: run.links, programs: programs.map { RoomProgramName(id: $0.id, kind: $0.kind, actions: $0.actions) },
            scenes: scenes.map(\.id), former: former?.scene)
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

    package var environment: RoomEnvironment { run.environment }
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
