import Crypto

/// The file that a sender offers.
public struct TransferOffer: Hashable, Sendable {
    /// The name of the file, in UTF-8 at most 255 octets. A peer chooses it, so it may hold any characters; check it before use.
    public let name: String
    /// The size of the file in octets, at most 4,294,967,295.
    public let size: Int
    /// The SHA-256 digest of the whole file: 32 octets.
    public let digest: [UInt8]

    /// The longest name in UTF-8 octets.
    static let longestName = 255
    /// The size of a digest in octets.
    static let digestCount = SHA256.byteCount
    /// The largest file in octets: offsets have 32 bits.
    static let largestSize = Int(UInt32.max)

    /// Creates an offer.
    ///
    /// - Throws: ``TransferError/file(_:)`` if a value is outside the range that its property names.
    public init(name: String, size: Int, digest: [UInt8]) throws(TransferError) {
        guard (1...Self.longestName).contains(name.utf8.count), (0...Self.largestSize).contains(size),
            digest.count == Self.digestCount
        else {
            throw .file(
                "a file name has 1 to \(Self.longestName) octets, and a file has at most \(Self.largestSize)")
        }
        self.name = name
        self.size = size
        self.digest = digest
    }
}
