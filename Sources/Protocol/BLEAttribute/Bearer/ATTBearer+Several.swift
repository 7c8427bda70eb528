import BLEWire

/// Procedures over several attributes. They run alone, in the order of all operations; see `submit`.
extension ATTBearer {
    /// Queues the read of several whole values (Vol 3, Part G, 4.8.5), in as few requests as possible. It ends in one `completed` with `values`,
    /// in the order of the handles. One value that must not be read fails all.
    package mutating func readValues(_ handles: [UInt16], id: UInt32, at now: Instant, output: inout ATTOutput) {
        submit(.values(ValuesRead(handles: handles)), id: id, at: now, output: &output)
    }

    /// Queues a reliable write: the server echoes each part, and applies all values or none (Vol 3, Part G, 4.9.5). An echo that differs cancels
    /// the write, and so does a refusal. It ends in one `completed`.
    package mutating func writeReliably(
        _ values: [AttributeValue], id: UInt32, at now: Instant, output: inout ATTOutput
    ) {
        submit(.preparedWrites(PreparedWrites(values)), id: id, at: now, output: &output)
    }
}

/// Signed writes (Vol 3, Part F, 3.4.5.4). The owner has the keys.
extension ATTBearer {
    /// The longest value of a Signed Write Command, in octets.
    package var signedValueLimit: Int { Int(mtu) - 15 }

    /// Sends a Signed Write Command at once. Throws as `writeCommand` does.
    package mutating func writeCommand(
        _ value: Span<UInt8>, handle: UInt16, signature: InlineArray<12, UInt8>, output: inout ATTOutput
    ) throws(GATTError) {
        guard !hasFailed else { throw .bearerLost }
        guard value.count <= signedValueLimit else { throw .valueTooLong }
        output.send(ATT.SignedWriteCommand(handle: handle, value: value, signature: signature))
    }

    /// Takes a Signed Write Command of the unenhanced bearer whose signature the owner has verified.
    package mutating func receiveAuthentic(
        _ command: ATT.SignedWriteCommand, database: borrowing AttributeDatabase, security: LinkSecurity,
        output: inout ATTOutput
    ) {
        guard !hasFailed else { return }
        server.receive(command, database, security, output: &output)
    }
}
