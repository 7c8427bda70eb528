import BLEWire

/// The frame of every file of the store: kind, version, length and checksum.
///
/// ```
/// 8 octets   kind, in ASCII
/// 2          version
/// 4          length of the content
/// ...        content
/// 8          SipHash-2-4, key 0, of everything before
/// ```
struct StoreEnvelope: Sendable {
    enum FormatError: Error, Equatable {
        /// A later version wrote the file; its format is unknown.
        case newer(UInt16)
        case corrupt(String)
    }

    private static let headerLength = 14
    private static let checksumLength = 8
    /// A hash with a public key. It detects damage, but does not protect against a malicious writer.
    private static let checksum = SipHash(key: (0, 0))

    let magic: String
    let version: UInt16

    /// The file of the key.
    static let key = StoreEnvelope(magic: "OCBIDKEY", version: 1)
    /// The file of devices and managers.
    static let state = StoreEnvelope(magic: "OCBSTATE", version: 1)
    /// The file of bonds.
    static let bonds = StoreEnvelope(magic: "OCBBONDS", version: 1)
    /// The file of the names that the user gave.
    static let names = StoreEnvelope(magic: "OCBNAMES", version: 1)

    func seal(_ content: [UInt8]) -> [UInt8] {
        var writer = StoreWriter()
        for octet in magic.utf8 { writer.integer(UInt64(octet), 1) }
        writer.integer(UInt64(version), 2)
        writer.block(content)
        writer.integer(Self.checksum.hash(writer.octets), 8)
        return writer.octets
    }

    /// The content of a file.
    func open(_ octets: [UInt8]) throws(FormatError) -> ArraySlice<UInt8> {
        guard octets.count >= Self.headerLength + Self.checksumLength else { throw .corrupt("it is too short") }
        guard octets.prefix(8).elementsEqual(magic.utf8) else { throw .corrupt("it is a file of another kind") }
        let end = octets.count - Self.checksumLength
        guard integer(octets[end...]) == Self.checksum.hash(octets[..<end]) else {
            throw .corrupt("its checksum is wrong")
        }
        // The checksum is correct, and its position is the same in all versions, so another version is not damage.
        let version = UInt16(truncatingIfNeeded: integer(octets[8..<10]))
        guard version <= self.version else { throw .newer(version) }
        guard version > 0, integer(octets[10..<14]) == UInt64(end - Self.headerLength) else {
            throw .corrupt("its length is wrong")
        }
        return octets[Self.headerLength..<end]
    }

    private func integer(_ octets: ArraySlice<UInt8>) -> UInt64 {
        octets.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
}
