import BLEWire

/// What arrives of a signal, and how much of a packet survives it.
///
/// The bit error rate is that of noncoherent frequency shift keying, `exp(-SNR / 2) / 2`, with the noise floor placed so that
/// it is 0.1 % at the sensitivity, the specification's measure (Vol 6, Part A, 4.1).
struct PathLoss {
    private let exponent: Double
    private let referenceLoss: Double
    private let sensitivity: Double
    /// Signal over noise at the sensitivity: 2 ln 500.
    private static let signalToNoiseAtSensitivity = 12.429_216_196_844_383
    /// So far below the sensitivity the shortest packet fails with certainty; in dB.
    private static let margin = 6.0
    /// Antennas do not come closer than this, in metres, squared.
    private static let nearestSquared = 0.0625

    init(_ configuration: RadioConfiguration) {
        exponent = max(0.1, configuration.pathLossExponent)
        referenceLoss = configuration.referenceLoss
        sensitivity = configuration.sensitivity
    }

    /// The power received, in dBm.
    func received(power: Double, squaredDistance: Double) -> Double {
        power - referenceLoss - 5 * exponent * Mathematics.log10(max(Self.nearestSquared, squaredDistance))
    }

    /// Below this a signal is neither heard on 1M, the most sensitive PHY in use, nor does it disturb; in dBm. It lies
    /// 5 dB over the noise floor.
    var floor: Double { sensitivity - Self.margin }

    /// How far `power` can matter, in metres.
    func range(power: Double) -> Double {
        Mathematics.ratio(decibels: (power - floor - referenceLoss) / exponent)
    }

    /// Whether a receiver notices a packet at all.
    func isDetectable(_ received: Double, phy: LL.PHY) -> Bool { received >= sensitivity(of: phy) - Self.margin }

    private func sensitivity(of phy: LL.PHY) -> Double {
        switch phy {
        case .oneM: sensitivity
        case .twoM: sensitivity + 3
        case .codedS2: sensitivity - 5.3
        case .codedS8: sensitivity - 8.8
        }
    }

    /// The share of an interferer's power that disturbs: coding makes up for 4 and 9 dB of it, which is what the
    /// specification asks of receivers (Vol 6, Part A, 4.2: co-channel 21, 17 and 12 dB).
    private static func exposure(of phy: LL.PHY) -> Double {
        switch phy {
        case .oneM, .twoM: 1
        case .codedS2: 0.398
        case .codedS8: 0.126
        }
    }

    /// The probability that `bits` bits arrive without an error.
    /// - Parameter interference: the power of all that is on the air at the same time, in mW.
    func success(received: Double, phy: LL.PHY, bits: Int, interference: Double) -> Double {
        // As below, found out cheaply: the ratio is over 64.
        if interference == 0, received - sensitivity(of: phy) > 7.2 { return 1 }
        let atSensitivity = Self.signalToNoiseAtSensitivity
        var ratio = atSensitivity * Mathematics.ratio(decibels: min(100, received - sensitivity(of: phy)))
        if interference > 0 {
            let noise = Mathematics.ratio(decibels: received) / ratio
            ratio =
                Mathematics.ratio(decibels: received) / (noise + interference * Self.exposure(of: phy))
        }
        // Here an error is rarer than one in 10^10 packets.
        if ratio > 64 { return 1 }
        return Mathematics.exp(Double(bits) * Mathematics.log(1 - 0.5 * Mathematics.exp(-ratio / 2)))
    }
}
