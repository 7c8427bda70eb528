import BLESimulator
import Phrases

/// What the page shows of a device.
extension SceneDevice {
    var identifier: String { RoomDevice.identifier(number) }

    /// The name in both languages if it is a label; nil for a name that is data.
    var label: Phrase? { isRenamed ? nil : DeviceLabels.label(of: name, kind) }

    /// The name in sentences.
    var shownName: Phrase { label ?? Phrase(data: name) }

    /// What it is, for its symbol.
    var symbol: WorldDeviceKind {
        switch setup.body {
        case .beacon: .beacon
        case .bare, .scripts: .phone
        case .program, .profile: kind?.kind ?? .other
        }
    }

    /// Whether it has a host and managers, also without power.
    var hasHost: Bool {
        if case .beacon = setup.body { return false }
        if case .advertiser = kind?.body { return false }
        return true
    }

    /// Whether its host can change: it has one, and its program belongs to the room.
    var takesPlatform: Bool { hasHost && !setup.body.isBare }

    /// Its slot on the radio; nil without power.
    var slot: Int? {
        switch body {
        case .off: nil
        case .host(let device, _): device.number
        case .advertiser(let advertiser): advertiser.number
        }
    }

    /// The time of the next tick in nanoseconds; nil if there is none.
    var nextTick: Int64? { program?.nextDeadline.map { max($0, earliestTick).wholeNanoseconds } }
}
