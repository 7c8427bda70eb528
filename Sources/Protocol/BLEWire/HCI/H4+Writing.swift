/// Functions that append whole H4 packets. They throw if a field is too long or the parameters exceed 255 octets. On an
/// error the array is unchanged.
extension [UInt8] {
    /// `01`, opcode, length, parameters.
    package mutating func append<C: HCICommand & ~Escapable>(command: C) throws(EncodeError) {
        let count = command.encodedCount
        guard let length = UInt8(exactly: count) else { throw .fieldTooLong }
        try appendPacket(4 + count) { (output: inout OutputSpan<UInt8>) throws(EncodeError) in
            try output.write(H4.PacketType.command.rawValue)
            try output.write(C.opcode.rawValue)
            try output.write(length)
            try command.encode(into: &output)
        }
    }

    /// `04`, event code, length, parameters.
    package mutating func append<E: HCIEvent & ~Escapable>(event: E) throws(EncodeError) {
        let count = event.encodedCount
        guard let length = UInt8(exactly: count) else { throw .fieldTooLong }
        try appendPacket(3 + count) { (output: inout OutputSpan<UInt8>) throws(EncodeError) in
            try output.write(H4.PacketType.event.rawValue)
            try output.write(E.eventCode.rawValue)
            try output.write(length)
            try event.encode(into: &output)
        }
    }

    /// `04 3E`, length, subevent code, parameters.
    package mutating func append<E: HCILEEvent & ~Escapable>(leEvent: E) throws(EncodeError) {
        let count = leEvent.encodedCount
        guard let length = UInt8(exactly: 1 + count) else { throw .fieldTooLong }
        try appendPacket(4 + count) { (output: inout OutputSpan<UInt8>) throws(EncodeError) in
            try output.write(leEvent: E.subeventCode, length)
            try leEvent.encode(into: &output)
        }
    }

    /// LE Advertising Report with one report.
    package mutating func append(advertisingReport report: HCI.AdvertisingReport) throws(EncodeError) {
        let count = report.encodedCount
        guard let length = UInt8(exactly: 2 + count) else { throw .fieldTooLong }
        try appendPacket(5 + count) { (output: inout OutputSpan<UInt8>) throws(EncodeError) in
            try output.write(leEvent: .advertisingReport, length)
            try output.write(1 as UInt8)
            try report.encode(into: &output)
        }
    }

    /// LE Extended Advertising Report with one report.
    package mutating func append(
        extendedAdvertisingReport report: HCI.ExtendedAdvertisingReport
    ) throws(EncodeError) {
        let count = report.encodedCount
        guard let length = UInt8(exactly: 2 + count) else { throw .fieldTooLong }
        try appendPacket(5 + count) { (output: inout OutputSpan<UInt8>) throws(EncodeError) in
            try output.write(leEvent: .extendedAdvertisingReport, length)
            try output.write(1 as UInt8)
            try report.encode(into: &output)
        }
    }

    /// Number Of Completed Packets with these counts, at most 63.
    package mutating func append(completedPackets entries: Span<HCI.CompletedPackets>) throws(EncodeError) {
        guard let length = UInt8(exactly: 1 + entries.count * HCI.CompletedPackets.encodedLength) else {
            throw .fieldTooLong
        }
        try appendPacket(3 + Int(length)) { (output: inout OutputSpan<UInt8>) throws(EncodeError) in
            try output.write(H4.PacketType.event.rawValue)
            try output.write(HCI.EventCode.numberOfCompletedPackets.rawValue)
            try output.write(length)
            try output.write(UInt8(truncatingIfNeeded: entries.count))
            for index in entries.indices { try entries[index].encode(into: &output) }
        }
    }

    /// Number Of Completed Packets with one count.
    package mutating func append(completedPackets entry: HCI.CompletedPackets) throws(EncodeError) {
        let entries: InlineArray<1, HCI.CompletedPackets> = [entry]
        try append(completedPackets: entries.span)
    }

    /// Command Complete of `C`. `packets` is the number of commands that the host may now send.
    package mutating func appendCommandComplete<C: HCICommand & ~Escapable>(
        of command: C.Type, returning parameters: C.ReturnParameters, packets: UInt8 = 1
    ) throws(EncodeError) {
        try appendCommandComplete(of: C.opcode, returning: parameters, packets: packets)
    }

    /// Command Complete with any return parameters, such as `HCI.StatusReturn`.
    package mutating func appendCommandComplete<P: PDU & ~Escapable>(
        of opcode: HCI.Opcode, returning parameters: P, packets: UInt8 = 1
    ) throws(EncodeError) {
        let count = parameters.encodedCount
        guard let length = UInt8(exactly: 3 + count) else { throw .fieldTooLong }
        try appendPacket(6 + count) { (output: inout OutputSpan<UInt8>) throws(EncodeError) in
            try output.write(H4.PacketType.event.rawValue)
            try output.write(HCI.EventCode.commandComplete.rawValue)
            try output.write(length)
            try output.write(packets)
            try output.write(opcode.rawValue)
            try parameters.encode(into: &output)
        }
    }

    /// Command Complete with a status only.
    package mutating func appendCommandComplete(of opcode: HCI.Opcode, status: HCI.ErrorCode, packets: UInt8 = 1) {
        append(contentsOf: [
            H4.PacketType.event.rawValue, HCI.EventCode.commandComplete.rawValue, 4, packets,
            UInt8(truncatingIfNeeded: opcode.rawValue), UInt8(truncatingIfNeeded: opcode.rawValue >> 8),
            status.rawValue,
        ])
    }

    /// Command Status.
    package mutating func appendCommandStatus(of opcode: HCI.Opcode, status: HCI.ErrorCode, packets: UInt8 = 1) {
        append(contentsOf: [
            H4.PacketType.event.rawValue, HCI.EventCode.commandStatus.rawValue, 4, status.rawValue, packets,
            UInt8(truncatingIfNeeded: opcode.rawValue), UInt8(truncatingIfNeeded: opcode.rawValue >> 8),
        ])
    }

    /// `02` and the header. The caller appends `dataLength` octets.
    package mutating func append(aclHeader header: HCI.ACLHeader) throws(EncodeError) {
        try appendPacket(1 + HCI.ACLHeader.encodedLength) { (output: inout OutputSpan<UInt8>) throws(EncodeError) in
            try output.write(H4.PacketType.acl.rawValue)
            try header.encode(into: &output)
        }
    }

    /// `02`, header, data.
    package mutating func append(acl packet: HCI.ACLPacket) throws(EncodeError) {
        try appendPacket(1 + packet.encodedCount) { (output: inout OutputSpan<UInt8>) throws(EncodeError) in
            try output.write(H4.PacketType.acl.rawValue)
            try packet.encode(into: &output)
        }
    }

    private mutating func appendPacket(
        _ octets: Int, _ body: (inout OutputSpan<UInt8>) throws(EncodeError) -> Void
    ) throws(EncodeError) {
        let before = count
        do throws(EncodeError) {
            try append(addingCapacity: octets, initializingWith: body)
        } catch {
            removeSubrange(before...)
            throw error
        }
    }
}

extension OutputSpan where Element == UInt8 {
    @_lifetime(self: copy self)
    fileprivate mutating func write(leEvent code: HCI.LESubeventCode, _ length: UInt8) throws(EncodeError) {
        try write(H4.PacketType.event.rawValue)
        try write(HCI.EventCode.leMeta.rawValue)
        try write(length)
        try write(code.rawValue)
    }
}
