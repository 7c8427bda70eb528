import Crypto

/// The device's side of provisioning without out-of-band data (Mesh Profile, 5.4): PDUs go in, responses come out. It does no I/O.
///
/// 入网过程的设备端：P-256 密钥交换、确认、随机数、加密的网络数据。
package struct Provisionee: Sendable {
    /// The private key and the random number of one session. 每次入网都要新的密钥和随机数。
    package struct Secrets: Sendable {
        let key: P256.KeyAgreement.PrivateKey
        let random: [UInt8]

        /// - Parameters:
        ///   - key: The private key.
        ///   - random: 16 octets.
        package init(key: P256.KeyAgreement.PrivateKey, random: [UInt8]) {
            self.key = key
            self.random = random
        }

        /// New secrets of the system's generator.
        package static func make() -> Secrets {
            Secrets(
                key: P256.KeyAgreement.PrivateKey(),
                random: SymmetricKey(size: .bits128).withUnsafeBytes { Array($0) })
        }
    }

    private enum State: Sendable {
        case waiting
        /// The content of the PDUs so far, which both ends confirm.
        case invited([UInt8])
        case started([UInt8])
        case agreed(secret: [UInt8], salt: [UInt8])
        case confirmed(secret: [UInt8], salt: [UInt8], confirmation: [UInt8])
        case proven(secret: [UInt8], salt: [UInt8])
        case ended
    }

    private enum Failure: UInt8, Error {
        case invalidPDU = 1
        case invalidFormat = 2
        case unexpectedPDU = 3
        case confirmationFailed = 4
        case decryptionFailed = 6
        case cannotAssignAddresses = 8
    }

    /// One element, FIPS P-256, no out-of-band data. 能力。
    private static let capabilities: [UInt8] = [1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0]
    private static let failed: UInt8 = 9

    private let secrets: Secrets
    private var state = State.waiting
    /// The result of provisioning; nil until it has succeeded.
    package private(set) var credentials: MeshCredentials?

    package init(_ secrets: Secrets) { self.secrets = secrets }

    /// Takes a PDU. Returns the response; nil if there is none.
    package mutating func receive(_ pdu: [UInt8]) -> [UInt8]? {
        do throws(Failure) {
            return try answer(pdu)
        } catch {
            state = .ended
            return [Self.failed, error.rawValue]
        }
    }

    private mutating func answer(_ pdu: [UInt8]) throws(Failure) -> [UInt8]? {
        guard let type = pdu.first else { throw .invalidFormat }
        let content = Array(pdu.dropFirst())
        switch (state, type) {
        case (.waiting, 0):
            guard content.count == 1 else { throw .invalidFormat }
            state = .invited(content + Self.capabilities)
            return [1] + Self.capabilities
        case (.invited(let inputs), 2):
            // P-256, no public key and no authentication out of band. 只支持无 OOB。
            guard content == [0, 0, 0, 0, 0] else { throw .invalidFormat }
            state = .started(inputs + content)
            return nil
        case (.started(let inputs), 3): return try agree(inputs, content)
        case (.agreed(let secret, let salt), 5):
            guard content.count == 16 else { throw .invalidFormat }
            let own = Self.confirmation(secret, salt, secrets.random)
            // A provisioner that returns this value has no secret. 防止对方把确认值原样发回。
            guard content != own else { throw .confirmationFailed }
            state = .confirmed(secret: secret, salt: salt, confirmation: content)
            return [5] + own
        case (.confirmed(let secret, let salt, let confirmation), 6):
            guard content.count == 16 else { throw .invalidFormat }
            guard Self.confirmation(secret, salt, content) == confirmation, content != secrets.random else {
                throw .confirmationFailed
            }
            state = .proven(secret: secret, salt: MeshCrypto.s1(salt + content + secrets.random))
            return [6] + secrets.random
        case (.proven(let secret, let salt), 7):
            credentials = try Self.credentials(content, secret, salt)
            state = .ended
            return [8]
        case (.ended, _): return nil
        default: throw type <= Self.failed ? Failure.unexpectedPDU : .invalidPDU
        }
    }

    private mutating func agree(_ inputs: [UInt8], _ content: [UInt8]) throws(Failure) -> [UInt8] {
        let own = Array(secrets.key.publicKey.rawRepresentation)
        // The library refuses a point that is not on the curve. 不在曲线上的点会被拒绝。
        guard content.count == 64, content != own,
            let peer = try? P256.KeyAgreement.PublicKey(rawRepresentation: content),
            let shared = try? secrets.key.sharedSecretFromKeyAgreement(with: peer)
        else { throw .invalidFormat }
        state = .agreed(secret: shared.withUnsafeBytes { Array($0) }, salt: MeshCrypto.s1(inputs + content + own))
        return [3] + own
    }

    /// The confirmation of a random number, with sixteen zeros in the place of out-of-band data.
    package static func confirmation(_ secret: [UInt8], _ salt: [UInt8], _ random: [UInt8]) -> [UInt8] {
        let key = MeshCrypto.k1(secret, salt: salt, "prck".utf8)
        return MeshCrypto.cmac(key, random + [UInt8](repeating: 0, count: 16))
    }

    /// The keys for the data, from the secret and the salt of both random numbers.
    package static func keys(
        _ secret: [UInt8], _ salt: [UInt8]
    ) -> (session: [UInt8], nonce: [UInt8], device: [UInt8]) {
        (
            MeshCrypto.k1(secret, salt: salt, "prsk".utf8),
            Array(MeshCrypto.k1(secret, salt: salt, "prsn".utf8).suffix(13)),
            MeshCrypto.k1(secret, salt: salt, "prdk".utf8)
        )
    }

    private static func credentials(
        _ content: [UInt8], _ secret: [UInt8], _ salt: [UInt8]
    ) throws(Failure) -> MeshCredentials {
        guard content.count == 33 else { throw .invalidFormat }
        let keys = keys(secret, salt)
        guard let data = MeshCrypto.open(content, key: keys.session, nonce: keys.nonce, codeLength: 8),
            let index = data.bigEndian(UInt16.self, at: 16), let ivIndex = data.bigEndian(UInt32.self, at: 19),
            let address = data.bigEndian(UInt16.self, at: 23)
        else { throw .decryptionFailed }
        guard address != 0, address < 0x8000 else { throw .cannotAssignAddresses }
        return MeshCredentials(
            networkKey: Array(data[..<16]), networkKeyIndex: index & 0xFFF, ivIndex: ivIndex, address: address,
            deviceKey: keys.device)
    }
}
