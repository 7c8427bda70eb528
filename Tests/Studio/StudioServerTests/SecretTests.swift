import Foundation
import LocalHTTP
import TestConditions
import Testing

@testable import StudioServer

/// Comparisons of secrets, of origins and of hosts with everything that is almost right.
@Suite(.timeLimit(.minutes(10))) struct SecretTests {
    private let token = StudioToken()
    private let key = StudioKey()
    private static let origin = "http://127.0.0.1:8420"

    private func guardian(isSecure: Bool = false) -> RequestGuard {
        RequestGuard(
            token: token, key: key, isSecure: isSecure, origin: isSecure ? "https://127.0.0.1:8420" : Self.origin
        ) { ["127.0.0.1", "localhost", "::1"].contains($0) }
    }

    private func check(_ path: String, _ headers: [String: String] = [:]) -> RequestGuard.Decision {
        guardian().check(
            HTTPRequest(method: "GET", path: path, headers: ["host": "127.0.0.1:8420"].merging(headers) { $1 }))
    }

    /// Texts of hexadecimal digits that differ from one: each digit changed, left out, doubled and exchanged; each beginning and each end; and texts
    /// with the same sum or the same exclusive or.
    static func almost(_ right: String) -> [String] {
        let digits = Array(right.utf8)
        let next: (UInt8) -> UInt8 = { octet in
            octet == UInt8(ascii: "f") ? UInt8(ascii: "0") : octet == UInt8(ascii: "9") ? UInt8(ascii: "a") : octet + 1
        }
        var texts: [[UInt8]] = [[], digits + digits, digits.reversed(), digits + [48], [48] + digits, digits + [0]]
        for index in digits.indices {
            var changed = digits
            changed[index] = next(changed[index])
            texts.append(changed)
            // The same bit in two places cancels out in an exclusive or.
            var twice = digits
            twice[index] ^= 1
            twice[(index + 1) % digits.count] ^= 1
            texts.append(twice)
            var exchanged = digits
            exchanged.swapAt(index, (index + 1) % digits.count)
            texts.append(exchanged)
            texts.append(Array(digits[..<index]))
            texts.append(Array(digits[index...].dropFirst()))
            var shorter = digits
            shorter.remove(at: index)
            texts.append(shorter)
            // One digit is right, and all others are not.
            var alone = digits.map(next)
            alone[index] = digits[index]
            texts.append(alone)
        }
        texts.append(Array(right.uppercased().utf8))
        return texts.filter { $0 != digits }.map { String(decoding: $0, as: UTF8.self) }
    }

    @Test func onlyTheWholeTokenOpensThePage() {
        #expect(check("/\(token.text)/") == .page("index.html"))
        for text in Self.almost(token.text) {
            #expect(check("/\(text)/") == .refused(.forbidden), "\(text)")
            #expect(check("/\(text)/socket", ["origin": Self.origin]) == .refused(.forbidden), "\(text)")
            #expect(check("/\(text)/files/packets.pcapng") == .refused(.forbidden), "\(text)")
            #expect(!token.isEqual(to: text), "\(text)")
        }
        #expect(token.isEqual(to: token.text))
    }

    @Test func onlyTheWholeProofIsAProof() throws {
        let (page, server) = (String(repeating: "0f", count: 32), String(repeating: "a5", count: 32))
        let right = key.proof(of: .page, origin: Self.origin, pageNonce: page, serverNonce: server)
        func outcome(_ proof: String) -> ReconnectProof.Outcome {
            var machine = ReconnectProof(key: key, origin: Self.origin, serverNonce: server)
            guard case .answer = machine.receive(#"{"again":{"nonce":"\#(page)"}}"#) else { return .refused }
            return machine.receive(#"{"proof":"\#(proof)"}"#)
        }
        #expect(outcome(right) == .proven)
        for text in Self.almost(right) where !text.contains("\0") { #expect(outcome(text) == .refused, "\(text)") }
    }

    /// Each input of a proof changes it: a proof of one side, origin, nonce or key is none of another.
    @Test func eachPartOfAProofCounts() {
        let (page, server) = (String(repeating: "0f", count: 32), String(repeating: "a5", count: 32))
        var proofs: [String] = []
        for key in [key, StudioKey()] {
            for side in [StudioKey.Side.page, .server] {
                for origin in [Self.origin, "http://127.0.0.1:84201", "http://127.0.0.1:842"] {
                    for (one, other) in [(page, server), (server, page), (page, page)] {
                        proofs.append(key.proof(of: side, origin: origin, pageNonce: one, serverNonce: other))
                    }
                }
            }
        }
        #expect(Set(proofs).count == proofs.count)
        #expect(proofs.allSatisfy { $0.utf8.count == 2 * StudioKey.octets })
    }

    @Test(arguments: [
        "http://127.0.0.1:84201", "http://127.0.0.1:842", "http://127.0.0.1", "http://127.0.0.1:8420/",
        "http://127.0.0.1:8420.evil.example",
        "http://127.0.0.1:8420@evil.example", "http://127.0.0.1:8420, http://evil.example", "http://127.0.0.1:8420 ",
        " http://127.0.0.1:8420",
        "HTTP://127.0.0.1:8420", "http://127.0.0.1:8421", "http://127.0.0.11:8420", "http://127.0.0.1.:8420",
        "http://1127.0.0.1:8420", "127.0.0.1:8420",
        "https://127.0.0.1:8420", "ws://127.0.0.1:8420", "http://", "http:/127.0.0.1:8420",
        "http://evil.example/http://127.0.0.1:8420", "null", "",
        "http://localhost:8420", "http://[::1]:8420", "http://127.0.0.1:08420", "xhttp://127.0.0.1:8420",
    ])
    func anOriginThatIsAlmostRightIsRefused(_ origin: String) {
        for path in ["/\(token.text)/", "/\(token.text)/socket", "/\(token.text)/files/a", "/again"] {
            #expect(check(path, ["origin": origin]) == .refused(.forbidden), "\(path)")
        }
        #expect(!guardian().provesItself(at: origin))
        // The origin belongs to the host of the request, with TLS, too.
        let request = HTTPRequest(
            method: "GET", path: "/\(token.text)/socket", headers: ["host": "127.0.0.1:8420", "origin": origin])
        let decision = guardian(isSecure: true).check(request)
        #expect(decision == (origin == "https://127.0.0.1:8420" ? .socket : .refused(.forbidden)))
    }

    @Test func theRightOriginIsServed() {
        #expect(check("/\(token.text)/socket", ["origin": Self.origin]) == .socket)
        #expect(check("/again", ["origin": Self.origin]) == .unprovenSocket(origin: Self.origin))
        #expect(guardian().provesItself(at: Self.origin) && !guardian().provesItself(at: nil))
    }

    /// The names that a server itself takes for its own, over a socket.
    @Test func aHostThatIsAlmostRightIsRefused() async throws {
        let times = WebTimeouts(stranger: .seconds(600), request: .seconds(600))
        let server = try StudioWebServer(hub: StudioHub(), host: "127.0.0.1", token: token, times: times)
        let (port, path) = (server.port, "/\(token.text)/app.js")
        let hosts = [
            "127.0.0.1:\(port)": 200, "localhost:\(port)": 200, "[::1]:\(port)": 200, "127.0.0.1": 200,
            "127.0.0.2:\(port)": 200,
            "127.0.0.1.evil.example:\(port)": 403, "127.0.0.11.evil:\(port)": 403, "evil127.0.0.1:\(port)": 403,
            "127.0.0.:\(port)": 403,
            "127.0.0:\(port)": 403, "localhost.evil.example": 403, "localhos": 403, "[::11]:\(port)": 403,
            "[::1]evil:\(port)": 403,
            "127.0.0.1:\(port):1": 403, "127.0.0.1:\(port)0": port > 9999 ? 403 : 200, "128.0.0.1:\(port)": 403,
            "127.0.0.1:abc": 403, "": 403,
        ]
        for (host, status) in hosts {
            let found = try await onThread {
                let connection = try RawConnection(port: port)
                connection.send("GET \(path) HTTP/1.1\r\nHost: \(host)\r\nConnection: close\r\n\r\n")
                return try connection.response().status
            }
            #expect(found == status, "\(host)")
        }
    }

    /// The second and the third stranger end in time like the first, also after a time without any connection.
    @Test func strangersEndInTimeAgainAndAgain() async throws {
        let times = WebTimeouts(
            stranger: .milliseconds(100), request: .seconds(600), idle: .seconds(600), stall: .seconds(600))
        let server = try StudioWebServer(hub: StudioHub(), token: token, times: times)
        let port = server.port
        for _ in 0..<3 {
            try await onThread {
                let connection = try RawConnection(port: port)
                connection.send("G")
                // Nothing but the end of the connection ends this.
                _ = try? connection.rest()
            }
            #expect(await eventually { server.connectionCount == 0 })
        }
    }

    /// Several times as many octets as may wait go over one connection, and none of them stops it.
    @Test func aConnectionServesManyTimesItsLimit() async throws {
        let content = Data((0..<1_500_000).map { UInt8(truncatingIfNeeded: $0 / 11) })
        let hub = StudioHub()
        hub.addFile("large.bin") { StudioFile(name: "large.bin", content: content) }
        let times = WebTimeouts(
            stranger: .seconds(600), request: .seconds(600), idle: .seconds(600), stall: .seconds(600))
        let server = try StudioWebServer(hub: hub, token: token, times: times)
        let (port, path) = (server.port, "/\(token.text)/files/large.bin")
        let whole = try await onThread {
            let connection = try RawConnection(port: port)
            var whole = 0
            for _ in 0..<5 {
                connection.send("GET \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n")
                if Data(try connection.response().body) == content { whole += 1 }
            }
            return whole
        }
        #expect(whole == 5)
    }

    /// A page of long life: more commands than the limit, one after another, and more updates than any small counter holds.
    @Test func aPageGoesOnBeyondTheLimitOfItsCommands() async throws {
        let hub = StudioHub()
        let page = TestPage(hub)
        let count = 3 * StudioClient.commandLimit + 1
        for number in 0..<count {
            await page.do(number, "studio.ping")
            #expect(try await page.reply(number).failed == nil, "command \(number)")
        }
    }

    /// An acknowledgement that comes late lowers nothing.
    @Test func anOlderAcknowledgementTakesNothingBack() async throws {
        let hub = StudioHub()
        hub.addTopic("time") { JSONText("1") }
        let page = TestPage(hub)
        await page.watch("time")
        for number in 1...8 {
            _ = try await page.update(number)
            await page.acknowledge(number)
            await page.acknowledge(1)
            hub.touch("time")
        }
        _ = try await page.update(9)
    }
}
