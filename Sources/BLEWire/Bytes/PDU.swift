/// Why octets are not the packet they were taken for.
@usableFromInline
package enum DecodeError: Error, Equatable, Sendable {
    /// The packet ended before a mandatory field did.
    case truncated
    /// Octets follow the last field of a packet of fixed length.
    case trailingBytes
    /// A length or count field contradicts the octets present.
    case invalidLength
    /// A field holds a value that the specification forbids, and no receiver could act on.
    case invalidValue
    /// The opcode, event code or type names another packet.
    case unexpectedType
}

/// Why a value cannot be put on the wire.
@usableFromInline
package enum EncodeError: Error, Equatable, Sendable {
    /// The output has no room for the packet.
    case noSpace
    /// A field is longer than its length field or the specification allows. Fields are refused, never cut.
    case fieldTooLong
}

/// A packet, or a part of one, that has exactly one form on the wire.
///
/// Decoding never traps, whatever the octets are, and never allocates: a type with a payload of variable length is
/// `~Escapable` and views the received octets. `decoding` takes exactly the octets of this value (a header that says how
/// many has already been taken off), so leftover octets are an error for types of fixed length.
@usableFromInline
package protocol PDU: ~Escapable {
    @_lifetime(copy bytes)
    init(decoding bytes: Span<UInt8>) throws(DecodeError)

    /// The number of octets that `encode(into:)` appends.
    var encodedCount: Int { get }

    /// Appends this value to `output`.
    func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError)
}

extension Array {
    /// `removeAll(keepingCapacity: true)`, for arenas that are emptied with every packet: without that function's detour over
    /// generic code, and for nothing where there is nothing.
    @inlinable
    package mutating func empty() {
        if !isEmpty { replaceSubrange(0..<count, with: EmptyCollection()) }
    }
}

extension [UInt8] {
    /// Appends `pdu`; on an error the array is as it was. Costs no allocation when the capacity suffices.
    @inlinable
    package mutating func append<P: PDU & ~Escapable>(encoding pdu: P) throws(EncodeError) {
        // Even nothing would be noted down in the storage that all empty arrays share: a race, if a harmless one.
        guard pdu.encodedCount > 0 else { return }
        let before = count
        do throws(EncodeError) {
            try append(addingCapacity: pdu.encodedCount) { (output: inout OutputSpan<UInt8>) throws(EncodeError) in
                try pdu.encode(into: &output)
            }
        } catch {
            removeSubrange(before...)
            throw error
        }
    }

    /// Appends the octets of `bytes`.
    @inlinable
    package mutating func append(_ bytes: Span<UInt8>) {
        bytes.withUnsafeBufferPointer { append(contentsOf: $0) }
    }

    /// The octets of `bytes` in an array of their own.
    @inlinable
    package init(_ bytes: Span<UInt8>) {
        self = []
        append(bytes)
    }
}
