import BLEWire
import NoiseChannel
import Testing

struct CipherTests {
    private func cipher(nextNonce: UInt64 = 0) throws -> NoiseCipher {
        try #require(NoiseCipher(keyOctets: Array(1...32), nextNonce: nextNonce))
    }

    @Test func theLastNonceIsReserved() throws {
        var sender = try cipher(nextNonce: .max - 1)
        var receiver = try cipher(nextNonce: .max - 1)
        var message: [UInt8] = []
        try sender.seal([1].span, into: &message)
        #expect(try receiver.open(message.span) == [1])
        var more: [UInt8] = []
        let payload: [UInt8] = [2]
        expectError(.nonceExhausted) { try sender.seal(payload.span, into: &more) }
        #expect(more.isEmpty)
        expectError(.nonceExhausted) { _ = try receiver.open(message.span) }
        expectError(.nonceExhausted) { _ = try receiver.open(message.span, nonce: .max) }
    }

    @Test func aMessageThatFailsDoesNotAdvanceTheNonce() throws {
        var (sender, receiver) = (try cipher(), try cipher())
        var message: [UInt8] = []
        try sender.seal([1, 2, 3].span, into: &message)
        for index in message.indices {
            var changed = message
            changed[index] ^= 0x80
            expectError(.authentication) { _ = try receiver.open(changed.span) }
        }
        expectError(.truncated) {
            let part = Array(message.prefix(15)); _ = try receiver.open(part.span)
        }
        #expect(try receiver.open(message.span) == [1, 2, 3])
    }

    @Test func aMessageOpensOnce() throws {
        var (sender, receiver) = (try cipher(), try cipher())
        var message: [UInt8] = []
        let empty: [UInt8] = []; try sender.seal(empty.span, into: &message)
        #expect(message.count == 16)
        #expect(try receiver.open(message.span).isEmpty)
        expectError(.authentication) { _ = try receiver.open(message.span) }
    }

    @Test func messagesOpenInAnyOrderByTheirNonce() throws {
        var sender = try cipher()
        let receiver = try cipher()
        var messages: [[UInt8]] = []
        for number in 0..<4 as Range<UInt8> {
            var message: [UInt8] = []
            let payload = [number]
            try sender.seal(payload.span, header: [9], into: &message)
            messages.append(message)
        }
        for number in [2, 0, 3, 1] {
            let message = messages[number]
            let payload = try receiver.open(message.span, nonce: UInt64(number), header: [9])
            #expect(payload == [UInt8(number)])
        }
        let message = messages[1]
        expectError(.authentication) { _ = try receiver.open(message.span, nonce: 1) }
    }

    @Test func lengthsAreBounded() throws {
        var (sender, receiver) = (try cipher(), try cipher())
        let longest = [UInt8](repeating: 5, count: 65_519)
        var message: [UInt8] = []
        expectError(.tooLong) {
            let longer = longest + [0]; try sender.seal(longer.span, into: &message)
        }
        try sender.seal(longest.span, into: &message)
        #expect(message.count == 65_535)
        #expect(try receiver.open(message.span) == longest)
        expectError(.tooLong) {
            let longer = message + [0]; _ = try receiver.open(longer.span)
        }
    }

    @Test func sealingAppends() throws {
        var sender = try cipher()
        var output: [UInt8] = [1, 0, 19]
        try sender.seal([7, 7, 7].span, into: &output)
        #expect(output.count == 3 + 19)
        #expect(output.starts(with: [1, 0, 19]))
    }
}

struct PreSharedKeyTests {
    @Test func theTextIsBase64() throws {
        let key = try #require(PreSharedKey(octets: Array(0..<32)))
        #expect(key.base64Text == "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=")
        #expect(try PreSharedKey(base64: key.base64Text) == key)
        #expect(try PreSharedKey(base64: " \(key.base64Text)\n") == key)
    }

    @Test(arguments: [
        "", "AAEC", "not base64", String(repeating: "A", count: 45), String(repeating: "AAAA", count: 65),
    ])
    func otherTextsAreRefused(text: String) {
        #expect(throws: PreSharedKey.FormatError.malformed) { try PreSharedKey(base64: text) }
    }

    @Test func aKeyOfZerosIsRefused() {
        let zeros = [UInt8](repeating: 0, count: PreSharedKey.octetCount)
        #expect(PreSharedKey(octets: zeros) == nil)
        #expect(throws: PreSharedKey.FormatError.zeros) {
            try PreSharedKey(base64: String(repeating: "A", count: 43) + "=")
        }
    }

    @Test func aKeyIsRandom() {
        var generator = SeededRandom(seed: 1)
        #expect(PreSharedKey(using: &generator) != PreSharedKey(using: &generator))
    }

    /// No way to print a value shows the octets of a key, in base64, hexadecimal or decimal.
    @Test func noDescriptionShowsAKey() throws {
        let octets = [UInt8](repeating: 0xA7, count: 32)
        let key = try #require(PreSharedKey(octets: octets))
        let ephemeral = try #require(EphemeralKey(octets: octets))
        let cipher = try #require(NoiseCipher(keyOctets: octets))
        let handshake = HandshakeState(role: .initiator, key: key, prologue: [], ephemeralKey: ephemeral)
        let values: [Any] = [key, ephemeral, cipher, handshake, [key], ["key": key], Optional(key) as Any]
        for value in values {
            var text = "\(value) \(String(reflecting: value))"
            dump(value, to: &text)
            #expect(!text.contains("p6en"))
            #expect(!text.lowercased().contains("a7a7"))
            #expect(!text.contains("167"))
            #expect(!text.contains(key.base64Text))
        }
    }
}
