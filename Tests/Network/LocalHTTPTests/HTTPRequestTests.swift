import Testing

@testable import LocalHTTP

@Suite struct HTTPRequestTests {
    private func read(_ text: String) throws(HTTPRequestError) -> HTTPRequest? {
        var reader = HTTPRequestReader()
        reader.receive(Array(text.utf8).span)
        return try reader.next()
    }

    @Test func aRequestHasItsPathItsQueryAndItsFields() throws {
        let request = try read(
            "GET /a/b?c=d HTTP/1.1\r\nHost: x\r\nConnection: keep-alive, Upgrade\r\nAccept:\r\nAccept: a\r\n\r\n")
        #expect(request?.method == "GET")
        #expect(request?.path == "/a/b")
        #expect(request?.query == "c=d")
        #expect(request?.headers == ["host": "x", "connection": "keep-alive, Upgrade", "accept": ", a"])
        #expect(request?.tokens(of: "connection") == ["keep-alive", "upgrade"])
    }

    @Test func aRequestInSingleOctetsIsTheSame() throws {
        let text = "GET / HTTP/1.1\r\nHost: x\r\n\r\n"
        var reader = HTTPRequestReader()
        var requests: [HTTPRequest] = []
        for octet in Array((text + text).utf8) {
            reader.receive([octet].span)
            if let request = try reader.next() { requests.append(request) }
        }
        #expect(requests.count == 2)
        #expect(requests.first == requests.last)
        #expect(!reader.isReading)
    }

    @Test(arguments: [
        "GET / HTTP/1.1\nHost: x\r\n\r\n", "GET  / HTTP/1.1\r\n\r\n", "GET /\r\n\r\n", "\r\n\r\n",
        "GET http://a/ HTTP/1.1\r\n\r\n",
        "GET / HTTP/1.1\r\n folded: x\r\n\r\n", "GET / HTTP/1.1\r\nHost : x\r\n\r\n", "GET / HTTP/1.1\r\n: x\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", "GET / HTTP/1.1\r\nOrigin: a\r\nOrigin: b\r\n\r\n",
        "GET / HTTP/1.1\r\nA: \u{0}\r\n\r\n", "GET / HTTP/1.1\r\nA: \u{fc}\r\n\r\n",
        "GET / HTTP/1.1\r\nA: x\ry\r\n\r\n", "G(T / HTTP/1.1\r\n\r\n",
    ])
    func aRequestThatIsNotExactIsRefused(_ text: String) {
        #expect(throws: HTTPRequestError(.badRequest)) { try read(text) }
    }

    @Test func aRequestWithABodyIsRefused() {
        #expect(throws: HTTPRequestError(.contentTooLarge)) { try read("POST / HTTP/1.1\r\nContent-Length: 1\r\n\r\n") }
        #expect(throws: HTTPRequestError(.contentTooLarge)) {
            try read("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n")
        }
        #expect(throws: Never.self) { try read("POST / HTTP/1.1\r\nContent-Length: 0\r\n\r\n") }
    }

    @Test func otherVersionsAreRefused() {
        #expect(throws: HTTPRequestError(.versionNotSupported)) { try read("GET / HTTP/1.0\r\n\r\n") }
        #expect(throws: HTTPRequestError(.badRequest)) { try read("PRI * HTTP/2.0\r\n\r\n") }
    }

    @Test func aHeadIsBounded() {
        let long = String(repeating: "a", count: HTTPRequestReader.headLimit)
        #expect(throws: HTTPRequestError(.headTooLarge)) { try read("GET /\(long)") }
        #expect(throws: HTTPRequestError(.headTooLarge)) { try read("GET /\(long) HTTP/1.1\r\n\r\n") }
        let many = (0...HTTPRequestReader.fieldLimit).map { "a\($0): b\r\n" }.joined()
        #expect(throws: HTTPRequestError(.headTooLarge)) { try read("GET / HTTP/1.1\r\n\(many)\r\n") }
    }
}
