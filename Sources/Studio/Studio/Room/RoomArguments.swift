import Phrases
import StudioRoom
import StudioServer

struct SpeedArguments: Decodable, Sendable { var speed: Double }
struct SeekArguments: Decodable, Sendable { var to: Double }
struct SeekReply: Encodable, Sendable { var isReached: Bool }
struct StepReply: Encodable, Sendable { var found: Bool }

struct SceneArguments: Decodable, Sendable {
    var scene: String
    var seed: UInt64?
    var parameters: RoomValue?
}

struct DeviceArguments: Decodable, Sendable { var device: String }

struct MoveArguments: Decodable, Sendable {
    var device: String
    /// Metres.
    var x: Double
    var y: Double
    /// The number of the drag to which the change belongs. The changes of a drag are undone together.
    var drag: Int?
}

struct WorldArguments: Decodable, Sendable { var text: String }

/// What the room cannot run of a world that it has opened.
struct WorldReply: Encodable, Sendable { var notes: [Phrase] }
/// The command that was undone or performed again, without `room.`.
struct StepName: Encodable, Sendable { var command: String }
struct WorldText: Encodable, Sendable { var text: String }

struct PowerArguments: Decodable, Sendable {
    var device: String
    var isOn: Bool
}

struct LossArguments: Decodable, Sendable {
    var device: String
    var loss: Double
}

struct RenameArguments: Decodable, Sendable {
    var device: String
    var name: String
}

struct PlatformArguments: Decodable, Sendable {
    var device: String
    /// Nil for a device without a platform.
    var platform: String?
}

struct UnwallArguments: Decodable, Sendable { var wall: String }

struct AttenuationArguments: Decodable, Sendable {
    var wall: String
    /// dB.
    var attenuation: Double
    /// As in `MoveArguments`.
    var drag: Int?
}

struct AddArguments: Decodable, Sendable {
    var program: String
    var name: String?
    var x: Double
    var y: Double
    var profile: String?
    var parameters: RoomValue?

    var command: RoomCommand {
        get throws {
            try StudioArguments.check(profile: profile ?? "")
            switch parameters ?? .null {
            case .null, .object: break
            default: throw StudioArguments.failure(Phrase("The parameters", "这些参数"), Phrase("an object", "对象"))
            }
            return .add(
                program: program, name: try name.map(StudioArguments.name), x: try StudioArguments.coordinate(x),
                y: try StudioArguments.coordinate(y), profile: profile,
                parameters: try StudioArguments.bounded(parameters ?? .null, Phrase("The parameters", "这些参数")))
        }
    }
}

struct WallArguments: Decodable, Sendable {
    var x1: Double
    var y1: Double
    var x2: Double
    var y2: Double
    /// dB.
    var attenuation: Double

    var command: RoomCommand {
        get throws {
            .wall(
                x1: try StudioArguments.coordinate(x1), y1: try StudioArguments.coordinate(y1),
                x2: try StudioArguments.coordinate(x2), y2: try StudioArguments.coordinate(y2),
                attenuation: try Self.checked(attenuation))
        }
    }

    static func checked(_ attenuation: Double) throws -> Double {
        try StudioArguments.checked(
            attenuation, 0...200, Phrase("The attenuation", "这个衰减"), Phrase("0 to 200 dB", " 0 至 200 dB"))
    }
}

struct ActArguments: Decodable, Sendable {
    var device: String
    var action: String
    var with: RoomValue?

    var command: RoomCommand {
        get throws {
            .act(
                device: device, action: try StudioArguments.action(action),
                with: try StudioArguments.bounded(with ?? .null, Phrase("The argument", "这个参数")))
        }
    }
}

struct EnvironmentArguments: Decodable, Sendable {
    var pathLossExponent: Double?
    var fading: Double?
    var packetLoss: Double?
    var sensitivity: Double?

    /// Replaces the given members.
    func applied(to former: RoomEnvironment) throws -> RoomEnvironment {
        RoomEnvironment(
            pathLossExponent: try StudioArguments.checked(
                pathLossExponent ?? former.pathLossExponent, 1...6,
                Phrase("The exponent of the path loss", "这个路径损耗指数"), Phrase("1 to 6", " 1 至 6")),
            fading: try StudioArguments.checked(
                fading ?? former.fading, 0...20, Phrase("The fading", "这个衰落"), Phrase("0 to 20 dB", " 0 至 20 dB")),
            packetLoss: try StudioArguments.share(packetLoss ?? former.packetLoss, Phrase("The loss", "这个丢包率")),
            sensitivity: try StudioArguments.checked(
                sensitivity ?? former.sensitivity, -120 ... -40,
                Phrase("The sensitivity", "这个灵敏度"), Phrase("-120 to -40 dBm", " -120 至 -40 dBm")))
    }
}
