import Testing

@testable import NoiseChannel

/// Counters at the edges of their widths and of the window.
@Suite struct CounterTests {
    private let key = [UInt8](repeating: 7, count: 32)
    private let text: [UInt8] = [1, 2, 3]

    /// Nonces go on where a counter of 8, 16 or 32 bits would begin again.
    @Test(arguments: [0, 253, 65_533, UInt64(UInt32.max) - 2, 1 << 48, UInt64.max - 5])
    func aNonceIsUsedOnceWhateverItsWidth(start: UInt64) throws {
        var sender = try #require(NoiseCipher(keyOctets: key, nextNonce: start))
        var receiver = try #require(NoiseCipher(keyOctets: key, nextNonce: start))
        var sealed: Set<[UInt8]> = []
        for step in 0..<5 as Range<UInt64> {
            var message: [UInt8] = []
            try sender.seal(text.span, into: &message)
            sealed.insert(message)
            let opened = try receiver.open(message.span)
            #expect(opened == text && sender.nextNonce == start + step + 1 && receiver.nextNonce == start + step + 1)
            let cipher = receiver
            #expect(try cipher.open(message.span, nonce: start + step) == text)
            for bit in 0..<64 as Range<UInt64> {
                let other = (start + step) ^ (1 << bit)
                #expect(throws: NoiseError.self, "bit \(bit)") { try cipher.open(message.span, nonce: other) }
            }
        }
        #expect(sealed.count == 5, "equal texts leave as different octets")
    }

    @Test func theLastNonceEndsTheChannelForGood() throws {
        var sender = try #require(NoiseCipher(keyOctets: key, nextNonce: .max - 1))
        var receiver = sender
        var message: [UInt8] = []
        try sender.seal(text.span, into: &message)
        #expect(try receiver.open(message.span) == text)
        for _ in 0..<2 {
            var other: [UInt8] = []
            #expect(throws: NoiseError.nonceExhausted) { try sender.seal(text.span, into: &other) }
            #expect(throws: NoiseError.nonceExhausted) { try receiver.open(message.span) }
            #expect(other.isEmpty)
        }
        let end = receiver
        #expect(throws: NoiseError.nonceExhausted) { try end.open(message.span, nonce: .max) }
    }

    /// A window that is full, and a jump: what is new, what was received, and what is too old.
    @Test(
        arguments: [1, 2, 63, 64, 65, 511, 512, 1022, 1023, 1024, 1025, 1087, 2047, 2048, 2049, 100_000],
        [0, 1, 700, UInt64.max - 300_000])
    func aJumpForgetsExactlyWhatLeavesTheWindow(jump: UInt64, start: UInt64) {
        var window = ReplayWindow()
        // Each third counter is missing.
        var seen: Set<UInt64> = []
        for counter in start..<start + 1500 where counter % 3 != 0 {
            window.insert(counter)
            seen.insert(counter)
        }
        for round in 0..<2 {
            let newest = (seen.max() ?? 0) + jump
            #expect(window.accepts(newest))
            window.insert(newest)
            seen.insert(newest)
            var wrong: [UInt64] = []
            let oldest = newest - min(newest, 2200)
            for counter in oldest...newest + 3 {
                let isTooOld = counter <= newest && newest - counter >= ReplayWindow.size
                if window.accepts(counter) != (!isTooOld && !seen.contains(counter)) { wrong.append(counter) }
            }
            #expect(wrong.isEmpty, "round \(round)")
        }
    }
}
