import BLEAdapter
import BLESimulator
import BLEVirtualRadio
import BLEWire
import Dispatch
import Foundation
import Phrases

/// The devices, programs and events of a world that was read from a file.
///
/// Programs and events run on `queue` at their virtual times, while time stands still, so a run is a function of the file and the seed.
///
/// `@unchecked Sendable`: everything except the constants is used only on `queue`. Timers of the world run there, and other threads enter it in `onQueue`.
package final class WorldScene: @unchecked Sendable {
    package let file: WorldFile
    package let seed: UInt64
    /// The file's name in errors.
    let fileName: String
    let queue = DispatchQueue(label: "world.programs")
    private let queueMark = DispatchSpecificKey<Bool>()
    let kinds: [String: WorldProgramKind]
    /// The world owns its scene.
    private(set) weak var world: World?
    let clock: VirtualClock

    var devices: [String: SceneDevice] = [:]
    private var deviceCount = 0
    var environment: RadioEnvironment
    var walls: [String: Wall] = [:]
    /// The number of events that have happened.
    private var eventCount = 0
    private var log: [WorldEvent] = []
    private var droppedCount = 0
    /// The events of the file that could not be performed.
    private var failed: [(time: Duration, place: WorldFile.Place, sentence: String)] = []

    /// 2026-01-01 00:00 in seconds since 1970: the local time at which a world begins.
    package static let firstSecond = 1_767_225_600.0
    /// The most events that a scene keeps. Older ones are dropped.
    package static let logLimit = 100_000
    /// The delay of the next tick of a program that asks for a tick in the past again and again.
    private static let repeatedTickDelay = Duration.milliseconds(1)

    /// The faults that the devices have from the start; nil without any.
    package private(set) var stress: Stress?

    /// Adds the devices of a file to a new world, and starts their programs.
    ///
    /// - Parameter stress: Replaces the faults that the seed in the file selects.
    /// - Throws: `WorldFileError` if a device cannot be made.
    init(
        _ file: WorldFile, fileName: String, in world: World, programs: [WorldProgramKind], stress: Stress?
    ) throws(WorldFileError) {
        self.file = file
        self.fileName = fileName
        self.world = world
        seed = world.seed
        clock = world.clock
        kinds = Dictionary(programs.map { ($0.id, $0) }, uniquingKeysWith: { _, last in last })
        environment = file.environment
        queue.setSpecific(key: queueMark, value: true)
        for wall in file.walls { walls[wall.id] = wall.wall }
        let result: Result<Void, WorldFileError> = queue.sync {
            Result { () throws(WorldFileError) in
                for device in file.devices { try add(device) }
            }
        }
        try result.get()
        queue.sync {
            begin(stress ?? file.stress.map { Stress(seed: $0, file.devices.compactMap { devices[$0.id] }) })
            scheduleNextEvent()
        }
    }

    /// Runs `body` on the queue of the programs.
    func onQueue<Value>(_ body: () throws -> Value) rethrows -> Value {
        if DispatchQueue.getSpecific(key: queueMark) == true { return try body() }
        return try queue.sync(execute: body)
    }

    var now: Duration { clock.now.sinceStart }

    // MARK: Devices

    /// Adds a device.
    func add(_ setup: WorldFile.Device) throws(WorldFileError) {
        let kind: WorldProgramKind? = if case .program(let id, _) = setup.body { kinds[id] } else { nil }
        let device = SceneDevice(setup, kind: kind, number: deviceCount + 1, worldSeed: seed)
        deviceCount += 1
        try starting(device) { try device.begin(in: $0) { context(device, $0) } }
        devices[setup.id] = device
    }

    /// Calls `body`, which may start the program of a device.
    func starting(_ device: SceneDevice, _ body: (World) throws -> Void) throws(WorldFileError) {
        guard let world else { return }
        do {
            try body(world)
        } catch {
            throw failure("the device \(device.setup.id) cannot be made: \(error)", device.setup.place)
        }
        schedule(device)
    }

    func context(_ device: SceneDevice, _ host: VirtualDevice) -> WorldProgramContext {
        let (id, start, clock) = (device.setup.id, device.starts, clock)
        return WorldProgramContext(
            identifier: id, name: device.name, device: host, queue: queue, seed: device.seed, profile: nil,
            parameters: device.setup.body.parameters, now: { clock.now.sinceStart },
            report: { [weak self, weak device] event in
                guard let self, let device, device.starts == start else { return }
                report(event.text.description, id)
            },
            changed: {},
            deadlineChanged: { [weak self, weak device] in
                guard let self, let device, device.starts == start else { return }
                schedule(device)
            })
    }

    // MARK: Faults

    private func begin(_ stress: Stress?) {
        self.stress = stress
        for entry in stress?.entries ?? [] {
            devices[entry.device]?.host?.inject(entry.fault, faultReport(of: entry.device))
        }
    }

    /// A report whose lines are lines of the scene.
    func faultReport(of id: String) -> FaultReport {
        let (clock, queue) = (clock, queue)
        return FaultReport { [weak self] time, text, _ in
            clock.schedule(at: VirtualClock.Instant(sinceStart: time), on: queue) { [weak self] in
                self?.report(text, id)
            }
        }
    }

    // MARK: Ticks

    /// Schedules the next tick of a program.
    func schedule(_ device: SceneDevice) {
        guard let deadline = device.program?.nextDeadline else {
            device.scheduledTick = nil
            return
        }
        let time = max(deadline, device.earliestTick)
        guard device.scheduledTick != time else { return }
        device.scheduledTick = time
        device.tickCount += 1
        let count = device.tickCount
        at(time) { [weak device] scene in
            guard let device, device.tickCount == count, device.scheduledTick == time else { return }
            scene.tick(device)
        }
    }

    private func tick(_ device: SceneDevice) {
        device.scheduledTick = nil
        device.tick(at: now, repeatedDelay: Self.repeatedTickDelay)
        schedule(device)
    }

    /// Calls `body` on the queue at a virtual time, unless the scene has ended.
    func at(_ time: Duration, _ body: @escaping (WorldScene) -> Void) {
        // The closure runs on the queue of this scene, which owns what it captures.
        nonisolated(unsafe) let body = body
        clock.schedule(at: VirtualClock.Instant(sinceStart: time), on: queue) { [weak self] in
            if let self { body(self) }
        }
    }

    // MARK: Events

    /// Schedules the next event only: a file may have many.
    private func scheduleNextEvent() {
        guard eventCount < file.events.count else { return }
        at(file.events[eventCount].time) { scene in
            while scene.eventCount < scene.file.events.count {
                let event = scene.file.events[scene.eventCount]
                guard event.time <= scene.now else { break }
                scene.eventCount += 1
                scene.perform(event)
            }
            scene.scheduleNextEvent()
        }
    }

    // MARK: Log

    func report(_ text: String, _ device: String?) {
        log.append(WorldEvent(time: now, device: device, text: text))
        guard log.count > Self.logLimit + 1024 else { return }
        droppedCount += log.count - Self.logLimit
        log.removeFirst(log.count - Self.logLimit)
    }

    func reportFailure(_ sentence: String, of event: WorldFile.Event) {
        failed.append((now, event.place, sentence))
        report(failure(sentence, event.place).description, nil)
    }

    /// The events of the file that could not be performed.
    package var failures: [(time: Duration, place: WorldFile.Place, sentence: String)] { onQueue { failed } }

    /// The events from a number on, with the number of the first one.
    package func events(from number: Int) -> (first: Int, events: [WorldEvent]) {
        onQueue {
            let start = max(0, min(number - droppedCount, log.count))
            return (start + droppedCount, Array(log[start...]))
        }
    }

    func failure(_ sentence: String, _ place: WorldFile.Place) -> WorldFileError {
        WorldFileError("\(fileName):\(place.line):\(place.column): \(sentence)")
    }
}
