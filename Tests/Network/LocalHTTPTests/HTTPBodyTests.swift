import Testing

@testable import LocalHTTP

/// Requests with bodies, and responses.
@Suite struct HTTPBodyTests {
    private func requests(_ text: String, bodyLimit: Int = 16) throws(HTTPRequestError) -> [HTTPRequest] {
        var reader = HTTPRequestReader(bodyLimit: bodyLimit)
        reader.receive(Array(text.utf8).span)
        var requests: [HTTPRequest] = []
        while let request = try reader.next() { requests.append(request) }
        return requests
    }

    private let post = "POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc"

    @Test func bodiesFollowTheirHeadsHoweverTheStreamIsCut() throws {
        #expect(try requests(post + post).map(\.body) == [Array("abc".utf8), Array("abc".utf8)])
        var reader = HTTPRequestReader(bodyLimit: 3)
        var bodies: [[UInt8]] = []
        for octet in Array((post + post).utf8) {
            reader.receive([octet].span)
            if let request = try reader.next() { bodies.append(request.body) }
        }
        #expect(bodies == [Array("abc".utf8), Array("abc".utf8)])
        #expect(!reader.isReading)
    }

    @Test(arguments: [
        ("Content-Length: 17", HTTPStatus.contentTooLarge), ("Content-Length: 999999999999999999", .contentTooLarge),
        ("Content-Length: 9999999999999999999", .badRequest), ("Content-Length: -1", .badRequest),
        ("Content-Length: +3", .badRequest), ("Content-Length: 3, 3", .badRequest), ("Content-Length:", .badRequest),
        ("Content-Length: 3\r\nContent-Length: 3", .badRequest), ("Content-Length: 0x3", .badRequest),
        ("Transfer-Encoding: chunked", .lengthRequired),
        ("Transfer-Encoding: chunked\r\nContent-Length: 3", .badRequest),
    ])
    func aBodyWithoutOneExactLengthIsRefusedBeforeItArrives(fields: String, status: HTTPStatus) {
        #expect(throws: HTTPRequestError(status)) { try requests("POST / HTTP/1.1\r\n\(fields)\r\n\r\n") }
    }

    @Test func theOldVersionIsTakenWhereItIsAllowed() throws {
        var reader = HTTPRequestReader(acceptsOldVersion: true)
        reader.receive(Array("GET / HTTP/1.0\r\n\r\n".utf8).span)
        #expect(try reader.next()?.keepsConnection == false)
    }

    @Test(arguments: [
        ("a", "a"), ("a:80", "a"), ("192.0.2.7:7463", "192.0.2.7"), ("[fe80::1]", "fe80::1"),
        ("[fe80::1]:80", "fe80::1"), ("a:b", nil), ("[fe80::1", nil), ("[::1]x", nil), ("a:123456", nil),
    ])
    func theHostHasNoPort(field: String, host: String?) {
        #expect(HTTPRequest(method: "GET", path: "/", headers: ["host": field]).host == host)
    }

    // MARK: Responses

    private func replies(_ text: String, bodyLimit: Int = 16) throws(HTTPReplyError) -> [HTTPReply] {
        var reader = HTTPReplyReader(bodyLimit: bodyLimit)
        var replies: [HTTPReply] = []
        for octet in Array(text.utf8) {
            reader.receive([octet].span)
            if let reply = try reader.next() { replies.append(reply) }
        }
        return replies
    }

    @Test func responsesOfServersAreRead() throws {
        let text =
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nab"
            + "HTTP/1.1 204\r\n\r\nHTTP/1.0 403 No, not here\r\ncontent-length: 0\r\n\r\n"
            + "HTTP/1.1 200 \r\nContent-Length: 0\r\nConnection: Close\r\n\r\n"
        let found = try replies(text)
        #expect(found.map(\.status) == [200, 204, 403, 200])
        #expect(found.map(\.keepsConnection) == [true, true, false, false])
        #expect(found.first?.body == Array("ab".utf8))
    }

    @Test(arguments: [
        ("HTTP/1.1 200 OK\r\nContent-Length: 17\r\n\r\n", HTTPReplyError.tooLong),
        ("HTTP/1.1 200 OK\r\n\r\n", .noLength), ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", .noLength),
        ("HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n", .malformed), ("HTTP/2 200\r\n\r\n", .malformed),
        ("HTTP/1.1 99 x\r\n\r\n", .malformed), ("HTTP/1.1 600 x\r\n\r\n", .malformed), ("\r\n\r\n", .malformed),
        ("HTTP/1.1 20\u{e4} x\r\n\r\n", .malformed), ("SSH-2.0-OpenSSH\r\n\r\n", .malformed),
        (String(repeating: "x", count: 8193), .tooLong),
    ])
    func octetsThatAreNoResponseEndTheConnection(text: String, failure: HTTPReplyError) {
        #expect(throws: failure) { try replies(text) }
    }
}
