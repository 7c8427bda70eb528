import BLEWire

/// One attribute of the local database.
struct Attribute: Hashable, Sendable {
    enum Value: Hashable, Sendable {
        /// The server itself answers with the value.
        case fixed([UInt8])
        /// The owner handles every access.
        case dynamic
        /// The server stores the value for each client. `allowed` are the bits that a client may set.
        case clientConfiguration(valueHandle: UInt16, allowed: UInt16)
        /// Client Supported Features. The server stores the value for each client (Vol 3, Part G, 7.2).
        case clientSupportedFeatures
        /// The Database Hash. The server notes which client has read it (Vol 3, Part G, 7.3).
        case databaseHash([UInt8])
    }

    /// The access of clients (Vol 3, Part F, 3.2.5). Encrypted access includes the plain permission.
    struct Access: OptionSet, Hashable, Sendable {
        let rawValue: UInt8
        static let read = Access(rawValue: 1)
        static let write = Access(rawValue: 2)
        static let readEncrypted = Access(rawValue: 4)
        static let writeEncrypted = Access(rawValue: 8)
        /// Whether an authentic Signed Write Command may write the value on any link.
        static let writeSigned = Access(rawValue: 16)
    }

    let handle: UInt16
    /// In the form that ATT uses.
    let type: BluetoothUUID
    /// The last handle of the group that a declaration begins (Vol 3, Part F, 3.2.3). For other attributes, the handle
    /// itself.
    var groupEnd: UInt16
    let access: Access
    var value: Value

    /// The reason to refuse an access on a link of this security; nil if it is allowed (Vol 3, Part F, 4).
    ///
    /// - Parameter wanted: `.read`, `.write` or `.writeSigned`.
    func refusal(of wanted: Access, _ security: LinkSecurity, _ requirement: SecurityRequirement) -> ATT.ErrorCode? {
        if wanted == .writeSigned { return access.contains(.writeSigned) ? nil : .writeNotPermitted }
        let encrypted: Access = wanted == .read ? .readEncrypted : .writeEncrypted
        guard !access.isDisjoint(with: [wanted, encrypted]) else {
            return wanted == .read ? .readNotPermitted : .writeNotPermitted
        }
        guard access.contains(encrypted) else { return nil }
        // Encryption satisfies the requirement of a signature (Vol 3, Part C, 10.4.2).
        if wanted == .write, access.contains(.writeSigned) {
            return security.isEncrypted ? nil : .insufficientAuthentication
        }
        return security.refusal(requirement)
    }
}

extension LinkSecurity {
    /// The error of an access that requires more security; nil if the access is allowed (Vol 3, Part C, Table 10.2).
    ///
    /// Insufficient Authorization (0x08) is the decision of the program, which receives only requests that pass this check.
    fileprivate func refusal(_ requirement: SecurityRequirement) -> ATT.ErrorCode? {
        switch shortfall(for: requirement) {
        case nil: nil
        case .authentication: .insufficientAuthentication
        case .keySize: .encryptionKeySizeTooShort
        case .encryption: .insufficientEncryption
        }
    }
}

extension [UInt8] {
    mutating func append<Integer: FixedWidthInteger>(littleEndian value: Integer) {
        for shift in stride(from: 0, to: Integer.bitWidth, by: 8) { append(UInt8(truncatingIfNeeded: value >> shift)) }
    }

    mutating func append(attributeType type: BluetoothUUID) {
        try? append(encoding: type.attributeForm)
    }
}

extension HandleRange {
    /// All handles.
    static let all = HandleRange(start: 1, end: 0xFFFF)

    func contains(_ handle: UInt16) -> Bool { start <= handle && handle <= end }

    /// Appends both handles, as an include declaration and Service Changed have them (Vol 3, Part G, 3.2 and 7.1).
    func append(to octets: inout [UInt8]) {
        octets.append(littleEndian: start)
        octets.append(littleEndian: end)
    }
}
