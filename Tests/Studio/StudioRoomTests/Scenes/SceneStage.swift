import BLESimulator
import Dispatch
import Foundation
import Testing

@testable import StudioRoom

/// Runs a scene of the lesson in virtual time and records what its programs report.
final class SceneStage {
    private struct Actor {
        var setup: WorldFile.Device
        var device: VirtualDevice
        /// Nil while the device has no power.
        var program: (any WorldProgram)?
    }

    private static let programs = WorldProgramKind.standard + Lesson.programs

    let scene: LessonScene
    let world: World
    private let queue = DispatchQueue(label: "stage")
    private var actors: [String: Actor] = [:]
    private var environment: RadioEnvironment
    /// Changed on `queue` only.
    private nonisolated(unsafe) var reported: [(time: Duration, device: String, happening: ProgramEvent)] = []

    init(_ id: String, _ parameters: RoomValue = .null, seed: UInt64 = 1) throws {
        scene = try #require(Lesson.scene(id))
        let setup = try scene.make(parameters)
        environment = setup.environment
        world = World(seed: seed, environment: self.environment)
        for (index, device) in setup.devices.enumerated() {
            let id = "d\(index + 1)"
            let kind = try #require(Self.programs.first { $0.id == device.body.program })
            let name = device.name ?? kind.defaultName
            actors[id] = Actor(setup: device, device: world.addDevice(name, at: device.position))
            if device.isOn { try start(id) } else { actors[id]?.device.remove() }
        }
    }

    private func start(_ id: String) throws {
        let actor = try #require(actors[id])
        let kind = try #require(Self.programs.first { $0.id == actor.setup.body.program })
        guard case .program(let make) = kind.body else { return }
        let world = world
        let context = WorldProgramContext(
            identifier: id, name: actor.device.name, device: actor.device, queue: queue, seed: 1,
            profile: actor.setup.body.profile, parameters: actor.setup.body.parameters, now: { world.now },
            report: { [weak self] in self?.reported.append((world.now, id, $0)) }, changed: {}, deadlineChanged: {})
        let program = try queue.sync { try make(context) }
        queue.sync { actor.device.run { program.start() } }
        actors[id]?.program = program
    }

    /// The lines of a device, or of all of them.
    func lines(of device: String? = nil) -> [String] {
        queue.sync { reported.filter { device == nil || $0.device == device }.map(\.happening.text.description) }
    }

    /// The numbers of the steps that a device has reported.
    func steps(of device: String) -> Set<Int> {
        queue.sync { Set(reported.filter { $0.device == device }.compactMap(\.happening.step)) }
    }

    /// The time of the last line that begins with a text.
    func time(of line: String, on device: String) -> Duration? {
        queue.sync { reported.last { $0.device == device && $0.happening.text.description.hasPrefix(line) }?.time }
    }

    /// Lets time pass, and calls the programs at their deadlines.
    func run(for duration: Duration) async {
        let end = world.now + duration
        while world.now < end {
            let next = queue.sync { actors.values.compactMap { $0.program?.nextDeadline }.min() }
            await world.run(until: min(next ?? end, end))
            for actor in actors.values {
                queue.sync {
                    guard let program = actor.program, let deadline = program.nextDeadline, deadline <= world.now else {
                        return
                    }
                    actor.device.run { program.tick() }
                }
            }
        }
    }

    /// The number of lines before the last action.
    private var linesBeforeAction: [String: Int] = [:]

    /// Runs until a device reports a line that begins with `line`, or has done so since the last action.
    func run(until line: String, on device: String, within limit: Duration = .seconds(60)) async -> Bool {
        let count = linesBeforeAction[device, default: 0]
        let end = world.now + limit
        while world.now < end {
            if lines(of: device).dropFirst(count).contains(where: { $0.hasPrefix(line) }) { return true }
            await run(for: .milliseconds(20))
        }
        return lines(of: device).dropFirst(count).contains { $0.hasPrefix(line) }
    }

    /// Performs an action of the scene.
    func perform(_ id: String) async throws {
        let action = try #require(scene.actions.first { $0.id == id })
        for id in actors.keys { linesBeforeAction[id] = lines(of: id).count }
        for step in action.steps { try await perform(step) }
    }

    private func perform(_ step: LessonScene.Step) async throws {
        switch step {
        case .power(let id, let isOn):
            let actor = try #require(actors[id])
            if isOn, actor.program == nil {
                actors[id]?.device = world.addDevice(
                    actor.device.name, at: actor.setup.position, memory: actor.device.memory)
                try start(id)
            } else if !isOn, actor.program != nil {
                actor.device.remove()
                actors[id]?.program = nil
            }
        case .move(let id, let x, let y): try #require(actors[id]).device.move(to: Position(x: x, y: y))
        case .press(let id, let button):
            let actor = try #require(actors[id])
            let program = try #require(actor.program)
            _ = try queue.sync { try actor.device.run { try program.perform(button, with: .null) } }
        case .wall(let x1, let y1, let x2, let y2, let attenuation):
            environment.walls.append(
                Wall(from: Position(x: x1, y: y1), to: Position(x: x2, y: y2), attenuation: attenuation))
            world.setEnvironment(environment)
        case .pass(let seconds): await run(for: .seconds(seconds))
        }
    }
}
