import BLECrypto
import BLEWire
import Testing

@testable import BLESecurity

/// Signatures with the keys of a bond (Vol 3, Part C, 10.4, and Part H, 2.4.5).
struct DataSigningTests {
    private static let key = SignatureKey(value: 0x2b7e_1516_28ae_d2a6_abf7_1588_09cf_4f3c)

    private static func bond(local: SignatureKey? = nil, peer: SignatureKey? = nil) -> Bond {
        Bond(
            peer: DeviceAddress(kind: .public, value: 1), security: .none, usesDebugKeys: false, localKey: nil,
            peerKey: nil, peerIdentityKey: nil, localSignatureKey: local, peerSignatureKey: peer, linkKey: nil)
    }

    /// One side of a link.
    private final class Side {
        private var signing: DataSigning
        private let crypto = SwiftCryptoProvider()

        init(_ signing: DataSigning) { self.signing = signing }

        func sign(_ message: [UInt8]) -> DataSigning.Signature? { signing.sign(message.span, using: crypto) }
        func verify(_ message: [UInt8], _ signature: DataSigning.Signature) -> Bool {
            signing.verify(message.span, signature, using: crypto)
        }
        func takeReport() -> [UInt8]? { signing.takeReport() }
    }

    private func signer(_ counters: [UInt8]? = nil) throws -> Side {
        Side(try #require(DataSigning(Self.bond(local: Self.key), counters: counters)))
    }

    private func verifier(_ counters: [UInt8]? = nil) throws -> Side {
        Side(try #require(DataSigning(Self.bond(peer: Self.key), counters: counters)))
    }

    private func octets(_ signature: DataSigning.Signature?) -> [UInt8]? {
        signature.map { signature in signature.indices.map { signature[$0] } }
    }

    /// The sample data of AES-CMAC (Part H, Appendix D.1; RFC 4493): the counter and the reversed message are the sample's message.
    @Test func signaturesAreThoseOfTheSampleData() {
        let message: [UInt8] = [
            0x6b, 0xc1, 0xbe, 0xe2, 0x2e, 0x40, 0x9f, 0x96, 0xe9, 0x3d, 0x7e, 0x11, 0x73, 0x93, 0x17, 0x2a, 0xae, 0x2d,
            0x8a, 0x57, 0x1e, 0x03, 0xac, 0x9c, 0x9e, 0xb7, 0x6f, 0xac, 0x45, 0xaf, 0x8e, 0x51, 0x30, 0xc8, 0x1c, 0x46,
            0xa3, 0x5c, 0xe4, 0x11,
        ]
        let samples: [(Int, [UInt8])] = [
            (16, [0x44, 0x41, 0x4d, 0x6b, 0xb4, 0x16, 0x0a, 0x07]),
            (40, [0x30, 0xe6, 0x9a, 0xde, 0x47, 0x67, 0xa6, 0xdf]),
        ]
        for (count, code) in samples {
            let signed = Array(message[4..<count].reversed())
            let signature = DataSigning.signature(of: signed.span, 0x6bc1_bee2, Self.key, SwiftCryptoProvider())
            #expect(octets(signature) == [0xe2, 0xbe, 0xc1, 0x6b] + code)
        }
        let none: [UInt8] = []
        let empty = DataSigning.signature(of: none.span, 0, Self.key, SwiftCryptoProvider())
        #expect(octets(empty) == [0, 0, 0, 0, 0xb3, 0xa8, 0x59, 0x41, 0x27, 0xeb, 0xc2, 0xc0])
    }

    @Test func aMessageIsTakenOnce() throws {
        let (signer, verifier) = (try self.signer(), try self.verifier())
        let message: [UInt8] = [0xD2, 3, 0, 1]
        let first = try #require(signer.sign(message))
        #expect(octets(first)?.prefix(4) == [0, 0, 0, 0])
        #expect(verifier.verify(message, first))
        #expect(!verifier.verify(message, first), "repeated")
        let second = try #require(signer.sign(message))
        let third = try #require(signer.sign(message))
        #expect(verifier.verify(message, third), "the second was lost")
        #expect(!verifier.verify(message, second))
    }

    @Test("A changed message, counter or code is refused, and changes nothing")
    func aChangedOctetIsRefused() throws {
        let (signer, verifier) = (try self.signer(), try self.verifier())
        let message: [UInt8] = [0xD2, 3, 0, 1]
        let signature = try #require(signer.sign(message))
        for bit in 0..<8 * 12 {
            var wrong = signature
            wrong[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(!verifier.verify(message, wrong))
        }
        for bit in 0..<8 * 4 {
            var wrong = message
            wrong[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(!verifier.verify(wrong, signature))
        }
        #expect(!verifier.verify([], signature))
        #expect(verifier.takeReport() == nil)
        #expect(verifier.verify(message, signature))
    }

    private func counters(_ local: UInt64, _ peer: UInt64) -> [UInt8] {
        var counters = SignCounters()
        counters.local = local
        counters.peer = peer
        return counters.octets
    }

    @Test func theLastCounterEndsTheKey() throws {
        let (signer, verifier) = (
            try self.signer(counters(0xFFFF_FFFF, 0)), try self.verifier(counters(0, 0xFFFF_FFFF))
        )
        let last = try #require(signer.sign([1]))
        #expect(signer.sign([1]) == nil)
        #expect(verifier.verify([1], last))
        #expect(!verifier.verify([1], last))
        let reports = (signer.takeReport(), verifier.takeReport())
        let (nextSigner, nextVerifier) = (try self.signer(reports.0), try self.verifier(reports.1))
        #expect(nextSigner.sign([1]) == nil)
        #expect(!nextVerifier.verify([1], last))
    }

    @Test func noCounterIsUsedTwiceAfterACrash() throws {
        var kept: [UInt8]?
        var used: [UInt8: Int] = [:]
        var reports = 0
        for _ in 0..<4 {
            let signer = try self.signer(kept)
            for _ in 0..<33 {
                let signature = try #require(signer.sign([1]))
                // What is not reported before the message leaves is lost in a crash.
                if let report = signer.takeReport() {
                    kept = report
                    reports += 1
                }
                used[signature[0], default: 0] += 1
            }
        }
        #expect(used.count == 4 * 33 && reports == 4, "one report for each run")
    }

    /// A report covers 64 signatures.
    @Test func aReportIsDueWithEach64thSignature() throws {
        let signer = try self.signer()
        for number in 0..<200 {
            _ = try #require(signer.sign([1]))
            #expect((signer.takeReport() != nil) == (number % 64 == 0), "\(number)")
        }
    }

    @Test func aRepetitionIsRefusedAfterARestart() throws {
        let (signer, verifier) = (try self.signer(), try self.verifier())
        #expect(verifier.takeReport() == nil && signer.takeReport() == nil)
        let first = try #require(signer.sign([1]))
        #expect(verifier.verify([1], first))
        let report = try #require(verifier.takeReport())
        #expect(verifier.takeReport() == nil)
        let next = try self.verifier(report)
        #expect(!next.verify([1], first))
        let second = try #require(signer.sign([1]))
        #expect(next.verify([1], second))
    }

    @Test func theLaterCountersOfTwoReportsCount() {
        #expect(SignCounters.later(counters(7, 9), counters(8, 3)) == counters(8, 9))
        #expect(SignCounters.later(counters(8, 3), counters(7, 9)) == counters(8, 9))
        // Those of another version, whichever process has them.
        let foreign = [2] + counters(7, 9)[1...]
        #expect(SignCounters.later(foreign, counters(8, 3)) == foreign)
        #expect(SignCounters.later(counters(8, 3), foreign) == foreign)
    }

    @Test func withoutKeysOrCountersThereAreNoSignatures() throws {
        #expect(DataSigning(Self.bond(), counters: nil) == nil)
        let good = counters(7, 9)
        #expect(try SignCounters(decoding: good.span).octets == good)
        // Another version, a missing octet, one too many, a counter above the limit.
        for octets in [[2] + good[1...], Array(good.dropLast()), good + [0], counters(1 << 32 + 1, 0), []] {
            #expect(DataSigning(Self.bond(local: Self.key), counters: octets) == nil)
        }
        let (signer, verifier) = (try self.signer(), try self.verifier())
        #expect(verifier.sign([1]) == nil)
        let signature = try #require(signer.sign([1]))
        #expect(!signer.verify([1], signature))
    }
}
