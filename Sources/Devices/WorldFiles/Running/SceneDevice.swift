import BLESimulator
import BLEWire

extension RadioAddress {
    /// A static random address that a device keeps when it returns (Vol 6, Part B, 1.3.2.1).
    package static func derived(from seed: UInt64) -> RadioAddress? {
        var random = SeededRandom(seed: seed)
        let bits = random.next() & 0x3FFF_FFFF_FFFF | 0xC000_0000_0000
        return try? RadioAddress(DeviceAddress(kind: .random, value: bits).description, isRandom: true)
    }
}

/// A device of a running world. Used only on the queue of the programs.
final class SceneDevice {
    enum Body {
        /// Without power. The memory is that of the host; nil for an advertiser.
        case off(DeviceMemory?)
        case host(VirtualDevice, (any WorldProgram)?)
        case advertiser(VirtualAdvertiser)
    }

    let setup: WorldFile.Device
    /// Nil for a device that runs no program of a list.
    let kind: WorldProgramKind?
    /// Determines the random draws of its host and of its program.
    let seed: UInt64
    var name: String
    var position: Position
    var loss: Double
    var body = Body.off(nil)
    /// Whether the Bluetooth of a bare device is on. Its host exists without power as well.
    private(set) var isBluetoothOn = true
    /// The number of starts. Programs of earlier starts report nothing.
    var starts = 0
    /// The number of moves. A move ends the one before it.
    var moves = 0
    /// The earliest time of the next tick. A tick happens once at each time.
    var earliestTick = Duration.zero
    /// The scheduled tick; nil if there is none.
    var scheduledTick: Duration?
    /// The number of scheduled ticks. Only the last one happens.
    var tickCount = 0

    init(_ setup: WorldFile.Device, kind: WorldProgramKind?, seed: UInt64) {
        self.setup = setup
        self.kind = kind
        self.seed = seed
        name = setup.name ?? kind?.defaultName ?? setup.id
        position = setup.position
        loss = setup.loss
    }

    var host: VirtualDevice? { if case .host(let device, _) = body { device } else { nil } }

    var program: (any WorldProgram)? { if case .host(_, let program) = body { program } else { nil } }

    /// Whether a test or a tool runs its own program on the device. Such a device keeps its managers without power.
    var isBare: Bool {
        switch setup.body {
        case .bare, .scripts: true
        case .program, .profile, .beacon: false
        }
    }

    /// Turns the Bluetooth of a bare device off and on.
    func setBluetooth(on isOn: Bool) {
        isBluetoothOn = isOn
        if isOn { host?.powerOn() } else { host?.powerOff() }
    }

    func move(to position: Position) {
        self.position = position
        switch body {
        case .off: break
        case .host(let device, _): device.move(to: position)
        case .advertiser(let advertiser): advertiser.move(to: position)
        }
    }

    func setLoss(_ loss: Double) {
        self.loss = loss
        switch body {
        case .off: break
        case .host(let device, _): device.setLoss(loss)
        case .advertiser(let advertiser): advertiser.setLoss(loss)
        }
    }
}
