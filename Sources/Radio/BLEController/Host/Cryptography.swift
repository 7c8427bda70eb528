import BLEWire

/// The provider of all controllers of a radio: the keys and the ciphers of encrypted links, and the source of their random numbers.
///
/// A provider for each controller would cost memory in each idle device, and an existential value in the structure would make each call of a
/// nonmutating method copy the whole structure.
final class Cryptography {
    var provider: any CryptoProvider
    init(_ provider: any CryptoProvider) { self.provider = provider }
}

/// The cryptographic functions for the host (Vol 4, Part E, 7.8.22, 7.8.23, 7.8.36 and 7.8.37).
struct CryptographicFunctions {
    /// The private key of the pair of LE Read Local P-256 Public Key.
    private var privateKey: P256PrivateKey?

    mutating func handle(
        _ opcode: HCI.Opcode, _ parameters: Span<UInt8>, _ cryptography: Cryptography, _ host: inout HostInterface
    ) throws(HCI.ErrorCode) -> Bool {
        switch opcode {
        case .leEncrypt:
            let command = try HCI.LEEncrypt(from: parameters)
            let encrypted = cryptography.provider.encrypt(UInt128(command.plaintext), key: UInt128(command.key))
            host.complete(
                HCI.LEEncrypt.self, .init(status: .success, encrypted: InlineArray(littleEndian: encrypted)))
        case .leRand:
            _ = try HCI.LERand(from: parameters)
            let random = UInt64(truncatingIfNeeded: cryptography.provider.random())
            host.complete(HCI.LERand.self, .init(status: .success, random: random))
        case .leReadLocalP256PublicKey:
            _ = try HCI.LEReadLocalP256PublicKey(from: parameters)
            host.answer(opcode, status: .success)
            let keyPair = cryptography.provider.makeKeyPair()
            privateKey = keyPair?.privateKey
            let zero = UInt256(low: 0, high: 0)
            host.emit(
                le: HCI.LEReadLocalP256PublicKeyComplete(
                    status: keyPair == nil ? .hardwareFailure : .success,
                    publicKey: keyPair?.publicKey ?? P256PublicKey(x: zero, y: zero)))
        case .leGenerateDHKey:
            let command = try HCI.LEGenerateDHKey(from: parameters)
            try generateDHKey(opcode, privateKey, command.remoteKey, cryptography, &host)
        case .leGenerateDHKeyV2:
            let command = try HCI.LEGenerateDHKeyV2(from: parameters)
            switch command.keyType {
            case .generated: try generateDHKey(opcode, privateKey, command.remoteKey, cryptography, &host)
            case .debug: try generateDHKey(opcode, .debug, command.remoteKey, cryptography, &host)
            default: throw .invalidHCICommandParameters
            }
        default: return false
        }
        return true
    }

    /// Without a key pair the command is disallowed. A public key that is not on the curve is an invalid parameter (Vol 4, Part E,
    /// 7.8.37; Vol 3, Part H, 2.3.5.6.1).
    private func generateDHKey(
        _ opcode: HCI.Opcode, _ privateKey: P256PrivateKey?, _ remoteKey: P256PublicKey, _ cryptography: Cryptography,
        _ host: inout HostInterface
    ) throws(HCI.ErrorCode) {
        guard let privateKey else { throw .commandDisallowed }
        guard let secret = try? cryptography.provider.sharedSecret(privateKey, with: remoteKey) else {
            throw .invalidHCICommandParameters
        }
        host.answer(opcode, status: .success)
        host.emit(le: HCI.LEGenerateDHKeyComplete(status: .success, key: secret))
    }
}

extension UInt128 {
    /// The number in 16 octets, the least significant first.
    init(_ octets: InlineArray<16, UInt8>) {
        self = 0
        for index in octets.indices { self |= UInt128(octets[index]) << UInt128(8 * index) }
    }
}

extension InlineArray where Element == UInt8, count == 16 {
    /// The 16 octets of a number, the least significant first.
    init(littleEndian number: UInt128) {
        self.init { UInt8(truncatingIfNeeded: number >> UInt128(8 * $0)) }
    }
}
