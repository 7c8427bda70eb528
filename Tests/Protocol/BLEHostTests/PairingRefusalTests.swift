import BLECrypto
import BLESecurity
import BLEWire
import Testing

@testable import BLEController
@testable import BLEHost

/// A program that disconnects right after a failed pairing.
struct PairingRefusalTests {
    private static func failures(of host: RadioHost) -> [PairingProcedureError] {
        host.events.compactMap {
            if case .pairing(_, .failed(let failure)) = $0.event { failure } else { nil }
        }
    }

    @Test(arguments: [LinkRole.peripheral, .central])
    func theReasonReachesThePeerBeforeTheEndOfTheLink(refusing role: LinkRole) throws {
        let bench = RadioBench(seed: 3)
        let central = bench.ready(crypto: SwiftCryptoProvider(generator: SeededRandom(seed: 41)))
        let peripheral = bench.ready(crypto: SwiftCryptoProvider(generator: SeededRandom(seed: 42)))
        let links = try #require(bench.link(central, peripheral))
        let refusing = role == .central ? central : peripheral
        let link = role == .central ? links.0 : links.1
        // The central refuses the features in Pairing Response, the peripheral those in Pairing Request.
        refusing.host.pairingSettings.policy.requiresManInTheMiddle = true
        refusing.host.pairingSettings.policy.allowsJustWorks = false
        central.host.secure(links.0, minimum: .unauthenticated, at: bench.now)
        bench.run(.seconds(5)) { !Self.failures(of: refusing).isEmpty }
        #expect(Self.failures(of: refusing) == [.local(.authenticationRequirements)])
        refusing.host.disconnect(link, at: bench.now)
        bench.run(.seconds(5)) { !central.disconnected.isEmpty && !peripheral.disconnected.isEmpty }
        let other = role == .central ? peripheral : central
        #expect(Self.failures(of: other) == [.remote(.authenticationRequirements)])
        #expect(refusing.disconnected == [.requested])
        #expect(other.disconnected == [.controller(.remoteUserTerminatedConnection)])
        #expect(refusing.host.security.undelivered == 0 && other.host.security.undelivered == 0)
    }

    /// The peer acknowledges nothing, so the controller completes no packet.
    @Test(arguments: [(100, 1_000), (200, 2_000), (400, 2_000)] as [(UInt16, Int)])
    func theEndOfTheLinkWaitsNoLongerThanTwoSeconds(supervisionTimeout: UInt16, milliseconds: Int) throws {
        let pair = PairingBench()
        let handle = try #require(pair.peripheral.controller.links.first?.handle)
        pair.peripheral.controller.emit(
            le: HCI.LEConnectionUpdateComplete(
                status: .success, connectionHandle: handle, interval: 24, latency: 0,
                supervisionTimeout: supervisionTimeout))
        pair.bench.settle()
        pair.peripheral.host.pairingSettings.policy.isPairable = false
        pair.limit = 1
        pair.pair()
        #expect(pair.peripheral.host.security.undelivered == 1)
        let controller = pair.peripheral.controller
        controller.clearLog()
        let start = pair.bench.now
        pair.peripheral.host.disconnect(pair.peripheralLink, at: start)
        pair.bench.settle()
        #expect(!controller.opcodes().contains(.disconnect) && pair.peripheral.disconnected.isEmpty)
        // A second call changes nothing.
        pair.peripheral.host.disconnect(pair.peripheralLink, at: start)
        pair.bench.run(.milliseconds(milliseconds - 1))
        #expect(!controller.opcodes().contains(.disconnect))
        pair.bench.run(.milliseconds(1))
        #expect(controller.opcodes() == [.disconnect])
        #expect(pair.peripheral.disconnected == [.requested])
        #expect(pair.peripheral.host.security.undelivered == 0)
        #expect(pair.peripheral.host.nextTimeout == nil)
    }

    @Test func aLinkWithoutAFailedPairingEndsAtOnce() {
        let pair = PairingBench()
        pair.pair()
        let controller = pair.central.controller
        controller.clearLog()
        pair.central.host.disconnect(pair.link, at: pair.bench.now)
        pair.bench.settle()
        #expect(controller.opcodes() == [.disconnect])
        #expect(pair.central.disconnected == [.requested])
    }
}
