import BLESecurity
import BLEWire

/// The content of the file `bonds`.
struct BondContent: Hashable, Sendable {
    /// An entry of a kind that this version does not support. It is stored unchanged.
    struct Foreign: Hashable, Sendable, CustomReflectable {
        var kind: UInt8
        var octets: [UInt8]

        /// Hides the octets, which may be keys.
        var customMirror: Mirror { Mirror(self, children: ["kind": kind]) }
    }

    var table = BondTable()
    var foreign: [Foreign] = []
}

extension BondContent: StoreCodable {
    private enum Kind {
        static let bond: UInt8 = 1
        static let attributes: UInt8 = 2
        static let identityKey: UInt8 = 3
    }

    init(from reader: inout StoreReader) throws(DecodeError) {
        while !reader.isAtEnd {
            let kind = try reader.octet()
            let octets = try reader.block()
            var part = StoreReader(octets)
            switch kind {
            case Kind.bond:
                guard table.keep(try Bond(decoding: octets)) else { throw .invalidLength }
            case Kind.attributes:
                let peer = try part.address()
                guard let kind = BondAttributes(rawValue: try part.octet()) else {
                    foreign.append(Foreign(kind: kind, octets: Array(octets)))
                    continue
                }
                let value = Array(try part.block())
                try part.finish()
                // An earlier version that removes a bond leaves the octets that it does not know.
                guard table[peer] != nil else { continue }
                guard table.keep(value, as: kind, of: peer) == .kept else { throw .invalidValue }
            case Kind.identityKey:
                table.localIdentityKey = IdentityResolvingKey(value: try part.key())
                try part.finish()
            default:
                foreign.append(Foreign(kind: kind, octets: Array(octets)))
            }
        }
    }

    func write(to writer: inout StoreWriter) {
        for bond in table.bonds {
            writer.integer(UInt64(Kind.bond), 1)
            writer.block(bond.encoded)
        }
        for bond in table.bonds {
            for kind in BondAttributes.allCases {
                guard let octets = table.attributes[.init(peer: bond.peer, kind: kind)] else { continue }
                var part = StoreWriter()
                part.address(bond.peer)
                part.integer(UInt64(kind.rawValue), 1)
                part.block(octets)
                writer.integer(UInt64(Kind.attributes), 1)
                writer.block(part.octets)
            }
        }
        if let key = table.localIdentityKey {
            var part = StoreWriter()
            part.key(key.value)
            writer.integer(UInt64(Kind.identityKey), 1)
            writer.block(part.octets)
        }
        for part in foreign {
            writer.integer(UInt64(part.kind), 1)
            writer.block(part.octets)
        }
    }
}

extension Bond: StoreCodable {
    private enum Flag {
        static let authenticated: UInt8 = 1
        static let secureConnections: UInt8 = 2
        static let bonded: UInt8 = 4
        static let debugKeys: UInt8 = 8
        static let all: UInt8 = 15
    }

    init(from reader: inout StoreReader) throws(DecodeError) {
        let peer = try reader.address()
        let keySize = try reader.octet()
        let flags = try reader.octet()
        // Vol 3, Part H, 2.3.4: 7 to 16 octets.
        guard (7...16).contains(keySize), flags & ~Flag.all == 0 else { throw .invalidValue }
        let readKey = { (reader: inout StoreReader) throws(DecodeError) in try reader.key() }
        let readStoredKey = { (reader: inout StoreReader) throws(DecodeError) in
            StoredKey(
                key: LongTermKey(value: try reader.key()),
                diversifier: UInt16(truncatingIfNeeded: try reader.integer(2)), random: try reader.integer(8))
        }
        self.init(
            peer: peer,
            security: LinkSecurity(
                keySize: keySize, isAuthenticated: flags & Flag.authenticated != 0,
                isSecureConnections: flags & Flag.secureConnections != 0, isBonded: flags & Flag.bonded != 0),
            usesDebugKeys: flags & Flag.debugKeys != 0,
            localKey: try reader.optional(readStoredKey),
            peerKey: try reader.optional(readStoredKey),
            peerIdentityKey: try reader.optional(readKey).map(IdentityResolvingKey.init),
            localSignatureKey: try reader.optional(readKey).map(SignatureKey.init),
            peerSignatureKey: try reader.optional(readKey).map(SignatureKey.init),
            linkKey: try reader.optional(readKey).map(ClassicLinkKey.init))
    }

    func write(to writer: inout StoreWriter) {
        writer.address(peer)
        writer.integer(UInt64(security.keySize), 1)
        var flags: UInt8 = 0
        if security.isAuthenticated { flags |= Flag.authenticated }
        if security.isSecureConnections { flags |= Flag.secureConnections }
        if security.isBonded { flags |= Flag.bonded }
        if usesDebugKeys { flags |= Flag.debugKeys }
        writer.integer(UInt64(flags), 1)
        for key in [localKey, peerKey] {
            writer.optional(key) { writer, key in
                writer.key(key.key.value)
                writer.integer(UInt64(key.diversifier), 2)
                writer.integer(key.random, 8)
            }
        }
        let keys = [peerIdentityKey?.value, localSignatureKey?.value, peerSignatureKey?.value, linkKey?.value]
        for key in keys { writer.optional(key) { $0.key($1) } }
    }
}

extension StoreReader {
    mutating func address() throws(DecodeError) -> DeviceAddress {
        DeviceAddress(kind: .init(rawValue: try octet()), value: try integer(6))
    }

    mutating func key() throws(DecodeError) -> UInt128 {
        let low = try integer(8)
        return UInt128(try integer(8)) << 64 | UInt128(low)
    }
}

extension StoreWriter {
    mutating func address(_ address: DeviceAddress) {
        integer(UInt64(address.kind.rawValue), 1)
        integer(address.value, 6)
    }

    mutating func key(_ key: UInt128) {
        integer(UInt64(truncatingIfNeeded: key), 8)
        integer(UInt64(truncatingIfNeeded: key >> 64), 8)
    }
}
