import BLESimulator
import BLEWire
import Phrases

extension RadioAddress {
    /// A static random address that a device keeps when it returns (Vol 6, Part B, 1.3.2.1).
    package static func derived(from seed: UInt64) -> RadioAddress? {
        var random = SeededRandom(seed: seed)
        let bits = random.next() & 0x3FFF_FFFF_FFFF | 0xC000_0000_0000
        return try? RadioAddress(DeviceAddress(kind: .random, value: bits).description, isRandom: true)
    }
}

extension Position {
    /// The position a part of the way to another one.
    package func towards(_ target: Position, part: Double) -> Position {
        part == 1
            ? target
            : Position(x: x + (target.x - x) * part, y: y + (target.y - y) * part, z: z + (target.z - z) * part)
    }
}

extension Stress {
    /// The faults that the seed in a world file selects for those of its devices that have a host and power.
    package init(seed: UInt64, _ devices: [SceneDevice]) {
        self.init(seed: seed, devices: devices.filter { $0.isOn && $0.host != nil }.map(\.setup.id))
    }
}

/// A device of a running world or room. Used only on the queue of the programs.
package final class SceneDevice {
    package enum Body {
        /// Without power. The memory is that of the host; nil for an advertiser.
        case off(DeviceMemory?)
        case host(VirtualDevice, (any WorldProgram)?)
        case advertiser(VirtualAdvertiser)
    }

    package let setup: WorldFile.Device
    /// The number of the device in its world, from 1.
    package let number: Int
    /// Nil for a device that runs no program of a list.
    package let kind: WorldProgramKind?
    /// Determines the random draws of its host and of its program.
    package let seed: UInt64
    package private(set) var name: String
    /// Whether it has another name than at the start.
    package private(set) var isRenamed = false
    package private(set) var position: Position
    package private(set) var loss: Double
    /// The name of one of `Platform.presets`; nil for a device without a platform.
    package private(set) var platform: String?
    package private(set) var body = Body.off(nil)
    /// Whether its Bluetooth is on. Only a bare device without power has a host.
    private var isBluetoothOn = true
    /// The number of starts. Programs of earlier starts report nothing.
    package private(set) var starts = 0
    /// The earliest time of the next tick. A tick happens once at each time.
    package var earliestTick = Duration.zero
    /// The number of moves. A move ends the one before it.
    var moves = 0
    /// The scheduled tick; nil if there is none.
    var scheduledTick: Duration?
    /// The number of scheduled ticks. Only the last one happens.
    var tickCount = 0

    /// - Parameter worldSeed: The seed of the world, which determines the random draws together with the number.
    package init(_ setup: WorldFile.Device, kind: WorldProgramKind?, number: Int, worldSeed: UInt64) {
        self.setup = setup
        self.number = number
        self.kind = kind
        var random = SeededRandom(seed: worldSeed ^ UInt64(number) &* 0x9E37_79B9_7F4A_7C15)
        seed = random.next()
        let isProfile = if case .profile = setup.body { true } else { false }
        name = setup.name ?? (isProfile ? nil : kind?.defaultName) ?? setup.id
        position = setup.position
        loss = setup.loss
        platform = setup.platform
    }

    // MARK: State

    package var host: VirtualDevice? { if case .host(let device, _) = body { device } else { nil } }

    package var program: (any WorldProgram)? { if case .host(_, let program) = body { program } else { nil } }

    package var isOn: Bool { if case .off = body { false } else { isBluetoothOn } }

    /// What its controller does; nil without power.
    package var activity: RadioActivity? {
        switch body {
        case .off: nil
        case .host(let device, _): isBluetoothOn ? device.activity : nil
        case .advertiser(let advertiser): advertiser.activity
        }
    }

    /// The open links of its controller.
    package var links: [VirtualLink] {
        switch body {
        case .off: []
        case .host(let device, _): device.links
        case .advertiser(let advertiser): advertiser.links
        }
    }

    // MARK: Power

    /// Puts a new device on the air, and starts its program. A bare device exists without power as well: its managers do.
    package func begin(in world: World, context: (VirtualDevice) -> WorldProgramContext) throws {
        if setup.isOn || setup.body.isBare { try start(in: world, memory: nil, context) }
        if !setup.isOn, setup.body.isBare { setBluetooth(false) }
    }

    /// Gives or takes the power, as a battery does, in the middle of packets and links. A bare device keeps its host and its managers, because the
    /// program on it is not the world's: its Bluetooth goes off and on.
    package func setPower(_ isOn: Bool, in world: World, context: (VirtualDevice) -> WorldProgramContext) throws {
        guard isOn != self.isOn else { return }
        if setup.body.isBare {
            setBluetooth(isOn)
        } else if case .off(let memory) = body {
            try start(in: world, memory: memory, context)
        } else {
            cutPower()
        }
    }

    private func setBluetooth(_ isOn: Bool) {
        isBluetoothOn = isOn
        if isOn { host?.powerOn() } else { host?.powerOff() }
    }

    private func start(
        in world: World, memory: DeviceMemory?, _ context: (VirtualDevice) -> WorldProgramContext
    ) throws {
        switch (setup.body, kind?.body) {
        case (.beacon(let beacon), _): try advertise(beacon.advertisement, power: beacon.power, in: world)
        case (_, .advertiser(let make)): try advertise(try make(advertiserContext(name)), power: 0, in: world)
        default:
            let platform = platform.flatMap { Platform.presets[$0] }
            let host = world.addDevice(name, at: position, memory: memory, platform: platform, seed: seed)
            host.setLoss(loss)
            if setup.clockError != 0 { host.setClock(error: setup.clockError) }
            let (slot, id, preset) = (host.number, setup.id, self.platform)
            world.radio.change { $0.label(slot, id, platform: preset) }
            starts += 1
            earliestTick = world.now
            do {
                let program = try makeProgram(context(host))
                body = .host(host, program)
                if let program { host.run { program.start() } }
            } catch {
                host.remove()
                throw error
            }
        }
    }

    private func advertise(_ advertisement: RawAdvertisement, power: Int, in world: World) throws {
        let advertiser = try world.addAdvertiser(
            setup.id, advertisement, at: position, address: .derived(from: seed), transmitPower: power)
        advertiser.setLoss(loss)
        if setup.clockError != 0 { advertiser.setClock(error: setup.clockError) }
        body = .advertiser(advertiser)
    }

    private func advertiserContext(_ name: String) -> WorldAdvertiserContext {
        WorldAdvertiserContext(name: name, seed: seed, parameters: setup.body.parameters)
    }

    private func makeProgram(_ context: WorldProgramContext) throws -> (any WorldProgram)? {
        switch (setup.body, kind?.body) {
        case (.profile(let profile), _): try ProfileProgram(context, profile: profile.text)
        case (_, .program(let make)): try make(context)
        default: nil
        }
    }

    /// Takes the device off the air in the middle of its packets and links, as an empty battery does.
    package func cutPower() {
        starts += 1
        tickCount += 1
        scheduledTick = nil
        switch body {
        case .off: break
        case .advertiser(let advertiser):
            advertiser.remove()
            body = .off(nil)
        case .host(let host, _):
            let memory = host.memory.copy()
            host.remove()
            body = .off(memory)
        }
    }

    // MARK: Changes

    package func move(to position: Position) {
        self.position = position
        switch body {
        case .off: break
        case .host(let device, _): device.move(to: position)
        case .advertiser(let advertiser): advertiser.move(to: position)
        }
    }

    package func setLoss(_ loss: Double) {
        self.loss = loss
        switch body {
        case .off: break
        case .host(let device, _): device.setLoss(loss)
        case .advertiser(let advertiser): advertiser.setLoss(loss)
        }
    }

    /// Gives the device the host of a platform. A device with power starts again with it, as after an empty battery: it keeps its memory and its
    /// address, and its links end by their timeouts. A bare device keeps its host.
    package func setPlatform(
        _ platform: String?, in world: World, context: (VirtualDevice) -> WorldProgramContext
    ) throws {
        guard platform != self.platform, !setup.body.isBare else { return }
        self.platform = platform
        guard isOn else { return }
        cutPower()
        try setPower(true, in: world, context: context)
    }

    package func rename(_ name: String) throws {
        switch (body, kind?.body) {
        case (.host(let host, _), _): host.rename(name)
        case (.advertiser(let advertiser), .advertiser(let make)):
            try advertiser.advertise(try make(advertiserContext(name)))
        default: break
        }
        self.name = name
        isRenamed = true
    }

    /// Performs an action of the program.
    package func press(_ action: String, with arguments: WorldValue) throws -> WorldValue {
        guard case .host(let host, let program?) = body else { throw PhrasedError.unknownAction(action) }
        return try host.run { try program.perform(action, with: arguments) }
    }

    /// Calls the program at its time.
    ///
    /// - Parameter repeatedDelay: The delay of the next tick of a program that asks for a tick in the past again and again.
    package func tick(at now: Duration, repeatedDelay: Duration) {
        guard case .host(let host, let program?) = body else { return }
        host.run { program.tick() }
        let isLate = program.nextDeadline.map { $0 <= now } ?? false
        earliestTick = now + (isLate ? repeatedDelay : .nanoseconds(1))
    }
}
