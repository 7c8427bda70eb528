import BLEWire
import Foundation
import TLSBench
import Testing

@testable import TLSChannel

/// TLS between a session of the server and a client, octet by octet and without sockets.
// check-tests: skip: the library belongs to the system, and the build does not need it.
@Suite(.enabled(if: TLSClient.isPossible, "OpenSSL's library is not installed")) struct TLSTests {
    private let files: TLSFiles

    init() throws { files = try TLSFiles() }

    /// A client and a session of the server, connected by memory.
    private final class Pair {
        let session: TLSSession
        let client: TLSClient
        var plain: [UInt8] = []
        var outcome = TLSSession.Outcome.open

        init(_ context: TLSContext, newest: Int = 0x0304) throws {
            session = try #require(TLSSession(context))
            client = try TLSClient(newest: newest)
        }

        /// Passes octets on in both directions, in parts, until nothing moves.
        func exchange(part: Int = .max) throws {
            while true {
                let up = try client.takeOutput()
                for start in stride(from: 0, to: up.count, by: min(part, max(1, up.count))) {
                    let octets = Array(up[start...].prefix(part))
                    let outcome = session.receive(octets.span, into: &plain)
                    if outcome == .closed { self.outcome = .closed }
                }
                let down = session.takeOutput()
                try client.receive(down)
                guard !up.isEmpty || !down.isEmpty else { return }
            }
        }

        /// Returns whether both sides are connected.
        func connect(part: Int = .max) throws -> Bool {
            for _ in 0..<6 {
                if try client.handshake(), session.isEstablished { return true }
                try exchange(part: part)
            }
            return false
        }
    }

    @Test(arguments: [(0x0304, Int32(0x0304)), (0x0303, 0x0303)], [1, 7, Int.max])
    func bothVersionsCarryOctetsBothWays(version: (newest: Int, agreed: Int32), part: Int) throws {
        let pair = try Pair(try files.context(), newest: version.newest)
        let isTooEarly = pair.session.send([1].span)
        #expect(!pair.session.isEstablished && !isTooEarly)
        #expect(try pair.connect(part: part))
        #expect(try pair.client.version == version.agreed)
        var random = SeededRandom(seed: 4)
        // A record has at most 16,384 octets (RFC 8446, 5.1).
        for count in [1, 2, 16_383, 16_384, 16_385, 70_000] {
            let octets = (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            try pair.client.send(octets)
            try pair.exchange(part: part == 1 ? 1_000 : part)
            #expect(pair.plain == octets)
            pair.plain = []
            let isSent = pair.session.send(octets.span)
            #expect(isSent)
            try pair.client.receive(pair.session.takeOutput())
            let received = try pair.client.takePlain()
            #expect(received == octets)
        }
        let nothing: [UInt8] = []
        let isNothingSent = pair.session.send(nothing.span)
        #expect(isNothingSent && pair.session.takeOutput().isEmpty)
        #expect(pair.outcome == .open && pair.plain.isEmpty)
    }

    @Test func anEarlierVersionIsRefused() throws {
        for version in [0x0301, 0x0302] {
            let pair = try Pair(try files.context(), newest: version)
            #expect(try !pair.connect())
            #expect(!pair.session.isEstablished && pair.outcome == .closed)
        }
    }

    @Test func bothSidesCanEndASession() throws {
        for _ in 0..<2 {
            let first = try Pair(try files.context())
            #expect(try first.connect())
            first.session.close()
            #expect(try !first.client.isEndedByServer)
            try first.exchange()
            _ = try first.client.takePlain()
            #expect(try first.client.isEndedByServer)
            let second = try Pair(try files.context())
            #expect(try second.connect())
            try second.client.send([1, 2, 3])
            try second.client.end()
            try second.exchange()
            // What came before the end counts.
            #expect(second.plain == [1, 2, 3] && second.outcome == .closed)
        }
        // Before the handshake there is nothing to end.
        let session = try #require(TLSSession(try files.context()))
        session.close()
        #expect(session.takeOutput().isEmpty)
    }

    /// A browser that speaks HTTP, and octets that are nothing.
    @Test(arguments: ["GET / HTTP/1.1\r\n\r\n", "\u{16}\u{3}\u{1}\u{0}\u{5}aaaaa", "aaaaaaaaaaaaaaaa"])
    func octetsWithoutTLSEndTheSession(_ text: String) throws {
        let context = try files.context()
        for _ in 0..<2 {
            let session = try #require(TLSSession(context))
            var plain: [UInt8] = []
            let outcome = session.receive(Array(text.utf8).span, into: &plain)
            #expect(outcome == .closed && plain.isEmpty && !session.isEstablished)
            // An earlier failure does not end another session.
            let pair = try Pair(context)
            #expect(try pair.connect())
            try pair.client.send([7])
            try pair.exchange()
            #expect(pair.plain == [7] && pair.outcome == .open)
        }
    }

    /// The library keeps the errors of all sessions of a thread in one list. One session's failure says nothing about another one.
    @Test func aFailureEndsNoOtherSession() throws {
        let context = try files.context()
        for newest in [0x0303, 0x0304] {
            let pair = try Pair(context, newest: newest)
            #expect(try pair.connect())
            for round in 0..<3 as Range<UInt8> {
                let other = try #require(TLSSession(context))
                var plain: [UInt8] = []
                let garbage = Array("GET / HTTP/1.1\r\n\r\n".utf8)
                #expect(other.receive(garbage.span, into: &plain) == .closed)
                // A part of a record: the session waits for the rest.
                try pair.client.send([round, 7])
                let octets = try pair.client.takeOutput()
                let (beginning, end) = (Array(octets.dropLast(3)), Array(octets.suffix(3)))
                #expect(pair.session.receive(beginning.span, into: &pair.plain) == .open)
                #expect(other.receive(garbage.span, into: &plain) == .closed)
                #expect(pair.session.receive(end.span, into: &pair.plain) == .open)
                #expect(pair.plain == [round, 7])
                pair.plain = []
                #expect(other.receive(garbage.span, into: &plain) == .closed)
                let isSent = pair.session.send(end.span)
                #expect(isSent)
                try pair.client.receive(pair.session.takeOutput())
                #expect(try pair.client.takePlain() == end)
            }
        }
    }

    @Test func aChangedOctetEndsTheSession() throws {
        for newest in [0x0303, 0x0304] {
            let pair = try Pair(try files.context(), newest: newest)
            #expect(try pair.connect())
            try pair.client.send([UInt8](repeating: 5, count: 100))
            var octets = try pair.client.takeOutput()
            octets[octets.count - 1] ^= 1
            let outcome = pair.session.receive(octets.span, into: &pair.plain)
            #expect(outcome == .closed && pair.plain.isEmpty)
        }
    }

    /// No renegotiation, the server's order of ciphers, no compression and no tickets: the bits of OpenSSL's header ssl.h.
    @Test func theOptionsAreSet() throws {
        let context = try files.context()
        let options = try TLSClient.options(of: context)
        for (name, bit) in [
            ("SSL_OP_NO_RENEGOTIATION", 30), ("SSL_OP_CIPHER_SERVER_PREFERENCE", 22), ("SSL_OP_NO_COMPRESSION", 17),
            ("SSL_OP_NO_TICKET", 14),
        ] as [(String, UInt64)] {
            #expect(options >> bit & 1 == 1, "\(name)")
        }
        // SSL_CTRL_GET_SESS_CACHE_MODE and SSL_CTRL_GET_MIN_PROTO_VERSION.
        #expect(context.library.controlContext(context.pointer, 45, 0, nil) == 0)
        #expect(context.library.controlContext(context.pointer, 130, 0, nil) == 0x0303)
        let pair = try Pair(context, newest: 0x0303)
        #expect(try pair.connect())
        #expect(try !pair.client.hasTicket)
    }

    // MARK: Files

    private func refusal(certificate: String, key: String) -> TLSError? {
        do throws(TLSError) {
            _ = try TLSContext(certificate: certificate, key: key)
            return nil
        } catch {
            return error
        }
    }

    @Test func eachFileThatDoesNotServeIsNamed() throws {
        #expect(refusal(certificate: files.certificate, key: files.key) == nil)
        for file in [files.missing, files.garbage, files.key] {
            let failure = try #require(refusal(certificate: file, key: files.key))
            #expect(failure.sentence == "The certificate \(file) cannot be used.")
            #expect(failure.tried.hasPrefix("OpenSSL says: error:") && failure.tried.hasSuffix("."))
            #expect(failure.next == "Give a PEM file that begins with this certificate.")
        }
        for file in [files.missing, files.garbage, files.lockedKey, files.certificate] {
            let failure = try #require(refusal(certificate: files.certificate, key: file))
            #expect(failure.sentence == "The key \(file) cannot be used.")
            #expect(failure.tried.hasPrefix("OpenSSL says: error:"))
            #expect(failure.next.contains("without a passphrase"))
        }
        // OpenSSL compares the key with the certificate when it takes it.
        let other = try #require(refusal(certificate: files.certificate, key: files.otherKey))
        #expect(other.sentence.hasPrefix("The key \(files.otherKey) "))
        #expect(other.tried.contains("mismatch"))
        // A failure leaves nothing behind.
        #expect(refusal(certificate: files.certificate, key: files.key) == nil)
    }

    @Test(arguments: [
        ("studio.example", true), ("STUDIO.example", true), ("a.rooms.example", true), ("localhost", true),
        ("127.0.0.1", true), ("::1", true), ("", false), ("rooms.example", false), ("a.b.rooms.example", false),
        ("studio.example.evil", false), ("127.0.0.2", false), ("::2", false), ("evil.example", false),
        ("tudio.example", false),
    ])
    func theCertificateNamesItsHosts(host: String, isValid: Bool) throws {
        let context = try files.context()
        for _ in 0..<2 { #expect(context.isValid(for: host) == isValid) }
    }

    @Test func aLibraryThatIsNotThereIsNamed() {
        for libraries in [[], ["libnothing.so.1"], ["libnothing.so.1", "libc.so.6"]] {
            do throws(TLSError) {
                _ = try OpenSSL.load(libraries)
                Issue.record("\(libraries)")
            } catch {
                #expect(error.sentence == "OpenSSL's library is not installed, which TLS needs.")
                #expect(error.tried == "Tried \(libraries.joined(separator: " and ")).")
                #expect(error.next.contains("libssl3"))
            }
        }
        #expect(throws: Never.self) { try OpenSSL.load(["libnothing.so.1"] + OpenSSL.libraries) }
    }

    @Test func theReasonOfAnErrorIsTakenOnce() throws {
        let context = try files.context()
        let library = context.library
        #expect(library.takeError() == "no reason is given")
        #expect(library.useCertificateChain(context.pointer, files.missing) != 1)
        #expect(library.takeError().hasPrefix("error:"))
        #expect(library.takeError() == "no reason is given")
    }
}
