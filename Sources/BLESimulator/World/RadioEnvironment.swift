import BLEController

/// How radio waves travel in a world. The defaults are those of an office, where a device of 0 dBm is heard at about 160 m.
public struct RadioEnvironment: Hashable, Sendable {
    /// How fast power falls with distance: 2 in free space, 2.7 to 4 inside buildings.
    public var pathLossExponent: Double
    /// What the first metre costs, in dB.
    public var referenceLoss: Double
    /// The standard deviation of the random fading of each reception, in dB; 0 for none.
    public var fading: Double
    /// The weakest signal that a receiver still makes sense of most of the time, in dBm.
    public var sensitivity: Double
    /// The share of all packets that get lost whatever the distance, from 0 to 1.
    public var packetLoss: Double
    /// What stands in the way of signals.
    public var walls: [Wall]

    /// An environment; see the properties for meaning and units.
    public init(
        pathLossExponent: Double = 2.5, referenceLoss: Double = 40, fading: Double = 0, sensitivity: Double = -95,
        packetLoss: Double = 0, walls: [Wall] = []
    ) {
        self.pathLossExponent = pathLossExponent
        self.referenceLoss = referenceLoss
        self.fading = fading
        self.sensitivity = sensitivity
        self.packetLoss = packetLoss
        self.walls = walls
    }

    var radioConfiguration: RadioConfiguration {
        var configuration = RadioConfiguration()
        configuration.pathLossExponent = pathLossExponent
        configuration.referenceLoss = referenceLoss
        configuration.fading = fading
        configuration.sensitivity = sensitivity
        configuration.loss = min(max(packetLoss, 0), 1)
        configuration.walls = walls.map(\.radioWall)
        return configuration
    }
}
