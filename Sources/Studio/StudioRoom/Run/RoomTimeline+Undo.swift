import Phrases

extension RoomTimeline {
    /// How the room continues after a change was taken back or performed again.
    struct Resumption: Hashable, Sendable {
        /// The moment to which the room goes, in nanoseconds.
        var goal: Int64
        /// Whether its run begins again, at time zero.
        var isNewRun: Bool
        /// Whether it is another room.
        var isNewRoom: Bool
        /// The command that was taken back or performed again.
        var word: String
    }

    /// Takes back the latest change of the user. The present moment stays, without the change in its past.
    func undo() throws -> Resumption {
        let before = steps
        guard let step = steps.back(from: record, room) else {
            throw PhrasedError("undo", Phrase("There is no change to undo.", "没有可撤销的更改。"))
        }
        return try resume(step, orRestore: before)
    }

    /// Performs the change again that was undone last.
    func redo() throws -> Resumption {
        let before = steps
        guard let step = steps.forth(from: record, room) else {
            throw PhrasedError("redo", Phrase("There is no change to do again.", "没有可重做的更改。"))
        }
        return try resume(step, orRestore: before)
    }

    /// The record of a scene and commands of an earlier version, which name devices as the page does.
    ///
    /// - Throws: `PhrasedError` for an unknown scene, and for times that are not in order.
    package static func record(
        ofScene scene: String, _ scenes: [RoomScene], seed: UInt64, parameters: RoomValue,
        commands: [(time: Int64, command: RoomCommand)], programs: [WorldProgramKind]
    ) throws -> RoomRecord {
        let timeline = try RoomTimeline(
            programs: programs, scenes: scenes, scene: scene, seed: seed, parameters: parameters, undoLimit: 0)
        var record = timeline.record
        for (time, command) in commands {
            guard let change = try? timeline.change(command) else { continue }
            var entry = RoomRecord.Entry(time: time, change: change)
            // Devices and walls determine the identifiers of the commands after it. A press has its effect at its time only.
            if case .press(let device, let action, _) = change {
                entry.hasFailed = !timeline.run.hasAction(action, of: device)
            } else {
                do { _ = try timeline.run.perform(change) } catch { entry.hasFailed = true }
            }
            record.entries.append(entry)
        }
        _ = try CommandLog(record.entries, limit: CommandLog.limit)
        return record
    }

    private func resume(_ step: RoomSteps.Step, orRestore before: RoomSteps) throws -> Resumption {
        do {
            return try resume(step)
        } catch {
            steps = before
            throw error
        }
    }

    private func resume(_ step: RoomSteps.Step) throws -> Resumption {
        let goal = now
        if step.room == room {
            let isNewRun = try replaceLog(by: step.record.entries)
            return Resumption(goal: goal, isNewRun: isNewRun, isNewRoom: false, word: step.word)
        }
        try begin(step.record, number: step.room)
        return Resumption(goal: step.record.now, isNewRun: true, isNewRoom: true, word: step.word)
    }
}
