import StudioRoom
import StudioServer

/// Checks of the arguments of room commands.
enum RoomArguments {
    /// The longest text of a profile, and the most text in the arguments of an action, in octets.
    static let profileLimit = 256 << 10
    static let valueLimit = 64 << 10
    /// The longest device name in octets of UTF-8 (Vol 3, Part C, 12.1).
    static let nameLimit = 248

    static func failure(_ subject: String, _ range: String) -> StudioFailure {
        StudioFailure("arguments", "\(subject) is not possible.", next: "Use \(range).")
    }

    static func checked(
        _ value: Double, _ range: ClosedRange<Double>, _ subject: String, _ text: String
    ) throws -> Double {
        guard value.isFinite, range.contains(value) else { throw failure(subject, text) }
        return value
    }

    static func coordinate(_ value: Double) throws -> Double {
        try checked(value, -10_000...10_000, "The position", "coordinates from -10000 to 10000 m")
    }

    static func share(_ value: Double, _ subject: String) throws -> Double {
        try checked(value, 0...1, subject, "a share from 0 to 1")
    }

    static func name(_ name: String) throws -> String {
        guard !name.isEmpty, name.utf8.count <= nameLimit else {
            throw failure("The name", "1 to \(nameLimit) octets of UTF-8")
        }
        return name
    }

    static func bounded(_ value: RoomValue, _ subject: String) throws -> RoomValue {
        guard value.textCount <= valueLimit else { throw failure(subject, "at most \(valueLimit / 1024) KiB") }
        return value
    }
}

struct SpeedArguments: Decodable, Sendable { var speed: Double }
struct SeekArguments: Decodable, Sendable { var to: Double }
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
}

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

struct UnwallArguments: Decodable, Sendable { var wall: String }

struct AddArguments: Decodable, Sendable {
    var program: String
    var name: String?
    var x: Double
    var y: Double
    var profile: String?
    var parameters: RoomValue?

    var command: RoomCommand {
        get throws {
            guard (profile?.utf8.count ?? 0) <= RoomArguments.profileLimit else {
                throw RoomArguments.failure("The profile", "at most \(RoomArguments.profileLimit / 1024) KiB")
            }
            return .add(
                program: program, name: try name.map(RoomArguments.name), x: try RoomArguments.coordinate(x),
                y: try RoomArguments.coordinate(y), profile: profile,
                parameters: try RoomArguments.bounded(parameters ?? .null, "The parameters"))
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
                x1: try RoomArguments.coordinate(x1), y1: try RoomArguments.coordinate(y1),
                x2: try RoomArguments.coordinate(x2), y2: try RoomArguments.coordinate(y2),
                attenuation: try RoomArguments.checked(attenuation, 0...200, "The attenuation", "0 to 200 dB"))
        }
    }
}

struct ActArguments: Decodable, Sendable {
    var device: String
    var action: String
    var with: RoomValue?

    var command: RoomCommand {
        get throws {
            guard action.utf8.count <= 64 else { throw RoomArguments.failure("The action", "at most 64 octets") }
            return .act(
                device: device, action: action, with: try RoomArguments.bounded(with ?? .null, "The argument"))
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
            pathLossExponent: try RoomArguments.checked(
                pathLossExponent ?? former.pathLossExponent, 1...6, "The exponent of the path loss", "1 to 6"),
            fading: try RoomArguments.checked(fading ?? former.fading, 0...20, "The fading", "0 to 20 dB"),
            packetLoss: try RoomArguments.share(packetLoss ?? former.packetLoss, "The loss"),
            sensitivity: try RoomArguments.checked(
                sensitivity ?? former.sensitivity, -120 ... -40, "The sensitivity", "-120 to -40 dBm"))
    }
}
