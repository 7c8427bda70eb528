import Crypto

/// A firmware image as MCUboot starts it: a header, the program, and a trailer with the SHA-256 of both.
///
/// MCUboot 固件映像：头部、程序、带 SHA-256 的尾部。
package struct MCUbootImage: Hashable, Sendable {
    package static let magic: UInt32 = 0x96F3_B83D
    package static let headerLength = 32
    private static let trailerMagic: UInt16 = 0x6907
    private static let protectedTrailerMagic: UInt16 = 0x6908
    private static let hashType: UInt8 = 0x10

    /// Such as `1.2.3`, or `1.2.3.4` with a build number.
    package let version: String
    /// The SHA-256 in the trailer, which names the image.
    package let hash: [UInt8]
    private let hashedLength: Int

    /// Reads an image at the beginning of a slot. Returns nil if its header or its trailer is incomplete. The content is not checked: see
    /// ``isIntact(in:)``.
    package init?(_ octets: [UInt8]) {
        guard octets.littleEndian(UInt32.self, at: 0) == Self.magic,
            let headerLength = octets.littleEndian(UInt16.self, at: 8), headerLength >= Self.headerLength,
            let protectedLength = octets.littleEndian(UInt16.self, at: 10),
            let length = octets.littleEndian(UInt32.self, at: 12), octets.count >= Self.headerLength,
            let revision = octets.littleEndian(UInt16.self, at: 22),
            let build = octets.littleEndian(UInt32.self, at: 24)
        else { return nil }
        let end = Int(headerLength) + Int(length)
        if protectedLength > 0 {
            guard octets.littleEndian(UInt16.self, at: end) == Self.protectedTrailerMagic,
                octets.littleEndian(UInt16.self, at: end + 2) == protectedLength
            else { return nil }
        }
        hashedLength = end + Int(protectedLength)
        guard let hash = Self.hash(in: octets, trailer: hashedLength) else { return nil }
        version = "\(octets[20]).\(octets[21]).\(revision)" + (build == 0 ? "" : ".\(build)")
        self.hash = hash
    }

    /// Whether the content of the slot has the hash of the trailer. 内容与哈希是否一致。
    package func isIntact(in slot: [UInt8]) -> Bool { hash == Array(SHA256.hash(data: slot.prefix(hashedLength))) }

    private static func hash(in octets: [UInt8], trailer: Int) -> [UInt8]? {
        guard octets.littleEndian(UInt16.self, at: trailer) == trailerMagic,
            let total = octets.littleEndian(UInt16.self, at: trailer + 2), trailer + Int(total) <= octets.count
        else { return nil }
        var place = trailer + 4
        while place + 4 <= trailer + Int(total), let length = octets.littleEndian(UInt16.self, at: place + 2) {
            let value = place + 4..<place + 4 + Int(length)
            guard value.upperBound <= trailer + Int(total) else { return nil }
            if octets[place] == hashType { return value.count == 32 ? Array(octets[value]) : nil }
            place = value.upperBound
        }
        return nil
    }

    /// Makes an image without a signature.
    package static func make(version: (UInt8, UInt8, UInt16), program: [UInt8]) -> [UInt8] {
        var octets = magic.littleEndianOctets + UInt32(0).littleEndianOctets
        octets += UInt16(headerLength).littleEndianOctets + UInt16(0).littleEndianOctets
        octets += UInt32(program.count).littleEndianOctets + UInt32(0).littleEndianOctets
        octets += [version.0, version.1] + version.2.littleEndianOctets + [UInt8](repeating: 0, count: 8)
        octets += program
        let hash = Array(SHA256.hash(data: octets))
        octets += trailerMagic.littleEndianOctets + UInt16(40).littleEndianOctets
        return octets + [hashType, 0] + UInt16(32).littleEndianOctets + hash
    }
}
