/// A PDU of the network layer (Mesh Profile, 3.4.4): encrypted, with an obfuscated header.
///
/// 网络层 PDU：加密，头部混淆。
package struct MeshNetworkPDU: Hashable, Sendable {
    package enum Kind: UInt8, Sendable {
        case message = 0
        /// The configuration of a proxy has nonces of its own.
        case proxyConfiguration = 3
    }

    /// A control message of the transport layer, with a code of 8 octets.
    package var isControl: Bool
    /// 0 to 127.
    package var ttl: UInt8
    /// 24 bits.
    package var sequence: UInt32
    package var source: UInt16
    package var destination: UInt16
    /// 1 to 16 octets, 12 in a control message.
    package var transport: [UInt8]

    package init(
        isControl: Bool, ttl: UInt8, sequence: UInt32, source: UInt16, destination: UInt16, transport: [UInt8]
    ) {
        self.isControl = isControl
        self.ttl = ttl
        self.sequence = sequence
        self.source = source
        self.destination = destination
        self.transport = transport
    }

    /// The octets of the PDU on the air.
    package func octets(_ key: MeshNetworkKey, ivIndex: UInt32, kind: Kind = .message) -> [UInt8] {
        let header = [(isControl ? 0x80 : 0) | ttl] + sequence.bigEndianOctets.dropFirst() + source.bigEndianOctets
        let sealed = MeshCrypto.seal(
            destination.bigEndianOctets + transport, key: key.encryption,
            nonce: Self.nonce(header, ivIndex, kind), codeLength: isControl ? 8 : 4)
        let mask = Self.mask(sealed, key, ivIndex)
        return [UInt8(truncatingIfNeeded: ivIndex & 1) << 7 | key.nid] + zip(header, mask).map { $0 ^ $1 } + sealed
    }

    /// Decodes a PDU of the network; nil for another network, another IV index, and damaged octets.
    package init?(_ octets: [UInt8], _ key: MeshNetworkKey, ivIndex: UInt32, kind: Kind = .message) {
        guard (14...29).contains(octets.count), octets[0] & 0x7F == key.nid else { return nil }
        // The lowest bit tells the present index from the one before. 最低位区分当前和前一个 IV index。
        let index = octets[0] >> 7 == UInt8(truncatingIfNeeded: ivIndex & 1) ? ivIndex : ivIndex &- 1
        let sealed = Array(octets[7...])
        let header = zip(octets[1..<7], Self.mask(sealed, key, index)).map { $0 ^ $1 }
        isControl = header[0] & 0x80 != 0
        guard let sequence = header.bigEndian(UInt32.self, at: 0),
            let source = header.bigEndian(UInt16.self, at: 4),
            let message = MeshCrypto.open(
                sealed, key: key.encryption, nonce: Self.nonce(header, index, kind), codeLength: isControl ? 8 : 4),
            let destination = message.bigEndian(UInt16.self, at: 0), message.count > 2
        else { return nil }
        ttl = header[0] & 0x7F
        self.sequence = sequence & 0xFF_FFFF
        self.source = source
        self.destination = destination
        transport = Array(message[2...])
    }

    private static func nonce(_ header: [UInt8], _ ivIndex: UInt32, _ kind: Kind) -> [UInt8] {
        [kind.rawValue, kind == .message ? header[0] : 0] + header[1...] + [0, 0] + ivIndex.bigEndianOctets
    }

    private static func mask(_ sealed: [UInt8], _ key: MeshNetworkKey, _ ivIndex: UInt32) -> [UInt8] {
        MeshCrypto.encrypt(
            [0, 0, 0, 0, 0] + ivIndex.bigEndianOctets + sealed.prefix(7), key: key.privacy)
    }
}
