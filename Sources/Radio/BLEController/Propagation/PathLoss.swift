import BLEWire

/// The received power of a signal, and the probability that a packet arrives without errors.
///
/// The bit error rate is that of noncoherent frequency-shift keying, `exp(-SNR / 2) / 2`. The noise floor gives a rate of 0.1 % at
/// the sensitivity, the specification's reference (Vol 6, Part A, 4.1).
struct PathLoss {
    private let exponent: Double
    private let referenceLoss: Double
    private let sensitivity: Double
    /// The share of a transmitter's power after the first metre.
    private let referenceGain: Double
    /// The exponent of the squared distance in quarters if that is a whole number, as for 2, 2.5 and 3; otherwise 0. Such a power needs
    /// square roots only, which IEEE 754 defines to the bit.
    private let quarters: Int
    /// `floor` in mW.
    let floorMilliwatts: Double
    /// The noise of a receiver in mW by the numbers of PHYs: it changes with the sensitivity.
    private let noise: [5 of Double]
    /// The sum of this and a power is rounded to a multiple of `quantum`.
    private let rounder: Double
    /// The signal-to-noise ratio at the sensitivity: 2 ln 500.
    private static let signalToNoiseAtSensitivity = 12.429_216_196_844_383
    /// The distance below the sensitivity at which the shortest packet always fails, in dB.
    private static let margin = 6.0
    /// The shortest distance of antennas, in metres, squared.
    private static let nearestSquared = 0.0625

    init(_ configuration: RadioConfiguration) {
        exponent = max(0.1, configuration.pathLossExponent)
        referenceLoss = configuration.referenceLoss
        sensitivity = configuration.sensitivity
        referenceGain = Mathematics.ratio(decibels: -configuration.referenceLoss)
        let doubled = 2 * exponent
        quarters = doubled <= 40 && doubled == doubled.rounded() ? Int(doubled) : 0
        floorMilliwatts = Mathematics.ratio(decibels: configuration.sensitivity - Self.margin)
        let noise = Mathematics.ratio(decibels: configuration.sensitivity) / Self.signalToNoiseAtSensitivity
        self.noise = .init { number in
            noise * Mathematics.ratio(decibels: LL.PHY(rawValue: UInt8(number)).map(Self.offset(of:)) ?? 0)
        }
        rounder = 0x1.8p52 * (floorMilliwatts.binade / 4096)
    }

    /// The unit of interference in mW: a power of two, 4096 to 8192 times weaker than the floor, which is an error below 0.001 dB. Sums below
    /// 2^53 units, 128 mW with the default sensitivity, are exact.
    var quantum: Double { rounder / 0x1.8p52 }

    /// A power in mW, rounded to a multiple of `quantum`.
    func rounded(_ power: Double) -> Double { (power + rounder) - rounder }

    /// The received power in dBm.
    func received(power: Double, squaredDistance: Double) -> Double {
        power - referenceLoss - 5 * exponent * Mathematics.log10(max(Self.nearestSquared, squaredDistance))
    }

    /// The received power in mW of a transmitter with `power` mW. Costs a fraction of a logarithm for common exponents.
    func receivedMilliwatts(power: Double, squaredDistance: Double) -> Double {
        let distance = max(Self.nearestSquared, squaredDistance)
        guard quarters > 0 else {
            return power * referenceGain * Mathematics.ratio(decibels: -5 * exponent * Mathematics.log10(distance))
        }
        var attenuation = 1.0
        for _ in 0..<(quarters >> 2) { attenuation *= distance }
        if quarters & 3 != 0 {
            let root = distance.squareRoot()
            if quarters & 2 != 0 { attenuation *= root }
            if quarters & 1 != 0 { attenuation *= root.squareRoot() }
        }
        return power * referenceGain / attenuation
    }

    /// The interference in mW above which a packet of `received` mW never arrives: the signal-to-noise ratio is below 0.5, and the shortest
    /// packet of ten octets has an error with a probability of 1 - 10^-17.
    func hopelessInterference(received: Double, phy: LL.PHY) -> Double { 2 * received / Self.exposure(of: phy) }

    /// The power in mW below which no receiver detects a packet of any PHY, with a margin for rounding.
    var faintestMilliwatts: Double { floorMilliwatts * 0.131 }

    /// The power in dBm below which a signal is neither received on 1M nor interferes. It lies 5 dB above the noise floor.
    var floor: Double { sensitivity - Self.margin }

    /// The range of a transmitter with `power`, in metres.
    func range(power: Double) -> Double {
        Mathematics.ratio(decibels: (power - floor - referenceLoss) / exponent)
    }

    /// Whether a receiver detects a packet.
    func isDetectable(_ received: Double, phy: LL.PHY) -> Bool { received >= sensitivity(of: phy) - Self.margin }

    /// The power in dBm at which a receiver of a PHY has a bit error rate of 0.1 %.
    func sensitivity(of phy: LL.PHY) -> Double { sensitivity + Self.offset(of: phy) }

    /// The sensitivity of a PHY relative to that of 1M in dB.
    private static func offset(of phy: LL.PHY) -> Double {
        switch phy {
        case .oneM: 0
        case .twoM: 3
        case .codedS2: -5.3
        case .codedS8: -8.8
        }
    }

    /// The effective share of an interferer's power. Coding reduces it by 4 and 9 dB, as the specification requires of receivers
    /// (Vol 6, Part A, 4.2: co-channel 21, 17 and 12 dB).
    private static func exposure(of phy: LL.PHY) -> Double {
        switch phy {
        case .oneM, .twoM: 1
        case .codedS2: 0.398
        case .codedS8: 0.126
        }
    }

    /// The probability that `bits` bits arrive without an error.
    /// - Parameter interference: The power of all overlapping transmissions, in mW.
    func success(received: Double, phy: LL.PHY, bits: Int, interference: Double) -> Double {
        // The fast path of the check below: the ratio exceeds 64.
        if interference == 0, received - sensitivity(of: phy) > 7.2 { return 1 }
        let ratio =
            Mathematics.ratio(decibels: received) / (noise[Int(phy.rawValue)] + interference * Self.exposure(of: phy))
        // An error is rarer than one in 10^10 packets here.
        if ratio > 64 { return 1 }
        return Mathematics.exp(Double(bits) * Mathematics.log(1 - 0.5 * Mathematics.exp(-ratio / 2)))
    }
}
