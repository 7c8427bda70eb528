import Crypto

/// The init packet of Nordic's secure DFU: version, size, hash and signature of a firmware, in protocol buffers.
///
/// 初始化包：固件的版本、大小、哈希和签名（protobuf 编码）。
package struct InitPacket: Hashable, Sendable {
    package static let sha256: UInt64 = 3

    /// The octets that the signature covers.
    package var command: [UInt8] = []
    /// r and s, each with its least significant octet first; nil if the packet is not signed.
    package var signature: [UInt8]?
    package var signatureType: UInt64 = 0
    package var firmwareVersion: UInt64?
    package var hardwareVersion: UInt64?
    /// 0 is an application.
    package var kind: UInt64?
    package var applicationSize: UInt64 = 0
    package var hashType: UInt64 = 0
    /// The hash of the firmware, its most significant octet first.
    package var hash: [UInt8] = []

    /// Decodes a packet; nil if it is no packet, or no init command.
    package init?(_ octets: [UInt8]) {
        guard let packet = ProtobufFields(octets[...]) else { return nil }
        var command = packet.octets(1)
        if let signed = packet.octets(2) {
            guard let fields = ProtobufFields(signed), let signature = fields.octets(3) else { return nil }
            command = fields.octets(1)
            signatureType = fields.number(2) ?? 0
            self.signature = Array(signature)
        }
        guard let command, let fields = ProtobufFields(command), fields.number(1) == 1,
            let initialization = fields.octets(2).flatMap({ ProtobufFields($0) })
        else { return nil }
        self.command = Array(command)
        firmwareVersion = initialization.number(1)
        hardwareVersion = initialization.number(2)
        kind = initialization.number(4)
        applicationSize = initialization.number(7) ?? 0
        if let octets = initialization.octets(8) {
            guard let hash = ProtobufFields(octets), let value = hash.octets(2) else { return nil }
            hashType = hash.number(1) ?? 0
            self.hash = value.reversed()
        }
    }

    /// Whether the key's owner has signed the command.
    package func isSigned(by key: P256.Signing.PublicKey) -> Bool {
        guard let signature, signature.count == 64,
            let value = try? P256.Signing.ECDSASignature(
                rawRepresentation: signature[..<32].reversed() + signature[32...].reversed())
        else { return false }
        return key.isValidSignature(value, for: command)
    }

    /// Makes the packet of an application, signed if there is a key.
    package static func make(
        firmwareVersion: UInt64, hardwareVersion: UInt64 = 52, firmware: [UInt8], key: P256.Signing.PrivateKey? = nil
    ) throws -> [UInt8] {
        let hash = field(1, sha256) + field(2, SHA256.hash(data: firmware).reversed())
        let initialization =
            field(1, firmwareVersion) + field(2, hardwareVersion) + field(4, 0)
            + field(7, UInt64(firmware.count)) + field(8, hash)
        let command = field(1, 1) + field(2, initialization)
        guard let key else { return field(1, command) }
        let signature = try key.signature(for: command).rawRepresentation
        let octets = Array(signature.prefix(32).reversed()) + signature.dropFirst(32).reversed()
        return field(2, field(1, command) + field(2, 0) + field(3, octets))
    }

    private static func field(_ number: UInt64, _ value: UInt64) -> [UInt8] { varint(number << 3) + varint(value) }
    private static func field(_ number: UInt64, _ octets: [UInt8]) -> [UInt8] {
        varint(number << 3 | 2) + varint(UInt64(octets.count)) + octets
    }

    private static func varint(_ number: UInt64) -> [UInt8] {
        number < 0x80 ? [UInt8(number)] : [UInt8(number & 0x7F) | 0x80] + varint(number >> 7)
    }
}

/// The last value of each field of a message.
private struct ProtobufFields {
    private var numbers: [UInt64: UInt64] = [:]
    private var messages: [UInt64: ArraySlice<UInt8>] = [:]

    /// Returns nil if the octets end within a field, or if one has an unknown encoding.
    init?(_ octets: ArraySlice<UInt8>) {
        var rest = octets
        while !rest.isEmpty {
            guard let key = Self.varint(&rest) else { return nil }
            switch key & 7 {
            case 0:
                guard let number = Self.varint(&rest) else { return nil }
                numbers[key >> 3] = number
            case 1, 5:
                let size = key & 7 == 1 ? 8 : 4
                guard rest.count >= size else { return nil }
                rest = rest.dropFirst(size)
            case 2:
                guard let length = Self.varint(&rest), length <= UInt64(rest.count) else { return nil }
                messages[key >> 3] = rest.prefix(Int(length))
                rest = rest.dropFirst(Int(length))
            default: return nil
            }
        }
    }

    func number(_ field: UInt64) -> UInt64? { numbers[field] }
    func octets(_ field: UInt64) -> ArraySlice<UInt8>? { messages[field] }

    private static func varint(_ octets: inout ArraySlice<UInt8>) -> UInt64? {
        var number: UInt64 = 0
        for index in 0..<10 {
            guard let octet = octets.popFirst() else { return nil }
            number |= UInt64(octet & 0x7F) << (7 * UInt64(index))
            if octet < 0x80 { return number }
        }
        return nil
    }
}
