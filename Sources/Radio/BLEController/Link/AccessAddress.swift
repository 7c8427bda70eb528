import BLEWire

/// Access addresses for data channels (Vol 6, Part B, 2.1.2).
enum AccessAddress {
    /// - Parameters:
    ///   - isCoded: Whether the controller supports the Coded PHY, which any link may change to.
    ///   - others: The addresses of the controller's other links.
    static func random(isCoded: Bool, besides others: [UInt32], using random: inout SeededRandom) -> UInt32 {
        while true {
            let candidate = UInt32(truncatingIfNeeded: random.next())
            if isAllowed(candidate, isCoded: isCoded), !others.contains(candidate) { return candidate }
        }
    }

    static func isAllowed(_ address: UInt32, isCoded: Bool) -> Bool {
        guard (address ^ LL.advertisingAccessAddress).nonzeroBitCount > 1 else { return false }
        let octets = (0..<4).map { UInt8(truncatingIfNeeded: address >> (8 * UInt32($0))) }
        guard octets != [UInt8](repeating: octets[0], count: 4) else { return false }
        var run = 1
        for bit in 1..<UInt32(32) {
            run = address >> bit & 1 == address >> (bit - 1) & 1 ? run + 1 : 1
            if run > 6 { return false }
        }
        let transitions = address ^ (address >> 1)
        guard (transitions & 0x7FFF_FFFF).nonzeroBitCount <= 24 else { return false }
        // The six most significant bits have at least two transitions.
        guard (transitions >> 26 & 0x1F).nonzeroBitCount >= 2 else { return false }
        return !isCoded || isAllowedOnCoded(address, transitions)
    }

    /// The two further rules of a device that supports the Coded PHY.
    private static func isAllowedOnCoded(_ address: UInt32, _ transitions: UInt32) -> Bool {
        (address & 0xFF).nonzeroBitCount >= 3 && (transitions & 0x7FFF).nonzeroBitCount <= 11
    }
}
