import Foundation
import TestConditions
import TLSBench
import Testing

@testable import StudioServer

/// A server with a certificate, over sockets.
// check-tests: skip: the library belongs to the system, and the build does not need it.
@Suite(.timeLimit(.minutes(10)), .enabled(if: TLSClient.isPossible, "OpenSSL's library is not installed"))
struct SecureServerRealTimeTests {
    private let hub = StudioHub()
    private let token = StudioToken()
    private let key = StudioKey()
    private let server: StudioWebServer
    private var port: UInt16 { server.port }

    init() throws {
        let files = try TLSFiles()
        let times = WebTimeouts(
            stranger: .seconds(600), request: .seconds(600), idle: .seconds(600), stall: .seconds(600))
        server = try StudioWebServer(
            hub: hub, host: "localhost", token: token, key: key, tls: try files.context(), times: times)
    }

    private func request(_ path: String, host: String? = nil, _ fields: String = "", close: Bool = false) -> String {
        "GET /\(token.text)/\(path) HTTP/1.1\r\nHost: \(host ?? "localhost:\(port)")\r\n\(fields)\(close ? "Connection: close\r\n" : "")\r\n"
    }

    private func connection() async throws -> RawConnection {
        try await onThread { [port] in try RawConnection(port: port, tls: try TLSClient()) }
    }

    @Test func theLinkHasTheNameOfTheCertificate() {
        // The name proves which program answers, so that it stays a name.
        #expect(server.link == "https://localhost:\(port)/\(token.text)/")
    }

    @Test func oneConnectionServesSeveralRequests() async throws {
        let content = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 / 7) })
        hub.addFile("large.bin") { StudioFile(name: "large.bin", content: content) }
        let connection = try await connection()
        let found = try await onThread { [self] in
            var found: [(Int, Int)] = []
            for path in ["", "app.js", "files/large.bin", "nothing", "files/large.bin"] {
                connection.send(request(path))
                let response = try connection.response()
                if path.hasPrefix("files"), Data(response.body) != content { throw TestError("other octets") }
                found.append((response.status, response.body.count))
            }
            connection.send(request("app.js", close: true))
            found.append((try connection.response().status, try connection.rest().count))
            return found
        }
        #expect(found.map(\.0) == [200, 200, 200, 404, 200, 200])
        #expect(found.last?.1 == 0 && found[2].1 == content.count)
    }

    @Test func severalRequestsAtOnceAreAnsweredInOrder() async throws {
        let connection = try await connection()
        let statuses = try await onThread { [self] in
            connection.send((request("app.js") + request("nothing") + request("")))
            return try (0..<3).map { _ in try connection.response().status }
        }
        #expect(statuses == [200, 404, 200])
    }

    @Test func theHostsAreThoseOfTheCertificate() async throws {
        for (host, status) in [
            ("studio.example:\(port)", 200), ("studio.example", 200), ("127.0.0.1:\(port)", 200),
            ("[::1]:\(port)", 200),
            ("localhost:\(port)", 200), ("evil.example:\(port)", 403), ("rooms.example", 403), ("192.168.1.2", 403),
        ] {
            let found = try await onThread { [port, self] in
                let connection = try RawConnection(port: port, tls: try TLSClient())
                connection.send(request("app.js", host: host, close: true))
                return try connection.response().status
            }
            #expect(found == status, "\(host)")
        }
    }

    @Test func aPageIsOpenedAndEnded() async throws {
        hub.addTopic("time") { JSONText("7") }
        let connection = try await connection()
        let texts = try await onThread { [port, self] in
            connection.send(
                request(
                    "socket",
                    "Origin: https://localhost:\(port)\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                        + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"))
            guard try connection.response().status == 101 else { throw TestError("no WebSocket") }
            let greeting = String(decoding: try connection.frame().payload, as: UTF8.self)
            connection.sendFrame(Array(#"{"watch":["time"]}"#.utf8))
            let update = String(decoding: try connection.frame().payload, as: UTF8.self)
            connection.sendFrame([3, 0xE8], first: 0x88)
            return [greeting, update, "\(try connection.closeCode())"]
        }
        #expect(
            texts == [
                #"{"session":{"token":"\#(token.text)","key":"\#(key.text)"}}"#,
                #"{"update":1,"push":[{"topic":"time","data":7}]}"#, "1000",
            ])
        #expect(await eventually { server.connectionCount == 0 && hub.pageCount == 0 })
    }

    /// HTTP without TLS gets no octet of a page, and neither it nor a connection that is cut ends the service.
    @Test func aConnectionWithoutTLSGetsNothing() async throws {
        for text in ["GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", "\u{16}\u{3}\u{1}"] {
            let octets = try await onThread { [port] in
                let connection = try RawConnection(port: port)
                connection.send(text)
                return text.hasPrefix("GET") ? try connection.rest() : []
            }
            #expect(!String(decoding: octets, as: UTF8.self).contains("HTTP/1.1"))
        }
        try await oneConnectionServesSeveralRequests()
        #expect(await eventually { server.connectionCount == 0 })
    }

    /// The browser's end of the session ends the connection.
    @Test func theAlertOfABrowserEndsTheConnection() async throws {
        let rest = try await onThread { [port, self] in
            let client = try TLSClient()
            let connection = try RawConnection(port: port, tls: client)
            connection.send(request("app.js"))
            guard try connection.response().status == 200 else { throw TestError("no page") }
            try client.end()
            // The encrypted octets of an empty text: the alert.
            connection.sendEncrypted()
            return try connection.rest()
        }
        #expect(rest == [])
        #expect(await eventually { server.connectionCount == 0 })
    }

    /// A studio at all addresses has a link with the name that its certificate has.
    @Test func theLinkOfAllAddressesHasANameOfTheCertificate() throws {
        let files = try TLSFiles()
        let everywhere = try StudioWebServer(hub: hub, host: "0.0.0.0", token: token, tls: try files.context())
        // The test's machine is not in the certificate.
        #expect(everywhere.link == "https://localhost:\(everywhere.port)/\(token.text)/")
        everywhere.stop()
    }
}
