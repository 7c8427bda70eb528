import BLEWire
import Foundation
import Testing

@testable import LocalHTTP

/// The second request, the second time limit and the second failure of a connection, in virtual time.
@Suite final class HTTPRoundsTests {
    private var connection = HTTPConnection(HTTPLimits(), at: .zero)

    private func time(_ seconds: Int64) -> Instant { Instant(nanoseconds: seconds * 1_000_000_000) }

    private func receive(_ text: String, at seconds: Int64) {
        connection.receive(Array(text.utf8).span, at: time(seconds))
    }

    private func answer(_ status: HTTPStatus = .ok, _ body: String = "", at seconds: Int64) -> String {
        connection.answer(HTTPResponse(status: status, body: Data(body.utf8)), at: time(seconds))
        defer { connection.sent(at: time(seconds)) }
        return String(decoding: connection.takeOutgoing(), as: UTF8.self)
    }

    /// Each request has 10 s from its first octet on, and each pause 30 s, whatever came before.
    @Test func eachRequestAndEachPauseHasItsOwnTime() {
        connection.recognize()
        for round in 0..<4 as Range<Int64> {
            let start = 100 * round
            #expect(connection.deadline == (round == 0 ? time(30) : time(start - 75 + 30)), "round \(round)")
            receive("GET /a", at: start)
            #expect(connection.deadline == time(start + 10))
            receive(" HTTP/1.1\r", at: start + 5)
            #expect(connection.deadline == time(start + 10), "further octets do not prolong it")
            receive("\n\r\n", at: start + 9)
            #expect(connection.deadline == nil && connection.takeRequest()?.path == "/a")
            connection.handleTimeout(at: time(start + 20))
            #expect(!connection.isEnded, "the server has any time")
            #expect(answer(at: start + 25).hasPrefix("HTTP/1.1 200"))
        }
        // A part of the next request that came with the last one has its time, too.
        receive("GET /a HTTP/1.1\r\n\r\nGET /b", at: 400)
        _ = connection.takeRequest()
        _ = answer(at: 430)
        #expect(connection.deadline == time(440))
        connection.handleTimeout(at: time(440))
        #expect(connection.isEnded)
    }

    /// What one request says about the connection and its body is nothing about the next.
    @Test func aHEADBelongsToOneRequest() {
        connection.recognize()
        for _ in 0..<2 {
            receive("HEAD /a HTTP/1.1\r\n\r\n", at: 1)
            #expect(connection.takeRequest()?.method == "HEAD")
            #expect(answer(.ok, "abc", at: 1).hasSuffix("Content-Length: 3\r\n\r\n"))
            receive("GET /a HTTP/1.1\r\n\r\n", at: 2)
            #expect(connection.takeRequest()?.method == "GET")
            #expect(answer(.ok, "abc", at: 2).hasSuffix("Content-Length: 3\r\n\r\nabc"))
        }
        receive("GET /a HTTP/1.1\r\nConnection: close\r\n\r\n", at: 3)
        _ = connection.takeRequest()
        #expect(answer(.ok, "abc", at: 3).contains("Connection: close"))
        #expect(connection.isEnded)
    }

    /// A head is found however its end is cut, in each request of a connection and in each response.
    @Test func theEndOfEachHeadIsFoundWhereverItIsCut() throws {
        let request = "GET /a HTTP/1.1\r\nHost: x\r\n\r\n"
        let response = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"
        for cut in 1..<request.utf8.count {
            var reader = HTTPRequestReader()
            for _ in 0..<3 {
                reader.receive(Array(request.utf8.prefix(cut)).span)
                let early = try reader.next()
                #expect(early == nil)
                reader.receive(Array(request.utf8.dropFirst(cut)).span)
                let found = try reader.next()
                #expect(found?.path == "/a", "cut at \(cut)")
            }
        }
        for cut in 1..<response.utf8.count {
            var reader = HTTPReplyReader(bodyLimit: 10)
            for _ in 0..<3 {
                reader.receive(Array(response.utf8.prefix(cut)).span)
                let early = try reader.next()
                #expect(early == nil)
                reader.receive(Array(response.utf8.dropFirst(cut)).span)
                let found = try reader.next()
                #expect(found?.body == Array("hi".utf8), "cut at \(cut)")
            }
        }
        // The second head shorter than the first, in one read.
        var reader = HTTPRequestReader()
        let long = "GET /long HTTP/1.1\r\nHost: \(String(repeating: "x", count: 500))\r\n\r\n"
        reader.receive(Array((long + request + request).utf8).span)
        var paths: [String] = []
        while let found = try reader.next() { paths.append(found.path) }
        #expect(paths == ["/long", "/a", "/a"])
    }

    @Test(
        arguments: [
            ("x:1", "x"), ("x:12345", "x"), ("x:", "x"), ("x", "x"), ("[::1]:65535", "::1"), ("[::1]", "::1"), ("", ""),
            ("x:123456", nil), ("x:1a", nil),
            ("x:1:2", nil), ("[::1]x", nil), ("[::1]:123456", nil), ("[::1", nil), ("x:-1", nil), ("x: 1", nil),
            ("x:１", nil),
        ] as [(String, String?)])
    func theHostHasItsPortTakenOff(field: String, host: String?) {
        #expect(HTTPRequest(method: "GET", path: "/", headers: ["host": field]).host == host)
    }

    /// Fields that decide on security or framing come once; others may come again. 64 fields are the most.
    @Test func fieldsThatDecideComeOnce() throws {
        func read(_ fields: String) -> HTTPStatus? {
            var reader = HTTPRequestReader()
            reader.receive(Array("GET / HTTP/1.1\r\n\(fields)\r\n".utf8).span)
            do throws(HTTPRequestError) {
                return try reader.next() == nil ? .failed : nil
            } catch {
                return error.status
            }
        }
        let single = [
            "Host", "Origin", "Transfer-Encoding", "Upgrade", "Sec-WebSocket-Key", "Sec-WebSocket-Version",
            "Sec-Fetch-Site", "Sec-Fetch-Mode",
        ]
        for name in single {
            #expect(read("\(name): a\r\n\(name.lowercased()): a\r\n") == .badRequest, "\(name)")
        }
        #expect(read("Content-Length: 0\r\nContent-Length: 0\r\n") == .badRequest)
        #expect(read("Accept: a\r\nAccept: b\r\n") == nil)
        let many = (0..<HTTPRequestReader.fieldLimit).map { "a\($0): b\r\n" }.joined()
        #expect(read(many) == nil)
        #expect(read(many + "z: b\r\n") == .headTooLarge)
    }
}
