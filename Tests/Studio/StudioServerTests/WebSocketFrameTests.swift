import Foundation
import LocalHTTP
import Testing

@testable import StudioServer

/// Frames of the server and the opening handshake (RFC 6455, 4.2 and 5.2).
@Suite struct WebSocketFrameTests {
    /// The length takes one octet up to 125, three up to 65,535, and nine beyond it, the most significant octet first.
    @Test(
        arguments: [
            (0, [0]), (1, [1]), (125, [125]), (126, [126, 0, 126]), (255, [126, 0, 255]), (256, [126, 1, 0]),
            (0xFFFF, [126, 0xFF, 0xFF]), (0x1_0000, [127, 0, 0, 0, 0, 0, 1, 0, 0]),
            (0x12_3456, [127, 0, 0, 0, 0, 0, 0x12, 0x34, 0x56]),
        ] as [(Int, [UInt8])])
    func theHeadHasTheLength(count: Int, length: [UInt8]) {
        let text = String(repeating: "a", count: count)
        let payload = [UInt8](repeating: 0x61, count: count)
        let isText = WebSocketFrame.text(text) == [0x81] + length + payload
        let isPong = WebSocketFrame.pong(payload) == [0x8A] + length + payload
        #expect(isText && isPong)
    }

    @Test func aCloseFrameHasItsCodeAndReason() {
        #expect(WebSocketFrame.close(1000) == [0x88, 2, 0x03, 0xE8])
        #expect(WebSocketFrame.close(0x1234, reason: "no") == [0x88, 4, 0x12, 0x34, 0x6E, 0x6F])
        let reason = String(repeating: "x", count: 123)
        #expect(WebSocketFrame.close(1001, reason: reason).prefix(4) == [0x88, 125, 0x03, 0xE9])
        #expect(
            [WebSocketCloseCode.normal, .goingAway, .protocolError, .unsupportedData, .invalidText, .policyViolation]
                .map(\.rawValue) == [1000, 1001, 1002, 1003, 1007, 1008])
        #expect([WebSocketCloseCode.messageTooBig, .tryAgainLater].map(\.rawValue) == [1009, 1013])
    }

    private let right = [
        "connection": "keep-alive, Upgrade", "upgrade": "WebSocket", "sec-websocket-version": "13",
        "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
    ]

    private func answer(_ headers: [String: String?]) -> HTTPResponse? {
        WebSocketHandshake.response(
            to: HTTPRequest(method: "GET", path: "/", headers: headers.compactMapValues { $0 }))
    }

    /// The example of RFC 6455, 1.3.
    @Test func theHandshakeProvesThatTheServerRead() throws {
        let response = try #require(answer(right))
        #expect(response.status == .switchingProtocols)
        let fields = Dictionary(response.headers.map { ($0.name.lowercased(), $0.value) }) { first, _ in first }
        #expect(
            fields == [
                "upgrade": "websocket", "connection": "Upgrade",
                "sec-websocket-accept": "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=",
            ])
    }

    @Test(
        arguments: [
            ("connection", nil), ("connection", "keep-alive"), ("upgrade", nil), ("upgrade", "h2c"),
            ("upgrade", "websocket, h2c"),
            ("sec-websocket-version", nil), ("sec-websocket-version", "12"), ("sec-websocket-version", "8"),
            ("sec-websocket-key", nil), ("sec-websocket-key", ""), ("sec-websocket-key", "no base64"),
            ("sec-websocket-key", "dGhlIHNhbXBsZSBub25j"), ("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZWU="),
        ] as [(String, String?)])
    func eachFieldOfTheHandshakeIsNeeded(field: String, value: String?) {
        var headers: [String: String?] = right.mapValues { $0 }
        headers[field] = .some(value)
        #expect(answer(headers) == nil)
    }

    // MARK: The reader

    private func frame(_ first: UInt8, _ payload: [UInt8], mask: [UInt8] = [9, 8, 7, 6]) -> [UInt8] {
        let length: [UInt8] =
            switch payload.count {
            case ..<126: [0x80 | UInt8(payload.count)]
            case ..<0x1_0000: [0xFE, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)]
            default:
                [0xFF, 0, 0, 0, 0] + [24, 16, 8, 0].map { UInt8(payload.count >> $0 & 0xFF) }
            }
        return [first] + length + mask + payload.enumerated().map { $1 ^ mask[$0 % 4] }
    }

    private func events(_ reader: inout WebSocketReader) throws -> [WebSocketReader.Event] {
        var events: [WebSocketReader.Event] = []
        while let event = try reader.next() { events.append(event) }
        return events
    }

    /// Frames with each form of the length, at its limits and beside them, one after the other in one reader.
    @Test(arguments: [Int.max, 4096, 13]) func framesOfEachLengthFollowEachOther(part: Int) throws {
        var reader = WebSocketReader(messageLimit: 200_000)
        let counts = [0, 1, 125, 126, 127, 255, 256, 65_535, 65_536, 65_537, 200_000, 3]
        let octets = counts.enumerated().flatMap { frame(0x81, [UInt8](repeating: UInt8(0x61 + $0), count: $1)) }
        var lengths: [Int] = []
        for start in stride(from: 0, to: octets.count, by: min(part, octets.count)) {
            let some = Array(octets[start...].prefix(part))
            reader.receive(some.span)
            for event in try events(&reader) {
                guard case .text(let text) = event else { throw TestError("\(event)") }
                let letter = UInt8(0x61 + lengths.count)
                let isRight = text.utf8.allSatisfy { $0 == letter }
                #expect(isRight)
                lengths.append(text.utf8.count)
            }
        }
        #expect(lengths == counts && reader.keptOctets == 0)
    }

    /// The limit is for the whole message, and control frames do not count.
    @Test func theLimitIsForTheWholeMessage() throws {
        let half = [UInt8](repeating: 0x61, count: 500)
        for (last, isAllowed) in [(499, true), (500, true), (501, false)] {
            var reader = WebSocketReader(messageLimit: 1000)
            let end = frame(0x80, [UInt8](repeating: 0x62, count: last))
            reader.receive((frame(0x01, half) + frame(0x89, [UInt8](repeating: 1, count: 125)) + end).span)
            let found = try? events(&reader)
            #expect((found?.count == 2) == isAllowed, "\(last)")
        }
        // Again and again: what was read does not count.
        var reader = WebSocketReader(messageLimit: 1000)
        for round in 0..<200 {
            reader.receive((frame(0x01, half) + frame(0x80, half)).span)
            #expect(try events(&reader) == [.text(String(repeating: "a", count: 1000))], "round \(round)")
            #expect(reader.keptOctets == 0)
        }
        // The fragments of each message are counted from its beginning.
        for _ in 0..<3 {
            reader.receive(
                (frame(0x01, [0x61]) + (0..<1000).flatMap { _ in frame(0x00, []) } + frame(0x80, [0x62])).span)
            #expect(try events(&reader) == [.text("ab")])
        }
    }

    /// The octets that wait are those of a frame that is not whole, and of a message that is not.
    @Test func theKeptOctetsAreThoseThatWait() throws {
        var reader = WebSocketReader(messageLimit: 1000)
        let whole = frame(0x81, [UInt8](repeating: 0x61, count: 200))
        for round in 0..<3 {
            for count in [1, 2, 3, 7, 8, 100, whole.count - 1] {
                let (beginning, end) = (Array(whole.prefix(count)), Array(whole.dropFirst(count)))
                reader.receive(beginning.span)
                #expect(try events(&reader).isEmpty && reader.keptOctets == count, "round \(round)")
                reader.receive(end.span)
                #expect(try events(&reader).count == 1 && reader.keptOctets == 0, "round \(round)")
            }
            reader.receive(frame(0x01, [1, 2, 3]).span)
            #expect(try events(&reader).isEmpty && reader.keptOctets == 3)
            reader.receive(frame(0x80, [4]).span)
            #expect(try events(&reader) == [.text("\u{1}\u{2}\u{3}\u{4}")] && reader.keptOctets == 0)
        }
    }

    /// A code has two octets, and the reason is text.
    @Test func aCloseFrameOfAPageIsRead() throws {
        for (payload, code) in [
            ([], nil), ([3, 0xE8], 1000), ([0x12, 0x34], 0x1234), ([0x0B, 0xB8], 3000), ([3, 0xE9, 0x68, 0x69], 1001),
        ]
            as [([UInt8], UInt16?)]
        {
            var reader = WebSocketReader(messageLimit: 1000)
            reader.receive(frame(0x88, payload).span)
            #expect(try events(&reader) == [.close(code)])
        }
        // Codes that no frame carries: 0, 999, 1004 to 1006, 1015, 2999, 5000 and 65535.
        let invalid: [[UInt8]] = [
            [0, 0], [3, 0xE7], [3, 0xEC], [3, 0xED], [3, 0xEE], [3, 0xF7], [0x0B, 0xB7], [0x13, 0x88], [0xFF, 0xFF],
        ]
        for payload in invalid + [[3], [3, 0xE8, 0xFF], [3, 0xE8, 0x61, 0xC3]] as [[UInt8]] {
            var reader = WebSocketReader(messageLimit: 1000)
            reader.receive(frame(0x88, payload).span)
            #expect(throws: WebSocketError(.protocolError)) { try events(&reader) }
        }
    }
}
