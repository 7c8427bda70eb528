import BLEWire

/// The arithmetic of one possible reception: the received power and the probability that the packet arrives. All receptions use it, with timers
/// and in the lane of the beacons, so equal inputs give equal runs.
struct ReceptionModel {
    let signals: SignalModel
    /// The standard deviation of the fading, in dB.
    let fading: Double
    /// Determines the random numbers of all receptions.
    let key: UInt64

    init(_ configuration: RadioConfiguration, key: UInt64) {
        signals = SignalModel(PathLoss(configuration), configuration.walls)
        fading = configuration.fading
        self.key = key
    }

    var pathLoss: PathLoss { signals.pathLoss }

    /// A transmission, as a receiver needs it.
    struct Packet {
        var start: Instant
        var position: RadioPosition
        /// The transmit power in dBm.
        var power: Double
        var sender: Int32
        var phy: LL.PHY
        /// The number of bits after the access address.
        var bits: Int
    }

    struct Result {
        /// The received power in dBm.
        var received: Double
        /// The power of the interferers in mW. A sum that exceeds `limit` may be incomplete.
        var interference: Double
        /// The interference from which the packet is lost.
        var limit: Double
        /// The probability of a reception without errors.
        var success: Double
    }

    /// The random number of the outcome, in 0 ..< 1.
    func draw(of packet: Packet, at receiver: Int32) -> Double {
        var draws = ReceptionDraws(key: key, sender: packet.sender, receiver: receiver, start: packet.start)
        return draws.unit()
    }

    /// Computes a reception. Returns nil if the receiver does not detect the packet.
    ///
    /// - Parameters:
    ///   - power: The received power in mW without walls.
    ///   - needsLost: Whether a packet that certainly has errors is needed too.
    ///   - interference: Returns the power of the interferers in mW. It may stop at a sum above its argument.
    @inline(__always)
    func reception(
        of packet: Packet, power: Double, by receiver: Int32, at position: RadioPosition, needsLost: Bool,
        interference: (Double) -> Double
    ) -> Result? {
        let isPowerExact = fading <= 0 && !signals.hasWalls
        // Most receivers of a large radio are out of range, which needs no logarithm. Walls only attenuate further.
        if fading <= 0, power < pathLoss.faintestMilliwatts { return nil }
        var result = Result(received: 0, interference: 0, limit: 0, success: 0)
        if isPowerExact, !needsLost {
            // In a crowd, the interferers of most packets end the search before a logarithm is needed.
            result.limit = pathLoss.hopelessInterference(received: power, phy: packet.phy)
            result.interference = interference(result.limit)
            if result.interference > result.limit { return nil }
        }
        result.received = signals.signal(packet.power, from: packet.position, at: position)
        if fading > 0 {
            var draws = ReceptionDraws(key: ~key, sender: packet.sender, receiver: receiver, start: packet.start)
            result.received += fading * draws.normal()
        }
        guard pathLoss.isDetectable(result.received, phy: packet.phy) else { return nil }
        if !isPowerExact || needsLost {
            result.limit = pathLoss.hopelessInterference(
                received: isPowerExact ? power : Mathematics.ratio(decibels: result.received), phy: packet.phy)
            result.interference = interference(result.limit)
        }
        result.success = success(of: packet, result)
        return result
    }

    /// The probability that the packet arrives without errors with `result.interference`.
    func success(of packet: Packet, _ result: Result) -> Double {
        result.interference > result.limit
            ? 0
            : pathLoss.success(
                received: result.received, phy: packet.phy, bits: packet.bits, interference: result.interference)
    }
}
