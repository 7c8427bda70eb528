import BLEWire

/// The attenuation of signals by the distance and by walls.
struct SignalModel {
    let pathLoss: PathLoss
    private let walls: [RadioWall]

    init(_ pathLoss: PathLoss, _ walls: [RadioWall]) {
        self.pathLoss = pathLoss
        self.walls = walls
    }

    var hasWalls: Bool { !walls.isEmpty }

    private func attenuation(between one: RadioPosition, and other: RadioPosition) -> Double {
        walls.reduce(0) { $1.stands(between: one, and: other) ? $0 + $1.attenuation : $0 }
    }

    /// The received power in dBm of a transmitter with `power` dBm.
    func signal(_ power: Double, from source: RadioPosition, at position: RadioPosition) -> Double {
        let received = pathLoss.received(power: power, squaredDistance: source.squaredDistance(to: position))
        return walls.isEmpty ? received : received - attenuation(between: source, and: position)
    }

    /// The interference in mW of a transmitter with `power` mW; 0 below the noise floor.
    ///
    /// The result is a multiple of `PathLoss.quantum`, so a sum does not depend on the order of its terms.
    func interference(of power: Double, from source: RadioPosition, at position: RadioPosition) -> Double {
        interference(
            ofReceived: pathLoss.receivedMilliwatts(
                power: power, squaredDistance: source.squaredDistance(to: position)),
            from: source, at: position)
    }

    /// The same of a signal that is received with `power` mW without walls.
    func interference(
        ofReceived power: Double, from source: RadioPosition, at position: RadioPosition
    ) -> Double {
        var power = power
        guard power >= pathLoss.floorMilliwatts else { return 0 }
        guard !walls.isEmpty else { return pathLoss.rounded(power) }
        power *= Mathematics.ratio(decibels: -attenuation(between: source, and: position))
        return power >= pathLoss.floorMilliwatts ? pathLoss.rounded(power) : 0
    }
}
