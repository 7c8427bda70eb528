import BLEController
import BLEWire

/// The propagation of signals in a world. The defaults model an office, in which a device of 0 dBm reaches about 160 m.
public struct RadioEnvironment: Hashable, Sendable {
    /// The exponent of the path loss: 2 in free space, 2.7 to 4 inside buildings.
    public var pathLossExponent: Double
    /// The path loss over the first metre in dB.
    public var referenceLoss: Double
    /// The standard deviation of the random fading of each reception in dB; 0 disables fading.
    public var fading: Double
    /// The sensitivity of receivers in dBm.
    public var sensitivity: Double
    /// The share of packets lost at any distance, 0 to 1.
    public var packetLoss: Double
    /// The walls that attenuate signals.
    public var walls: [Wall]

    /// Creates an environment. See the properties for their meanings and units.
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

    /// How far a signal of 0 dBm is above the sensitivity of receivers, in dB, without fading. Coded is that with eight symbols for a bit.
    package func margin(of phy: RadioPacket.PHY, from source: Position, at position: Position) -> Double {
        let phy: LL.PHY =
            switch phy {
            case .oneM: .oneM
            case .twoM: .twoM
            case .coded: .codedS8
            }
        return radioConfiguration.margin(of: phy, from: source.radioPosition, at: position.radioPosition)
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
