import LocalHTTP
import TestConditions
import Testing

@testable import DeviceLink

/// The device's end of the way over HTTP, and requests that no client sends.
struct PostedServerTests {
    private let key = LinkKey.random()

    private func connected(_ server: inout PostedServer, at now: Duration = .zero) throws -> DatagramClient {
        var client = DatagramClient(key: key)
        let greeting = PostedDatagrams.encode([try #require(client.greeting)])
        guard case .greeted(let body) = server.receive(greeting, from: "a", at: now) else {
            throw CancellationError()
        }
        for datagram in try #require(PostedDatagrams.decode(body)) { #expect(client.receive(datagram) == nil) }
        #expect(client.isReady)
        return client
    }

    private func number(_ outcome: PostedServer.Outcome) throws -> UInt64 {
        guard case .received(_, let client, _) = outcome else { throw CancellationError() }
        return client
    }

    @Test func envelopesGoBothWays() throws {
        var server = PostedServer(key: key)
        var client = try connected(&server)
        let body = PostedDatagrams.encode([client.seal([1])!, client.seal([])!, client.seal([2])!])
        let outcome = server.receive(body, from: "a", at: .zero)
        let number = try number(outcome)
        #expect(outcome == .received([[1], [2]], client: number, waits: true))
        #expect(server.takeMail(for: number).isEmpty)
        for octet in 0..<20 as Range<UInt8> { #expect(server.post([octet], to: number) == true) }
        var received: [[UInt8]] = []
        var bodies = 0
        while server.hasMail(for: number) {
            bodies += 1
            received += PostedDatagrams.decode(server.takeMail(for: number))!.compactMap { client.receive($0) }
        }
        let sent = (0..<20 as Range<UInt8>).map { [$0] }
        #expect(received == sent && bodies == 3)
    }

    @Test func aRecordedBodyDoesNothing() throws {
        var server = PostedServer(key: key)
        var client = try connected(&server)
        let body = PostedDatagrams.encode([client.seal([1])!])
        let number = try number(server.receive(body, from: "a", at: .zero))
        #expect(server.post([9], to: number) == true)
        #expect(server.receive(body, from: "b", at: .zero) == .refused)
        #expect(server.hasMail(for: number), "a recording does not take what waits for the client")
        let greeting = PostedDatagrams.encode([DatagramClient(key: .random()).greeting!])
        #expect(server.receive(greeting, from: "b", at: .zero) == .refused)
    }

    @Test func aBodyBelongsToOneConnection() throws {
        var server = PostedServer(key: key)
        var first = try connected(&server)
        var second = try connected(&server)
        let outcome = server.receive(
            PostedDatagrams.encode([first.seal([1])!, second.seal([2])!]), from: "a", at: .zero)
        let number = try number(outcome)
        #expect(outcome == .received([[1]], client: number, waits: false))
    }

    @Test func whatWaitsIsBounded() throws {
        var server = PostedServer(key: key)
        #expect(server.post([1], to: 7) == false)
        for second in 0..<60 {
            var client = try connected(&server, at: .seconds(second))
            let number = try number(
                server.receive(PostedDatagrams.encode([client.seal([1])!]), from: "a", at: .zero))
            for octet in 0..<100 as Range<UInt8> { #expect(server.post([octet], to: number) == true) }
            var last: [UInt8]?
            var count = 0
            var copy = server
            while copy.hasMail(for: number) {
                for datagram in PostedDatagrams.decode(copy.takeMail(for: number))! {
                    last = client.receive(datagram)
                    count += 1
                }
            }
            #expect(count == PostedServer.mostWaiting && last == [99])
        }
        #expect(server.clientCount <= DatagramServer<String>.mostConfirmed + 1)
    }

    @Test func bodiesAreReadBack() {
        let longest = [UInt8](repeating: 7, count: SecureDatagram.longest)
        for list in [[], [[]], [[1, 2], [], [3]], [longest], [[UInt8]](repeating: [1], count: 8)] as [[[UInt8]]] {
            #expect(PostedDatagrams.decode(PostedDatagrams.encode(list)) == list)
        }
        for body in [[0], [0, 1], [0, 2, 1], [0xFF, 0xFF, 1], [UInt8](repeating: 0, count: 18)] as [[UInt8]] {
            #expect(PostedDatagrams.decode(body) == nil)
        }
        #expect(PostedDatagrams.decode([UInt8](repeating: 0, count: PostedDatagrams.longest + 1)) == nil)
        var envelopes = [[UInt8]](repeating: [UInt8](repeating: 7, count: LinkEnvelope.longest), count: 3)
        while !envelopes.isEmpty {
            let before = envelopes.count
            #expect(PostedDatagrams.takeBatch(from: &envelopes).count == before - envelopes.count)
            #expect(envelopes.count < before)
        }
    }

    @Test func randomBodiesNeverTrapAndNeverAuthenticate() throws {
        var server = PostedServer(key: key)
        var client = try connected(&server)
        var random = Seeded(7)
        let genuine = PostedDatagrams.encode([client.seal([1, 2, 3])!])
        for _ in 0..<2000 {
            var body = genuine
            switch Int.random(in: 0..<3, using: &random) {
            case 0: body[Int.random(in: 0..<body.count, using: &random)] ^= UInt8.random(in: 1...255, using: &random)
            case 1: body.removeLast(Int.random(in: 1...body.count, using: &random))
            default: body = (0..<Int.random(in: 0...80, using: &random)).map { _ in .random(in: 0...3, using: &random) }
            }
            let outcome = server.receive(body, from: "b", at: .zero)
            #expect(outcome == .malformed || outcome == .refused)
        }
    }

    @Test(arguments: [
        (["host": "evil.example"], HTTPStatus.misdirectedRequest), (["host": "localhost:7463"], .misdirectedRequest),
        ([:], .misdirectedRequest), (["host": "192.0.2.7", "origin": "http://192.0.2.7"], .forbidden),
        (["host": "192.0.2.7", "content-type": "application/octet-stream"], .lengthRequired),
        (["host": "192.0.2.7", "content-length": "1", "content-type": "text/plain"], .unsupportedMediaType),
        (["host": "192.0.2.7", "content-length": "1"], .unsupportedMediaType),
    ])
    func aRequestOfAPageIsRefused(headers: [String: String], status: HTTPStatus) {
        #expect(
            HTTPListener.refusal(of: HTTPRequest(method: "POST", path: "/device-link/1", headers: headers)) == status)
    }

    @Test func otherMethodsAndPathsAreRefused() {
        let headers = [
            "host": "[fe80::1]:7463", "content-length": "1", "content-type": "application/octet-stream",
        ]
        func refusal(_ method: String, _ path: String) -> HTTPStatus? {
            HTTPListener.refusal(of: HTTPRequest(method: method, path: path, headers: headers))
        }
        #expect(refusal("POST", "/device-link/1") == nil)
        #expect(refusal("POST", "/device-link/2") == .notFound)
        for method in ["GET", "PUT", "OPTIONS", "TRACE", "post"] {
            #expect(refusal(method, "/device-link/1") == .methodNotAllowed)
        }
    }
}
