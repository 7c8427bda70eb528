extension HCI {
    /// Up to 31 octets of legacy advertising or scan response data. On the wire it always takes 32 octets: the length,
    /// the data, and zeros (Vol 4, Part E, 7.8.7).
    package struct AdvertisingData: PDU, Sendable {
        package static let maximumCount = 31
        static let encodedLength = 32

        private var length: UInt8
        private var storage: InlineArray<31, UInt8>

        /// No data.
        package init() {
            length = 0
            storage = InlineArray(repeating: 0)
        }

        /// Returns nil for more than 31 octets.
        package init?(_ bytes: Span<UInt8>) {
            guard bytes.count <= Self.maximumCount else { return nil }
            length = UInt8(truncatingIfNeeded: bytes.count)
            storage = InlineArray { $0 < bytes.count ? bytes[$0] : 0 }
        }

        /// The number of octets, 0 to 31.
        package var count: Int { Int(length) }

        /// The octets.
        package var span: Span<UInt8> {
            @_lifetime(borrow self) get { storage.span.extracting(first: Int(length)) }
        }

        package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
            var bytes = bytes
            let length = try bytes.readUInt8()
            guard length <= Self.maximumCount else { throw .invalidValue }
            guard bytes.count >= Self.maximumCount else { throw .truncated }
            guard bytes.count == Self.maximumCount else { throw .trailingBytes }
            let data = bytes.extracting(first: Int(length))
            self.length = length
            storage = InlineArray { $0 < data.count ? data[$0] : 0 }
        }

        package var encodedCount: Int { Self.encodedLength }

        package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
            try output.write(length)
            try output.write(storage)
        }
    }
}

extension HCI.AdvertisingData: Hashable {
    package static func == (left: Self, right: Self) -> Bool { left.span.elementsEqual(right.span) }

    package func hash(into hasher: inout Hasher) {
        for index in span.indices { hasher.combine(span[index]) }
    }
}
