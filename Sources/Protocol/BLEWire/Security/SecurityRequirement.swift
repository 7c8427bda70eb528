/// The security that a server requires of a link for an access (Vol 3, Part C, 10.3.1).
package struct SecurityRequirement: Hashable, Sendable {
    /// `.unauthenticated` or a higher level.
    package var level: LinkSecurity.Level
    /// The shortest accepted encryption key in octets, 7 to 16.
    package var keySize: UInt8

    package init(level: LinkSecurity.Level, keySize: UInt8) {
        self.level = level
        self.keySize = keySize
    }

    /// Encryption with any key.
    package static let encryption = SecurityRequirement(level: .unauthenticated, keySize: 7)
}

extension LinkSecurity {
    /// The property that a link lacks for an access. Each has an error code of its own in ATT and in L2CAP.
    package enum Shortfall: Hashable, Sendable {
        /// The devices share no key, or their pairing was weaker than required. They have to pair.
        case authentication
        /// The devices share a key and have to encrypt the link with it.
        case encryption
        /// The link is encrypted with too short a key.
        case keySize
    }

    /// The property that this link lacks; nil if it meets the requirement.
    ///
    /// An unencrypted link lacks authentication or encryption, depending on whether the devices share a key (Vol 3, Part C,
    /// Table 10.2). The key size is considered on an encrypted link only, after the authentication.
    package func shortfall(for requirement: SecurityRequirement) -> Shortfall? {
        guard isEncrypted else { return isBonded ? .encryption : .authentication }
        if requirement.level >= .authenticated, !isAuthenticated { return .authentication }
        if requirement.level == .secureConnections {
            guard isSecureConnections else { return .authentication }
            // Security mode 1 level 4 includes a key of 128 bits (Vol 3, Part C, 10.2.1).
            if keySize < 16 { return .keySize }
        }
        return keySize < requirement.keySize ? .keySize : nil
    }
}
