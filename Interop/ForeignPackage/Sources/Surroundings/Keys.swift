import Foundation
import Security

/// Keys for the provisioning of a mesh.
public enum Keys {
    /// Random octets.
    public static func random(_ count: Int) -> Data? {
        var octets = [UInt8](repeating: 0, count: count)
        guard SecRandomCopyBytes(kSecRandomDefault, octets.count, &octets) == errSecSuccess else { return nil }
        return Data(octets)
    }

    /// A new private key.
    public static func make() throws -> SecKey {
        let attributes = [kSecAttrIsPermanent: false] as CFDictionary
        let parameters =
            [
                kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeySizeInBits: 256,
                kSecPublicKeyAttrs: attributes, kSecPrivateKeyAttrs: attributes,
            ] as [CFString: Any]
        var error: Unmanaged<CFError>?
        guard let key = SecKeyCreateRandomKey(parameters as CFDictionary, &error) else {
            throw error!.takeRetainedValue() as Error
        }
        return key
    }

    /// The secret that a key shares with the octets of another one's public key.
    public static func secret(_ key: SecKey, _ other: Data) throws -> Data {
        let attributes =
            [kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeyClass: kSecAttrKeyClassPublic] as CFDictionary
        var error: Unmanaged<CFError>?
        let publicKey = SecKeyCreateWithData(other as CFData, attributes, &error)
        guard error == nil else { throw error!.takeRetainedValue() }
        let parameters = [SecKeyKeyExchangeParameter.requestedSize: 32] as CFDictionary
        let secret = SecKeyCopyKeyExchangeResult(
            key, SecKeyAlgorithm.ecdhKeyExchangeStandard, publicKey!, parameters, &error)
        guard error == nil else { throw error!.takeRetainedValue() }
        return secret! as Data
    }
}
