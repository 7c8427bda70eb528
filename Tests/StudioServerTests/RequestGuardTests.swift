import Testing

@testable import StudioServer

@Suite struct RequestGuardTests {
    private let token = StudioToken(kept: "0123456789abcdef0123456789abcdef")!
    private var guardian: RequestGuard {
        RequestGuard(token: token, isSecure: false) { $0 == "127.0.0.1" || $0 == "localhost" || $0 == "::1" }
    }

    private func check(_ path: String, _ headers: [String: String] = [:], method: String = "GET")
        -> RequestGuard.Decision
    {
        guardian.check(
            HTTPRequest(method: method, path: path, headers: ["host": "127.0.0.1:8420"].merging(headers) { $1 }))
    }

    @Test func theTokenOpensThePageItsFilesAndItsSocket() {
        #expect(check("/\(token.text)/") == .page("index.html"))
        #expect(check("/\(token.text)/parts/room.js") == .page("parts/room.js"))
        #expect(check("/\(token.text)/files/packets.pcapng") == .file("packets.pcapng"))
        #expect(check("/\(token.text)/socket", ["origin": "http://127.0.0.1:8420"]) == .socket)
    }

    @Test(arguments: [
        "/", "", "/index.html", "/socket", "/0123456789abcdef0123456789abcde/", "/0123456789abcdef0123456789abcdee/",
        "/0123456789abcdef0123456789abcdef", "//0123456789abcdef0123456789abcdef/",
        "/0123456789ABCDEF0123456789ABCDEF/",
        "/0123456789abcdef0123456789abcdef0/", "/%30123456789abcdef0123456789abcdef/",
    ])
    func anotherPathIsRefused(_ path: String) {
        #expect(check(path) == .refused(.forbidden))
    }

    @Test(arguments: [
        "evil.example", "evil.example:8420", "127.0.0.1.evil.example:8420", "127.0.0.1:8420:80", "127.0.0.1:x", "",
        "[::1", "[::2]:8420",
        "127.0.0.1:8420;script-src *", "localhost.:8420", "127.0.0.1:123456",
    ])
    func anotherHostIsRefused(_ host: String) {
        #expect(check("/\(token.text)/", ["host": host]) == .refused(.forbidden))
    }

    @Test(arguments: ["127.0.0.1:8420", "localhost:8420", "[::1]:8420", "localhost"])
    func ownHostsAreServed(_ host: String) {
        #expect(check("/\(token.text)/", ["host": host]) == .page("index.html"))
    }

    @Test(arguments: [
        "http://evil.example", "null", "https://127.0.0.1:8420", "http://127.0.0.1:8421", "http://localhost:8420", "",
    ])
    func anotherOriginIsRefused(_ origin: String) {
        #expect(check("/\(token.text)/", ["origin": origin]) == .refused(.forbidden))
        #expect(check("/\(token.text)/socket", ["origin": origin]) == .refused(.forbidden))
    }

    @Test func aSocketNeedsAnOrigin() {
        #expect(check("/\(token.text)/socket") == .refused(.forbidden))
    }

    @Test func aPageOfAnotherSiteMayOnlyLinkToTheStudio() {
        let path = "/\(token.text)/"
        #expect(check(path, ["sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"]) == .page("index.html"))
        #expect(check(path, ["sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors"]) == .refused(.forbidden))
        #expect(check(path, ["sec-fetch-site": "same-origin", "sec-fetch-mode": "cors"]) == .page("index.html"))
    }

    @Test(arguments: ["POST", "PUT", "OPTIONS", "CONNECT", "TRACE", "HEAD", "get"])
    func anotherMethodIsRefused(_ method: String) {
        #expect(check("/\(token.text)/", method: method) == .refused(.methodNotAllowed))
    }

    @Test func thePolicyAllowsNoInlineScript() throws {
        let policy = try #require(
            guardian.headers(host: "127.0.0.1:8420").first { $0.name == "Content-Security-Policy" }?.value)
        #expect(policy.contains("default-src 'none'"))
        #expect(policy.contains("script-src 'self';"))
        #expect(policy.contains("style-src 'self';"))
        #expect(policy.contains("connect-src 'self' ws://127.0.0.1:8420;"))
        #expect(!policy.contains("unsafe"))
    }

    @Test func tokensAreDifferentAndKeptOnesAreChecked() {
        let tokens = Set((0..<100).map { _ in StudioToken() })
        #expect(tokens.count == 100)
        #expect(tokens.allSatisfy { StudioToken(kept: $0.text) == $0 })
        #expect(StudioToken(kept: "0123") == nil)
        #expect(StudioToken(kept: String(repeating: "g", count: 32)) == nil)
        #expect(StudioToken(kept: String(repeating: "A", count: 32)) == nil)
    }
}
