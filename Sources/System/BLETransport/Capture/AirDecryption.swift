import BLEWire

/// Decrypts the packets of encrypted connections in a recording of the air, so that Wireshark shows their content.
///
/// A connection is decrypted if its CONNECT_IND, LL_ENC_REQ and LL_ENC_RSP are recorded and one of the keys belongs to it. Its packets
/// get the flags for decrypted packets in their pseudo headers, lose the MIC, and get the CRC of their new content. All other octets of
/// the recording stay the same.
package struct AirDecryption {
    /// The reason why a recording cannot be read.
    package enum DecryptionError: Error, Equatable {
        /// The octets are not a pcapng file of little-endian blocks, or a block is incomplete.
        case notARecording
    }

    private typealias Flag = LinkLayerFrame.Flag

    private static let enhancedPacket: UInt32 = 6
    private static let sectionHeader: UInt32 = 0x0A0D_0D0A
    /// The octets of an Enhanced Packet Block before the packet.
    private static let blockHeader = 28
    /// The octets of the pseudo header and the access address.
    private static let pseudoHeader = 14

    private let keys: [LongTermKey]
    private let crypto: any CryptoProvider
    /// By access address.
    private var connections: [UInt32: DecryptedConnection] = [:]
    package private(set) var decryptedPackets = 0
    /// The encrypted packets that no key decrypts.
    package private(set) var undecryptedPackets = 0

    package init(keys: [LongTermKey], crypto: any CryptoProvider) {
        self.keys = keys
        self.crypto = crypto
    }

    /// Returns a recording of `PcapngWriter` with the decrypted packets in place of the encrypted ones.
    package mutating func decrypt(_ recording: [UInt8]) throws(DecryptionError) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(recording.count)
        var position = 0
        while position < recording.count {
            guard let type = Self.read(recording, position), let length = Self.read(recording, position + 4),
                length >= 12, length % 4 == 0, Int(length) <= recording.count - position,
                position > 0 || type == Self.sectionHeader
            else { throw .notARecording }
            let block = recording[position..<position + Int(length)]
            position += Int(length)
            if type != Self.enhancedPacket || !append(block, to: &output) { output += block }
        }
        return output
    }

    /// Appends the block of a packet that was decrypted. Returns false if the block has to stay as it is.
    private mutating func append(_ block: ArraySlice<UInt8>, to output: inout [UInt8]) -> Bool {
        let block = Array(block)
        guard let captured = Self.read(block, 20), Int(captured) <= block.count - Self.blockHeader - 4 else {
            return false
        }
        let end = Self.blockHeader + Int(captured)
        let packet = Array(block[Self.blockHeader..<end])
        guard packet.count >= Self.pseudoHeader + 2 + 3, let accessAddress = Self.read(packet, 10) else { return false }
        let flags = UInt16(packet[8]) | UInt16(packet[9]) << 8
        // The coding indicator precedes the PDU on the Coded PHY.
        let start = Self.pseudoHeader + (flags & Flag.phy == Flag.coded ? 1 : 0)
        guard packet.count >= start + 2 + 3 else { return false }
        let pdu = Array(packet[start..<packet.count - 3])
        if accessAddress == LL.advertisingAccessAddress {
            noteConnection(pdu.span)
            return false
        }
        let direction = flags & Flag.direction
        guard direction == Flag.centralToPeripheral || direction == Flag.peripheralToCentral,
            Int(pdu[1]) == pdu.count - 2
        else { return false }
        let isFromCentral = direction == Flag.centralToPeripheral
        var outcome = DecryptedConnection.Outcome.plain
        if connections[accessAddress] != nil {
            outcome = connections[accessAddress]!.take(pdu, isFromCentral: isFromCentral, keys, crypto)
        }
        switch outcome {
        case .plain: return false
        case .undecrypted:
            undecryptedPackets += 1
            return false
        case .decrypted(let payload):
            decryptedPackets += 1
            var changed = Array(packet[..<start])
            let newFlags = flags | Flag.decrypted | Flag.micIsChecked | Flag.micIsValid
            (changed[8], changed[9]) = (UInt8(newFlags & 0xFF), UInt8(newFlags >> 8))
            let pdu = [pdu[0], UInt8(payload.count)] + payload
            changed += pdu
            let crc = LL.crc(of: pdu.span, initial: connections[accessAddress]?.crcInit ?? 0)
            for shift: UInt32 in [0, 8, 16] { changed.append(UInt8(truncatingIfNeeded: crc >> shift)) }
            Self.append(block, with: changed, after: end, to: &output)
            return true
        }
    }

    private mutating func noteConnection(_ pdu: Span<UInt8>) {
        guard let decoded = try? LL.AdvertisingPDU(decoding: pdu), case .connectInd(_, let request) = decoded else {
            return
        }
        connections[request.accessAddress] = DecryptedConnection(crcInit: request.crcInit)
    }

    // MARK: Blocks

    /// Appends an Enhanced Packet Block with another packet. `end` is the end of the old packet in the block.
    private static func append(
        _ block: [UInt8], with packet: [UInt8], after end: Int, to output: inout [UInt8]
    ) {
        let options = block[min(block.count - 4, (end + 3) & ~3)..<block.count - 4]
        let padding = (4 - packet.count % 4) % 4
        let length = UInt32(Self.blockHeader + packet.count + padding + options.count + 4)
        output.append(littleEndian: Self.enhancedPacket)
        output.append(littleEndian: length)
        output += block[8..<20]
        output.append(littleEndian: UInt32(packet.count))
        output.append(littleEndian: UInt32(packet.count))
        output += packet
        output += [UInt8](repeating: 0, count: padding)
        output += options
        output.append(littleEndian: length)
    }

    private static func read(_ octets: [UInt8], _ position: Int) -> UInt32? {
        guard position + 4 <= octets.count else { return nil }
        return (0..<4).reduce(0) { $0 | UInt32(octets[position + $1]) << UInt32(8 * $1) }
    }
}

/// The encryption of one recorded connection, as an observer of both ends derives it (Vol 6, Part B, 5.1.3).
private struct DecryptedConnection {
    enum Outcome {
        /// The packet is not encrypted, or has no payload.
        case plain
        case undecrypted
        case decrypted([UInt8])
    }

    /// The packets of one end.
    private struct Direction {
        /// Whether the next new packet is encrypted.
        var isEncrypted = false
        var counter: UInt64 = 0
        var lastSequence: UInt8?
        /// The state of the last packet, for its retransmissions.
        var lastWasEncrypted = false
        var lastCounter: UInt64 = 0
    }

    let crcInit: UInt32
    private var central = Direction()
    private var peripheral = Direction()
    private var centralPart: LL.SessionPart?
    private var vector: UInt64 = 0
    /// The ciphers of the keys that may belong to the session; one after the first decrypted packet.
    private var ciphers: [any PacketCipher] = []

    init(crcInit: UInt32) { self.crcInit = crcInit }

    mutating func take(
        _ pdu: [UInt8], isFromCentral: Bool, _ keys: [LongTermKey], _ crypto: any CryptoProvider
    ) -> Outcome {
        var direction = isFromCentral ? central : peripheral
        let sequence = pdu[0] & 0x08
        let isNew = direction.lastSequence != sequence
        let payload = Array(pdu.dropFirst(2))
        if isNew {
            direction.lastSequence = sequence
            direction.lastWasEncrypted = direction.isEncrypted && !payload.isEmpty
            direction.lastCounter = direction.counter
            if direction.lastWasEncrypted { direction.counter += 1 }
        }
        if isFromCentral { central = direction } else { peripheral = direction }
        guard direction.lastWasEncrypted, !payload.isEmpty else {
            if isNew, pdu[0] & 3 == 3 { note(payload, isFromCentral: isFromCentral, keys, crypto) }
            return .plain
        }
        let nonce = PacketNonce(
            counter: direction.lastCounter, isFromCentral: isFromCentral, initializationVector: vector)
        guard let plain = open(payload, nonce, header: pdu[0]) else { return .undecrypted }
        if isNew, pdu[0] & 3 == 3 { note(plain, isFromCentral: isFromCentral, keys, crypto) }
        return .decrypted(plain)
    }

    private mutating func open(_ payload: [UInt8], _ nonce: PacketNonce, header: UInt8) -> [UInt8]? {
        guard payload.count > LL.micLength else { return nil }
        let mic = payload.suffix(LL.micLength).reversed().reduce(0 as UInt32) { $0 << 8 | UInt32($1) }
        for cipher in ciphers {
            var plain = Array(payload.dropLast(LL.micLength))
            var span = plain.mutableSpan
            guard cipher.open(&span, nonce: nonce, header: header, mic: mic) else { continue }
            ciphers = [cipher]
            return plain
        }
        return nil
    }

    /// Follows the encryption procedures.
    private mutating func note(
        _ payload: [UInt8], isFromCentral: Bool, _ keys: [LongTermKey], _ crypto: any CryptoProvider
    ) {
        guard let pdu = try? LL.ControlPDU(decoding: payload.span) else { return }
        switch pdu {
        case .encReq(let request) where isFromCentral: centralPart = request.part
        case .encRsp(let response) where !isFromCentral:
            guard let centralPart else { return }
            vector = UInt64(response.part.vector) << 32 | UInt64(centralPart.vector)
            let diversifier = UInt128(response.part.diversifier) << 64 | UInt128(centralPart.diversifier)
            ciphers = keys.map { crypto.packetCipher(key: crypto.encrypt(diversifier, key: $0.value)) }
            (central.counter, peripheral.counter) = (0, 0)
        case .startEncReq where !isFromCentral: (central.isEncrypted, peripheral.isEncrypted) = (true, true)
        case .pauseEncRsp: if isFromCentral { peripheral.isEncrypted = false } else { central.isEncrypted = false }
        default: break
        }
    }
}
