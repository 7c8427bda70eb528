import CommonCrypto
import CryptoKit
import Foundation

/// Digests, codes and encryption of messages.
public enum Codes {
    /// The SHA-256 of data in parts, as hexadecimal digits.
    public static func digest(_ parts: [Data]) -> String {
        var context = CC_SHA256_CTX()
        CC_SHA256_Init(&context)
        for part in parts { part.withUnsafeBytes { _ = CC_SHA256_Update(&context, $0.baseAddress, CC_LONG($0.count)) } }
        var digest = [UInt8](repeating: 0, count: Int(CC_SHA256_DIGEST_LENGTH))
        CC_SHA256_Final(&digest, &context)
        return digest.map { String(format: "%02x", $0) }.joined()
    }

    /// The same by CryptoKit.
    public static func sameDigest(_ data: Data) -> String {
        SHA256.hash(data: data).map { String(format: "%02x", $0) }.joined()
    }

    /// Encrypts or decrypts a message with a key of 16 octets, by AES in CBC with padding.
    public static func crypt(_ operation: Int, _ message: Data, key: Data) -> Data? {
        var output = Data(count: message.count + kCCBlockSizeAES128)
        let room = output.count
        var length = 0
        let status = output.withUnsafeMutableBytes { output in
            message.withUnsafeBytes { message in
                key.withUnsafeBytes { key in
                    CCCrypt(
                        CCOperation(operation), CCAlgorithm(kCCAlgorithmAES), CCOptions(kCCOptionPKCS7Padding),
                        key.baseAddress, kCCKeySizeAES128, nil, message.baseAddress, message.count, output.baseAddress,
                        room, &length)
                }
            }
        }
        guard status == kCCSuccess else { return nil }
        return output.prefix(length)
    }

    /// A key of 16 octets for a password. An unsigned pointer is one for `char` in a call of C.
    public static func key(password: String, salt: Data) -> Data {
        var key = [UInt8](repeating: 0, count: kCCKeySizeAES128)
        let password = Array(password.utf8)
        _ = password.withUnsafeBufferPointer { password in
            salt.withUnsafeBytes { (salt: UnsafeRawBufferPointer) in
                CCKeyDerivationPBKDF(
                    CCPBKDFAlgorithm(kCCPBKDF2), password.baseAddress, password.count,
                    salt.bindMemory(to: UInt8.self).baseAddress, salt.count, CCPseudoRandomAlgorithm(kCCPRFHmacAlgSHA1),
                    2, &key, key.count)
            }
        }
        return Data(key)
    }
}
