import BLEWire
import Testing

@testable import StudioServer

@Suite struct WebSocketReaderTests {
    private func events(_ octets: [UInt8], limit: Int = 1000) throws(WebSocketError) -> [WebSocketReader.Event] {
        var reader = WebSocketReader(messageLimit: limit)
        reader.receive(octets.span)
        var events: [WebSocketReader.Event] = []
        while let event = try reader.next() { events.append(event) }
        return events
    }

    /// A frame of a client with the mask 1, 2, 3, 4.
    private func frame(_ first: UInt8, _ payload: [UInt8], length: [UInt8]? = nil) -> [UInt8] {
        let size: [UInt8] =
            payload.count < 126
            ? [UInt8(payload.count)] : [126, UInt8(payload.count >> 8), UInt8(truncatingIfNeeded: payload.count)]
        let head = [first] + (length ?? [size[0] | 0x80] + size.dropFirst())
        return head + [1, 2, 3, 4] + payload.enumerated().map { $1 ^ UInt8($0 & 3 + 1) }
    }

    @Test(arguments: [0, 1, 125, 126, 900])
    func aTextOfEachLengthIsRead(_ length: Int) throws {
        let text = String(repeating: "a", count: length)
        #expect(try events(frame(0x81, Array(text.utf8))) == [.text(text)])
    }

    @Test func framesInSingleOctetsAreTheSame() throws {
        let octets = frame(0x81, Array("größe".utf8)) + frame(0x89, [7]) + frame(0x88, [3, 0xE8])
        var reader = WebSocketReader(messageLimit: 100)
        var events: [WebSocketReader.Event] = []
        for octet in octets {
            reader.receive([octet].span)
            while let event = try reader.next() { events.append(event) }
        }
        #expect(events == [.text("größe"), .ping([7]), .close(1000)])
        #expect(reader.keptOctets == 0)
    }

    @Test func aMessageInPartsMayHaveAPingBetweenThem() throws {
        // The second part begins within a character.
        let octets = frame(0x01, [0xC3]) + frame(0x8A, []) + frame(0x00, [0xBC]) + frame(0x80, [0x61])
        #expect(try events(octets) == [.pong, .text("üa")])
    }

    @Test func aLengthIsCheckedBeforeTheOctetsArrive() {
        let huge: [UInt8] = [0x81, 0xFF, 0x10, 0, 0, 0, 0, 0, 0, 0]
        #expect(throws: WebSocketError(.messageTooBig)) { try events(huge) }
        #expect(throws: WebSocketError(.messageTooBig)) { try events([0x81, 0xFE, 0x03, 0xE9]) }
        #expect(throws: WebSocketError(.protocolError)) {
            try events([0x81, 0xFF] + [UInt8](repeating: 0xFF, count: 8))
        }
    }

    @Test func thePartsOfAMessageTogetherAreBounded() {
        let part = [UInt8](repeating: 0x61, count: 600)
        #expect(throws: WebSocketError(.messageTooBig)) { try events(frame(0x01, part) + frame(0x00, part)) }
    }

    @Test func emptyPartsOfAMessageAreBounded() throws {
        let parts = [[UInt8]](repeating: frame(0x00, []), count: 1023).flatMap { $0 }
        #expect(try events(frame(0x01, [0x61]) + parts + frame(0x80, [0x62])) == [.text("ab")])
        #expect(throws: WebSocketError(.messageTooBig)) {
            try events(frame(0x01, [0x61]) + parts + frame(0x00, []) + frame(0x80, [0x62]))
        }
    }

    @Test func invalidTextIsRefused() {
        for octets: [UInt8] in [[0xFF], [0xC3], [0xED, 0xA0, 0x80], [0xC0, 0x80], [0xF5, 0x80, 0x80, 0x80]] {
            #expect(throws: WebSocketError(.invalidText)) { try events(frame(0x81, octets)) }
        }
    }

    @Test(
        arguments: [
            // Reserved bits, no mask, reserved opcodes, a control frame in parts, one that is too long, a continuation of nothing.
            [0xC1, 0x80, 0, 0, 0, 0], [0x81, 0x00], [0x83, 0x80, 0, 0, 0, 0], [0x8B, 0x80, 0, 0, 0, 0],
            [0x09, 0x80, 0, 0, 0, 0],
            [0x89, 0xFE, 0, 126], [0x80, 0x80, 0, 0, 0, 0], [0x01, 0x80, 0, 0, 0, 0, 0x81, 0x80, 0, 0, 0, 0],
            // A length that is not the shortest form; a close frame with one octet.
            [0x81, 0xFE, 0, 125], [0x81, 0xFF, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF], [0x88, 0x81, 0, 0, 0, 0, 3],
        ] as [[UInt8]])
    func aFrameThatTheProtocolForbidsIsRefused(_ octets: [UInt8]) {
        #expect(throws: WebSocketError(.protocolError)) { try events(octets) }
    }

    @Test func binaryMessagesAreRefused() {
        #expect(throws: WebSocketError(.unsupportedData)) { try events(frame(0x82, [1])) }
    }

    @Test func randomOctetsNeverTrap() {
        var random = SeededRandom(seed: 1)
        var (taken, refused) = (0, 0)
        for number in 0..<4000 {
            let octets = (0..<Int.random(in: 1...64, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            // Half of them have the head of a frame.
            let head = UInt8.random(in: 0x80...0x8A, using: &random)
            do {
                _ = try events(number % 2 == 0 ? octets : frame(head, octets.map { $0 & 0x7F }))
                taken += 1
            } catch {
                refused += 1
            }
        }
        #expect(taken > 300 && refused > 1000, "\(taken) \(refused)")
    }
}
