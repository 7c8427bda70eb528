import TLSBench
import Testing

@testable import TLSChannel

/// The client's side: which servers it trusts, and what it says about the others.
// check-tests: skip: the library belongs to the system, and the build does not need it.
@Suite(.enabled(if: TLSClient.isPossible, "OpenSSL's library is not installed")) struct TLSClientSessionTests {
    private let files: TLSFiles

    init() throws { files = try TLSFiles() }

    /// Both ends, connected by memory.
    private final class Pair {
        let client: TLSSession
        let server: TLSSession
        private(set) var atClient: [UInt8] = []
        private(set) var atServer: [UInt8] = []

        init(_ context: TLSContext, to host: String, server: TLSContext) throws {
            client = try #require(TLSSession(context, to: host))
            self.server = try #require(TLSSession(server))
        }

        /// Passes octets on in both directions until nothing moves.
        func exchange(part: Int = .max) {
            while true {
                let up = client.takeOutput()
                pass(up, to: server, &atServer, part)
                let down = server.takeOutput()
                pass(down, to: client, &atClient, part)
                if up.isEmpty, down.isEmpty { return }
            }
        }

        private func pass(_ octets: [UInt8], to end: TLSSession, _ plain: inout [UInt8], _ part: Int) {
            var rest = octets[...]
            while !rest.isEmpty, end.end == nil {
                let part = Array(rest.prefix(part))
                rest = rest.dropFirst(part.count)
                _ = end.receive(part.span, into: &plain)
            }
        }
    }

    private func context(
        authorities: String? = nil, certificate: String? = nil, key: String? = nil
    ) throws -> TLSContext {
        try TLSContext(authorities: authorities, certificate: certificate, key: key)
    }

    @Test(arguments: ["studio.example", "a.rooms.example", "localhost", "127.0.0.1", "::1"], [1, Int.max])
    func aServerWithTheRightNameIsTrusted(host: String, part: Int) throws {
        let pair = try Pair(
            context(authorities: files.certificate), to: host, server: files.context())
        #expect(!pair.client.isEstablished && !pair.client.send([1].span))
        pair.exchange(part: part)
        #expect(pair.client.isEstablished && pair.server.isEstablished)
        let octets = (0..<40_000).map { UInt8(truncatingIfNeeded: $0 / 3) }
        let isSent = pair.client.send(octets.span)
        let isAnswered = pair.server.send(octets.span)
        pair.exchange()
        #expect(isSent && isAnswered && pair.atServer == octets && pair.atClient == octets)
        #expect(pair.client.end == nil && pair.server.end == nil)
        pair.server.close()
        pair.exchange()
        #expect(pair.client.end == .closed)
    }

    /// OpenSSL would check no name for the first, and take any subdomain for the others.
    @Test(arguments: ["", ".", ".rooms.example"]) func aNameThatChecksNothingIsRefused(host: String) throws {
        #expect(try TLSSession(context(authorities: files.certificate), to: host) == nil)
    }

    /// The extension for the server's name has names alone (RFC 6066, 3).
    @Test(arguments: [("studio.example", true), ("127.0.0.1", false), ("::1", false)])
    func theServerLearnsTheNameThatTheClientWants(host: String, isSent: Bool) throws {
        let client = try #require(TLSSession(context(authorities: files.certificate), to: host))
        let hello = client.takeOutput()
        let name = Array(host.utf8)
        let isFound = hello.indices.contains { hello[$0...].starts(with: name) }
        #expect(!hello.isEmpty && isFound == isSent)
    }

    @Test(arguments: ["evil.example", "rooms.example", "a.b.rooms.example", "127.0.0.2", "::2", "studio.example.evil"])
    func aServerWithAnotherNameIsNot(host: String) throws {
        let pair = try Pair(
            context(authorities: files.certificate), to: host, server: files.context())
        pair.exchange()
        #expect(!pair.client.isEstablished && !pair.server.isEstablished)
        guard case .untrusted(let reason) = pair.client.end else {
            Issue.record("\(String(describing: pair.client.end))")
            return
        }
        #expect(
            reason.contains(
                host.first?.isNumber == true || host.contains(":") ? "address mismatch" : "ostname mismatch"),
            "\(reason)")
        // The server learns it by an alert.
        guard case .alert = pair.server.end else {
            Issue.record("\(String(describing: pair.server.end))")
            return
        }
    }

    @Test func aServerOfAnUnknownAuthorityIsNotTrusted() throws {
        for authorities in [nil, files.otherCertificate] {
            let pair = try Pair(
                context(authorities: authorities), to: "studio.example", server: files.context())
            pair.exchange()
            guard case .untrusted(let reason) = pair.client.end else {
                Issue.record("\(String(describing: pair.client.end))")
                return
            }
            #expect(reason.contains("self"), "\(reason)")
        }
    }

    /// A server that wants a certificate of the client: SSL_VERIFY_PEER and SSL_VERIFY_FAIL_IF_NO_PEER_CERT.
    @Test(arguments: [0x0303, 0x0304])
    func aServerMayWantACertificate(newest: Int) throws {
        func server() throws -> TLSContext {
            let server = try files.context()
            server.library.setVerification(server.pointer, 3, nil)
            #expect(server.library.loadAuthorities(server.pointer, files.otherCertificate, nil) == 1)
            // SSL_CTRL_SET_MAX_PROTO_VERSION.
            #expect(server.library.controlContext(server.pointer, 124, newest, nil) == 1)
            return server
        }
        let own = try context(
            authorities: files.certificate, certificate: files.otherCertificate, key: files.otherKey)
        let pair = try Pair(own, to: "localhost", server: server())
        pair.exchange()
        #expect(pair.client.isEstablished && pair.server.isEstablished)
        let without = try Pair(context(authorities: files.certificate), to: "localhost", server: server())
        without.exchange()
        guard case .alert = without.client.end else {
            Issue.record("\(String(describing: without.client.end))")
            return
        }
        // A certificate that the server does not know.
        let unknown = try context(
            authorities: files.certificate, certificate: files.certificate, key: files.key)
        let refused = try Pair(unknown, to: "localhost", server: server())
        refused.exchange()
        guard case .alert = refused.client.end else {
            Issue.record("\(String(describing: refused.client.end))")
            return
        }
    }

    @Test(arguments: ["HTTP/1.1 400 Bad Request\r\n\r\n", " \u{5}\u{0}\u{0}\u{2}\u{7F}\u{0}", "220 mail ESMTP\r\n"])
    func aServerWithoutTLSIsRecognized(text: String) throws {
        let client = try #require(TLSSession(context(authorities: files.certificate), to: "localhost"))
        var plain: [UInt8] = []
        let outcome = client.receive(Array(text.utf8).span, into: &plain)
        #expect(outcome == .closed && client.end == .notTLS && plain.isEmpty)
    }

    @Test func anEarlierVersionIsRefused() throws {
        let server = try files.context()
        // SSL_CTRL_SET_MIN_PROTO_VERSION and SSL_CTRL_SET_MAX_PROTO_VERSION with TLS 1.1.
        _ = server.library.controlContext(server.pointer, 123, 0x0301, nil)
        _ = server.library.controlContext(server.pointer, 124, 0x0302, nil)
        let pair = try Pair(context(authorities: files.certificate), to: "localhost", server: server)
        pair.exchange()
        #expect(!pair.client.isEstablished && pair.client.end != nil)
    }

    @Test func eachFileThatDoesNotServeIsNamed() throws {
        func sentence(_ make: () throws -> TLSContext) -> String? {
            do {
                _ = try make()
                return nil
            } catch {
                return (error as? TLSError)?.sentence
            }
        }
        for file in [files.missing, files.garbage, files.key] {
            #expect(sentence { try context(authorities: file) } == "The authorities \(file) cannot be used.")
        }
        for file in [files.missing, files.garbage, files.lockedKey, files.otherKey] {
            let found = sentence { try context(certificate: files.certificate, key: file) }
            #expect(found?.hasPrefix("The key \(file) ") == true)
        }
        let found = sentence { try context(certificate: files.garbage, key: files.key) }
        #expect(found == "The certificate \(files.garbage) cannot be used.")
    }
}
