import BLEWire

extension LinkSecurity {
    /// The size of a key that a host elsewhere does not tell, in octets: the least (Vol 3, Part H, 2.3.4). With it the level is `authenticated`
    /// at most.
    package static let untoldKeySize: UInt8 = 7
}
