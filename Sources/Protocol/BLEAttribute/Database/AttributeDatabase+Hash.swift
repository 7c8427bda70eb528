import BLEWire

/// The Database Hash (Vol 3, Part G, 7.3).
extension AttributeDatabase {
    /// Computes the hash again. Every change of services ends with this call, so no client reads an old hash.
    mutating func updateHash() {
        guard let crypto, let index = index(of: databaseHashHandle) else { return }
        let hash = crypto.authenticationCode(of: hashedOctets.span, key: 0)
        databaseHash = hash
        var octets: [UInt8] = []
        octets.append(littleEndian: hash)
        attributes[index].value = .databaseHash(octets)
    }

    /// The input of AES-CMAC: handle, type and value of declarations and of Characteristic Extended Properties, handle and type
    /// of other descriptors that GATT defines (Vol 3, Part G, 7.3.1).
    var hashedOctets: [UInt8] {
        var octets: [UInt8] = []
        for attribute in attributes {
            guard let type = attribute.type.shortValue, let isValueHashed = Self.isValueHashed(type) else { continue }
            octets.append(littleEndian: attribute.handle)
            octets.append(littleEndian: type)
            if isValueHashed, case .fixed(let value) = attribute.value { octets += value }
        }
        return octets
    }

    /// Whether the value of an attribute of this type is part of the hash; nil if the attribute is not part of it.
    private static func isValueHashed(_ type: UInt16) -> Bool? {
        switch type {
        case 0x2800...0x2803, 0x2900: true
        case 0x2901...0x2905: false
        default: nil
        }
    }
}

/// What a client configures.
extension AttributeDatabase {
    /// The client characteristic configuration of a characteristic.
    struct Configurable {
        /// The bits that a client may set.
        var allowed: UInt16
        /// Whether updates require `encryptedAccess`.
        var isProtected: Bool
        /// Changes with the UUIDs of the characteristic and its service. A client's stored configuration applies only to the
        /// characteristic for which the client wrote it.
        var fingerprint: UInt32
    }

    /// Returns nil if the handle is not that of a value with a client characteristic configuration.
    func configurable(valueHandle: UInt16) -> Configurable? {
        guard let value = index(of: valueHandle), let service = attributes[..<value].lastIndex(where: \.isService)
        else {
            return nil
        }
        for attribute in attributes[(value + 1)...] {
            if GATTType.isDeclaration(attribute.type) { return nil }
            guard case .clientConfiguration(valueHandle, let allowed) = attribute.value else { continue }
            var octets: [UInt8] = []
            if case .fixed(let uuid) = attributes[service].value { octets += uuid }
            octets.append(attributeType: attributes[value].type)
            return Configurable(
                allowed: allowed, isProtected: attribute.access.contains(.writeEncrypted),
                fingerprint: UInt32(truncatingIfNeeded: SipHash(key: (0, 0)).hash(octets)))
        }
        return nil
    }
}

extension Attribute {
    fileprivate var isService: Bool { GATTType.isServiceDeclaration(type) }
}
