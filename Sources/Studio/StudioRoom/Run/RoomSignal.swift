import BLESimulator
import Foundation

/// The signal between two places of the room, as the radio computes it without fading (`SignalModel` and `RadioWall` in BLEController).
struct RoomSignal {
    private let environment: RoomEnvironment
    private let walls: [RoomWall]
    /// What a signal loses in its first metre, in dB.
    private static let referenceLoss = RadioEnvironment().referenceLoss
    /// The transmit power of hosts in dBm.
    private static let power = 0.0
    /// The shortest distance of antennas in metres.
    private static let nearest = 0.25

    init(_ environment: RoomEnvironment, _ walls: [RoomWall]) {
        self.environment = environment
        self.walls = walls
    }

    /// The received power in dBm.
    private func received(from one: Position, at other: Position) -> Double {
        let (x, y) = (one.x - other.x, one.y - other.y)
        let distance = max(Self.nearest, (x * x + y * y).squareRoot())
        let loss = crossed(between: one, and: other).reduce(0) { $0 + $1.attenuation }
        return Self.power - Self.referenceLoss - 10 * environment.pathLossExponent * log10(distance) - loss
    }

    /// The received power above a sensitivity, in dB with one decimal.
    func margin(from one: Position, to other: Position, _ sensitivity: Double) -> Double {
        ((received(from: one, at: other) - sensitivity) * 10).rounded() / 10
    }

    /// The power in dBm at which a receiver loses a part of the packets of a PHY.
    func sensitivity(of phy: RadioPacket.PHY) -> Double {
        switch phy {
        case .oneM: environment.sensitivity
        case .twoM: environment.sensitivity + 3
        // Eight symbols for a bit: what a link on this PHY uses here.
        case .coded: environment.sensitivity - 8.8
        }
    }

    /// The identifiers of the walls between two places.
    func walls(between one: Position, and other: Position) -> [String] {
        crossed(between: one, and: other).map(\.id)
    }

    private func crossed(between one: Position, and other: Position) -> [RoomWall] {
        walls.filter { wall in
            let start = Position(x: wall.x1, y: wall.y1)
            let end = Position(x: wall.x2, y: wall.y2)
            return (Self.side(one, start, end) >= 0) != (Self.side(other, start, end) >= 0)
                && (Self.side(start, one, other) >= 0) != (Self.side(end, one, other) >= 0)
        }
    }

    /// Positive if `point` is left of the line from `start` to `end`, negative if it is right of it.
    private static func side(_ point: Position, _ start: Position, _ end: Position) -> Double {
        (end.x - start.x) * (point.y - start.y) - (end.y - start.y) * (point.x - start.x)
    }
}
