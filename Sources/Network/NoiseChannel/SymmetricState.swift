import Crypto

/// The chaining key, the hash of the handshake so far, and the key of the handshake's payloads (Noise Protocol Framework, 5.2).
struct SymmetricState: Sendable {
    private var chainingKey: [UInt8]
    private(set) var hash: [UInt8]
    private var cipher: NoiseCipher?

    /// - Parameter protocolName: More than 32 octets, so that its hash is the first value of both states.
    init(protocolName: String) {
        hash = Array(SHA256.hash(data: Array(protocolName.utf8)))
        chainingKey = hash
    }

    mutating func mixHash(_ octets: [UInt8]) {
        var function = SHA256()
        function.update(data: hash)
        function.update(data: octets)
        hash = Array(function.finalize())
    }

    mutating func mixKey(_ material: SymmetricKey) {
        let keys = derive(material, count: 2)
        chainingKey = keys[0]
        cipher = NoiseCipher(key: SymmetricKey(data: keys[1]))
    }

    mutating func mixKeyAndHash(_ material: SymmetricKey) {
        let keys = derive(material, count: 3)
        chainingKey = keys[0]
        mixHash(keys[1])
        cipher = NoiseCipher(key: SymmetricKey(data: keys[2]))
    }

    mutating func encryptAndHash(_ payload: [UInt8], into message: inout [UInt8]) throws(NoiseError) {
        let start = message.count
        if cipher == nil {
            message += payload
        } else {
            try cipher?.seal(payload.span, header: hash, into: &message)
        }
        mixHash(Array(message[start...]))
    }

    mutating func decryptAndHash(_ message: [UInt8]) throws(NoiseError) -> [UInt8] {
        let payload = try cipher?.open(message.span, header: hash) ?? message
        mixHash(message)
        return payload
    }

    /// The ciphers of the initiator's and the responder's messages.
    func split() -> (initiator: NoiseCipher, responder: NoiseCipher) {
        let keys = derive(SymmetricKey(data: [UInt8]()), count: 2)
        return (NoiseCipher(key: SymmetricKey(data: keys[0])), NoiseCipher(key: SymmetricKey(data: keys[1])))
    }

    /// HKDF (Noise Protocol Framework, 4.3).
    private func derive(_ material: SymmetricKey, count: Int) -> [[UInt8]] {
        var extract = HMAC<SHA256>(key: SymmetricKey(data: chainingKey))
        material.withUnsafeBytes { extract.update(data: $0) }
        let key = SymmetricKey(data: extract.finalize())
        var outputs: [[UInt8]] = []
        for index in 1...count {
            var expand = HMAC<SHA256>(key: key)
            if let last = outputs.last { expand.update(data: last) }
            expand.update(data: [UInt8(index)])
            outputs.append(Array(expand.finalize()))
        }
        return outputs
    }
}

extension SymmetricState: CustomStringConvertible, CustomReflectable {
    var description: String { "SymmetricState(hidden)" }
    var customMirror: Mirror { Mirror(self, children: []) }
}
