import BLEController
import BLECrypto
import BLEWire

/// Decrypts the PDUs of a bench's one link without the code of the controllers, which both ends share: the session key from the PDUs
/// of the procedure and the host's key, one packet counter for each direction, and AES-CCM from single blocks (Vol 6, Part B, 5.1.3.1;
/// Part E, 1 and 2; RFC 3610).
final class AirDecryptor {
    struct PDU: Equatable {
        var isFromCentral: Bool
        var kind: UInt8
        var payload: [UInt8]
    }

    /// The decrypted PDUs. A PDU whose MIC does not match is in `failures`.
    private(set) var decrypted: [PDU] = []
    /// The packet counters of the PDUs whose MIC does not match.
    private(set) var failures: [UInt64] = []
    /// The packet counters of the next PDUs of both directions.
    private(set) var counters: (central: UInt64, peripheral: UInt64) = (0, 0)
    /// The encrypted sessions that have begun.
    private(set) var sessions = 0
    /// The long term keys of the next sessions.
    var keys: [UInt128]
    /// Decrypts the PDUs with these packet counters, and counts the others.
    var range: ClosedRange<UInt64> = 0...UInt64.max

    private let crypto = SwiftCryptoProvider(generator: SeededRandom(seed: 0))
    private var isEncrypted = false
    private var sessionKey: UInt128 = 0
    /// IVc and IVp, as they are on the air.
    private var vector = [UInt8](repeating: 0, count: 8)
    private var diversifier = [UInt8](repeating: 0, count: 16)
    private var sequences: [Bool: UInt8] = [:]

    /// - Parameter keys: The key of each session, in the order of the sessions.
    init(_ bench: Bench, of central: RawHost, keys: [UInt128]) {
        self.keys = keys
        let identifier = central.identifier
        bench.radio.airObserver = { [unowned self] packet in
            guard packet.channel < 37, packet.pdu.count >= 2 else { return }
            take([UInt8](packet.pdu), isFromCentral: packet.sender == identifier)
        }
    }

    private func take(_ pdu: [UInt8], isFromCentral: Bool) {
        // A retransmission has the sequence number of the PDU before.
        let sequence = pdu[0] & 8
        defer { sequences[isFromCentral] = sequence }
        guard sequences[isFromCentral] != sequence, pdu.count > 2 else { return }
        let payload = Array(pdu[2...])
        guard isEncrypted else { return takePlain(payload, pdu[0]) }
        let counter = isFromCentral ? counters.central : counters.peripheral
        if isFromCentral { counters.central += 1 } else { counters.peripheral += 1 }
        guard range.contains(counter) || pdu[0] & 3 == 3 else { return }
        guard let plain = open(payload, header: pdu[0], counter, isFromCentral) else { return failures.append(counter) }
        decrypted.append(PDU(isFromCentral: isFromCentral, kind: pdu[0] & 3, payload: plain))
        // The peripheral's LL_PAUSE_ENC_RSP is the last encrypted PDU.
        if pdu[0] & 3 == 3, plain[0] == 0x0B, !isFromCentral { isEncrypted = false }
    }

    private func takePlain(_ payload: [UInt8], _ header: UInt8) {
        guard header & 3 == 3 else { return }
        switch (payload[0], payload.count) {
        case (0x03, 23):
            // LL_ENC_REQ: Rand, EDIV, SKDc, IVc.
            diversifier.replaceSubrange(0..<8, with: payload[11..<19])
            vector.replaceSubrange(0..<4, with: payload[19..<23])
        case (0x04, 13):
            // LL_ENC_RSP: SKDp, IVp.
            diversifier.replaceSubrange(8..<16, with: payload[1..<9])
            vector.replaceSubrange(4..<8, with: payload[9..<13])
        case (0x05, 1):
            // LL_START_ENC_REQ: the next PDUs of both sides are encrypted.
            guard !keys.isEmpty else { return }
            sessionKey = crypto.encrypt(Self.number(diversifier.reversed()), key: keys.removeFirst())
            counters = (0, 0)
            sessions += 1
            isEncrypted = true
        default: break
        }
    }

    private func open(_ sealed: [UInt8], header: UInt8, _ counter: UInt64, _ isFromCentral: Bool) -> [UInt8]? {
        guard sealed.count > 4 else { return nil }
        let count = sealed.count - 4
        var nonce = (0..<5).map { UInt8(truncatingIfNeeded: counter >> UInt64(8 * $0)) }
        nonce[4] = nonce[4] & 0x7F | (isFromCentral ? 0x80 : 0)
        nonce += vector
        func stream(_ number: Int) -> [UInt8] { encrypt([0x01] + nonce + [0, UInt8(number)]) }
        var plain: [UInt8] = []
        for (number, start) in stride(from: 0, to: count, by: 16).enumerated() {
            let block = stream(number + 1)
            for index in start..<min(count, start + 16) { plain.append(sealed[index] ^ block[index - start]) }
        }
        // The blocks of the MIC: the length, the header without NESN, SN and MD, and the payload.
        var chain = encrypt([0x49] + nonce + [0, UInt8(count)])
        chain = encrypt(Self.sum(chain, [0, 1, header & 0xE3]))
        for start in stride(from: 0, to: count, by: 16) {
            chain = encrypt(Self.sum(chain, Array(plain[start..<min(count, start + 16)])))
        }
        let mask = stream(0)
        for index in 0..<4 where sealed[count + index] != chain[index] ^ mask[index] { return nil }
        return plain
    }

    private func encrypt(_ block: [UInt8]) -> [UInt8] {
        let result = crypto.encrypt(Self.number(block), key: sessionKey)
        return (0..<16).map { UInt8(truncatingIfNeeded: result >> UInt128(120 - 8 * $0)) }
    }

    /// The number of octets, the most significant first.
    private static func number(_ octets: some Sequence<UInt8>) -> UInt128 {
        octets.reduce(0) { $0 << 8 | UInt128($1) }
    }

    /// The sum of a block and octets that are filled with zeros.
    private static func sum(_ block: [UInt8], _ octets: [UInt8]) -> [UInt8] {
        block.indices.map { $0 < octets.count ? block[$0] ^ octets[$0] : block[$0] }
    }
}
