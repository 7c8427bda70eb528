import BLEWire

/// The random numbers of one reception. They follow from the sender, the receiver and the start of the transmission, and do not depend on the
/// order in which receptions are computed. SplitMix64.
struct ReceptionDraws {
    private var state: UInt64

    /// - Parameter key: The random number of the medium.
    init(key: UInt64, sender: Int32, receiver: Int32, start: Instant) {
        let pair = UInt64(UInt32(bitPattern: sender)) << 32 | UInt64(UInt32(bitPattern: receiver))
        state = Self.mix(Self.mix(key ^ pair) ^ UInt64(bitPattern: start.nanoseconds))
    }

    private static func mix(_ value: UInt64) -> UInt64 {
        var value = value
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }

    /// A number in 0 ..< 1.
    mutating func unit() -> Double {
        state &+= 0x9E37_79B9_7F4A_7C15
        return Double(Self.mix(state) >> 11) * 0x1p-53
    }

    /// A sample of an approximate normal distribution with mean 0, deviation 1 and limits of 6.
    mutating func normal() -> Double {
        var sum = -6.0
        for _ in 0..<12 { sum += unit() }
        return sum
    }
}
