// The keys and values of dictionaries for keys, with Apple's texts. Strings do not change, but NSString is not Sendable.

/// The type of a key.
public nonisolated(unsafe) let kSecAttrKeyType: CFString = "type"
/// A key on one of NIST's elliptic curves. Linux has P-256.
public nonisolated(unsafe) let kSecAttrKeyTypeECSECPrimeRandom: CFString = "73"
/// The older name of ``kSecAttrKeyTypeECSECPrimeRandom``.
public nonisolated(unsafe) let kSecAttrKeyTypeEC: CFString = "73"
/// A key for RSA, which Linux does not have.
public nonisolated(unsafe) let kSecAttrKeyTypeRSA: CFString = "42"
/// Whether a key is the public or the private one.
public nonisolated(unsafe) let kSecAttrKeyClass: CFString = "kcls"
/// The public key of a pair.
public nonisolated(unsafe) let kSecAttrKeyClassPublic: CFString = "0"
/// The private key of a pair.
public nonisolated(unsafe) let kSecAttrKeyClassPrivate: CFString = "1"
/// The size of a key in bits. Linux has keys of 256 bits.
public nonisolated(unsafe) let kSecAttrKeySizeInBits: CFString = "bsiz"
/// The attributes of the private key of a new pair.
public nonisolated(unsafe) let kSecPrivateKeyAttrs: CFString = "private"
/// The attributes of the public key of a new pair.
public nonisolated(unsafe) let kSecPublicKeyAttrs: CFString = "public"
/// Whether the keychain keeps a new key. Linux has no keychain and refuses true.
public nonisolated(unsafe) let kSecAttrIsPermanent: CFString = "perm"
/// The name of a key in the keychain. Linux ignores it.
public nonisolated(unsafe) let kSecAttrApplicationTag: CFString = "atag"
/// A label of a key. Linux ignores it.
public nonisolated(unsafe) let kSecAttrLabel: CFString = "labl"
/// The hardware that keeps a key. Linux refuses it.
public nonisolated(unsafe) let kSecAttrTokenID: CFString = "tkid"
/// The Secure Enclave, which Linux does not have.
public nonisolated(unsafe) let kSecAttrTokenIDSecureEnclave: CFString = "com.apple.setoken"

/// A use of a key.
public struct SecKeyAlgorithm: RawRepresentable, Hashable, @unchecked Sendable {
    /// Apple's name.
    public let rawValue: CFString
    /// An algorithm by Apple's name.
    public init(rawValue: CFString) { self.rawValue = rawValue }

    /// The x coordinate of the shared point, 32 octets.
    public static let ecdhKeyExchangeStandard = SecKeyAlgorithm(rawValue: "algid:keyexchange:ECDH")
    /// The same, because the cofactor of P-256 is 1.
    public static let ecdhKeyExchangeCofactor = SecKeyAlgorithm(rawValue: "algid:keyexchange:ECDHC")
    /// A key of any length, by the key derivation function of ANSI X9.63 with SHA-256.
    public static let ecdhKeyExchangeStandardX963SHA256 = SecKeyAlgorithm(
        rawValue: "algid:keyexchange:ECDHKDFX963SHA256")
    /// The same, because the cofactor of P-256 is 1.
    public static let ecdhKeyExchangeCofactorX963SHA256 = SecKeyAlgorithm(
        rawValue: "algid:keyexchange:ECDHCKDFX963SHA256")
}

/// A parameter of a key exchange.
public struct SecKeyKeyExchangeParameter: RawRepresentable, Hashable, @unchecked Sendable {
    /// Apple's name.
    public let rawValue: CFString
    /// A parameter by Apple's name.
    public init(rawValue: CFString) { self.rawValue = rawValue }

    /// The length of the key in octets, for an algorithm with a key derivation function.
    public static let requestedSize = SecKeyKeyExchangeParameter(rawValue: "requestedSize")
    /// Data that enters the key derivation function.
    public static let sharedInfo = SecKeyKeyExchangeParameter(rawValue: "sharedInfo")
}
