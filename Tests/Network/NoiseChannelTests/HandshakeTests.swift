import NoiseChannel
import Testing

func octets(_ text: String) -> [UInt8] {
    let digits = text.compactMap(\.hexDigitValue)
    return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
}

func expectError(_ expected: NoiseError, _ body: () throws -> Void) {
    #expect(throws: expected, performing: body)
}

struct HandshakeTests {
    private let key = PreSharedKey(octets: Array(1...32))!
    private let prologue = Array("NoiseAPIInit\0\0".utf8)
    private let first = EphemeralKey(octets: Array(33...64))!
    private let second = EphemeralKey(octets: Array(65...96))!

    private func pair(responderKey: PreSharedKey? = nil) -> (HandshakeState, HandshakeState) {
        (
            HandshakeState(role: .initiator, key: key, prologue: prologue, ephemeralKey: first),
            HandshakeState(role: .responder, key: responderKey ?? key, prologue: prologue, ephemeralKey: second)
        )
    }

    /// The vector of this protocol in the published set of the library cacophony, which other Noise libraries check too.
    @Test func theMessagesMatchThePublishedVector() throws {
        let psk = try #require(
            PreSharedKey(octets: octets("54686973206973206d7920417573747269616e20706572737065637469766521")))
        let prologue = octets("4a6f686e2047616c74")
        var initiator = HandshakeState(
            role: .initiator, key: psk, prologue: prologue,
            ephemeralKey: try #require(
                EphemeralKey(octets: octets("893e28b9dc6ca8d611ab664754b8ceb7bac5117349a4439a6b0569da977c464a"))))
        var responder = HandshakeState(
            role: .responder, key: psk, prologue: prologue,
            ephemeralKey: try #require(
                EphemeralKey(octets: octets("bbdb4cdbd309f1a1f2e1456967fe288cadd6f712d65dc7b7793d5e63da6b375b"))))
        let payloads = [
            "4c756477696720766f6e204d69736573", "4d757272617920526f746862617264", "462e20412e20486179656b",
            "4361726c204d656e676572", "4a65616e2d426170746973746520536179",
            "457567656e2042f6686d20766f6e2042617765726b",
        ].map(octets)
        let messages = [
            """
            ca35def5ae56cec33dc2036731ab14896bc4c75dbb07a61f879f8e3afa4c794479b962b8aff8485742ac32f905ba4536
            9e2465fb59e138a93d67a0d1266b6a54
            """,
            """
            95ebc60d2b1fa672c1f46a8aa265ef51bfe38e7ccb39ec5be34069f144808843d6062704d5a9c422a8e834423f8c1fea
            da7e8d0d910a1a2cd030fb584221e3
            """,
            "e632c3763d7669067383433197a3baddf146e9e70ad4b4e9e59e0f",
            "64c6bee32ea91c8474bb4c21d7a700109ad45af77b29764ba5eb1e",
            "e2fa0bed0603b62d3ccac2ecabbf3fe33f3e86514909b323361626266cb2471cc8",
            "0c01dc9cec1fe4ddd692e8dd32188aa351088dc91183639a53b57aa4692b5ebdef8b8ca111",
        ].map(octets)

        #expect(try initiator.writeMessage(payload: payloads[0]) == messages[0])
        #expect(try responder.readMessage(messages[0]) == payloads[0])
        #expect(try responder.writeMessage(payload: payloads[1]) == messages[1])
        #expect(try initiator.readMessage(messages[1]) == payloads[1])
        let binding = octets("f4d03dc34495c95729ea6de9e1b59004b59733102488b3e24bc441e0be208eaf")
        #expect(initiator.channelBinding == binding)
        #expect(responder.channelBinding == binding)

        var left = try initiator.ciphers()
        var right = try responder.ciphers()
        for index in payloads.indices.dropFirst(2) {
            var sealed: [UInt8] = []
            let payload = payloads[index]
            if index.isMultiple(of: 2) {
                try left.sending.seal(payload.span, into: &sealed)
                #expect(try right.receiving.open(sealed.span) == payloads[index])
            } else {
                try right.sending.seal(payload.span, into: &sealed)
                #expect(try left.receiving.open(sealed.span) == payloads[index])
            }
            #expect(sealed == messages[index])
        }
    }

    @Test func anotherKeyIsRefusedInTheFirstMessage() throws {
        var (initiator, responder) = pair(responderKey: PreSharedKey(octets: Array(repeating: 7, count: 32)))
        let message = try initiator.writeMessage()
        expectError(.authentication) { _ = try responder.readMessage(message) }
        expectError(.outOfOrder) { _ = try responder.writeMessage() }
    }

    @Test func anotherPrologueIsRefused() throws {
        var initiator = HandshakeState(role: .initiator, key: key, prologue: [1], ephemeralKey: first)
        var responder = HandshakeState(role: .responder, key: key, prologue: [2], ephemeralKey: second)
        let message = try initiator.writeMessage()
        expectError(.authentication) { _ = try responder.readMessage(message) }
    }

    /// A recorded first message opens a second handshake, and no message of the recording fits the keys of that one.
    @Test func aReplayedChannelDoesNotOpen() throws {
        var (initiator, responder) = pair()
        let hello = try initiator.writeMessage()
        _ = try responder.readMessage(hello)
        let answer = try responder.writeMessage()
        _ = try initiator.readMessage(answer)
        var sending = try initiator.ciphers().sending
        var recorded: [UInt8] = []
        let payload: [UInt8] = [1, 2, 3]
        try sending.seal(payload.span, into: &recorded)

        var other = HandshakeState(
            role: .responder, key: key, prologue: prologue,
            ephemeralKey: try #require(EphemeralKey(octets: Array(97...128))))
        _ = try other.readMessage(hello)
        _ = try other.writeMessage()
        var receiving = try other.ciphers().receiving
        expectError(.authentication) { _ = try receiving.open(recorded.span) }
        #expect(receiving.nextNonce == 0)
    }

    @Test(arguments: 0..<48) func eachTruncatedMessageIsRefused(length: Int) throws {
        var (initiator, responder) = pair()
        let message = Array(try initiator.writeMessage().prefix(length))
        expectError(.truncated) { _ = try responder.readMessage(message) }
    }

    @Test(arguments: 0..<48) func eachChangedOctetIsRefused(index: Int) throws {
        var (initiator, responder) = pair()
        var message = try initiator.writeMessage()
        message[index] ^= 1
        expectError(.authentication) { _ = try responder.readMessage(message) }
    }

    /// The low order point 0 passes the first message, which only hashes it.
    @Test func aPublicKeyOfSmallOrderIsRefused() throws {
        let zero = [UInt8](repeating: 0, count: 64)
        var (initiator, _) = pair()
        _ = try initiator.writeMessage()
        expectError(.invalidPublicKey) { _ = try initiator.readMessage(zero) }
    }

    @Test func messagesThatAreTooLongAreRefused() throws {
        let long = [UInt8](repeating: 0, count: 65_536)
        var (initiator, responder) = pair()
        expectError(.tooLong) { _ = try initiator.writeMessage(payload: Array(long.dropLast(48))) }
        expectError(.tooLong) { _ = try responder.readMessage(long) }
        var (longest, reader) = pair()
        let payload = Array(long.dropLast(49))
        let message = try longest.writeMessage(payload: payload)
        #expect(message.count == 65_535)
        #expect(try reader.readMessage(message) == payload)
    }

    @Test func stepsHaveAnOrder() throws {
        var (initiator, responder) = pair()
        expectError(.outOfOrder) { _ = try responder.writeMessage() }
        expectError(.outOfOrder) { _ = try initiator.ciphers() }
        let message = try initiator.writeMessage()
        expectError(.outOfOrder) { _ = try initiator.writeMessage() }
        #expect(initiator.channelBinding == nil)
        expectError(.outOfOrder) { _ = try initiator.readMessage(message) }
    }
}
