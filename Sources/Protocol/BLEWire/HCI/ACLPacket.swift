extension HCI {
    /// The four octets before ACL data: handle, flags, length (Vol 4, Part E, 5.4.2).
    package struct ACLHeader: PDU, Hashable, Sendable {
        /// The position of a fragment in its L2CAP PDU: two bits.
        package struct Boundary: RawRepresentable, Hashable, Sendable {
            package let rawValue: UInt8
            package init(rawValue: UInt8) { self.rawValue = rawValue & 3 }
            /// The first fragment, not flushable. An LE host sends this value.
            package static let firstNonFlushable = Boundary(rawValue: 0)
            /// A continuing fragment.
            package static let continuing = Boundary(rawValue: 1)
            /// The first fragment, flushable. A controller sends this value.
            package static let firstFlushable = Boundary(rawValue: 2)

            /// Whether an L2CAP PDU begins here.
            package var isFirst: Bool { rawValue == 0 || rawValue == 2 }
        }

        package static let encodedLength = 4

        /// 12 bits.
        package var connectionHandle: UInt16
        package var boundary: Boundary
        /// Two bits. LE uses only 0, point to point.
        package var broadcast: UInt8
        /// The number of data octets that follow.
        package var dataLength: UInt16

        package init(connectionHandle: UInt16, boundary: Boundary, broadcast: UInt8 = 0, dataLength: UInt16) {
            self.connectionHandle = connectionHandle
            self.boundary = boundary
            self.broadcast = broadcast
            self.dataLength = dataLength
        }

        package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
            var bytes = bytes
            let field = try bytes.readUInt16()
            connectionHandle = field & 0x0FFF
            boundary = Boundary(rawValue: UInt8(truncatingIfNeeded: field >> 12))
            broadcast = UInt8(truncatingIfNeeded: field >> 14)
            dataLength = try bytes.readUInt16()
            try bytes.finish()
        }

        package var encodedCount: Int { Self.encodedLength }

        package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
            guard connectionHandle <= 0x0FFF, broadcast <= 3 else { throw .fieldTooLong }
            try output.write(connectionHandle | UInt16(boundary.rawValue) << 12 | UInt16(broadcast) << 14)
            try output.write(dataLength)
        }
    }

    /// ACL data: a header and a view of the data (Vol 4, Part E, 5.4.2). On the wire the length is that of `data`.
    package struct ACLPacket: PDU, ~Escapable {
        package var connectionHandle: UInt16
        package var boundary: ACLHeader.Boundary
        package var broadcast: UInt8
        package var data: Span<UInt8>

        @_lifetime(copy data)
        package init(
            connectionHandle: UInt16, boundary: ACLHeader.Boundary, broadcast: UInt8 = 0, data: Span<UInt8>
        ) {
            self.connectionHandle = connectionHandle
            self.boundary = boundary
            self.broadcast = broadcast
            self.data = data
        }

        @_lifetime(copy bytes)
        package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
            var bytes = bytes
            let header = try ACLHeader(decoding: try bytes.readBytes(ACLHeader.encodedLength))
            guard bytes.count == Int(header.dataLength) else { throw .invalidLength }
            connectionHandle = header.connectionHandle
            boundary = header.boundary
            broadcast = header.broadcast
            data = bytes
        }

        package var encodedCount: Int { ACLHeader.encodedLength + data.count }

        package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
            guard let dataLength = UInt16(exactly: data.count) else { throw .fieldTooLong }
            let header = ACLHeader(
                connectionHandle: connectionHandle, boundary: boundary, broadcast: broadcast, dataLength: dataLength)
            try header.encode(into: &output)
            try output.write(data)
        }
    }
}
