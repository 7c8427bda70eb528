import BLEAdapter

/// GAP device names (2A00): the names that peers give.
enum DeviceName {
    /// The longest name, octets of UTF-8 (Vol 3, Part C, 12.1).
    static let maximumCount = 248

    /// The name that a peer gave in its GAP service. Nil if it gave none: the value is empty, longer than 248 octets, not UTF-8, or
    /// has a NUL, which ends a name elsewhere (Vol 4, Part E, 7.3.11) and has no place in this one.
    static func text(_ octets: [UInt8]) -> String? {
        guard (1...maximumCount).contains(octets.count), !octets.contains(0) else { return nil }
        return String(validating: octets, as: UTF8.self)
    }
}
