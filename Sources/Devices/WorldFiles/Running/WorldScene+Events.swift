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
            .restart(let id), .remove(let id):
            guard let device = devices[id] else { return }
            report(text, subject)
            return try perform(change, device)
        }
        report(text, subject)
    }

    private func perform(_ change: WorldFile.Event.Change, _ device: SceneDevice) throws {
        switch change {
        case .move(_, let target, let length): move(device, to: target, over: length)
        case .power(_, let isOn): try setPower(device, isOn)
        case .loss(_, let loss): device.setLoss(loss)
        case .press(_, let action, let arguments):
            guard case .host(let host, let program?) = device.body else { throw PhrasedError.unknownAction(action) }
            _ = try host.run { try program.perform(action, with: arguments) }
            schedule(device)
        case .rename(_, let name): try rename(device, name)
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
            device.move(
                to: part == 1
                    ? target
                    : Position(
                        x: start.x + (target.x - start.x) * part, y: start.y + (target.y - start.y) * part,
                        z: start.z + (target.z - start.z) * part))
            if part < 1 { scene.step(device, from: start, to: target, begin: begin, length, number: number) }
        }
    }

    // MARK: Power

    /// Takes a device off the air in the middle of its packets and links, as an empty battery does. A bare device keeps its host and its
    /// managers, because the program on it is not the scene's: its Bluetooth goes off and on.
    private func setPower(_ device: SceneDevice, _ isOn: Bool) throws {
        if device.isBare {
            device.setBluetooth(on: isOn)
        } else if case .off(let memory) = device.body {
            if isOn { try start(device, memory: memory) }
        } else if !isOn {
            cutPower(device)
        }
    }

    private func cutPower(_ device: SceneDevice) {
        device.starts += 1
        device.tickCount += 1
        device.scheduledTick = nil
        switch device.body {
        case .off: break
        case .advertiser(let advertiser):
            advertiser.remove()
            device.body = .off(nil)
        case .host(let host, _):
            let memory = host.memory.copy()
            host.remove()
            device.body = .off(memory)
        }
    }

    private func remove(_ device: SceneDevice) {
        device.moves += 1
        cutPower(device)
        devices[device.setup.id] = nil
    }

    private func rename(_ device: SceneDevice, _ name: String) throws {
        device.name = name
        switch device.body {
        case .off: break
        case .host(let host, _): host.rename(name)
        case .advertiser(let advertiser):
            guard case .advertiser(let make) = device.kind?.body else { return }
            try advertiser.advertise(try make(advertiserContext(device)))
        }
    }

    // MARK: Environment

    /// Changes one wall. Walls that others added, such as the commands of a shared radio, stay.
    private func replaceWall(_ id: String, by wall: Wall?) {
        world?.replaceWall(walls[id], by: wall)
        walls[id] = wall
    }
}
