import BLECrypto
import BLESecurity
import BLEWire
import Testing

@testable import BLEController
@testable import BLEHost

/// The authenticated payload timeout of encrypted links, with hosts on virtual controllers (Vol 6, Part B, 5.4).
struct AuthenticatedPayloadTests {
    private let bench = RadioBench(seed: 9)
    private let central: RadioHost
    private let peripheral: RadioHost
    private let links: (central: LinkIdentifier, peripheral: LinkIdentifier)

    /// The hosts are bonded, and their link is encrypted and idle, with a connection event every 500 ms.
    init() throws {
        var configuration = HostConfiguration()
        configuration.connectionParameters = RequestedConnectionParameters(
            intervalMinimum: 400, intervalMaximum: 400, latency: 0, timeout: 600)
        central = bench.ready(configuration, crypto: SwiftCryptoProvider(generator: SeededRandom(seed: 31)))
        peripheral = bench.ready(configuration, crypto: SwiftCryptoProvider(generator: SeededRandom(seed: 32)))
        links = try #require(bench.link(central, peripheral))
        central.host.secure(links.central, minimum: .unauthenticated, at: bench.now)
        let isBonded = bench.run(.seconds(60)) { [central, peripheral] in
            central.host.bonds.bonds.count == 1 && peripheral.host.bonds.bonds.count == 1
        }
        #expect(isBonded)
        bench.run(.seconds(20))
    }

    @Test func aHealthyIdleLinkStays() {
        // Four timeouts of 30 s.
        bench.run(.seconds(120))
        #expect(central.disconnected.isEmpty && peripheral.disconnected.isEmpty)
        #expect(central.host.security(of: links.central)?.isEncrypted == true)
    }

    @Test func aLinkWhosePeerSendsNoAuthenticatedPacketEnds() {
        // A device in the place of each peer keeps the link alive with empty packets, which have no MIC.
        bench.radio.tamper = { pdu in if pdu.count > 2 { pdu = [pdu[0] & ~3 | 1, 0] } }
        let start = bench.now
        bench.run(.seconds(40)) { [central] in !central.disconnected.isEmpty }
        #expect(central.disconnected == [.host(.authenticatedPayloadTimeout)])
        // The controller has restarted the timeout at most 30 s ago.
        #expect(bench.now - start <= .seconds(35), "\(bench.now - start)")
        bench.run(.seconds(40)) { [peripheral] in !peripheral.disconnected.isEmpty }
        #expect(peripheral.disconnected == [.host(.authenticatedPayloadTimeout)])
        #expect(central.host.bonds.bonds.count == 1, "the bond stays")
    }

    @Test func aReportForAnUnencryptedLinkIsDropped() throws {
        let bench = Bench()
        let (first, second) = (bench.ready(), bench.ready())
        let link = try #require(bench.link(first, second)).0
        let handle = try #require(first.controller.links.first?.handle)
        first.controller.emit(HCI.AuthenticatedPayloadTimeoutExpired(connectionHandle: handle))
        first.controller.emit(HCI.AuthenticatedPayloadTimeoutExpired(connectionHandle: 0x0EEE))
        bench.settle()
        #expect(first.violations == [.unexpectedEncryption, .unknownHandle(0x0EEE)])
        #expect(first.host.information(of: link) != nil && first.disconnected.isEmpty)
    }

    @Test(arguments: [true, false]) func theEventIsEnabledIfTheControllerHasIt(hasPing: Bool) {
        let bench = Bench()
        let host = bench.ready { controller in
            controller.features = hasPing ? [.encryption, .ping] : [.encryption]
            controller.supported.insert(.setEventMaskPage2)
        }
        #expect(host.controller.opcodes().contains(.setEventMaskPage2) == hasPing)
        #expect(host.states == [.starting, .ready])
    }
}
