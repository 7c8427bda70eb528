import Dispatch
import Foundation
import TestConditions
import Testing

@testable import StudioServer

/// Connections that have shown the token, and what the server waits for.
@Suite(.timeLimit(.minutes(10))) struct WebTimeoutRealTimeTests {
    private let hub = StudioHub()
    private let token = StudioToken()

    private func server(
        stranger: DispatchTimeInterval = .seconds(600), request: DispatchTimeInterval = .seconds(600),
        idle: DispatchTimeInterval = .seconds(600), stall: DispatchTimeInterval = .seconds(600)
    ) throws -> StudioWebServer {
        let times = WebTimeouts(stranger: stranger, request: request, idle: idle, stall: stall)
        return try StudioWebServer(hub: hub, token: token, times: times)
    }

    /// A server that waits a tenth of a second for everything.
    private func hastyServer() throws -> StudioWebServer {
        let short = DispatchTimeInterval.milliseconds(100)
        return try server(stranger: short, request: short, idle: short, stall: short)
    }

    private func request(_ path: String, _ port: UInt16, _ fields: String = "") -> String {
        "GET /\(token.text)/\(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\(fields)\r\n"
    }

    private func upgrade(_ path: String, _ port: UInt16) -> String {
        "GET /\(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nOrigin: http://127.0.0.1:\(port)\r\nConnection: Upgrade\r\n"
            + "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
    }

    /// A connection that has shown the token, after an answer.
    private func served(_ port: UInt16) throws -> RawConnection {
        let connection = try RawConnection(port: port)
        connection.send(request("app.js", port))
        guard try connection.response().status == 200 else { throw TestError("no file") }
        return connection
    }

    /// A page, after its greeting.
    private func page(_ port: UInt16) throws -> RawConnection {
        let connection = try RawConnection(port: port)
        connection.send(upgrade("\(token.text)/socket", port))
        guard try connection.response().status == 101, try connection.frame().opcode == 1 else {
            throw TestError("no page")
        }
        return connection
    }

    private func ping(_ connection: RawConnection, _ id: Int) throws -> String {
        connection.sendFrame(Array(#"{"id":\#(id),"do":"studio.ping","with":{}}"#.utf8))
        return String(decoding: try connection.frame().payload, as: UTF8.self)
    }

    // Nothing but its own limit ends each of these connections.

    @Test func aConnectionWithoutAFurtherRequestEnds() async throws {
        let server = try server(idle: .milliseconds(100))
        let rest = try await onThread { [self] in try served(server.port).rest() }
        #expect(rest.isEmpty)
        #expect(await eventually { server.connectionCount == 0 })
    }

    @Test func aRequestThatIsNotFinishedEnds() async throws {
        let server = try server(request: .milliseconds(100))
        let rest = try await onThread { [self] in
            let connection = try served(server.port)
            connection.send("GET /")
            return try connection.rest()
        }
        #expect(rest.isEmpty)
        #expect(await eventually { server.connectionCount == 0 })
    }

    @Test func aClientThatReadsNothingEnds() async throws {
        let content = Data(repeating: 0x61, count: 16_000_000)
        hub.addFile("large.bin") { StudioFile(name: "large.bin", content: content) }
        let server = try server(stall: .milliseconds(100))
        let connection = try await onThread { [self] in
            let connection = try served(server.port)
            connection.send(request("files/large.bin", server.port))
            return connection
        }
        #expect(await eventually { server.connectionCount == 0 })
        withExtendedLifetime(connection) {}
    }

    /// A page has no limit, however often it sends and receives.
    @Test func anOpenPageStays() async throws {
        let server = try hastyServer()
        let texts = try await onThread { [self] in
            let page = try page(server.port)
            return try (1...3).map { number in
                // The end of another connection shows that the time of all limits has passed.
                _ = try served(server.port).rest()
                return try ping(page, number)
            }
        }
        #expect(texts == (1...3).map { #"{"re":\#($0),"ok":{}}"# })
        #expect(await eventually { server.connectionCount == 0 })
    }

    /// A part has as much time for a file as it needs.
    @Test func aFileThatIsMadeSlowlyArrives() async throws {
        let gate = Gate()
        hub.addFile("slow.bin") {
            await gate.wait()
            return StudioFile(name: "slow.bin", content: Data([7]))
        }
        let server = try hastyServer()
        let body = try await onThread { [self] in
            let connection = try RawConnection(port: server.port)
            connection.send(request("files/slow.bin", server.port))
            for _ in 0..<2 { _ = try served(server.port).rest() }
            gate.open()
            return try connection.response().body
        }
        #expect(body == [7])
    }

    // MARK: The lengths of messages

    /// 1 MiB.
    @Test func aMessageOfAPageHasItsLimit() async throws {
        let server = try server()
        let (text, code) = try await onThread { [self] in
            let page = try page(server.port)
            var message = Array(#"{"id":1,"do":"studio.ping","with":{}}"#.utf8)
            message += [UInt8](repeating: 0x20, count: (1 << 20) - message.count)
            page.sendFrame(message)
            let text = String(decoding: try page.frame().payload, as: UTF8.self)
            page.sendFrame(message + [0x20])
            return (text, try page.closeCode())
        }
        #expect(text == #"{"re":1,"ok":{}}"# && code == 1009)
    }

    /// 512 octets: the messages of a proof have less. The first one may come with the request.
    @Test(arguments: [(512, 1008), (513, 1009)]) func aPageThatHasProvenNothingSendsLittle(
        count: Int, code: Int
    ) async throws {
        let server = try server()
        let found = try await onThread { [self] in
            let connection = try RawConnection(port: server.port)
            let head: [UInt8] = [0x81, 0xFE, UInt8(count >> 8), UInt8(count & 0xFF), 0, 0, 0, 0]
            connection.send(
                Array(upgrade("again", server.port).utf8) + head + [UInt8](repeating: 0x20, count: count))
            guard try connection.response().status == 101 else { throw TestError("no WebSocket") }
            return try connection.closeCode()
        }
        #expect(found == code)
    }
}
