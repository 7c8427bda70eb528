import Foundation
import LocalHTTP
import Phrases
import TestConditions
import Testing

@testable import StudioServer

@Suite(.timeLimit(.minutes(10))) struct WebServerRealTimeTests {
    private let hub = StudioHub()
    private let server: StudioWebServer
    private let token = StudioToken()
    private let key = StudioKey()
    private var port: UInt16 { server.port }

    init() throws { server = try StudioWebServer(hub: hub, token: token, key: key) }

    private func request(_ path: String, _ fields: String = "", close: Bool = true) -> String {
        "GET /\(token.text)/\(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\(fields)\(close ? "Connection: close\r\n" : "")\r\n"
    }

    private var upgrade: String {
        request(
            "socket",
            "Origin: http://127.0.0.1:\(port)\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
                + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n", close: false)
    }

    /// A connection with an open WebSocket.
    private func page() async throws -> RawConnection {
        try await onThread { [port, upgrade] in
            let connection = try RawConnection(port: port)
            connection.send(upgrade)
            let response = try connection.response()
            // The example of RFC 6455, 1.3.
            guard response.status == 101, response.headers["sec-websocket-accept"] == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="
            else {
                throw TestError("no WebSocket: \(response)")
            }
            return connection
        }
    }

    @Test func oneConnectionServesSeveralFiles() async throws {
        let statuses = try await onThread { [port, self] in
            let connection = try RawConnection(port: port)
            connection.send(request("", close: false) + request("app.js", close: false) + request("none.js"))
            return try (0..<3).map { _ in try connection.response() }.map {
                ($0.status, $0.headers["content-type"] ?? "", $0.body.isEmpty)
            }
        }
        #expect(statuses.map(\.0) == [200, 200, 404])
        #expect(statuses[0].1 == "text/html; charset=utf-8")
        #expect(statuses[1].1 == "text/javascript; charset=utf-8")
        #expect(!statuses[0].2)
        #expect(!statuses[1].2)
    }

    @Test(arguments: [
        "../Package.swift", "..%2f", "parts/../app.js", "%2e%2e/app.js", "/app.js", "app.js/", "nothing", "parts/",
    ])
    func noOtherFileIsServed(_ name: String) async throws {
        let status = try await onThread { [port, self] in
            let connection = try RawConnection(port: port)
            connection.send(request(name))
            return try connection.response().status
        }
        #expect(status == 404)
    }

    @Test func aFileOfAPartIsSaved() async throws {
        hub.addFile("packets.pcapng") { arguments in
            StudioFile(
                name: "../\"\r\nSet-Cookie: x", type: "application/octet-stream\r\nX: y",
                content: Data((arguments["device"] ?? "").utf8))
        }
        hub.addFile("broken.txt") { throw PhrasedError("empty", Phrase(data: "There are no packets.")) }
        let (saved, failed) = try await onThread { [port, self] in
            let connection = try RawConnection(port: port)
            connection.send(request("files/packets.pcapng?device=a%26b", close: false) + request("files/broken.txt"))
            return (try connection.response(), try connection.response())
        }
        #expect(saved.status == 200)
        #expect(saved.headers["content-disposition"] == "attachment; filename=\"file..____Set-Cookie__x\"")
        #expect(saved.headers["content-type"] == "application/octet-streamX y")
        #expect(saved.headers["set-cookie"] == nil)
        #expect(String(decoding: saved.body, as: UTF8.self) == "a&b")
        #expect(failed.status == 500)
        #expect(String(decoding: failed.body, as: UTF8.self).contains("There are no packets."))
    }

    @Test func aLargeFileArrivesWhole() async throws {
        let content = Data((0..<4_000_000).map { UInt8(truncatingIfNeeded: $0 / 7) })
        hub.addFile("large.bin") { StudioFile(name: "large.bin", content: content) }
        let body = try await onThread { [port, self] in
            let connection = try RawConnection(port: port)
            connection.send(request("files/large.bin"))
            return try connection.rest()
        }
        let isWhole = Data(body.suffix(content.count)) == content
        #expect(isWhole)
    }

    @Test func aWebSocketCarriesCommandsAndUpdates() async throws {
        hub.addTopic("time") { JSONText("7") }
        let connection = try await page()
        let texts = try await onThread {
            connection.sendFrame(Array(#"{"watch":["time"]}"#.utf8))
            connection.sendFrame(Array("pi".utf8), first: 0x89)
            let greeting = try connection.frame()
            let update = try connection.frame()
            let pong = try connection.frame()
            connection.sendFrame([3, 0xE8], first: 0x88)
            return [greeting, update, pong].map { "\($0.opcode) \(String(decoding: $0.payload, as: UTF8.self))" } + [
                "\(try connection.closeCode())"
            ]
        }
        #expect(texts.first == #"1 {"session":{"token":"\#(token.text)","key":"\#(key.text)"}}"#)
        #expect(
            Set(texts.dropFirst()) == [#"1 {"update":1,"push":[{"topic":"time","data":7}]}"#, "10 pi", "1000"])
    }

    @Test(
        arguments: [
            ([0x81, 0xFF, 0x10, 0, 0, 0, 0, 0, 0, 0], 1009), ([0x81, 0x01, 0x61], 1002),
            ([0x81, 0x81, 0, 0, 0, 0, 0xFF], 1007),
            ([0x82, 0x80, 0, 0, 0, 0], 1003), ([0xF1, 0x80, 0, 0, 0, 0], 1002),
        ] as [([UInt8], Int)])
    func aHostileFrameEndsTheWebSocketWithAReason(_ octets: [UInt8], _ code: Int) async throws {
        let connection = try await page()
        let received = try await onThread {
            connection.send(octets)
            let code = try connection.closeCode()
            _ = try connection.rest()
            return code
        }
        #expect(received == code)
        try await expectService()
    }

    @Test func aPageThatReadsNothingIsNotReadFurther() async throws {
        let text = String(repeating: "x", count: 500_000)
        hub.on("room.large") { (_: Nothing) in text }
        let connection = try await page()
        // Each command has an answer of 500 kB that the page does not read. The server stops reading, so sending stops, too.
        let sent = try await onThread {
            var limit = timeval(tv_sec: 1, tv_usec: 0)
            setsockopt(connection.number, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
            let padding = String(repeating: " ", count: 10_000)
            var sent = 0
            while sent < 20_000,
                connection.sendFrame(Array(#"{"id":\#(sent),"do":"room.large","with":{}}\#(padding)"#.utf8))
            { sent += 1 }
            return sent
        }
        #expect(sent < 20_000)
        try await expectService()
    }

    @Test func furtherPagesAreRefusedAndGetRoomAgain() async throws {
        var pages: [RawConnection] = []
        for _ in 0..<ConnectionAdmission<Int>.pageLimit { pages.append(try await page()) }
        let refused = try await page()
        #expect(try await onThread { try refused.closeCode() } == 1013)
        pages.removeFirst()
        try await expectService()
        let isOpen = try await eventually {
            let next = try await page()
            return try await onThread {
                next.sendFrame(Array(#"{"id":1,"do":"studio.ping","with":{}}"#.utf8))
                return try next.frame().opcode == 1
            }
        }
        #expect(isOpen)
    }

    @Test func connectionsWithoutARequestDoNotShutOutThePage() async throws {
        let idle = try await onThread { [port] in
            try (0..<ConnectionAdmission<Int>.strangerLimit * 3).map { _ in try RawConnection(port: port) }
        }
        try await expectService()
        #expect(server.connectionCount <= ConnectionAdmission<Int>.strangerLimit + 1)
        withExtendedLifetime(idle) {}
    }

    @Test func aFloodOfConnectionsEndsNoRequestOfThePage() async throws {
        let content = Data(repeating: 0x61, count: 8_000_000)
        hub.addFile("large.bin") { StudioFile(name: "large.bin", content: content) }
        let saved = try await onThread { [port, self] in
            let page = try RawConnection(port: port)
            page.send(request("files/large.bin", close: false))
            // The file is longer than what the sockets hold, so the request lasts until it is read.
            var strangers: [RawConnection] = []
            for _ in 0..<ConnectionAdmission<Int>.strangerLimit * 4 {
                let stranger = try RawConnection(port: port)
                stranger.send("GET /")
                strangers.append(stranger)
            }
            let first = try page.response().body.count
            page.send(request("app.js"))
            let second = try page.response().status
            return withExtendedLifetime(strangers) { (first, second) }
        }
        #expect(saved == (content.count, 200))
    }

    @Test func aClientThatClosesInTheMiddleOfAFileLeavesNothing() async throws {
        let content = Data(repeating: 0x61, count: 8_000_000)
        hub.addFile("large.bin") { StudioFile(name: "large.bin", content: content) }
        try await onThread { [port, self] in
            for _ in 0..<8 { try RawConnection(port: port).send(request("files/large.bin", close: false)) }
        }
        try await expectService()
        // Each connection ends as soon as the server writes to it again.
        while server.connectionCount > 1 { try await expectService() }
    }

    @Test func aRequestThatIsTooLongIsAnsweredAndEnds() async throws {
        let response = try await onThread { [port, self] in
            let connection = try RawConnection(port: port)
            connection.send(request(String(repeating: "a", count: HTTPRequestReader.headLimit)))
            return try connection.response()
        }
        #expect(response.status == 431)
        #expect(response.headers["connection"] == "close")
        #expect(response.headers["content-security-policy"] != nil)
    }

    @Test func aClientWithoutATokenGetsOneAnswer() async throws {
        let (status, fields, rest) = try await onThread { [port] in
            let connection = try RawConnection(port: port)
            connection.send(
                [String](repeating: "GET /guess/ HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n", count: 200).joined())
            let response = try connection.response()
            return (response.status, response.headers, try? connection.rest())
        }
        #expect(status == 403)
        #expect(fields["connection"] == "close")
        // The end may be a reset, because the server did not read the rest.
        #expect(rest ?? [] == [])
    }

    @Test func requestsThatWaitAreAnsweredInOrder() async throws {
        let content = Data(repeating: 0x61, count: 300_000)
        hub.addFile("large.bin") { arguments in
            StudioFile(name: "large.bin", content: Data((arguments["n"] ?? "").utf8) + content)
        }
        let firsts = try await onThread { [port, self] in
            let connection = try RawConnection(port: port)
            connection.send((0..<20).map { request("files/large.bin?n=\($0 % 10)", close: $0 == 19) }.joined())
            return try (0..<20).map { _ in try connection.response().body.first }
        }
        let text = String(decoding: firsts.compactMap { $0 }, as: UTF8.self)
        #expect(text == "01234567890123456789")
    }

    @Test func theServerEndsWithItsPages() async throws {
        let connection = try await page()
        server.stop()
        let code = try await onThread {
            let code = try connection.closeCode()
            _ = try connection.rest()
            return code
        }
        #expect(code == 1001)
        await #expect(throws: TestError.self) { try await onThread { [port] in _ = try RawConnection(port: port) } }
    }

    @Test func anAddressInUseIsAnErrorWithAReason() throws {
        #expect {
            _ = try StudioWebServer(hub: hub, port: port, token: token)
        } throws: { error in
            "\(error)".contains("already listens")
        }
    }

    @Test(arguments: [
        ("127.0.0.1", true), ("127.8.9.1", true), ("localhost", true), ("::1", true), ("0.0.0.0", false),
        ("192.168.1.2", false), ("::", false), ("example.com", false), ("127.1.evil.example", false),
    ])
    func theLoopbackAddressesAreKnown(_ host: String, _ isLoopback: Bool) {
        #expect(StudioWebServer.isLoopback(host) == isLoopback)
    }

    /// A connection that has shown the token ends after a request that is not understood, as a stranger's does.
    @Test(arguments: [("GARBAGE\r\n\r\n", 400), ("GET / HTTP/9.9\r\nHost: a\r\n\r\n", 505)])
    func aRequestThatIsNotUnderstoodIsTheLast(text: String, status: Int) async throws {
        let (statuses, fields, rest) = try await onThread { [port, self] in
            let connection = try RawConnection(port: port)
            connection.send(request("app.js", close: false))
            let first = try connection.response().status
            connection.send(text)
            let second = try connection.response()
            connection.send(request("app.js", close: false))
            return ([first, second.status], second.headers, (try? connection.rest()) ?? [])
        }
        #expect(statuses == [200, status] && rest == [])
        #expect(fields["connection"] == "close" && fields["content-security-policy"] != nil)
    }

    /// The messages of a page are handled one after the other, however many come at once.
    @Test func theLastOfManyMessagesCounts() async throws {
        for number in 0..<600 { hub.addTopic("t\(number)") { JSONText("\(number)") } }
        let connection = try await page()
        let text = try await onThread {
            _ = try connection.frame()
            for number in 0..<600 { connection.sendFrame(Array(#"{"watch":["t\#(number)"]}"#.utf8)) }
            // Each update is acknowledged, until the one of the last topic.
            var number = 0
            while true {
                let text = String(decoding: try connection.frame().payload, as: UTF8.self)
                number += 1
                if text.contains(#""topic":"t599""#) { break }
                connection.sendFrame(Array(#"{"ack":\#(number)}"#.utf8))
            }
            // After it nothing else changes.
            connection.sendFrame(Array(#"{"ack":\#(number),"id":1,"do":"studio.ping","with":{}}"#.utf8))
            return String(decoding: try connection.frame().payload, as: UTF8.self)
        }
        #expect(text == #"{"re":1,"ok":{}}"#)
    }

    /// While a part makes a file, the server reads a few further requests and no more.
    @Test func requestsThatWaitAreBounded() async throws {
        let gate = Gate()
        hub.addFile("slow.bin") {
            await gate.wait()
            return StudioFile(name: "slow.bin", content: Data([7]))
        }
        let (isStopped, first, second) = try await onThread { [port, self] in
            let connection = try RawConnection(port: port)
            var limit = timeval(tv_sec: 1, tv_usec: 0)
            setsockopt(connection.number, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
            connection.send(request("files/slow.bin", close: false))
            var sent = 0
            let further = request("app.js?" + String(repeating: "a", count: 4_000), close: false)
            while sent < 20_000, connection.send(further) { sent += 1 }
            gate.open()
            return (sent < 20_000, try connection.response().status, try connection.response().status)
        }
        #expect(isStopped && first == 200 && second == 200)
    }

    /// A server at all addresses of the machine has the machine's name in its link, and answers to it.
    @Test func theLinkOfAllAddressesHasTheNameOfTheMachine() async throws {
        let everywhere = try StudioWebServer(hub: hub, host: "0.0.0.0", token: token)
        let name = ProcessInfo.processInfo.hostName
        let own = try #require(URL(string: everywhere.link)?.host())
        #expect(name == own || name.hasPrefix(own) || own.hasPrefix(name))
        #expect(everywhere.link == "http://\(own):\(everywhere.port)/\(token.text)/")
        for (host, status) in [
            ("\(own):\(everywhere.port)", 200), ("0.0.0.0", 200), ("127.0.0.1", 403),
        ] {
            let found = try await onThread { [token] in
                let connection = try RawConnection(port: everywhere.port)
                connection.send("GET /\(token.text)/ HTTP/1.1\r\nHost: \(host)\r\nConnection: close\r\n\r\n")
                return try connection.response().status
            }
            #expect(found == status, "\(host)")
        }
        // A browser has loaded the page.
        await everywhere.waitForLoad()
        everywhere.stop()
    }

    /// Fails if the server does not answer.
    private func expectService() async throws {
        let status = try await onThread { [port, self] in
            let connection = try RawConnection(port: port)
            connection.send(request("app.js"))
            return try connection.response().status
        }
        #expect(status == 200)
    }
}
