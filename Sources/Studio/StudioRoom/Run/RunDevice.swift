import BLESimulator
import Phrases

/// A device of a run. Used only by its run, and its program on the room's queue.
final class RunDevice {
    enum Body {
        /// Without power. The memory is that of the host; nil for an advertiser without a host.
        case off(DeviceMemory?)
        case host(VirtualDevice, (any WorldProgram)?)
        case advertiser(VirtualAdvertiser)
    }

    let number: Int
    let setup: WorldFile.Device
    /// Nil for a device that runs no program of the list.
    let program: WorldProgramKind?
    /// Determines the random draws of its host and of its program.
    let seed: UInt64
    var name: String
    /// The name in both languages if it is a label; nil for a name that is data.
    var label: Phrase?
    var position: Position
    /// 0 to 1.
    var loss: Double
    var body = Body.off(nil)
    /// The earliest time of the next tick, in nanoseconds. A tick happens once at each time.
    var earliestTick: Int64 = 0
    /// The number of starts. Programs of earlier starts report nothing.
    var starts = 0

    var identifier: String { RoomDevice.identifier(number) }

    init(number: Int, program: WorldProgramKind?, setup: WorldFile.Device, seed: UInt64) {
        self.number = number
        self.program = program
        self.setup = setup
        self.seed = seed
        let isProfile = if case .profile = setup.body { true } else { false }
        name = setup.name ?? (isProfile ? nil : program?.defaultName) ?? setup.id
        label = DeviceLabels.label(of: name, program)
        position = setup.position
        loss = setup.loss
    }

    /// A static random address that the device keeps when it returns (Vol 6, Part B, 1.3.2.1).
    var staticAddress: RadioAddress? { .derived(from: seed) }

    /// The name in sentences.
    var shownName: Phrase { label ?? Phrase(data: name) }

    /// Whether its Bluetooth is on. Only a bare device without power has a host.
    var isBluetoothOn = true

    var isOn: Bool { if case .off = body { false } else { isBluetoothOn } }

    /// What it is, for its symbol.
    var kind: WorldDeviceKind {
        switch setup.body {
        case .beacon: .beacon
        case .bare, .scripts: .phone
        case .program, .profile: program?.kind ?? .other
        }
    }

    /// Whether it has a host and managers, also without power.
    var hasHost: Bool {
        if case .beacon = setup.body { return false }
        if case .advertiser = program?.body { return false }
        return true
    }

    var host: VirtualDevice? { if case .host(let device, _) = body { device } else { nil } }

    var runningProgram: (any WorldProgram)? { if case .host(_, let program) = body { program } else { nil } }

    func move(to position: Position) {
        self.position = position
        switch body {
        case .off: break
        case .host(let host, _): host.move(to: position)
        case .advertiser(let advertiser): advertiser.move(to: position)
        }
    }

    func setLoss(_ loss: Double) {
        self.loss = loss
        switch body {
        case .off: break
        case .host(let host, _): host.setLoss(loss)
        case .advertiser(let advertiser): advertiser.setLoss(loss)
        }
    }

    /// Its slot on the radio; nil without power.
    var slot: Int? {
        switch body {
        case .off: nil
        case .host(let device, _): device.number
        case .advertiser(let advertiser): advertiser.number
        }
    }

    /// What its controller does; nil without power.
    var activity: RadioActivity? {
        switch body {
        case .off: nil
        case .host(let device, _): isBluetoothOn ? device.activity : nil
        case .advertiser(let advertiser): advertiser.activity
        }
    }

    /// The open links of its controller.
    var links: [VirtualLink] {
        switch body {
        case .off: []
        case .host(let device, _): device.links
        case .advertiser(let advertiser): advertiser.links
        }
    }

    /// The time of the next tick in nanoseconds; nil if there is none.
    var nextTick: Int64? {
        guard let deadline = runningProgram?.nextDeadline else { return nil }
        return max(deadline.wholeNanoseconds, earliestTick)
    }
}
