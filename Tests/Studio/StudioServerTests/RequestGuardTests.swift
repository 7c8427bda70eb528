import LocalHTTP
import Testing

@testable import StudioServer

@Suite struct RequestGuardTests {
    private let token = StudioToken()
    private var guardian: RequestGuard { guardian(isSecure: false) }

    private func guardian(isSecure: Bool) -> RequestGuard {
        RequestGuard(
            token: token, key: StudioKey(), isSecure: isSecure,
            origin: "\(isSecure ? "https" : "http")://127.0.0.1:8420"
        ) { $0 == "127.0.0.1" || $0 == "localhost" || $0 == "::1" }
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

    @Test func anotherPathIsRefused() {
        let right = token.text
        let wrong = String(right.dropLast()) + (right.last == "0" ? "1" : "0")
        let paths = [
            "/", "", "/index.html", "/socket", "/\(right.dropLast())/", "/\(wrong)/", "/\(right)", "//\(right)/",
            "/\(right)0/", "/%3\(right)/", "/again/", "/again/\(right)/",
        ]
        for path in paths { #expect(check(path) == .refused(.forbidden), "\(path)") }
    }

    @Test func aPageThatConnectsAgainShowsNoToken() {
        let own = "http://127.0.0.1:8420"
        #expect(check("/again", ["origin": own]) == .unprovenSocket(origin: own))
        #expect(check("/again") == .refused(.forbidden))
        #expect(check("/again", ["origin": "http://evil.example"]) == .refused(.forbidden))
        #expect(check("/again", ["origin": own, "host": "evil.example"]) == .refused(.forbidden))
    }

    @Test func withoutTLSAProofIsForTheServersOwnAddressOnly() {
        // Another program could listen at these and pass everything on.
        for host in ["localhost:8420", "[::1]:8420", "127.0.0.1:9000", "127.0.0.1"] {
            let origin = "http://\(host)"
            #expect(check("/again", ["origin": origin, "host": host]) == .refused(.forbidden), "\(host)")
            #expect(!guardian.provesItself(at: origin))
        }
        #expect(guardian(isSecure: true).provesItself(at: "https://localhost:9000"))
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

    @Test func tokensAndKeysAreDifferentAndKeptKeysAreChecked() {
        #expect(Set((0..<100).map { _ in StudioToken() }).count == 100)
        #expect(StudioToken().text.utf8.count == 32)
        let keys = Set((0..<100).map { _ in StudioKey() })
        #expect(keys.count == 100)
        #expect(keys.allSatisfy { StudioKey(kept: $0.text) == $0 })
        for text in ["0123", String(repeating: "g", count: 64), String(repeating: "A", count: 64)] {
            #expect(StudioKey(kept: text) == nil)
        }
    }
}
