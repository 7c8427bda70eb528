import BLESimulator
import Phrases

extension WorldScene {
    /// The time between two steps of a move.
    private static let moveStep = Duration.milliseconds(100)

    /// Does what an event describes. A failure is a line of the log: the other events happen nevertheless.
    func perform(_ event: WorldFile.Event) {
        do {
            try perform(event.change)
        } catch {
            reportFailure("\(Self.words(event.change).text) failed: \(error)", of: event)
        }
    }

    private func perform(_ change: WorldFile.Event.Change) throws {
        let (text, subject) = Self.words(change)
        switch change {
        case .add(let device): try add(device)
        case .wall(let wall):
            replaceWall(wall.id, by: wall.wall)
        case .removeWall(let id): replaceWall(id, by: nil)
        case .environment(let environment):
            self.environment = environment
            world?.setPropagation(environment)
        case .move(let id, _, _), .power(let id, _), .loss(let id, _), .press(let id, _, _), .rename(let id, _),
            .platform(let id, _), .fault(let id, _), .removeFaults(let id), .restart(let id), .remove(let id):
            guard let device = devices[id] else { return }
            report(text, subject)
            return try perform(change, device)
        }
        report(text, subject)
    }

    private func perform(_ change: WorldFile.Event.Change, _ device: SceneDevice) throws {
        switch change {
        case .move(_, let target, let length): move(device, to: target, over: length)
        case .power(_, let isOn):
            try starting(device) { world in try device.setPower(isOn, in: world) { context(device, $0) } }
        case .loss(_, let loss): device.setLoss(loss)
        case .press(_, let action, let arguments):
            _ = try device.press(action, with: arguments)
            schedule(device)
        case .rename(_, let name): try device.rename(name)
        case .platform(_, let platform):
            try starting(device) { world in try device.setPlatform(platform, in: world) { context(device, $0) } }
        case .fault(let id, let fault): device.host?.inject(fault, faultReport(of: id), isAnnounced: false)
        case .removeFaults: device.host?.removeFaults()
        case .restart: device.host?.restartAdapter()
        case .remove: remove(device)
        case .add, .wall, .removeWall, .environment: break
        }
    }

    /// What changes, and the device.
    static func words(_ change: WorldFile.Event.Change) -> (text: String, device: String?) {
        switch change {
        case .move(let id, let target, let length):
            let over = length == .zero ? "" : " in \(WorldText.number(length / .seconds(1))) s"
            return ("moves to \(WorldText.position(target))\(over)", id)
        case .power(let id, let isOn): return (isOn ? "power on" : "power off", id)
        case .loss(let id, let loss): return ("loses \(WorldText.share(loss)) of its packets", id)
        case .press(let id, let action, _): return ("press \(action)", id)
        case .rename(let id, let name): return ("the name is \(name)", id)
        case .platform(let id, let name): return (name.map { "the platform is \($0)" } ?? "no platform any more", id)
        case .fault(let id, let fault): return ("fault: \(fault)", id)
        case .removeFaults(let id): return ("no faults any more", id)
        case .restart(let id): return ("the adapter restarts", id)
        case .add(let device): return ("added", device.id)
        case .remove(let id): return ("removed", id)
        case .wall(let wall): return ("a wall of \(WorldText.number(wall.wall.attenuation)) dB: \(wall.id)", nil)
        case .removeWall(let id): return ("no wall any more: \(id)", nil)
        case .environment: return ("signals propagate in another way", nil)
        }
    }

    // MARK: Moves

    private func move(_ device: SceneDevice, to target: Position, over length: Duration) {
        device.moves += 1
        guard length > .zero else { return device.move(to: target) }
        step(device, from: device.position, to: target, begin: now, length, number: device.moves)
    }

    /// Moves a device one step, and schedules the next one.
    private func step(
        _ device: SceneDevice, from start: Position, to target: Position, begin: Duration, _ length: Duration,
        number: Int
    ) {
        let next = min(now + Self.moveStep, begin + length)
        at(next) { [weak device] scene in
            guard let device, device.moves == number else { return }
            let part = next - begin >= length ? 1 : (next - begin) / length
            device.move(to: start.towards(target, part: part))
            if part < 1 { scene.step(device, from: start, to: target, begin: begin, length, number: number) }
        }
    }

    private func remove(_ device: SceneDevice) {
        device.moves += 1
        device.cutPower()
        devices[device.setup.id] = nil
    }

    // MARK: Environment

    /// Changes one wall. Walls that others added, such as the commands of a shared radio, stay.
    private func replaceWall(_ id: String, by wall: Wall?) {
        world?.replaceWall(walls[id], by: wall)
        walls[id] = wall
    }
}
