import BLEWire

/// One attribute of the local database.
struct Attribute: Hashable, Sendable {
    enum Value: Hashable, Sendable {
        /// Served by the bearer itself.
        case fixed([UInt8])
        /// Every access goes to the owner.
        case dynamic
        /// Kept for each client; `allowed` are the bits that may be set.
        case clientConfiguration(valueHandle: UInt16, allowed: UInt16)
    }

    /// The access that clients have. Encrypted access includes the plain permission.
    struct Access: OptionSet, Hashable, Sendable {
        let rawValue: UInt8
        static let read = Access(rawValue: 1)
        static let write = Access(rawValue: 2)
        static let readEncrypted = Access(rawValue: 4)
        static let writeEncrypted = Access(rawValue: 8)
    }

    let handle: UInt16
    /// In the form that ATT uses.
    let type: BluetoothUUID
    /// The last handle of the group that a declaration begins; else the handle itself.
    var groupEnd: UInt16
    let access: Access
    var value: Value

    /// Why a client may not read it on a link of this security; nil if it may (Vol 3, Part F, 4).
    func readRefusal(_ security: LinkSecurity) -> ATT.ErrorCode? {
        guard !access.isDisjoint(with: [.read, .readEncrypted]) else { return .readNotPermitted }
        return access.contains(.readEncrypted) ? Self.refusal(security) : nil
    }

    /// Why a client may not write it on a link of this security; nil if it may.
    func writeRefusal(_ security: LinkSecurity) -> ATT.ErrorCode? {
        guard !access.isDisjoint(with: [.write, .writeEncrypted]) else { return .writeNotPermitted }
        return access.contains(.writeEncrypted) ? Self.refusal(security) : nil
    }

    private static func refusal(_ security: LinkSecurity) -> ATT.ErrorCode? {
        switch security.encryptionShortfall {
        case nil: nil
        case .encryption: .insufficientEncryption
        case .authentication: .insufficientAuthentication
        }
    }
}

extension [UInt8] {
    mutating func append(littleEndian value: UInt16) {
        append(UInt8(truncatingIfNeeded: value))
        append(UInt8(truncatingIfNeeded: value >> 8))
    }

    mutating func append(attributeType type: BluetoothUUID) {
        try? append(encoding: type.attributeForm)
    }
}
