/// GAP device names (2A00).
package enum DeviceName {
    /// The longest name, octets of UTF-8 (Vol 3, Part C, 12.1).
    package static let maximumCount = 248

    /// Returns the name in the value of a peer's Device Name characteristic. Returns nil if the value is not a name: it
    /// is empty, longer than 248 octets, not UTF-8, or contains a NUL, which terminates a name elsewhere (Vol 4, Part
    /// E, 7.3.11).
    package static func text(_ octets: [UInt8]) -> String? {
        guard (1...maximumCount).contains(octets.count), !octets.contains(0) else { return nil }
        return String(validating: octets, as: UTF8.self)
    }
}
