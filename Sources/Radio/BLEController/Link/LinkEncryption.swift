import BLEWire

/// One end of an encrypted session: the cipher, the initialization vector, the packet counter of each direction, and the encrypted
/// PDU that is not acknowledged (Vol 6, Part B, 5.1.3.1; Part E, 2). `EncryptionProcedure` determines when a direction uses it.
struct LinkEncryption {
    /// The state of a session, which a link without encryption does not have.
    private final class Session {
        let cipher: any PacketCipher
        let vector: UInt64
        // A counter has 39 bits, which one link cannot exhaust: at one PDU in 300 us they last for five years.
        var sentCount: UInt64 = 0
        var receivedCount: UInt64 = 0
        /// The payload and the MIC of the last encrypted PDU. A retransmission has the same octets, because it uses the same packet
        /// counter (Vol 6, Part B, 4.5.9).
        var sealed: [UInt8] = []
        var authenticatedFrom = Instant.zero

        init(_ cipher: any PacketCipher, vector: UInt64) {
            self.cipher = cipher
            self.vector = vector
        }
    }

    private var session: Session?
    /// The authenticated payload timeout, in units of 10 ms (Vol 6, Part B, 5.4).
    var payloadTimeout: UInt16 = 3000

    /// The start of the authenticated payload timeout: the last PDU with a valid MIC, or the last expiration (Vol 6, Part B, 5.4).
    var authenticatedFrom: Instant {
        get { session?.authenticatedFrom ?? .zero }
        nonmutating set { session?.authenticatedFrom = newValue }
    }

    /// Begins a session with both packet counters at 0.
    mutating func begin(_ cipher: any PacketCipher, vector: UInt64) {
        let sealed = session?.sealed ?? []
        session = Session(cipher, vector: vector)
        // An unacknowledged PDU of the session before may be repeated.
        session?.sealed = sealed
    }

    /// Encrypts the payload of a new data PDU for `appendSealed`.
    ///
    /// - Parameter header: The first octet of the PDU's header.
    func seal(_ payload: Span<UInt8>, header: UInt8, from role: HCI.Role) {
        guard let session else { return }
        var sealed: [UInt8] = []
        swap(&sealed, &session.sealed)
        sealed.empty()
        sealed.append(payload)
        let nonce = PacketNonce(
            counter: session.sentCount, isFromCentral: role == .central, initializationVector: session.vector)
        session.sentCount += 1
        var octets = sealed.mutableSpan
        let mic = session.cipher.seal(&octets, nonce: nonce, header: header)
        for shift in stride(from: 0, to: 32, by: 8) { sealed.append(UInt8(truncatingIfNeeded: mic >> UInt32(shift))) }
        swap(&sealed, &session.sealed)
    }

    /// Appends the payload and the MIC of the PDU that `seal` encrypted last.
    func appendSealed(to pdu: inout [UInt8]) {
        if let session { pdu.append(contentsOf: session.sealed) }
    }

    /// Decrypts a new data PDU of the peer. Returns false if the MIC does not match, or if there is none.
    ///
    /// - Parameters:
    ///   - payload: The received payload with its MIC.
    ///   - header: The first octet of the PDU's header.
    ///   - plaintext: An empty buffer for the payload without the MIC.
    func open(
        _ payload: Span<UInt8>, header: UInt8, from role: HCI.Role, into plaintext: inout [UInt8]
    ) -> Bool {
        guard let session, payload.count > LL.micLength else { return false }
        let count = payload.count - LL.micLength
        var mic: UInt32 = 0
        for index in 0..<LL.micLength { mic |= UInt32(payload[count + index]) << UInt32(8 * index) }
        plaintext.append(payload.extracting(first: count))
        let nonce = PacketNonce(
            counter: session.receivedCount, isFromCentral: role == .central, initializationVector: session.vector)
        session.receivedCount += 1
        var octets = plaintext.mutableSpan
        return session.cipher.open(&octets, nonce: nonce, header: header, mic: mic)
    }
}
