/// Appends fields to octets that keep their capacity, so that a warm writer allocates nothing. Fields with the default value are left
/// out, as proto3 requires of its writers.
package struct ProtobufWriter: Sendable {
    package var octets: [UInt8]

    package init(_ octets: [UInt8] = []) { self.octets = octets }

    package mutating func varint(_ value: UInt64) {
        var value = value
        while value > 0x7F {
            octets.append(UInt8(truncatingIfNeeded: value) | 0x80)
            value >>= 7
        }
        octets.append(UInt8(truncatingIfNeeded: value))
    }

    package mutating func uint(_ number: UInt32, _ value: UInt64) {
        guard value != 0 else { return }
        varint(UInt64(number) << 3)
        varint(value)
    }

    package mutating func bool(_ number: UInt32, _ value: Bool) { uint(number, value ? 1 : 0) }

    /// `int32`: a negative number takes ten octets.
    package mutating func int(_ number: UInt32, _ value: Int32) { uint(number, UInt64(bitPattern: Int64(value))) }

    /// `sint32`, in zigzag form.
    package mutating func sint(_ number: UInt32, _ value: Int32) {
        uint(number, UInt64(UInt32(bitPattern: value << 1 ^ value >> 31)))
    }

    package mutating func bytes(_ number: UInt32, _ value: Span<UInt8>) {
        guard !value.isEmpty else { return }
        header(number, count: value.count)
        value.withUnsafeBufferPointer { octets.append(contentsOf: $0) }
    }

    package mutating func text(_ number: UInt32, _ value: String) {
        guard !value.isEmpty else { return }
        header(number, count: value.utf8.count)
        octets.append(contentsOf: value.utf8)
    }

    /// Writes a message in a field, also an empty one.
    package mutating func message(_ number: UInt32, _ body: (inout ProtobufWriter) -> Void) {
        varint(UInt64(number) << 3 | 2)
        let start = octets.count
        octets.append(0)
        body(&self)
        close(lengthAt: start)
    }

    /// Puts the count of the octets after the placeholder at `start` in its place.
    package mutating func close(lengthAt start: Int) {
        var count = octets.count - start - 1
        guard count > 0x7F else {
            octets[start] = UInt8(count)
            return
        }
        let extra = Self.varintCount(UInt64(count)) - 1
        octets.insert(contentsOf: repeatElement(0, count: extra), at: start + 1)
        var position = start
        while count > 0x7F {
            octets[position] = UInt8(truncatingIfNeeded: count) | 0x80
            position += 1
            count >>= 7
        }
        octets[position] = UInt8(count)
    }

    package static func varintCount(_ value: UInt64) -> Int { max(1, (64 - value.leadingZeroBitCount + 6) / 7) }

    package mutating func header(_ number: UInt32, count: Int) {
        varint(UInt64(number) << 3 | 2)
        varint(UInt64(count))
    }
}
