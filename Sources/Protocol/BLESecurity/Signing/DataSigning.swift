import BLEWire

/// The signatures of data on links that are not encrypted, with the keys of a bond (Vol 3, Part C, 10.4, and Part H, 2.4.5).
///
/// No counter is used twice with one key, also after a crash: `takeReport` has the counters for the bond store.
package struct DataSigning: Hashable, Sendable {
    /// A counter of 4 octets and a MAC of 8.
    package typealias Signature = InlineArray<12, UInt8>

    /// The number of own counters that a report takes in advance, so that most signatures need no report. After a crash they are left out, which
    /// the peer allows.
    static let reserve: UInt64 = 64

    private let localKey: SignatureKey?
    private let peerKey: SignatureKey?
    private var counters: SignCounters
    /// The counters of the latest report.
    private var reported: SignCounters

    /// Returns nil if the bond has no signature key, or if the counters cannot be decoded: without them a signature could be a repeated one.
    ///
    /// - Parameter octets: The latest report; nil if there is none since the keys were distributed.
    package init?(_ bond: Bond, counters octets: [UInt8]?) {
        guard bond.localSignatureKey != nil || bond.peerSignatureKey != nil else { return nil }
        localKey = bond.localSignatureKey
        peerKey = bond.peerSignatureKey
        guard let counters = octets.map({ try? SignCounters(decoding: $0.span) }) ?? SignCounters() else { return nil }
        self.counters = counters
        reported = counters
    }

    /// Signs a message. Returns nil without a key, or if no counter is left.
    package mutating func sign(_ message: Span<UInt8>, using crypto: any CryptoProvider) -> Signature? {
        guard let localKey, let counter = UInt32(exactly: counters.local) else { return nil }
        counters.local += 1
        return Self.signature(of: message, counter, localKey, crypto)
    }

    /// Verifies a signature of the peer. One with the counter of an earlier message, or a lower one, is refused: it is a repeated message.
    package mutating func verify(
        _ message: Span<UInt8>, _ signature: Signature, using crypto: any CryptoProvider
    ) -> Bool {
        guard let peerKey else { return false }
        var counter: UInt32 = 0
        for index in (0..<4).reversed() { counter = counter << 8 | UInt32(signature[index]) }
        guard UInt64(counter) >= counters.peer else { return false }
        let expected = Self.signature(of: message, counter, peerKey, crypto)
        var difference: UInt8 = 0
        for index in expected.indices { difference |= expected[index] ^ signature[index] }
        guard difference == 0 else { return false }
        counters.peer = UInt64(counter) + 1
        return true
    }

    /// The counters to keep with the bond, before a message leaves or is delivered; nil if the latest report covers them.
    package mutating func takeReport() -> [UInt8]? {
        guard counters.local > reported.local || counters.peer != reported.peer else { return nil }
        if counters.local > reported.local {
            reported.local = min(counters.local + Self.reserve - 1, SignCounters.limit)
        }
        reported.peer = counters.peer
        return reported.octets
    }

    /// AES-CMAC takes the most significant octet first: the counter, then the last octet of the message (Part H, 2.4.5). The 64 most significant
    /// bits of the code follow the counter, least significant octet first (Part C, 10.4.1).
    static func signature(
        of message: Span<UInt8>, _ counter: UInt32, _ key: SignatureKey, _ crypto: any CryptoProvider
    ) -> Signature {
        var octets: [UInt8] = []
        octets.reserveCapacity(4 + message.count)
        for index in (0..<4).reversed() { octets.append(UInt8(truncatingIfNeeded: counter >> UInt32(8 * index))) }
        for index in message.indices.reversed() { octets.append(message[index]) }
        let code = crypto.authenticationCode(of: octets.span, key: key.value)
        var signature = Signature(repeating: 0)
        for index in 0..<4 { signature[index] = UInt8(truncatingIfNeeded: counter >> UInt32(8 * index)) }
        for index in 0..<8 { signature[4 + index] = UInt8(truncatingIfNeeded: code >> UInt128(64 + 8 * index)) }
        return signature
    }
}
