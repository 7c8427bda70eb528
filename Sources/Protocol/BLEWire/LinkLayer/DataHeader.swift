extension LL {
    /// The two octets before each data PDU's payload (Vol 6, Part B, 2.4).
    package struct DataHeader: PDU, Hashable, Sendable {
        /// The type of the payload.
        package enum Kind: UInt8, Hashable, Sendable {
            case reserved = 0
            /// A later part of an L2CAP packet, or an empty PDU if the length is 0.
            case continuation = 1
            /// A whole L2CAP packet, or its first part.
            case start = 2
            case control = 3
        }

        package var kind: Kind
        /// NESN: the sequence number of the next packet that the sender expects, one bit.
        package var nextExpected: Bool
        /// SN: the sequence number of this packet, one bit.
        package var sequence: Bool
        /// MD: the sender has more data for this event.
        package var moreData: Bool
        /// CP: an octet for direction finding follows the header.
        package var extended: Bool
        /// The payload's octets, including the MIC if there is one.
        package var length: UInt8

        package init(
            kind: Kind, nextExpected: Bool = false, sequence: Bool = false, moreData: Bool = false,
            extended: Bool = false, length: UInt8 = 0
        ) {
            self.kind = kind
            self.nextExpected = nextExpected
            self.sequence = sequence
            self.moreData = moreData
            self.extended = extended
            self.length = length
        }

        package static let encodedCount = 2
        package var encodedCount: Int { Self.encodedCount }

        package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
            var bytes = bytes
            let first = try bytes.readUInt8()
            length = try bytes.readUInt8()
            try bytes.finish()
            kind = Kind(rawValue: first & 0x03) ?? .reserved
            nextExpected = first & 0x04 != 0
            sequence = first & 0x08 != 0
            moreData = first & 0x10 != 0
            extended = first & 0x20 != 0
        }

        package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
            var first = kind.rawValue
            if nextExpected { first |= 0x04 }
            if sequence { first |= 0x08 }
            if moreData { first |= 0x10 }
            if extended { first |= 0x20 }
            try output.write(first)
            try output.write(length)
        }
    }
}
