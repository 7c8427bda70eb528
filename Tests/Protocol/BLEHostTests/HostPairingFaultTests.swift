import BLESecurity
import BLEWire
import Testing

@testable import BLEHost

/// Bad input and ended links in every phase of a pairing, through whole hosts.
struct HostPairingFaultTests {
    /// The pairings whose phases are tested. Numeric comparison, a passkey of twenty rounds, and the two legacy forms.
    struct Kind: CustomTestStringConvertible, Sendable {
        let io: SMP.IOCapability
        let secure: Bool
        /// The number of PDUs of the whole pairing, at most.
        let count: Int
        var testDescription: String { "\(io.rawValue)\(secure ? ", Secure Connections" : "")" }
    }

    static let kinds = [
        Kind(io: .displayYesNo, secure: true, count: 13), Kind(io: .noInputNoOutput, secure: false, count: 15),
    ]

    private func bench(_ kind: Kind, after limit: Int) -> PairingBench {
        let pair = PairingBench {
            $0.ioCapability = kind.io
            $0.policy.prefersManInTheMiddle = kind.io != .noInputNoOutput
            $0.policy.allowsSecureConnections = kind.secure
        }
        pair.limit = limit
        pair.pair()
        return pair
    }

    /// A PDU of each code with a body of the right length.
    private static let packets: [[UInt8]] = [
        [0x01, 3, 0, 0x0D, 16, 3, 3], [0x02, 3, 0, 0x0D, 16, 3, 3], [0x03] + [UInt8](repeating: 7, count: 16),
        [0x04] + [UInt8](repeating: 7, count: 16), [0x05, 8], [0x06] + [UInt8](repeating: 7, count: 16),
        [0x07] + [UInt8](repeating: 7, count: 10), [0x08] + [UInt8](repeating: 7, count: 16),
        [0x09, 1, 1, 2, 3, 4, 5, 0xC6], [0x0A] + [UInt8](repeating: 7, count: 16), [0x0B, 0x0D],
        [0x0C] + [UInt8](repeating: 7, count: 64), [0x0D] + [UInt8](repeating: 7, count: 16), [0x0E, 1],
        // A reserved code, a truncated PDU, and one without a code.
        [0x0F, 1], [0x03, 1], [],
    ]

    /// After the pairing and the link have ended, nothing remains of them but bonds of completed pairings.
    private func checkNothingRemains(_ pair: PairingBench, _ context: String) {
        pair.limit = .max
        pair.bench.run(.seconds(31))
        pair.lose()
        for host in pair.hosts {
            #expect(host.host.connections.isEmpty, "\(context)")
            #expect(host.host.nextTimeout == nil, "\(context)")
            #expect(host.host.bonds.bonds.isEmpty || !host.results.isEmpty, "\(context)")
            // Each question was dismissed, and the last event of a pairing is its end.
            #expect(host.results.count + host.failures.count <= 3, "\(context)")
            switch host.pairingEvents.last {
            case .asked?, .keypress?, .securityChanged?:
                Issue.record("\(context): \(host.pairingEvents) has no end")
            case nil, .dismissed?, .secured?, .completed?, .failed?: break
            }
        }
    }

    @Test(arguments: kinds) func everyPDUInEveryPhaseIsRefusedOrIgnored(kind: Kind) {
        var reported = 0
        for phase in 0...kind.count {
            for packet in Self.packets {
                for isCentral in [true, false] {
                    let pair = bench(kind, after: phase)
                    let host = isCentral ? pair.central : pair.peripheral
                    let other = isCentral ? pair.peripheral : pair.central
                    let context = "phase \(phase), code \(packet.first ?? 0), \(isCentral ? "central" : "peripheral")"
                    let hadResults = host.results.count
                    pair.limit = .max
                    pair.inject(packet, to: host)
                    let specified: Set<UInt8> = [0x01, 0x03, 0x04, 0x05, 0x07, 0x08, 0x0A, 0x0B, 0x0C]
                    let reasons = other.failures.compactMap { failure -> UInt8? in
                        if case .remote(let reason) = failure { reason.rawValue } else { nil }
                    }
                    #expect(specified.isSuperset(of: reasons), "\(context): \(reasons)")
                    reported += reasons.count
                    #expect(host.results.count <= hadResults + 1, "\(context)")
                    // Nothing that arrives out of order encrypts a link without a key that both sides have.
                    let securities = pair.hosts.map { $0.host.security(of: pair.link(of: $0))?.isEncrypted }
                    #expect(securities[0] == securities[1], "\(context)")
                    checkNothingRemains(pair, context)
                }
            }
        }
        #expect(reported > 0, "\(reported)")
    }

    @Test(arguments: kinds) func aLinkThatEndsInAnyPhaseLeavesNothing(kind: Kind) {
        for phase in 0...kind.count {
            let pair = bench(kind, after: phase)
            let wereDone = pair.hosts.map { !$0.results.isEmpty }
            pair.lose()
            for (host, wasDone) in zip(pair.hosts, wereDone) {
                #expect(wasDone || host.failures.count <= 1, "phase \(phase)")
                #expect(host.failures.allSatisfy { $0 == .disconnected }, "phase \(phase)")
                #expect(host.host.bonds.bonds.isEmpty == !wasDone, "phase \(phase)")
                #expect(host.host.connections.isEmpty && host.host.nextTimeout == nil)
            }
            #expect(wereDone[0] || pair.central.failures == [.disconnected], "phase \(phase)")
            // The back-off is over, and a new link pairs.
            pair.limit = .max
            pair.bench.run(.seconds(2))
            pair.connect()
            pair.pair()
            #expect(pair.central.results.count + pair.central.secured.count > 0, "phase \(phase)")
        }
    }

    /// The Security Manager Timer (Vol 3, Part H, 3.4).
    @Test(arguments: kinds) func aSilentPeerEndsThePairingAfter30Seconds(kind: Kind) throws {
        for phase in 1..<6 {
            let pair = bench(kind, after: phase)
            let begun = pair.bench.now
            pair.bench.run(.milliseconds(29_999))
            #expect(pair.hosts.allSatisfy { $0.failures.isEmpty }, "phase \(phase)")
            pair.bench.run(.milliseconds(1))
            #expect(pair.central.failures == [.timeout] && pair.bench.now - begun == .seconds(30), "phase \(phase)")
            pair.limit = .max
            // No further PDU crosses this link.
            let sent = pair.codes.count
            pair.inject([0x01, 3, 0, 0x0D, 16, 3, 3], to: pair.central)
            pair.inject([0x0B, 1], to: pair.central)
            pair.pair()
            #expect(pair.codes.count == sent && pair.central.failures == [.timeout, .timeout], "phase \(phase)")
            pair.lose()
            pair.bench.run(.seconds(2))
            pair.connect()
            pair.pair()
            #expect(pair.central.results.count == 1, "phase \(phase)")
        }
    }

    @Test(arguments: 0..<24) func randomPDUsInRandomOrderLeaveNothing(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let pair = bench(Self.kinds[Int(seed % 2)], after: Int(random.next() % 14))
        pair.limit = .max
        for _ in 0..<40 {
            var packet = Self.packets[Int(random.next() % UInt64(Self.packets.count))]
            if packet.count > 1, random.next() % 2 == 0 {
                packet[1 + Int(random.next() % UInt64(packet.count - 1))] ^= UInt8(truncatingIfNeeded: random.next())
            }
            if random.next() % 8 == 0 { packet.append(0) }
            pair.inject(packet, to: random.next() % 2 == 0 ? pair.central : pair.peripheral)
            switch random.next() % 6 {
            case 0: pair.pair(from: pair.peripheral)
            case 1: pair.pair()
            case 2: pair.bench.run(.milliseconds(Int(random.next() % 3_000)))
            default: break
            }
        }
        pair.bench.run(.seconds(31))
        pair.lose()
        for host in pair.hosts {
            #expect(host.host.connections.isEmpty && host.host.nextTimeout == nil)
            #expect(host.host.bonds.bonds.count <= host.results.count, "a bond comes from a completed pairing")
            #expect(host.host.security.failedAttempts.count <= 2, "the peer's address, and an identity that it claimed")
        }
    }

    @Test func aFloodOfSecurityRequestsStartsOneProcedureAtATime() {
        let pair = PairingBench()
        pair.pair()
        pair.reconnect()
        pair.central.controller.holdsEncryption = true
        pair.central.controller.clearLog()
        for _ in 0..<50 { pair.inject([0x0B, 0x01], to: pair.central) }
        #expect(pair.central.controller.opcodes() == [.leEnableEncryption])
        #expect(pair.codes.isEmpty)
    }
}
