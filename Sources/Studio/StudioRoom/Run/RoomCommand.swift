/// A change of the room by its user. A run repeats the changes of its log at their virtual times.
package enum RoomCommand: Hashable, Codable, Sendable {
    case add(
        program: String, name: String? = nil, x: Double, y: Double, profile: String? = nil,
        parameters: RoomValue = .null)
    case remove(device: String)
    case move(device: String, x: Double, y: Double)
    case power(device: String, isOn: Bool)
    case loss(device: String, Double)
    case rename(device: String, String)
    case wall(x1: Double, y1: Double, x2: Double, y2: Double, attenuation: Double)
    case unwall(wall: String)
    /// dB.
    case attenuation(wall: String, Double)
    case environment(RoomEnvironment)
    case act(device: String, action: String, with: RoomValue)

    /// The length of the texts in it, in octets of UTF-8.
    var textCount: Int {
        switch self {
        case .add(let program, let name, _, _, let profile, let parameters):
            program.utf8.count + (name?.utf8.count ?? 0) + (profile?.utf8.count ?? 0) + parameters.textCount
        case .rename(_, let name): name.utf8.count
        case .act(_, let action, let arguments): action.utf8.count + arguments.textCount
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
