/// A change of the room by its user.
package enum RoomCommand: Hashable, Codable, Sendable {
    case add(
        program: String, name: String? = nil, x: Double, y: Double, profile: String? = nil,
        parameters: RoomValue = .null)
    case remove(device: String)
    case move(device: String, x: Double, y: Double)
    case power(device: String, isOn: Bool)
    case loss(device: String, Double)
    case rename(device: String, String)
    /// Nil for a device without a platform.
    case platform(device: String, String?)
    case wall(x1: Double, y1: Double, x2: Double, y2: Double, attenuation: Double)
    case unwall(wall: String)
    /// dB.
    case attenuation(wall: String, Double)
    case environment(RoomEnvironment)
    case act(device: String, action: String, with: RoomValue)

    /// The name of the command without `room.`.
    package var word: String {
        switch self {
        case .add: "add"
        case .remove: "remove"
        case .move: "move"
        case .power: "power"
        case .loss: "loss"
        case .rename: "rename"
        case .platform: "platform"
        case .wall: "wall"
        case .unwall: "unwall"
        case .attenuation: "attenuation"
        case .environment: "environment"
        case .act: "act"
        }
    }
}

extension WorldFile.Event.Change {
    /// The length of the texts in it, in octets of UTF-8.
    var textCount: Int {
        switch self {
        case .add(let device):
            device.id.utf8.count + (device.name?.utf8.count ?? 0) + (device.body.profile?.utf8.count ?? 0)
                + device.body.parameters.textCount
        case .rename(_, let name): name.utf8.count
        case .press(_, let action, let arguments): action.utf8.count + arguments.textCount
        default: 0
        }
    }
}

extension RoomValue {
    /// The length of the texts in it, in octets of UTF-8, and 16 octets for each value.
    package var textCount: Int {
        switch self {
        case .string(let text): 16 + text.utf8.count
        case .array(let elements): elements.reduce(16) { $0 + $1.textCount }
        case .object(let members): members.reduce(16) { $0 + $1.key.utf8.count + $1.value.textCount }
        default: 16
        }
    }
}
