extension HCI {
    /// The number of completed packets of a connection.
    @usableFromInline
    package struct CompletedPackets: PDU, Hashable, Sendable {
        @inlinable package static var encodedLength: Int { 4 }

        @usableFromInline package var connectionHandle: UInt16
        @usableFromInline package var count: UInt16

        package init(connectionHandle: UInt16, count: UInt16) {
            self.connectionHandle = connectionHandle
            self.count = count
        }

        @inlinable
        package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
            var bytes = bytes
            connectionHandle = try bytes.readConnectionHandle()
            count = try bytes.readUInt16()
            try bytes.finish()
        }

        @usableFromInline package var encodedCount: Int { Self.encodedLength }

        @usableFromInline
        package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
            try output.write(connectionHandle)
            try output.write(count)
        }
    }

    /// Counts for any number of connections, as a view of the received octets. `next()` removes the first one.
    @usableFromInline
    package struct CompletedPacketsList: PDU, ~Escapable {
        @usableFromInline var entries: Span<UInt8>

        @inlinable
        @_lifetime(copy bytes)
        package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
            var bytes = bytes
            let count = Int(try bytes.readUInt8())
            guard bytes.count == count * CompletedPackets.encodedLength else { throw .invalidLength }
            entries = bytes
        }

        /// The number of remaining counts.
        package var count: Int { entries.count / CompletedPackets.encodedLength }

        @inlinable
        @_lifetime(self: copy self)
        package mutating func next() -> CompletedPackets? {
            guard let entry = try? entries.readBytes(CompletedPackets.encodedLength) else { return nil }
            return try? CompletedPackets(decoding: entry)
        }

        @usableFromInline package var encodedCount: Int { 1 + entries.count }

        @usableFromInline
        package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
            guard let count = UInt8(exactly: count) else { throw .fieldTooLong }
            try output.write(count)
            try output.write(entries)
        }
    }

    /// The controller has sent or flushed packets, and the host may send the same number again (Vol 4, Part E, 7.7.19).
    /// `append(completedPackets:)` encodes this event.
    package struct NumberOfCompletedPackets: HCIEvent, ~Escapable {
        package static var eventCode: HCI.EventCode { .numberOfCompletedPackets }

        package var entries: CompletedPacketsList

        @_lifetime(copy bytes)
        package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
            entries = try CompletedPacketsList(decoding: bytes)
        }

        package var encodedCount: Int { entries.encodedCount }

        package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
            try entries.encode(into: &output)
        }
    }

    /// The host has room for this number of further packets (Vol 4, Part E, 7.3.40). The controller answers only with
    /// an error.
    package struct HostNumberOfCompletedPackets: HCICommand, ~Escapable {
        package typealias ReturnParameters = HCI.StatusReturn
        package static var opcode: HCI.Opcode { .hostNumberOfCompletedPackets }

        package var entries: CompletedPacketsList

        @_lifetime(copy bytes)
        package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
            entries = try CompletedPacketsList(decoding: bytes)
        }

        package var encodedCount: Int { entries.encodedCount }

        package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
            try entries.encode(into: &output)
        }
    }
}
