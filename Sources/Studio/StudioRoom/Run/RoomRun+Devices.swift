import BLESimulator
import BLEWire
import Phrases

extension RoomRun {
    /// Finds a device by its identifier.
    func device(_ identifier: String) throws -> RunDevice {
        guard let device = devices.first(where: { $0.identifier == identifier }) else {
            throw PhrasedError.unknownDevice(identifier)
        }
        return device
    }

    /// Finds a device by its identifier in the world's file.
    private func device(named name: String) throws -> RunDevice {
        guard let device = devices.first(where: { $0.setup.id == name }) else {
            throw PhrasedError.unknownDevice(name)
        }
        return device
    }

    /// Adds a device.
    func add(_ setup: WorldFile.Device) throws -> RunDevice {
        guard devices.count < Self.deviceLimit else { throw PhrasedError.fullOfDevices }
        var random = SeededRandom(seed: seed ^ UInt64(deviceCount + 1) &* 0x9E37_79B9_7F4A_7C15)
        let device = RunDevice(
            number: deviceCount + 1, program: try kind(setup.body), setup: setup, seed: random.next())
        // A bare device exists without power as well: its managers do.
        if setup.isOn || setup.body.isBare { try start(device, memory: nil) }
        if !setup.isOn, setup.body.isBare { setBluetooth(device, false) }
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

    /// Puts a device on the air and starts its program.
    private func start(_ device: RunDevice, memory: DeviceMemory?) throws {
        switch (device.setup.body, device.program?.body) {
        case (.beacon(let beacon), _): try advertise(device, beacon.advertisement, power: beacon.power)
        case (_, .advertiser(let make)):
            try advertise(device, try make(advertiserContext(of: device, device.name)), power: 0)
        case (_, let body):
            let host = world.addDevice(device.name, at: device.position, memory: memory, seed: device.seed)
            device.starts += 1
            do {
                let context = context(of: device, host)
                let program: (any WorldProgram)? =
                    if case .program(let make) = body { try call { try make(context) } } else { nil }
                device.body = .host(host, program)
                device.earliestTick = now
                host.setLoss(device.loss)
                if let program { call { host.run { program.start() } } }
            } catch {
                host.remove()
                throw error
            }
        }
        if let slot = device.slot { numbers[slot] = device.number }
    }

    private func advertise(_ device: RunDevice, _ advertisement: RawAdvertisement, power: Int) throws {
        try phrasing { () throws(ParameterError) in
            let advertiser = try world.addAdvertiser(
                device.name, advertisement, at: device.position, address: device.staticAddress, transmitPower: power)
            advertiser.setLoss(device.loss)
            device.body = .advertiser(advertiser)
        }
    }

    private func advertiserContext(of device: RunDevice, _ name: String) -> WorldAdvertiserContext {
        WorldAdvertiserContext(name: name, seed: device.seed, parameters: device.setup.body.parameters)
    }

    private typealias ParameterError = RawAdvertisement.ParameterError

    private func phrasing(_ body: () throws(ParameterError) -> Void) throws {
        do {
            try body()
        } catch {
            let reason = ServingProblems.phrase(error.description)
            throw PhrasedError(
                "advertisement", Phrase("The device cannot advertise: \(reason)", "设备无法广播：\(reason)"))
        }
    }

    private func context(of device: RunDevice, _ host: VirtualDevice) -> WorldProgramContext {
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

    /// Takes a device off the air in the middle of its packets and links, as an empty battery does.
    private func cutPower(_ device: RunDevice) {
        device.starts += 1
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
        case .rename(let name, let text): try rename(try device(named: name), text)
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
            return try press(try device(named: name), action, arguments)
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

    private func remove(_ device: RunDevice) throws {
        if let program = device.runningProgram, let host = device.host {
            call { host.run { program.stop() } }
            settle()
        }
        cutPower(device)
        journeys.removeAll { $0.device === device }
        devices.removeAll { $0 === device }
    }

    /// A bare device keeps its host and its managers, because the program on it is not the room's: its Bluetooth goes off and on.
    private func setPower(_ device: RunDevice, _ isOn: Bool) throws {
        guard isOn != device.isOn else { return }
        if device.setup.body.isBare {
            setBluetooth(device, isOn)
        } else if case .off(let memory) = device.body {
            try start(device, memory: memory)
        } else {
            cutPower(device)
        }
        note(
            isOn
                ? Phrase("\(device.shownName) has power", "\(device.shownName)已通电")
                : Phrase("\(device.shownName) has no power", "\(device.shownName)已断电"), device)
    }

    private func setBluetooth(_ device: RunDevice, _ isOn: Bool) {
        device.isBluetoothOn = isOn
        if isOn { device.host?.powerOn() } else { device.host?.powerOff() }
    }

    private func rename(_ device: RunDevice, _ name: String) throws {
        switch (device.body, device.program?.body) {
        case (.host(let host, _), _): host.rename(name)
        case (.advertiser(let advertiser), .advertiser(let make)):
            let advertisement = try make(advertiserContext(of: device, name))
            try phrasing { () throws(ParameterError) in try advertiser.advertise(advertisement) }
        default: break
        }
        device.name = name
        device.label = nil
    }

    private func press(_ device: RunDevice, _ action: String, _ arguments: RoomValue) throws -> RoomValue {
        guard let program = device.runningProgram, let host = device.host else {
            throw PhrasedError.unknownAction(action)
        }
        return try call { try host.run { try program.perform(action, with: arguments) } }
    }

    private func note(_ text: Phrase, _ device: RunDevice) {
        happened.append(ProgramEvent(.note, text), device: device.identifier, at: now)
    }

    // MARK: Moves

    /// A move in a straight line, in steps of 100 ms.
    struct Journey {
        var device: RunDevice
        var start: Position
        var target: Position
        /// Nanoseconds.
        var begin: Int64
        var length: Int64
        var next: Int64
    }

    private func move(_ device: RunDevice, to target: Position, over length: Duration) {
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
            journey.device.move(to: part == 1 ? journey.target : journey.start.towards(journey.target, part: part))
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

extension Position {
    /// The position a part of the way to another one.
    func towards(_ target: Position, part: Double) -> Position {
        Position(x: x + (target.x - x) * part, y: y + (target.y - y) * part, z: z + (target.z - z) * part)
    }
}
