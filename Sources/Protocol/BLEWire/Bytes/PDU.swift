/// The reason why octets cannot be decoded as a packet.
@usableFromInline
package enum DecodeError: Error, Equatable, Sendable {
    /// The packet ends before its mandatory fields.
    case truncated
    /// Octets follow the last field of a packet with a fixed length.
    case trailingBytes
    /// A length or count field contradicts the octets present.
    case invalidLength
    /// A field holds a value that the specification forbids and that a receiver cannot handle.
    case invalidValue
    /// The opcode, event code or type belongs to another packet.
    case unexpectedType
}

/// The reason why a value cannot be encoded.
@usableFromInline
package enum EncodeError: Error, Equatable, Sendable {
    /// The output has no room for the packet.
    case noSpace
    /// A field is longer than its length field or the specification allows. Fields are refused, never cut.
    case fieldTooLong
}

/// A packet, or a part of a packet, with exactly one form on the wire.
///
/// Decoding never traps, whatever the octets, and does not allocate: a type with a payload of variable length is
/// `~Escapable` and views the received octets. The few commands with a list of entries, which are rare, have an array. `decoding` takes exactly the octets of this value: the header with their
/// number has been removed before. Types of fixed length therefore treat further octets as an error.
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
    /// Does the same as `removeAll(keepingCapacity: true)`, for arenas that are emptied with every packet. It avoids
    /// that function's path through generic code, and costs nothing for an empty array.
    @inlinable
    package mutating func empty() {
        switch count {
        case 0: break
        case 1: removeLast()
        default: replaceSubrange(0..<count, with: EmptyCollection())
        }
    }

    /// Returns the element at `index`, and removes it if it is the last one. Most arrays of events have one element, which a loop over the
    /// indices in order thus moves instead of copying it.
    @inlinable
    package mutating func take(at index: Int) -> Element { index == count - 1 ? removeLast() : self[index] }
}

extension [UInt8] {
    /// Appends `pdu`. On an error the array is unchanged. Does not allocate if the capacity suffices.
    @inlinable
    package mutating func append<P: PDU & ~Escapable>(encoding pdu: P) throws(EncodeError) {
        // An append of no octets would still write to the storage that all empty arrays share: a data race, although a
        // harmless one.
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
        let header: [0 of UInt8] = []
        append(header, bytes)
    }

    /// Appends a header and the octets after it. One check of the storage serves both.
    @inlinable
    @inline(__always)
    package mutating func append<let N: Int>(_ header: InlineArray<N, UInt8>, _ bytes: Span<UInt8>) {
        let added = N + bytes.count
        // An append of no octets would still write to the storage that all empty arrays share.
        guard added > 0 else { return }
        append(addingCapacity: added) { output in
            output.withUnsafeMutableBufferPointer { octets, count in
                // The output has a base address, because it has room for at least one octet.
                let start = octets.baseAddress.unsafelyUnwrapped.advanced(by: count)
                for index in 0..<N { start.advanced(by: index).initialize(to: header[index]) }
                bytes.withUnsafeBufferPointer { source in
                    guard let first = source.baseAddress else { return }
                    start.advanced(by: N).initialize(from: first, count: source.count)
                }
                count += added
            }
        }
    }

    /// The octets of `bytes` in a new array.
    @inlinable
    package init(_ bytes: Span<UInt8>) {
        self = bytes.withUnsafeBufferPointer { Array($0) }
    }
}
