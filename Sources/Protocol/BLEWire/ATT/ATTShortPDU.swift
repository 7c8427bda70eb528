extension ATT {
    /// A PDU of at most eight octets as a number: most requests of a client. It needs no storage.
    @usableFromInline
    package struct ShortPDU: Hashable, Sendable {
        /// The opcode in the lowest octet, then the other octets in their order.
        @usableFromInline package let octets: UInt64
        /// The number of octets.
        @usableFromInline package let count: Int

        @inlinable
        init(octets: UInt64, count: Int) {
            self.octets = octets
            self.count = count
        }

        @inlinable
        package init<P: ATTNumberPDU>(_ pdu: P) {
            self.init(octets: UInt64(P.opcode.rawValue) | UInt64(pdu.number) << 8, count: 3)
        }

        @inlinable
        package init(_ pdu: FindInformationRequest) {
            self.init(
                octets: UInt64(FindInformationRequest.opcode.rawValue) | UInt64(pdu.range.start) << 8
                    | UInt64(pdu.range.end) << 24, count: 5)
        }

        /// Nil if the attribute type has 128 bits.
        @inlinable
        package init?<P: ATTRangeTypePDU>(_ pdu: P) {
            guard pdu.type.octetCount == 2, let type = pdu.type.shortValue else { return nil }
            self.init(
                octets: UInt64(P.opcode.rawValue) | UInt64(pdu.range.start) << 8 | UInt64(pdu.range.end) << 24
                    | UInt64(type) << 40, count: 7)
        }

        /// Calls `body` with the octets.
        @inlinable
        package func withOctets<Result>(_ body: (Span<UInt8>) -> Result) -> Result {
            var bytes: [8 of UInt8] = .init(repeating: 0)
            for index in 0..<8 { bytes[index] = UInt8(truncatingIfNeeded: octets >> (8 * UInt64(index))) }
            return body(bytes.span.extracting(first: count))
        }
    }
}

extension [UInt8] {
    /// Appends a header and a short PDU.
    @inlinable
    @inline(__always)
    package mutating func append<let N: Int>(_ header: InlineArray<N, UInt8>, _ pdu: ATT.ShortPDU) {
        append(addingCapacity: N + 8) { output in
            output.withUnsafeMutableBufferPointer { octets, count in
                // The output has a base address and room for eight octets after the header. Those after the PDU are not part of the array.
                let start = octets.baseAddress.unsafelyUnwrapped.advanced(by: count)
                for index in 0..<N { start.advanced(by: index).initialize(to: header[index]) }
                UnsafeMutableRawPointer(start.advanced(by: N)).storeBytes(
                    of: pdu.octets.littleEndian, as: UInt64.self)
                count += N + pdu.count
            }
        }
    }
}
