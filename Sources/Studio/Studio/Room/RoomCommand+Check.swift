import Phrases
import StudioRoom

extension RoomCommand {
    /// The command if its values are in the bounds of `room.*`.
    func checked() throws -> RoomCommand {
        switch self {
        case .add(let program, let name, let x, let y, let profile, let parameters):
            try AddArguments(program: program, name: name, x: x, y: y, profile: profile, parameters: parameters).command
        case .move(let device, let x, let y):
            .move(device: device, x: try StudioArguments.coordinate(x), y: try StudioArguments.coordinate(y))
        case .loss(let device, let loss):
            .loss(device: device, try StudioArguments.share(loss, Phrase("The loss", "这个丢包率")))
        case .rename(let device, let name): .rename(device: device, try StudioArguments.name(name))
        case .wall(let x1, let y1, let x2, let y2, let attenuation):
            try WallArguments(x1: x1, y1: y1, x2: x2, y2: y2, attenuation: attenuation).command
        case .attenuation(let wall, let attenuation):
            .attenuation(wall: wall, try WallArguments.checked(attenuation))
        case .environment(let environment):
            .environment(
                try EnvironmentArguments(
                    pathLossExponent: environment.pathLossExponent, fading: environment.fading,
                    packetLoss: environment.packetLoss, sensitivity: environment.sensitivity
                ).applied(to: environment))
        case .act(let device, let action, let arguments):
            try ActArguments(device: device, action: action, with: arguments).command
        case .remove, .power, .platform, .unwall: self
        }
    }
}
