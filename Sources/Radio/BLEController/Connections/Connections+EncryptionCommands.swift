import BLEWire

/// The commands for the encryption of links.
extension Connections {
    mutating func handleEncryption(
        _ opcode: HCI.Opcode, _ parameters: Span<UInt8>, _ radio: inout ControllerRadio, _ host: inout HostInterface,
        _ medium: inout Medium
    ) throws(HCI.ErrorCode) -> Bool {
        switch opcode {
        case .leEnableEncryption:
            let command = try HCI.LEEnableEncryption(from: parameters)
            let slot = try slot(of: command.connectionHandle)
            // Only the central starts encryption (Vol 4, Part E, 7.8.24), once at a time.
            guard links[slot].isCentral, links[slot].procedures.local != .encryption,
                links[slot].procedures.local != .terminate
            else { throw .commandDisallowed }
            let request = EncryptionProcedure.Request(
                longTermKey: LongTermKey(value: UInt128(command.longTermKey)),
                pdu: LL.EncReq(
                    randomNumber: command.randomNumber, encryptedDiversifier: command.encryptedDiversifier,
                    part: drawSessionPart()))
            try begin(.encryption(request), opcode, slot, &radio, &host, &medium)
        case .leLongTermKeyRequestReply:
            let command = try HCI.LELongTermKeyRequestReply(from: parameters)
            let key = LongTermKey(value: UInt128(command.longTermKey))
            try provideKey(opcode, command.connectionHandle, key, &radio, &host, &medium)
        case .leLongTermKeyRequestNegativeReply:
            let handle = try HCI.LELongTermKeyRequestNegativeReply(from: parameters).connectionHandle
            try provideKey(opcode, handle, nil, &radio, &host, &medium)
        case .readAuthenticatedPayloadTimeout:
            let handle = try HCI.ReadAuthenticatedPayloadTimeout(from: parameters).connectionHandle
            let (link, status) = links.find(handle)
            let timeout = link?.encryption.payloadTimeout ?? 0
            host.complete(
                HCI.ReadAuthenticatedPayloadTimeout.self,
                .init(status: status, connectionHandle: handle, timeout: timeout))
        case .writeAuthenticatedPayloadTimeout:
            let command = try HCI.WriteAuthenticatedPayloadTimeout(from: parameters)
            let slot = try slot(of: command.connectionHandle)
            // The peer has to be able to send a PDU within the time (Vol 4, Part E, 7.3.94).
            let shortest = links[slot].timing.intervalSpan * (Int(links[slot].timing.latency) + 1)
            guard command.timeout > 0, .milliseconds(10 * Int(command.timeout)) >= shortest else {
                throw .invalidHCICommandParameters
            }
            links[slot].encryption.payloadTimeout = command.timeout
            host.complete(opcode, .success, handle: command.connectionHandle)
            if links[slot].procedures.encryption.isReceiving { restartPayloadTimeout(slot, &radio, &medium) }
        default: return false
        }
        return true
    }

    private mutating func provideKey(
        _ opcode: HCI.Opcode, _ handle: UInt16, _ key: LongTermKey?, _ radio: inout ControllerRadio,
        _ host: inout HostInterface, _ medium: inout Medium
    ) throws(HCI.ErrorCode) {
        let slot = try slot(of: handle)
        guard links[slot].procedures.encryption.hostIsAsked else { throw .commandDisallowed }
        host.complete(opcode, .success, handle: handle)
        _ = links[slot].procedures.provideKey(key, context(of: slot, host), &actions)
        performActions(slot, &radio, &host, &medium)
        if links[slot].state.isOpen { wakeLink(slot, &radio, &medium) }
    }
}
