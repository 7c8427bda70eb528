import Crypto

/// A public or a private key on the curve P-256.
public final class SecKey: Sendable {
    enum Content: Sendable {
        case publicKey(P256.KeyAgreement.PublicKey)
        case privateKey(P256.KeyAgreement.PrivateKey)
    }

    let content: Content

    init(_ content: Content) { self.content = content }

    var publicKey: P256.KeyAgreement.PublicKey {
        switch content {
        case .publicKey(let key): key
        case .privateKey(let key): key.publicKey
        }
    }
}

/// Makes a private key.
///
/// - Parameters:
///   - parameters: ``kSecAttrKeyType``, and ``kSecAttrKeySizeInBits`` with 256 if it is there.
///   - error: Receives the error.
/// - Returns: The key; nil with an error for a type or a size that Linux does not have, and for a key that shall be permanent or in hardware.
public func SecKeyCreateRandomKey(
    _ parameters: CFDictionary, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> SecKey? {
    reporting(error) { () throws(SecKeyError) in
        try parameters.checkCurve()
        for attributes in [parameters, parameters[kSecPrivateKeyAttrs] as? NSDictionary].compactMap(\.self) {
            guard attributes[kSecAttrTokenID] == nil else {
                throw SecKeyError(errSecUnimplemented, "Linux has no hardware for keys")
            }
            guard (attributes[kSecAttrIsPermanent] as? NSNumber)?.boolValue != true else {
                throw SecKeyError(errSecUnimplemented, "Linux has no keychain for a permanent key")
            }
        }
        return SecKey(.privateKey(P256.KeyAgreement.PrivateKey()))
    }
}

/// Makes a pair of keys.
///
/// - Parameters:
///   - parameters: As for ``SecKeyCreateRandomKey(_:_:)``.
///   - publicKey: Receives the public key.
///   - privateKey: Receives the private key.
/// - Returns: ``errSecSuccess``, or the code of the error of that function.
public func SecKeyGeneratePair(
    _ parameters: CFDictionary, _ publicKey: UnsafeMutablePointer<SecKey?>?,
    _ privateKey: UnsafeMutablePointer<SecKey?>?
) -> OSStatus {
    var error: Unmanaged<CFError>?
    guard let key = SecKeyCreateRandomKey(parameters, &error) else {
        return OSStatus(error?.takeRetainedValue().code ?? Int(errSecParam))
    }
    privateKey?.pointee = key
    publicKey?.pointee = SecKeyCopyPublicKey(key)
    return errSecSuccess
}

/// The public key of a private key. A public key is its own.
public func SecKeyCopyPublicKey(_ key: SecKey) -> SecKey? { SecKey(.publicKey(key.publicKey)) }

/// The octets of a key: 04, X, Y, and for a private key K, each of the three with 32 octets (ANSI X9.63).
///
/// - Parameters:
///   - key: The key.
///   - error: Not used: every key on Linux has this form.
public func SecKeyCopyExternalRepresentation(
    _ key: SecKey, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
    switch key.content {
    case .publicKey(let key): key.x963Representation as CFData
    case .privateKey(let key): key.x963Representation as CFData
    }
}

/// Makes a key of its octets.
///
/// - Parameters:
///   - keyData: The form of ``SecKeyCopyExternalRepresentation(_:_:)``.
///   - attributes: ``kSecAttrKeyType`` and ``kSecAttrKeyClass``.
///   - error: Receives the error.
/// - Returns: The key; nil with an error if the octets are no such key, for example no point of the curve.
public func SecKeyCreateWithData(
    _ keyData: CFData, _ attributes: CFDictionary, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> SecKey? {
    reporting(error) { () throws(SecKeyError) in
        try attributes.checkCurve()
        let keyClass = attributes[kSecAttrKeyClass] as? String
        do {
            if keyClass == kSecAttrKeyClassPublic as String {
                return SecKey(.publicKey(try P256.KeyAgreement.PublicKey(x963Representation: keyData as Data)))
            }
            if keyClass == kSecAttrKeyClassPrivate as String {
                return SecKey(.privateKey(try P256.KeyAgreement.PrivateKey(x963Representation: keyData as Data)))
            }
        } catch {
            throw SecKeyError(errSecDecode, "the \(keyData.length) octets are no key on the curve P-256")
        }
        throw SecKeyError(errSecParam, "kSecAttrKeyClass must be the class of a public or private key")
    }
}

/// The secret that two pairs share (ECDH).
///
/// - Parameters:
///   - privateKey: The private key of one pair.
///   - algorithm: The algorithm.
///   - publicKey: The public key of the other.
///   - parameters: ``SecKeyKeyExchangeParameter/requestedSize`` and ``SecKeyKeyExchangeParameter/sharedInfo``, for an algorithm with a key
///     derivation function.
///   - error: Receives the error.
/// - Returns: The secret; nil with an error for an algorithm that Linux does not have, and if the first key is a public one.
public func SecKeyCopyKeyExchangeResult(
    _ privateKey: SecKey, _ algorithm: SecKeyAlgorithm, _ publicKey: SecKey, _ parameters: CFDictionary,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
    reporting(error) { () throws(SecKeyError) in
        guard case .privateKey(let own) = privateKey.content else {
            throw SecKeyError(errSecParam, "the first key of an exchange must be a private one")
        }
        let secret: SharedSecret
        do { secret = try own.sharedSecretFromKeyAgreement(with: publicKey.publicKey) } catch {
            throw SecKeyError(errSecParam, "the keys have no shared secret")
        }
        switch algorithm {
        case .ecdhKeyExchangeStandard, .ecdhKeyExchangeCofactor: return secret.withUnsafeBytes { Data($0) } as CFData
        case .ecdhKeyExchangeStandardX963SHA256, .ecdhKeyExchangeCofactorX963SHA256:
            let requested = parameters.value(.requestedSize) as? NSNumber
            guard let size = requested?.intValue, (1...1 << 16).contains(size) else {
                throw SecKeyError(errSecParam, "requestedSize must be 1 to 65536 octets")
            }
            let info = parameters.value(.sharedInfo) as? Data ?? Data()
            let key = secret.x963DerivedSymmetricKey(using: SHA256.self, sharedInfo: info, outputByteCount: size)
            return key.withUnsafeBytes { Data($0) } as CFData
        default: throw SecKeyError(errSecUnimplemented, "Linux does not have the algorithm \(algorithm.rawValue)")
        }
    }
}

private struct SecKeyError: Error {
    let status: OSStatus
    let reason: String

    init(_ status: OSStatus, _ reason: String) { (self.status, self.reason) = (status, reason) }

    var error: NSError {
        NSError(domain: "NSOSStatusErrorDomain", code: Int(status), userInfo: [NSLocalizedDescriptionKey: reason])
    }
}

private func reporting<Result>(
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?, _ body: () throws(SecKeyError) -> Result
) -> Result? {
    do {
        return try body()
    } catch let failure {
        error?.pointee = Unmanaged.passRetained(failure.error)
        return nil
    }
}

extension NSDictionary {
    /// Throws unless the attributes are those of a key on P-256.
    fileprivate func checkCurve() throws(SecKeyError) {
        guard self[kSecAttrKeyType] as? String == kSecAttrKeyTypeECSECPrimeRandom as String else {
            throw SecKeyError(errSecUnimplemented, "Linux has keys of the type kSecAttrKeyTypeECSECPrimeRandom only")
        }
        // A number or a string on Apple's systems.
        let size = self[kSecAttrKeySizeInBits]
        guard size == nil || size as? Int == 256 || size as? String == "256" else {
            throw SecKeyError(errSecUnimplemented, "Linux has keys of 256 bits only")
        }
    }

    /// A parameter. In a dictionary for Linux, the key is the structure, or its text after a conversion.
    fileprivate func value(_ parameter: SecKeyKeyExchangeParameter) -> Any? {
        self[parameter] ?? self[parameter.rawValue]
    }
}
