import BLEWire

/// The commands for the encryption of links, and the cryptographic functions for the host.
extension Controller {
    mutating func handleEncryption(
        _ opcode: HCI.Opcode, _ parameters: Span<UInt8>, _ medium: inout Medium
    ) throws(DecodeError) -> Bool {
        switch opcode {
        case .leEnableEncryption:
            let command = try HCI.LEEnableEncryption(decoding: parameters)
            enableEncryption(command, &medium)
        case .leLongTermKeyRequestReply:
            let command = try HCI.LELongTermKeyRequestReply(decoding: parameters)
            provideKey(
                opcode, command.connectionHandle, LongTermKey(value: UInt128(command.longTermKey)), &medium)
        case .leLongTermKeyRequestNegativeReply:
            let command = try HCI.LELongTermKeyRequestNegativeReply(decoding: parameters)
            provideKey(opcode, command.connectionHandle, nil, &medium)
        case .readAuthenticatedPayloadTimeout:
            let handle = try HCI.ReadAuthenticatedPayloadTimeout(decoding: parameters).connectionHandle
            let slot = links.slot(of: handle)
            host.complete(
                HCI.ReadAuthenticatedPayloadTimeout.self,
                .init(
                    status: slot == nil ? .unknownConnectionIdentifier : .success, connectionHandle: handle,
                    timeout: slot.map { links[$0].encryption.payloadTimeout } ?? 0))
        case .writeAuthenticatedPayloadTimeout:
            let command = try HCI.WriteAuthenticatedPayloadTimeout(decoding: parameters)
            setPayloadTimeout(command, &medium)
        default: return false
        }
        return true
    }

    private mutating func enableEncryption(_ command: HCI.LEEnableEncryption, _ medium: inout Medium) {
        let opcode = HCI.LEEnableEncryption.opcode
        guard let slot = links.slot(of: command.connectionHandle) else {
            return host.answer(opcode, status: .unknownConnectionIdentifier)
        }
        // Only the central starts encryption (Vol 4, Part E, 7.8.24), once at a time.
        guard links[slot].isCentral, links[slot].procedures.local != .encryption,
            links[slot].procedures.local != .terminate
        else { return host.answer(opcode, status: .commandDisallowed) }
        let request = EncryptionProcedure.Request(
            longTermKey: LongTermKey(value: UInt128(command.longTermKey)),
            pdu: LL.EncReq(
                randomNumber: command.randomNumber, encryptedDiversifier: command.encryptedDiversifier,
                part: drawSessionPart()))
        begin(.encryption(request), opcode, command.connectionHandle, &medium)
    }

    private mutating func provideKey(
        _ opcode: HCI.Opcode, _ handle: UInt16, _ key: LongTermKey?, _ medium: inout Medium
    ) {
        guard let slot = links.slot(of: handle) else {
            return host.complete(opcode, .unknownConnectionIdentifier, handle: handle)
        }
        guard links[slot].procedures.encryption.hostIsAsked else {
            return host.complete(opcode, .commandDisallowed, handle: handle)
        }
        host.complete(opcode, .success, handle: handle)
        _ = links[slot].procedures.provideKey(key, context(of: slot), &actions)
        performActions(slot, &medium)
        if links[slot].state.isOpen { wakeLink(slot, &medium) }
    }

    private mutating func setPayloadTimeout(
        _ command: HCI.WriteAuthenticatedPayloadTimeout, _ medium: inout Medium
    ) {
        let (opcode, handle) = (HCI.WriteAuthenticatedPayloadTimeout.opcode, command.connectionHandle)
        guard let slot = links.slot(of: handle) else {
            return host.complete(opcode, .unknownConnectionIdentifier, handle: handle)
        }
        // The peer has to be able to send a PDU within the time (Vol 4, Part E, 7.3.94).
        let shortest = links[slot].timing.intervalSpan * (Int(links[slot].timing.latency) + 1)
        guard command.timeout > 0, .milliseconds(10 * Int(command.timeout)) >= shortest else {
            return host.complete(opcode, .invalidHCICommandParameters, handle: handle)
        }
        links[slot].encryption.payloadTimeout = command.timeout
        host.complete(opcode, .success, handle: handle)
        if links[slot].procedures.encryption.isReceiving { restartPayloadTimeout(slot, &medium) }
    }

    // MARK: Cryptographic functions

    mutating func handleCryptography(_ opcode: HCI.Opcode, _ parameters: Span<UInt8>) throws(DecodeError) -> Bool {
        switch opcode {
        case .leEncrypt:
            let command = try HCI.LEEncrypt(decoding: parameters)
            let encrypted = crypto.encrypt(UInt128(command.plaintext), key: UInt128(command.key))
            host.complete(
                HCI.LEEncrypt.self, .init(status: .success, encrypted: InlineArray(littleEndian: encrypted)))
        case .leRand:
            _ = try HCI.LERand(decoding: parameters)
            host.complete(
                HCI.LERand.self, .init(status: .success, random: UInt64(truncatingIfNeeded: crypto.random())))
        case .leReadLocalP256PublicKey:
            _ = try HCI.LEReadLocalP256PublicKey(decoding: parameters)
            host.answer(opcode, status: .success)
            let keyPair = crypto.makeKeyPair()
            privateKey = keyPair?.privateKey
            let zero = UInt256(low: 0, high: 0)
            host.emit(
                le: HCI.LEReadLocalP256PublicKeyComplete(
                    status: keyPair == nil ? .hardwareFailure : .success,
                    publicKey: keyPair?.publicKey ?? P256PublicKey(x: zero, y: zero)))
        case .leGenerateDHKey:
            let command = try HCI.LEGenerateDHKey(decoding: parameters)
            generateDHKey(opcode, privateKey, command.remoteKey)
        case .leGenerateDHKeyV2:
            let command = try HCI.LEGenerateDHKeyV2(decoding: parameters)
            switch command.keyType {
            case .generated: generateDHKey(opcode, privateKey, command.remoteKey)
            case .debug: generateDHKey(opcode, .debug, command.remoteKey)
            default: host.answer(opcode, status: .invalidHCICommandParameters)
            }
        default: return false
        }
        return true
    }

    /// Without a key pair the command is disallowed. A public key that is not on the curve is an invalid parameter (Vol 4, Part E,
    /// 7.8.37; Vol 3, Part H, 2.3.5.6.1).
    private mutating func generateDHKey(
        _ opcode: HCI.Opcode, _ privateKey: P256PrivateKey?, _ remoteKey: P256PublicKey
    ) {
        guard let privateKey else { return host.answer(opcode, status: .commandDisallowed) }
        guard let secret = try? crypto.sharedSecret(privateKey, with: remoteKey) else {
            return host.answer(opcode, status: .invalidHCICommandParameters)
        }
        host.answer(opcode, status: .success)
        host.emit(le: HCI.LEGenerateDHKeyComplete(status: .success, key: secret))
    }
}

extension UInt128 {
    /// The number in 16 octets, the least significant first.
    init(_ octets: InlineArray<16, UInt8>) {
        self = 0
        for index in octets.indices { self |= UInt128(octets[index]) << UInt128(8 * index) }
    }
}

extension InlineArray where Element == UInt8, count == 16 {
    /// The 16 octets of a number, the least significant first.
    init(littleEndian number: UInt128) {
        self.init { UInt8(truncatingIfNeeded: number >> UInt128(8 * $0)) }
    }
}
