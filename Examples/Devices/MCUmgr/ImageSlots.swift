/// The two slots of a device, and what the bootloader MCUboot does with them at a reset.
///
/// 两个固件槽，以及复位时引导程序的行为：交换、确认、回退。
package struct ImageSlots: Codable, Hashable, Sendable {
    package enum Swap: String, Codable, Sendable {
        /// The next reset runs the second slot's image. If nothing confirms it, the reset after that returns to the present one.
        case test
        /// The next reset runs the second slot's image for good.
        case permanent
    }

    /// The octets of a slot at most.
    package static let size = 512 * 1024

    /// The image that runs.
    @StoredOctets package private(set) var primary: [UInt8]
    @StoredOctets package private(set) var secondary: [UInt8] = []
    /// Whether the image that runs stays. If it does not, the second slot has its predecessor.
    package private(set) var isConfirmed = true
    package private(set) var swap: Swap?

    package init(running image: [UInt8]) { primary = image }

    package var running: MCUbootImage? { MCUbootImage(primary) }
    package var second: MCUbootImage? { MCUbootImage(secondary) }

    /// Whether the second slot is needed: its image runs after the next reset.
    package var needsSecondary: Bool { swap != nil || (!isConfirmed && second != nil) }

    package mutating func confirm() { isConfirmed = true }
    package mutating func request(_ swap: Swap) { self.swap = swap }

    package mutating func erase() { secondary = [] }
    package mutating func write(_ octets: some Collection<UInt8>) { secondary += octets }

    /// The device restarts. An image whose hash is wrong never runs: the bootloader erases it.
    package mutating func reset() {
        let requested = swap
        swap = nil
        if let requested {
            guard let second, second.isIntact(in: secondary) else { return erase() }
            (primary, secondary) = (secondary, primary)
            isConfirmed = requested == .permanent
        } else if !isConfirmed, second != nil {
            (primary, secondary) = (secondary, primary)
            isConfirmed = true
        }
    }
}
