import Dispatch
import Foundation
import Glibc
import TestConditions
import Testing

@testable import StudioServer

/// Connections that have not shown the token.
@Suite(.timeLimit(.minutes(10))) struct StrangerRealTimeTests {
    private let hub = StudioHub()
    private let token = StudioToken()

    /// Strangers have a tenth of a second, and all other limits are long: a connection that ends has ended as a stranger.
    private func server(host: String = "127.0.0.1") throws -> StudioWebServer {
        let times = WebTimeouts(
            stranger: .milliseconds(100), request: .seconds(600), idle: .seconds(600), stall: .seconds(600))
        return try StudioWebServer(hub: hub, host: host, token: token, times: times)
    }

    private func head(_ line: String, _ port: UInt16, _ fields: String = "") -> String {
        "\(line) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\(fields)\r\n"
    }

    @Test(arguments: [
        "", "G", "POST / HTTP/1.1\r\nHost: 127.0.0.1:", "DELETE /again", "GET /again", "GET /", "HEAD /x/", "OPTIONS *",
    ])
    func aStrangerIsNotKept(_ beginning: String) async throws {
        let server = try server()
        let port = server.port
        try await onThread { [self] in
            let connection = try RawConnection(port: port)
            let isWhole = beginning.contains(" /")
            connection.send(
                isWhole && !beginning.contains("HTTP")
                    ? head(beginning, port, "Origin: http://127.0.0.1:\(port)\r\n") : beginning)
            // Nothing but the end of the connection ends this.
            _ = try? connection.rest()
        }
        try await expectNone(server)
    }

    @Test func aStrangerThatSendsAgainAndAgainIsNotKept() async throws {
        let server = try server()
        let port = server.port
        try await onThread { [self] in
            let connection = try RawConnection(port: port)
            // An octet each 20 ms never ends the head.
            #expect(isEnded(connection, sending: "a"))
            // Each of these requests has an answer, and the first one is the last.
            let other = try RawConnection(port: port)
            #expect(isEnded(other, sending: head("POST /x", port)))
        }
        try await expectNone(server)
    }

    @Test func aProofThatIsNotGivenEndsTheConnection() async throws {
        let server = try server()
        let port = server.port
        try await onThread { [self] in
            let connection = try RawConnection(port: port)
            connection.send(
                head(
                    "GET /again", port,
                    "Origin: http://127.0.0.1:\(port)\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                        + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"))
            connection.sendFrame(Array(#"{"again":{"nonce":"\#(String(repeating: "0f", count: 32))"}}"#.utf8))
            _ = try? connection.rest()
        }
        try await expectNone(server)
    }

    @Test func aConnectionWithTheTokenIsKept() async throws {
        let server = try server()
        let port = server.port
        let statuses = try await onThread { [self] in
            let connection = try RawConnection(port: port)
            connection.send(head("GET /\(token.text)/", port))
            var statuses = [try connection.response().status]
            // Strangers of a later time end, and this one stays: a refused request does not end it either.
            _ = try? RawConnection(port: port).rest()
            connection.send(head("POST /\(token.text)/", port))
            statuses.append(try connection.response().status)
            _ = try? RawConnection(port: port).rest()
            connection.send(head("GET /\(token.text)/app.js", port))
            return statuses + [try connection.response().status]
        }
        #expect(statuses == [200, 405, 200])
    }

    /// Sends a text each 20 ms. Returns whether the server ends the connection within a minute.
    private func isEnded(_ connection: RawConnection, sending text: String) -> Bool {
        for _ in 0..<3000 {
            guard connection.send(text) else { return true }
            // check-tests: wait: the pace of the sender is what the server has to withstand.
            usleep(20_000)
        }
        return false
    }

    private func expectNone(_ server: StudioWebServer) async throws {
        #expect(await eventually { server.connectionCount == 0 })
    }

    @Test func localhostIsTheNumericAddressWithItsUsers() async throws {
        let server = try StudioWebServer(hub: hub, host: "localhost", token: token)
        // Another program can have the other address of the name, so the link has the one at which the server listens.
        #expect(server.link == "http://127.0.0.1:\(server.port)/\(token.text)/")
        let port = server.port
        // Reads the sources on the thread of the connection: an idle connection is closed after some time, which a busy machine needs to resume the test.
        let sources = try await onThread { [self] in
            let connection = try RawConnection(port: port)
            connection.send("GET /\(token.text)/app.js HTTP/1.1\r\nHost: localhost:\(port)\r\n\r\n")
            guard try connection.response().status == 200 else { throw TestError("localhost is another host") }
            return withExtendedLifetime(connection) { server.sources }
        }
        // Some containers do not tell the user. The address is then the source.
        #expect(sources == [SocketUsers() == nil ? .network([127, 0, 0, 1]) : .user(geteuid())])
    }
}
