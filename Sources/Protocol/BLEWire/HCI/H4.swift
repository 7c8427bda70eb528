/// The UART transport layer: a type octet precedes each packet (Vol 4, Part A, 2).
@usableFromInline
package enum H4 {
    @usableFromInline
    package struct PacketType: RawRepresentable, Hashable, Sendable {
        @usableFromInline package let rawValue: UInt8
        @inlinable
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        /// Matches a case of a `switch`, for each packet. The library's form calls a witness for each case.
        @inlinable
        package static func ~= (pattern: PacketType, value: PacketType) -> Bool { pattern.rawValue == value.rawValue }

        @inlinable package static var command: PacketType { PacketType(rawValue: 1) }
        @inlinable package static var acl: PacketType { PacketType(rawValue: 2) }
        @inlinable package static var synchronous: PacketType { PacketType(rawValue: 3) }
        @inlinable package static var event: PacketType { PacketType(rawValue: 4) }
        @inlinable package static var iso: PacketType { PacketType(rawValue: 5) }
    }

    /// A whole packet with its type octet, as `H4Framer` returns it.
    package enum Packet: PDU, ~Escapable {
        case command(HCI.CommandPacket)
        case acl(HCI.ACLPacket)
        case event(HCI.EventPacket)
        /// Synchronous or isochronous data, or an unknown type: the octets after the type.
        case other(PacketType, Span<UInt8>)

        @_lifetime(copy bytes)
        package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
            var bytes = bytes
            let type = PacketType(rawValue: try bytes.readUInt8())
            switch type {
            case .command: self = .command(try HCI.CommandPacket(decoding: bytes))
            case .acl: self = .acl(try HCI.ACLPacket(decoding: bytes))
            case .event: self = .event(try HCI.EventPacket(decoding: bytes))
            default: self = .other(type, bytes)
            }
        }

        package var encodedCount: Int {
            switch self {
            case .command(let packet): 1 + packet.encodedCount
            case .acl(let packet): 1 + packet.encodedCount
            case .event(let packet): 1 + packet.encodedCount
            case .other(_, let bytes): 1 + bytes.count
            }
        }

        package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
            switch self {
            case .command(let packet):
                try output.write(PacketType.command.rawValue)
                try packet.encode(into: &output)
            case .acl(let packet):
                try output.write(PacketType.acl.rawValue)
                try packet.encode(into: &output)
            case .event(let packet):
                try output.write(PacketType.event.rawValue)
                try packet.encode(into: &output)
            case .other(let type, let bytes):
                try output.write(type.rawValue)
                try output.write(bytes)
            }
        }
    }
}
