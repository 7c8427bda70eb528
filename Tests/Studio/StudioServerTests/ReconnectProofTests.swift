import Foundation
import Testing

@testable import StudioServer

@Suite(.timeLimit(.minutes(10))) struct ReconnectProofTests {
    private let key = StudioKey()
    private let origin = "http://127.0.0.1:8420"
    private let nonce = String(repeating: "0f", count: 32)

    private struct Answer: Decodable {
        var nonce: String
        var proof: String
    }

    /// The answer of a server to a page's nonce.
    private func answer(_ proof: inout ReconnectProof, to nonce: String) throws -> Answer {
        guard case .answer(let text) = proof.receive(#"{"again":{"nonce":"\#(nonce)"}}"#) else {
            throw TestError("no answer")
        }
        return try JSONDecoder().decode(Answer.self, from: Data(text.utf8))
    }

    private func pageProof(_ key: StudioKey, _ answer: Answer, origin: String, side: StudioKey.Side = .page) -> String {
        let proof = key.proof(of: side, origin: origin, pageNonce: nonce, serverNonce: answer.nonce)
        return #"{"proof":"\#(proof)"}"#
    }

    @Test func bothSidesProveThatTheyHaveTheKey() throws {
        var server = ReconnectProof(key: key, origin: origin)
        let answer = try answer(&server, to: nonce)
        #expect(
            answer.proof == key.proof(of: .server, origin: origin, pageNonce: nonce, serverNonce: answer.nonce))
        let outcome = server.receive(pageProof(key, answer, origin: origin))
        #expect(outcome == .proven)
    }

    @Test func aWrongProofIsRefused() throws {
        for number in 0..<5 {
            var server = ReconnectProof(key: key, origin: origin)
            let answer = try answer(&server, to: nonce)
            let message =
                switch number {
                case 0: pageProof(StudioKey(), answer, origin: origin)
                case 1: pageProof(key, answer, origin: "http://127.0.0.1:8421")
                // The server's own proof, sent back.
                case 2: #"{"proof":"\#(answer.proof)"}"#
                case 3: pageProof(key, answer, origin: origin, side: .server)
                default: #"{"proof":""}"#
                }
            let outcome = server.receive(message)
            #expect(outcome == .refused, "\(number)")
        }
    }

    @Test func aProofServesOnce() throws {
        var first = ReconnectProof(key: key, origin: origin)
        let message = pageProof(key, try answer(&first, to: nonce), origin: origin)
        var second = ReconnectProof(key: key, origin: origin)
        _ = try answer(&second, to: nonce)
        let outcome = second.receive(message)
        #expect(outcome == .refused)
    }

    @Test(arguments: [
        "", "{", "{}", #"{"proof":"00"}"#, #"{"again":{}}"#, #"{"again":{"nonce":"0f"}}"#,
        #"{"again":{"nonce":"\#(String(repeating: "\n", count: 64))"}}"#, #"{"do":"studio.ping","id":1}"#,
    ])
    func aPageThatBeginsInAnotherWayIsRefused(_ text: String) {
        var server = ReconnectProof(key: key, origin: origin)
        let outcome = server.receive(text)
        #expect(outcome == .refused)
    }
}

/// Pages that connect again, over sockets.
@Suite(.timeLimit(.minutes(10))) struct ReconnectionRealTimeTests {
    private let hub = StudioHub()
    private let server: StudioWebServer
    private let key = StudioKey()
    private let nonce = String(repeating: "0f", count: 32)
    private var origin: String { "http://127.0.0.1:\(server.port)" }

    init() throws {
        // The limits of time are no matter of these tests, and a busy machine exceeds them.
        let times = WebTimeouts(stranger: .seconds(600), request: .seconds(600))
        server = try StudioWebServer(hub: hub, key: key, times: times)
    }

    /// A connection that has asked for the proof.
    private func unproven() async throws -> RawConnection {
        try await onThread { [server, origin] in
            let connection = try RawConnection(port: server.port)
            connection.send(
                "GET /again HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\nOrigin: \(origin)\r\nConnection: Upgrade\r\n"
                    + "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
            )
            guard try connection.response().status == 101 else { throw TestError("no WebSocket") }
            return connection
        }
    }

    private func prove(_ connection: RawConnection, key: StudioKey) async throws {
        try await onThread { [nonce, origin] in
            connection.sendFrame(Array(#"{"again":{"nonce":"\#(nonce)"}}"#.utf8))
            let answer = try JSONDecoder().decode([String: String].self, from: Data(try connection.frame().payload))
            let proof = key.proof(of: .page, origin: origin, pageNonce: nonce, serverNonce: answer["nonce"] ?? "")
            connection.sendFrame(Array(#"{"proof":"\#(proof)"}"#.utf8))
        }
    }

    @Test func aPageWithTheKeyGetsTheTokenAndIsOpen() async throws {
        let connection = try await unproven()
        try await prove(connection, key: key)
        let texts = try await onThread {
            let greeting = String(decoding: try connection.frame().payload, as: UTF8.self)
            // The page is open, so that its messages may be longer than those of a proof.
            let padding = [UInt8](repeating: 0x20, count: 2000)
            connection.sendFrame(Array(#"{"id":1,"do":"studio.ping","with":{}}"#.utf8) + padding)
            return [greeting, String(decoding: try connection.frame().payload, as: UTF8.self)]
        }
        let token = String(server.link.split(separator: "/").last ?? "")
        #expect(texts == [#"{"session":{"token":"\#(token)","key":"\#(key.text)"}}"#, #"{"re":1,"ok":{}}"#])
    }

    @Test func aClientWithoutTheKeyIsNoPage() async throws {
        let connection = try await unproven()
        try await prove(connection, key: StudioKey())
        #expect(try await onThread { try connection.closeCode() } == 1008)
        #expect(hub.pageCount == 0)
    }

    @Test(arguments: [
        #"{"watch":["room"]}"#, #"{"id":1,"do":"studio.ping","with":{}}"#, String(repeating: "x", count: 600), "\u{0}",
    ])
    func aClientThatProvesNothingReachesNoCommand(_ text: String) async throws {
        let connection = try await unproven()
        let (code, rest) = try await onThread {
            connection.sendFrame(Array(text.utf8))
            return (try connection.closeCode(), try connection.rest())
        }
        #expect([1008, 1009].contains(code))
        #expect(rest == [])
        #expect(hub.pageCount == 0)
    }

    @Test func clientsThatProveNothingTakeNoPlaceOfAPage() async throws {
        var silent: [RawConnection] = []
        for _ in 0..<ConnectionAdmission<Int>.pageLimit * 2 { silent.append(try await unproven()) }
        let page = try await unproven()
        try await prove(page, key: key)
        #expect(try await onThread { try page.frame().opcode } == 1)
        withExtendedLifetime(silent) {}
    }
}
