import Crypto
import CryptoExtras

/// The functions of the Bluetooth Mesh Profile, 3.8.2, on AES-128. All keys have 16 octets.
///
/// 蓝牙 Mesh 的密码函数。
package enum MeshCrypto {
    /// AES-CMAC.
    package static func cmac(_ key: [UInt8], _ message: some Sequence<UInt8>) -> [UInt8] {
        // A key of 16 octets is valid.
        var code = try! AES.CMAC(key: SymmetricKey(data: key))
        code.update(data: Array(message))
        return Array(code.finalize())
    }

    /// A salt from a text or from octets.
    package static func s1(_ message: some Sequence<UInt8>) -> [UInt8] {
        cmac([UInt8](repeating: 0, count: 16), message)
    }

    /// A key from a secret, a salt and a text.
    package static func k1(_ secret: [UInt8], salt: [UInt8], _ text: some Sequence<UInt8>) -> [UInt8] {
        cmac(cmac(salt, secret), text)
    }

    /// The NID, the encryption key and the privacy key of a network key.
    package static func k2(
        _ key: [UInt8], _ input: [UInt8] = [0]
    ) -> (nid: UInt8, encryption: [UInt8], privacy: [UInt8]) {
        let secret = cmac(s1("smk2".utf8), key)
        let first = cmac(secret, input + [1])
        let second = cmac(secret, first + input + [2])
        let third = cmac(secret, second + input + [3])
        return (first[15] & 0x7F, second, third)
    }

    /// The network ID of a network key: 8 octets.
    package static func k3(_ key: [UInt8]) -> [UInt8] {
        Array(cmac(cmac(s1("smk3".utf8), key), Array("id64".utf8) + [1]).suffix(8))
    }

    /// The AID of an application key: 6 bits.
    package static func k4(_ key: [UInt8]) -> UInt8 {
        cmac(cmac(s1("smk4".utf8), key), Array("id6".utf8) + [1])[15] & 0x3F
    }

    /// The key of the secure network beacons.
    package static func beaconKey(_ key: [UInt8]) -> [UInt8] {
        k1(key, salt: s1("nkbk".utf8), Array("id128".utf8) + [1])
    }

    /// One block of AES.
    package static func encrypt(_ block: [UInt8], key: [UInt8]) -> [UInt8] {
        var block = block
        // The sizes of the key and the block are valid.
        try! AES.permute(&block, key: SymmetricKey(data: key))
        return block
    }

    // MARK: AES-CCM with a nonce of 13 octets and without additional data (RFC 3610)

    /// Encrypts a message and appends its code of 4 or 8 octets.
    package static func seal(_ message: [UInt8], key: [UInt8], nonce: [UInt8], codeLength: Int) -> [UInt8] {
        let code = code(of: message, key, nonce, codeLength)
        return stream(message, key, nonce, from: 1) + stream(code, key, nonce, from: 0)
    }

    /// Decrypts a message. Nil if its code is wrong.
    package static func open(_ octets: [UInt8], key: [UInt8], nonce: [UInt8], codeLength: Int) -> [UInt8]? {
        guard octets.count >= codeLength else { return nil }
        let message = stream(Array(octets.dropLast(codeLength)), key, nonce, from: 1)
        let received = stream(Array(octets.suffix(codeLength)), key, nonce, from: 0)
        return received == code(of: message, key, nonce, codeLength) ? message : nil
    }

    private static func code(of message: [UInt8], _ key: [UInt8], _ nonce: [UInt8], _ length: Int) -> [UInt8] {
        let flags = UInt8((length - 2) / 2) << 3 | 1
        var state = encrypt(
            [flags] + nonce + UInt16(truncatingIfNeeded: message.count).bigEndianOctets, key: key)
        for start in stride(from: 0, to: message.count, by: 16) {
            for index in start..<min(start + 16, message.count) { state[index - start] ^= message[index] }
            state = encrypt(state, key: key)
        }
        return Array(state.prefix(length))
    }

    private static func stream(_ octets: [UInt8], _ key: [UInt8], _ nonce: [UInt8], from first: UInt16) -> [UInt8] {
        var result = octets
        var counter = first
        for start in stride(from: 0, to: octets.count, by: 16) {
            let block = encrypt([1] + nonce + counter.bigEndianOctets, key: key)
            for index in start..<min(start + 16, octets.count) { result[index] ^= block[index - start] }
            counter &+= 1
        }
        return result
    }
}

/// A network key with what follows from it.
package struct MeshNetworkKey: Hashable, Sendable {
    package let key: [UInt8]
    package let nid: UInt8
    package let networkID: [UInt8]
    let encryption: [UInt8]
    let privacy: [UInt8]

    package init(_ key: [UInt8]) {
        self.key = key
        (nid, encryption, privacy) = MeshCrypto.k2(key)
        networkID = MeshCrypto.k3(key)
    }

    /// The secure network beacon, which tells a client the IV index.
    package func beacon(ivIndex: UInt32) -> [UInt8] {
        let content = [0] + networkID + ivIndex.bigEndianOctets
        return [1] + content + MeshCrypto.cmac(MeshCrypto.beaconKey(key), content).prefix(8)
    }
}
