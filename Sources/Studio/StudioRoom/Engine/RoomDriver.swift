import Dispatch
import Phrases
import Synchronization

/// The room with its clock: whether time runs, how fast, and where a seek goes. Used only on the thread of its engine.
package final class RoomDriver {
    /// The real time of a slice, which bounds the wait of a call, in nanoseconds.
    private static let slice: Int64 = 10_000_000
    /// The least real time between two reports of changes.
    private static let reportInterval: Int64 = 33_333_334
    /// The least real time between two reports of the room's topic while time runs.
    private static let roomInterval: Int64 = 100_000_000
    /// The least real time between two moments at which running time takes moves: a drag fills the log with ten entries in a second.
    static let moveInterval: Int64 = 100_000_000
    /// The virtual time in which the next callback is looked for.
    private static let callbackLimit: Int64 = 10_000_000_000
    /// The highest speed at which packets in flight are shown.
    private static let flightSpeed = 0.1

    package let timeline: RoomTimeline
    private let onChange: @Sendable (RoomChanges) -> Void
    private let clock: () -> Int64
    private var pace = PaceController()
    package private(set) var isRunning = false
    private var seek: Seek?
    /// The real time of the latest moves.
    private var moveTime = Int64.min / 2
    /// The time at which running time stops; nil if it runs on.
    private var stopTime: Int64?

    /// A journey to a moment, as fast as the machine can.
    private struct Seek {
        var start: Int64
        var goal: Int64
        /// Ends the journey before the goal. Called on the world's queue.
        var isMet: (@Sendable () -> Bool)?
        /// The counts before the seek.
        var before: RoomChanges.Reset
        var completion: (Result<SeekEnd, any Error>) -> Void
    }

    /// How a seek ended.
    package enum SeekEnd: Hashable, Sendable {
        /// At its goal, or where its condition was met.
        case reached
        /// At its goal, without its condition.
        case missed
        /// On the way, because of another command.
        case interrupted
    }

    private var changes = RoomChanges.all
    private var reportTime = Int64.min / 2
    private var roomTime = Int64.min / 2
    /// The state of the last report.
    private var reported = (now: Int64(-1), packets: -1, happened: -1)

    package static let realTime: @Sendable () -> Int64 = { Int64(DispatchTime.now().uptimeNanoseconds) }

    /// - Parameter clock: The real time in nanoseconds.
    init(
        _ timeline: RoomTimeline, clock: @escaping () -> Int64 = RoomDriver.realTime,
        onChange: @escaping @Sendable (RoomChanges) -> Void
    ) {
        self.timeline = timeline
        self.clock = clock
        self.onChange = onChange
    }

    // MARK: Commands

    package var isSeeking: Bool { seek != nil }

    package var time: TimeState {
        TimeState(
            now: timeline.now, end: max(timeline.end, timeline.now), isRunning: isRunning, speed: pace.speed,
            actualSpeed: isRunning ? pace.actualSpeed : nil, isSeeking: isSeeking, progress: progress,
            commandsLeft: timeline.commandsLeft, textLeft: timeline.textLeft)
    }

    private var progress: Double? {
        guard let seek, seek.isMet == nil else { return nil }
        return Double(timeline.now - seek.start) / Double(max(1, seek.goal - seek.start))
    }

    /// Whether pages get packets in flight.
    package var showsFlight: Bool { !isSeeking && (!isRunning || pace.speed > 0 && pace.speed <= Self.flightSpeed) }

    /// - Parameter time: The time in nanoseconds at which the room pauses by itself; nil lets it run on.
    package func start(until time: Int64? = nil) {
        endSeek(.interrupted)
        isRunning = true
        stopTime = time
        changes.time = true
    }

    package func pause() {
        endSeek(.interrupted)
        stop()
    }

    private func stop() {
        isRunning = false
        stopTime = nil
        pace.stop()
        changes.time = true
        changes.room = true
        changes.flight = true
    }

    /// - Parameter speed: Virtual seconds in a real second, 0.001 to 100; 0 is as fast as possible.
    package func setSpeed(_ speed: Double) {
        pace.setSpeed(speed)
        changes.time = true
        changes.flight = true
    }

    /// Advances to the end of the next packet and pauses. Returns false if there is none in the next 10 virtual seconds.
    package func step() -> Bool {
        stop()
        return timeline.step()
    }

    /// Advances to the next callback of a program and pauses. `completion` gets whether one came in the next 10 virtual seconds.
    package func stepToCallback(_ completion: @escaping (Result<Bool, any Error>) -> Void) {
        pause()
        seek(to: timeline.now + Self.callbackLimit, until: timeline.callbackCondition()) { end in
            completion(end.map { $0 != .missed })
        }
    }

    /// Goes to a time, or to the first moment on the way at which a condition is met. A time before the present begins a new run.
    ///
    /// - Parameters:
    ///   - time: Nanoseconds.
    ///   - isMet: Called often: on the world's queue while the room's thread waits, and on that thread. With nil the time is the only goal.
    ///   - completion: Called once on the room's thread, when the seek ends. It may begin another one.
    package func seek(
        to time: Int64, until isMet: (@Sendable () -> Bool)? = nil,
        _ completion: @escaping (Result<SeekEnd, any Error>) -> Void
    ) {
        endSeek(.interrupted)
        let time = min(max(time, 0), RoomTimeline.longest)
        let before = RoomChanges.Reset(packets: timeline.packetCount, happened: timeline.happenedCount)
        do {
            if time < timeline.now { try timeline.restart() }
        } catch {
            return completion(.failure(error))
        }
        seek = Seek(start: timeline.now, goal: time, isMet: isMet, before: before, completion: completion)
        pace.stop()
        changes.time = true
        // Also a seek that ends here has gone back to the start.
        if isMet?() == true { endSeek(.reached) }
    }

    private func endSeek(_ end: SeekEnd) {
        guard let seek else { return }
        self.seek = nil
        // A page drops the packets after the present, also if it will get equal ones again.
        if timeline.packetCount < seek.before.packets || timeline.happenedCount < seek.before.happened {
            noteReset(packets: timeline.packetCount, happened: timeline.happenedCount)
        }
        changes.formUnion(.all)
        // The end is reported in this turn: who finds that the seek has ended finds the rest of the room as it is then.
        reportTime = .min / 2
        seek.completion(.success(end))
    }

    /// Begins a scene. Time stands still.
    package func begin(scene: String, seed: UInt64, parameters: RoomValue) throws {
        try timeline.begin(scene: scene, seed: seed, parameters: parameters)
        stop()
        noteReset(packets: 0, happened: 0)
        changes.formUnion(.all)
    }

    /// Begins a room again and goes to its present. `completion` gets how the way ended.
    ///
    /// - Parameter word: The command, which can be undone; nil for a change that keeps the steps.
    package func begin(
        _ record: RoomRecord, word: String? = nil, _ completion: @escaping (Result<SeekEnd, any Error>) -> Void
    ) throws {
        try timeline.begin(record, word: word)
        stop()
        noteReset(packets: 0, happened: 0)
        changes.formUnion(.all)
        seek(to: record.now, completion)
    }

    /// Brings back the room before the latest scene. The present room takes its place.
    package func bringBack(_ completion: @escaping (Result<SeekEnd, any Error>) -> Void) throws {
        guard let former = timeline.former else { throw PhrasedError.noFormerRoom }
        try begin(former, word: "back", completion)
    }

    /// Takes back the latest change of the user, and goes to the present moment without it. `completion` gets its command.
    package func undo(_ completion: @escaping (Result<String, any Error>) -> Void) throws {
        resume(try timeline.undo(), completion)
    }

    /// Performs the change again that was undone last.
    package func redo(_ completion: @escaping (Result<String, any Error>) -> Void) throws {
        resume(try timeline.redo(), completion)
    }

    private func resume(
        _ state: RoomTimeline.Resumption, _ completion: @escaping (Result<String, any Error>) -> Void
    ) {
        changes.room = true
        changes.time = true
        changes.flight = true
        guard state.isNewRun else { return completion(.success(state.word)) }
        if state.isNewRoom { stop() }
        noteReset(packets: 0, happened: 0)
        changes.formUnion(.all)
        seek(to: state.goal) { end in completion(end.map { _ in state.word }) }
    }

    private func noteReset(packets: Int, happened: Int) {
        var reset = RoomChanges()
        reset.reset = RoomChanges.Reset(packets: packets, happened: happened)
        changes.formUnion(reset)
        reported = (-1, -1, -1)
    }

    /// - Parameter drag: See `RoomTimeline.perform`.
    package func perform(_ command: RoomCommand, drag: Int? = nil) throws -> RoomValue {
        changes.room = true
        changes.time = true
        changes.flight = true
        return try timeline.perform(command, drag: drag)
    }

    // MARK: Time

    /// Runs one slice and reports changes. Returns the nanoseconds until the next turn; `.max` if only a call begins one.
    func turn(interruptedBy hasCalls: StopFlag, _ snapshots: Set<String>) -> Int64 {
        changes.snapshots.formUnion(snapshots)
        var delay = Int64.max
        if let seek {
            let isThere = runSlice(to: seek.goal, hasCalls, until: seek.isMet)
            let isMet = seek.isMet?() ?? isThere
            if isMet || isThere { endSeek(isMet ? .reached : .missed) }
            delay = 0
        } else if isRunning {
            let goal = min(pace.goal(real: clock(), virtual: timeline.now), stopTime ?? .max)
            let isDone = runSlice(to: goal, hasCalls, holdingMoves: holdsMoves())
            pace.reached(virtual: timeline.now, real: clock())
            delay = isDone ? Self.slice : 0
            if timeline.now >= min(stopTime ?? .max, RoomTimeline.longest) { stop() }
        }
        return min(delay, report())
    }

    /// Returns whether the goal was reached.
    private func runSlice(
        to goal: Int64, _ hasCalls: StopFlag, until isMet: (@Sendable () -> Bool)? = nil, holdingMoves: Bool = false
    ) -> Bool {
        let end = DispatchTime.now().uptimeNanoseconds + UInt64(Self.slice)
        let looks = Atomic(0)
        return timeline.advance(to: goal, holdingMoves: holdingMoves) { _ in
            if isMet?() == true || hasCalls.isSet { return true }
            // Reads the clock rarely, because a read costs as much as a step.
            return looks.wrappingAdd(1, ordering: .relaxed).newValue & 31 == 0
                && DispatchTime.now().uptimeNanoseconds >= end
        }
    }

    /// Whether moves wait for more of them.
    private func holdsMoves() -> Bool {
        guard timeline.hasWaitingMoves else { return false }
        let real = clock()
        guard real - moveTime >= Self.moveInterval else { return true }
        moveTime = real
        return false
    }

    // MARK: Reports

    /// Returns the nanoseconds until changes can be reported; `.max` if there are none.
    private func report() -> Int64 {
        let current = (now: timeline.now, packets: timeline.packetCount, happened: timeline.happenedCount)
        if current.now != reported.now {
            changes.time = true
            if showsFlight { changes.flight = true }
        }
        let real = clock()
        if !isSeeking {
            if current.packets != reported.packets {
                changes.packets = true
                changes.counts = true
                if real - roomTime >= Self.roomInterval { changes.room = true }
            }
            if current.happened != reported.happened {
                changes.happened = true
                changes.room = true
            }
        }
        guard !changes.isEmpty else { return .max }
        let wait = reportTime + Self.reportInterval - real
        guard wait <= 0 else { return wait }
        reportTime = real
        if changes.room { roomTime = real }
        let report = changes
        changes = RoomChanges()
        reported = isSeeking ? (current.now, reported.packets, reported.happened) : current
        onChange(report)
        return .max
    }

    func close() {
        let completion = seek?.completion
        seek = nil
        completion?(.failure(PhrasedError.ended))
    }
}
