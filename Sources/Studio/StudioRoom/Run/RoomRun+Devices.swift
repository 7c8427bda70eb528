import BLESimulator
import BLEWire
import Phrases

extension RoomRun {
    /// Finds a device by its identifier.
    func device(_ identifier: String) throws -> SceneDevice {
        guard let device = devices.first(where: { $0.identifier == identifier }) else {
            throw PhrasedError.unknownDevice(identifier)
        }
        return device
    }

    /// Finds a device by its identifier in the world's file.
    private func device(named name: String) throws -> SceneDevice {
        guard let device = devices.first(where: { $0.setup.id == name }) else {
            throw PhrasedError.unknownDevice(name)
        }
        return device
    }

    /// Adds a device.
    func add(_ setup: WorldFile.Device) throws -> SceneDevice {
        guard devices.count < Self.deviceLimit else { throw PhrasedError.fullOfDevices }
        let device = SceneDevice(setup, kind: try kind(setup.body), number: deviceCount + 1, worldSeed: seed)
        try starting(device) { try device.begin(in: world) { context(of: device, $0) } }
        deviceCount += 1
        devices.append(device)
        return device
    }

    /// The program of the list that a device runs.
    private func kind(_ body: WorldFile.Device.Body) throws -> WorldProgramKind? {
        switch body {
        case .program, .profile: try kind(body.program)
        case .bare, .scripts, .beacon: nil
        }
    }

    /// Calls `body`, which may start the program of a device or change what it advertises.
    private func starting(_ device: SceneDevice, _ body: () throws -> Void) throws {
        do {
            try call(body)
        } catch let error as RawAdvertisement.ParameterError {
            let reason = ServingProblems.phrase(error.description)
            throw PhrasedError(
                "advertisement", Phrase("The device cannot advertise: \(reason)", "设备无法广播：\(reason)"))
        }
        if let slot = device.slot { numbers[slot] = device.number }
    }

    private func context(of device: SceneDevice, _ host: VirtualDevice) -> WorldProgramContext {
        let (happened, identifier, start) = (happened, device.identifier, device.starts)
        return WorldProgramContext(
            identifier: identifier, name: device.name, device: host, queue: queue, seed: device.seed,
            profile: device.setup.body.profile, parameters: device.setup.body.parameters,
            now: { [weak world] in world?.now ?? .zero },
            report: { [weak device, weak world] happening in
                guard let device, let world, device.starts == start else { return }
                happened.append(happening, device: identifier, at: world.now.wholeNanoseconds)
            },
            changed: { happened.reportChange(of: identifier) },
            // The run looks at the deadlines of all programs after each callback.
            deadlineChanged: {})
    }

    // MARK: Changes

    /// Performs a change. A change that fails may have had an effect.
    func perform(_ change: WorldFile.Event.Change) throws -> RoomValue {
        defer { settle() }
        switch change {
        case .add(let setup): return ["id": .string(try add(setup).identifier)]
        case .remove(let name): try remove(try device(named: name))
        case .move(let name, let target, let length): move(try device(named: name), to: target, over: length)
        case .power(let name, let isOn): try setPower(try device(named: name), isOn)
        case .loss(let name, let loss): try device(named: name).setLoss(loss)
        case .rename(let name, let text):
            let device = try device(named: name)
            try starting(device) { try device.rename(text) }
        case .platform(let name, let platform): try setPlatform(try device(named: name), platform)
        case .fault(let name, let fault): inject(fault, into: try device(named: name))
        case .removeFaults(let name): removeFaults(of: try device(named: name))
        case .restart(let name): try device(named: name).host?.restartAdapter()
        case .wall(let wall):
            guard walls.count < Self.wallLimit || walls.contains(where: { $0.id == wall.id }) else {
                throw PhrasedError.fullOfWalls
            }
            put(wall)
            applyEnvironment()
            return ["id": .string(wall.id)]
        case .removeWall(let wall):
            walls.remove(at: try wallIndex(wall))
            applyEnvironment()
        case .environment(let environment):
            self.environment = environment
            applyEnvironment()
        case .press(let name, let action, let arguments):
            let device = try device(named: name)
            return try call { try device.press(action, with: arguments) }
        }
        return .object([:])
    }

    func wallIndex(_ wall: String) throws -> Int {
        guard let index = walls.firstIndex(where: { $0.id == wall }) else {
            throw PhrasedError(
                "unknown-wall", Phrase("The room has no wall \(wall.prefix(64)).", "房间里没有墙 \(wall.prefix(64))。"))
        }
        return index
    }

    private func remove(_ device: SceneDevice) throws {
        if let program = device.program, let host = device.host {
            call { host.run { program.stop() } }
            settle()
        }
        call { device.cutPower() }
        journeys.removeAll { $0.device === device }
        devices.removeAll { $0 === device }
    }

    private func setPower(_ device: SceneDevice, _ isOn: Bool) throws {
        guard isOn != device.isOn else { return }
        try starting(device) { try device.setPower(isOn, in: world) { context(of: device, $0) } }
        note(
            isOn
                ? Phrase("\(device.shownName) has power", "\(device.shownName)已通电")
                : Phrase("\(device.shownName) has no power", "\(device.shownName)已断电"), device)
    }

    private func setPlatform(_ device: SceneDevice, _ platform: String?) throws {
        guard platform != device.platform else { return }
        try starting(device) { try device.setPlatform(platform, in: world) { context(of: device, $0) } }
        note(
            platform.map { Phrase("\(device.shownName) has the platform \($0)", "\(device.shownName)的平台是 \($0)") }
                ?? Phrase("\(device.shownName) has no platform", "\(device.shownName)没有平台"), device)
    }

    private func inject(_ fault: Fault, into device: SceneDevice) {
        guard let host = device.host else { return }
        let words = FaultLines.phrase(fault.description)
        note(Phrase("a fault: \(words)", "故障：\(words)"), device)
        host.inject(fault, faultReport(of: device), isAnnounced: false)
    }

    private func removeFaults(of device: SceneDevice) {
        guard let host = device.host else { return }
        note(Phrase("no faults any more", "不再有故障"), device)
        host.removeFaults()
    }

    /// Gives the devices at the start the faults that a seed selects.
    func begin(stress seed: UInt64) {
        for entry in Stress(seed: seed, devices).entries {
            guard let device = devices.first(where: { $0.setup.id == entry.device }) else { continue }
            device.host?.inject(entry.fault, faultReport(of: device))
        }
    }

    /// A report whose lines are events of the room.
    private func faultReport(of device: SceneDevice) -> FaultReport {
        let (happened, identifier) = (happened, device.identifier)
        return FaultReport { time, text, _ in
            happened.append(ProgramEvent(.note, FaultLines.phrase(text)), device: identifier, at: time.wholeNanoseconds)
        }
    }

    private func note(_ text: Phrase, _ device: SceneDevice) {
        happened.append(ProgramEvent(.note, text), device: device.identifier, at: now)
    }

    // MARK: Moves

    /// A move in a straight line, in steps of 100 ms.
    struct Journey {
        var device: SceneDevice
        var start: Position
        var target: Position
        /// Nanoseconds.
        var begin: Int64
        var length: Int64
        var next: Int64
    }

    private func move(_ device: SceneDevice, to target: Position, over length: Duration) {
        journeys.removeAll { $0.device === device }
        guard length > .zero else { return device.move(to: target) }
        let length = length.wholeNanoseconds
        journeys.append(
            Journey(
                device: device, start: device.position, target: target, begin: now, length: length,
                next: now + min(Self.moveStep, length)))
    }

    /// Moves the devices whose next step is due.
    func continueJourneys() {
        for index in journeys.indices where journeys[index].next <= now {
            let journey = journeys[index]
            let part = journey.part(at: now)
            journey.device.move(to: journey.start.towards(journey.target, part: part))
            journeys[index].next = min(now + Self.moveStep, journey.begin + journey.length)
        }
        journeys.removeAll { $0.part(at: now) == 1 }
    }

    // MARK: Walls

    /// Adds a wall, or replaces the one with its identifier. `applyEnvironment` puts it into use.
    func put(_ wall: WorldFile.Wall) {
        if let index = walls.firstIndex(where: { $0.id == wall.id }) {
            walls[index] = wall
        } else {
            wallCount += 1
            walls.append(wall)
        }
    }

    func applyEnvironment() { world.setEnvironment(radioEnvironment) }

    /// How the radio propagates signals.
    var radioEnvironment: RadioEnvironment {
        var environment = environment
        environment.walls = walls.map(\.wall)
        return environment
    }
}

extension RoomRun.Journey {
    fileprivate func part(at now: Int64) -> Double { now - begin >= length ? 1 : Double(now - begin) / Double(length) }
}
