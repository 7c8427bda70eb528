import BLESimulator
import BLEWire
import Phrases

extension RoomRun {
    /// Finds a device by its identifier.
    func device(_ identifier: String) throws -> RunDevice {
        guard let device = devices.first(where: { $0.identifier == identifier }) else {
            throw PhrasedError(
                "unknown-device",
                Phrase("The room has no device \(identifier.prefix(64)).", "房间里没有设备 \(identifier.prefix(64))。"),
                next: Phrase("Select another device.", "请选择另一台设备。"))
        }
        return device
    }

    /// Adds a device. Returns its identifier.
    func add(_ setup: RoomSetup.Device) throws -> String {
        let kind = try kind(setup.program)
        var random = SeededRandom(seed: seed ^ UInt64(deviceCount + 1) &* 0x9E37_79B9_7F4A_7C15)
        let device = RunDevice(number: deviceCount + 1, program: kind, setup: setup, seed: random.next())
        if setup.isOn { try start(device, memory: nil) }
        deviceCount += 1
        devices.append(device)
        return device.identifier
    }

    /// Puts a device on the air and starts its program.
    private func start(_ device: RunDevice, memory: DeviceMemory?) throws {
        switch device.program.body {
        case .advertiser(let make):
            let advertiser = try advertising(device.name, of: device, make) { advertisement throws(ParameterError) in
                try world.addAdvertiser(
                    device.name, advertisement, at: device.position, address: device.staticAddress)
            }
            advertiser.setLoss(device.loss)
            device.body = .advertiser(advertiser)
        case .program(let make):
            let host = world.addDevice(device.name, at: device.position, memory: memory, seed: device.seed)
            device.starts += 1
            do {
                let context = context(of: device, host)
                let program = try call { try make(context) }
                device.body = .host(host, program)
                device.earliestTick = now
                host.setLoss(device.loss)
                call { host.run { program.start() } }
            } catch {
                host.remove()
                throw error
            }
        }
        if let slot = device.slot { numbers[slot] = device.number }
    }

    private typealias ParameterError = RawAdvertisement.ParameterError

    /// Makes the advertisement of a device without a host and passes it to `use`.
    private func advertising<Result>(
        _ name: String, of device: RunDevice, _ make: (WorldAdvertiserContext) throws -> RawAdvertisement,
        _ use: (RawAdvertisement) throws(ParameterError) -> Result
    ) throws -> Result {
        let context = WorldAdvertiserContext(name: name, seed: device.seed, parameters: device.parameters)
        let advertisement = try make(context)
        do {
            return try use(advertisement)
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
            profile: device.profile, parameters: device.parameters,
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

    // MARK: Commands

    /// Refuses a command that cannot be performed now, before it has an effect.
    func check(_ command: RoomCommand) throws {
        switch command {
        case .add(let program, _, _, _, _, _):
            _ = try kind(program)
            guard devices.count < Self.deviceLimit else {
                throw PhrasedError(
                    "room-full",
                    Phrase("The room has \(Self.deviceLimit) devices already.", "房间里已有 \(Self.deviceLimit) 台设备。"),
                    next: Phrase("Remove a device first.", "请先移除一台设备。"))
            }
        case .wall:
            guard walls.count < Self.wallLimit else {
                throw PhrasedError(
                    "room-full",
                    Phrase("The room has \(Self.wallLimit) walls already.", "房间里已有 \(Self.wallLimit) 堵墙。"),
                    next: Phrase("Remove a wall first.", "请先拆除一堵墙。"))
            }
        case .unwall(let wall), .attenuation(let wall, _): _ = try wallIndex(wall)
        case .remove(let identifier), .move(let identifier, _, _), .power(let identifier, _), .loss(let identifier, _),
            .rename(let identifier, _):
            _ = try device(identifier)
        case .act(let identifier, let action, _):
            let device = try device(identifier)
            guard device.isOn else {
                throw PhrasedError(
                    "no-power", Phrase("\(device.shownName) has no power.", "\(device.shownName)没有通电。"),
                    next: Phrase("Switch it on first.", "请先打开它的电源。"))
            }
            guard device.runningProgram != nil else { throw PhrasedError.unknownAction(action) }
        case .environment: break
        }
    }

    private func wallIndex(_ wall: String) throws -> Int {
        guard let index = walls.firstIndex(where: { $0.id == wall }) else {
            throw PhrasedError(
                "unknown-wall", Phrase("The room has no wall \(wall.prefix(64)).", "房间里没有墙 \(wall.prefix(64))。"))
        }
        return index
    }

    /// Performs a command that `check` allows. A command that fails may have had an effect.
    func perform(_ command: RoomCommand) throws -> RoomValue {
        defer { settle() }
        switch command {
        case .add(let program, let name, let x, let y, let profile, let parameters):
            let setup = RoomSetup.Device(
                program, name: name, x: x, y: y, profile: profile, parameters: parameters)
            return ["id": .string(try add(setup))]
        case .remove(let identifier): try remove(try device(identifier))
        case .move(let identifier, let x, let y): move(try device(identifier), x, y)
        case .power(let identifier, let isOn): try setPower(try device(identifier), isOn)
        case .loss(let identifier, let loss): setLoss(try device(identifier), loss)
        case .rename(let identifier, let name): try rename(try device(identifier), name)
        case .wall(let x1, let y1, let x2, let y2, let attenuation):
            let id = addWall(x1, y1, x2, y2, attenuation)
            applyEnvironment()
            return ["id": .string(id)]
        case .unwall(let wall):
            walls.remove(at: try wallIndex(wall))
            applyEnvironment()
        case .attenuation(let wall, let attenuation):
            walls[try wallIndex(wall)].attenuation = attenuation
            applyEnvironment()
        case .environment(let environment):
            self.environment = environment
            applyEnvironment()
        case .act(let identifier, let action, let arguments):
            return try act(try device(identifier), action, arguments)
        }
        return .object([:])
    }

    private func remove(_ device: RunDevice) throws {
        if let program = device.runningProgram, let host = device.host {
            call { host.run { program.stop() } }
            settle()
        }
        cutPower(device)
        devices.removeAll { $0 === device }
    }

    private func move(_ device: RunDevice, _ x: Double, _ y: Double) {
        device.x = x
        device.y = y
        switch device.body {
        case .off: break
        case .host(let host, _): host.move(to: device.position)
        case .advertiser(let advertiser): advertiser.move(to: device.position)
        }
    }

    private func setPower(_ device: RunDevice, _ isOn: Bool) throws {
        guard isOn != device.isOn else { return }
        if case .off(let memory) = device.body {
            try start(device, memory: memory)
        } else {
            cutPower(device)
        }
        note(
            isOn
                ? Phrase("\(device.shownName) has power", "\(device.shownName)已通电")
                : Phrase("\(device.shownName) has no power", "\(device.shownName)已断电"), device)
    }

    private func setLoss(_ device: RunDevice, _ loss: Double) {
        device.loss = loss
        switch device.body {
        case .off: break
        case .host(let host, _): host.setLoss(loss)
        case .advertiser(let advertiser): advertiser.setLoss(loss)
        }
    }

    private func rename(_ device: RunDevice, _ name: String) throws {
        switch device.body {
        case .off: break
        case .host(let host, _): host.rename(name)
        case .advertiser(let advertiser):
            guard case .advertiser(let make) = device.program.body else { break }
            try advertising(name, of: device, make) { advertisement throws(ParameterError) in
                try advertiser.advertise(advertisement)
            }
        }
        device.name = name
        device.label = nil
    }

    private func act(_ device: RunDevice, _ action: String, _ arguments: RoomValue) throws -> RoomValue {
        guard let program = device.runningProgram, let host = device.host else {
            throw PhrasedError.unknownAction(action)
        }
        return try call { try host.run { try program.perform(action, with: arguments) } }
    }

    private func note(_ text: Phrase, _ device: RunDevice) {
        happened.append(ProgramEvent(.note, text), device: device.identifier, at: now)
    }

    // MARK: Walls

    /// Adds a wall, which `applyEnvironment` puts into use. Returns its identifier.
    func addWall(_ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double, _ attenuation: Double) -> String {
        wallCount += 1
        let wall = RoomWall(id: "w\(wallCount)", x1: x1, y1: y1, x2: x2, y2: y2, attenuation: attenuation)
        walls.append(wall)
        return wall.id
    }

    func applyEnvironment() { world.setEnvironment(radioEnvironment) }

    /// How the radio propagates signals.
    var radioEnvironment: RadioEnvironment {
        RadioEnvironment(
            pathLossExponent: environment.pathLossExponent, fading: environment.fading,
            sensitivity: environment.sensitivity, packetLoss: environment.packetLoss, walls: walls.map(\.wall))
    }
}

extension RoomWall {
    /// The wall of the radio.
    var wall: Wall { Wall(from: Position(x: x1, y: y1), to: Position(x: x2, y: y2), attenuation: attenuation) }
}
