import BLESecurity
import BLEWire
import Testing

@testable import BLEHost

/// What a host keeps of a procedure does not reach the next one on the same link.
struct SecondRoundTests {
    private func refusals(_ host: BenchHost) -> Int {
        host.events.count { if case .parametersRefused = $0.event { true } else { false } }
    }

    @Test func parametersChangeAndAreRefusedAnyNumberOfTimes() throws {
        let bench = Bench()
        let central = bench.ready()
        let peripheral = bench.ready()
        let (link, other) = try #require(bench.link(central, peripheral))
        let endless = RequestedConnectionParameters(
            intervalMinimum: 800, intervalMaximum: 800, latency: 30, timeout: 3_200)
        for round in 1...3 {
            for interval: UInt16 in [80, 12] {
                let wish = RequestedConnectionParameters(
                    intervalMinimum: interval, intervalMaximum: interval, latency: 0, timeout: 400)
                peripheral.host.requestConnectionParameters(other, wish, at: bench.now)
                bench.settle()
                #expect(central.host.information(of: link)?.parameters.interval == interval, "round \(round)")
                let slower = RequestedConnectionParameters(
                    intervalMinimum: interval + 4, intervalMaximum: interval + 4, latency: 0, timeout: 400)
                central.host.requestConnectionParameters(link, slower, at: bench.now)
                bench.settle()
                #expect(peripheral.host.information(of: other)?.parameters.interval == interval + 4, "round \(round)")
            }
            peripheral.host.requestConnectionParameters(other, endless, at: bench.now)
            bench.settle()
            #expect(refusals(peripheral) == round && refusals(central) == 0)
            #expect(peripheral.host.nextTimeout == nil && central.host.nextTimeout == nil)
        }
    }

    /// A slow controller that completes a packet before each stall period ends keeps its link, in either form of the event.
    @Test(arguments: [1, 2]) func aSlowControllerIsNotAStalledOne(entries: Int) throws {
        let bench = Bench()
        let central = bench.ready()
        let peripheral = bench.ready()
        let (_, link) = try #require(bench.link(central, peripheral))
        let handle = try #require(peripheral.controller.links.first?.handle)
        peripheral.controller.isStalled = true
        let value = [UInt8](repeating: 1, count: 18)
        for _ in 0..<60 { peripheral.host.notify(value.span, handle: 3, on: link, at: bench.now) }
        let entry = [UInt8(truncatingIfNeeded: handle), UInt8(truncatingIfNeeded: handle >> 8)]
        // Each entry completes one packet.
        var event: [UInt8] = [0x04, 0x13, UInt8(1 + 4 * entries), UInt8(entries)]
        for _ in 0..<entries { event += entry + [1, 0] }
        for _ in 0..<6 {
            bench.run(.seconds(40))
            #expect(peripheral.disconnected.isEmpty)
            peripheral.controller.emit(event)
            bench.settle()
        }
        bench.run(.seconds(44))
        #expect(peripheral.disconnected.isEmpty)
        bench.run(.seconds(2))
        #expect(peripheral.disconnected == [.host(.stalledController)])
    }

    /// Data for unknown links resets a controller that reports no links; one that reports links in between does so.
    @Test func aReportedLinkExcusesUnknownOnes() throws {
        let bench = Bench()
        let central = bench.ready()
        let peripheral = bench.ready()
        for round in 1...3 {
            for handle in UInt8(1)...2 {
                central.controller.emit([2, handle, 0x20, 5, 0, 1, 0, 4, 0, 0])
                bench.run(.seconds(1))
            }
            let (link, _) = try #require(bench.link(central, peripheral))
            central.host.disconnect(link, at: bench.now)
            bench.run(.seconds(1))
            #expect(central.states == [.starting, .ready], "round \(round)")
        }
    }

    /// A level that a pairing failed to reach is not the goal of the next pairing.
    @Test func aFailedLevelIsNotWantedAgain() {
        let pair = PairingBench()
        for round in 1...2 {
            pair.pair(.secureConnections)
            #expect(pair.central.failures.count == round && pair.central.results.isEmpty)
            #expect(pair.central.host.connection(pair.link)?.securityManager?.wanted == nil)
        }
        pair.bench.run(.seconds(10))
        pair.pair(.unauthenticated)
        #expect(pair.central.results.map(\.security.level) == [.unauthenticated])
        pair.check(pair.central.results.last?.security)
        // The reached level is not the goal of a later pairing, either.
        pair.reconnect()
        pair.pair(.unauthenticated)
        #expect(pair.central.secured.last?.level == .unauthenticated)
        pair.check(pair.central.secured.last)
    }

    /// The keys of a legacy pairing encrypt a link, but they do not answer a request for LE Secure Connections.
    @Test(arguments: [true, false], [true, false])
    func aLegacyBondDoesNotAnswerForSecureConnections(isAuthenticated: Bool, isFromCentral: Bool) throws {
        let pair = PairingBench {
            $0.policy.allowsSecureConnections = false
            $0.ioCapability = .keyboardDisplay
            $0.policy.prefersManInTheMiddle = isAuthenticated
        }
        pair.pair()
        let legacy = try #require(pair.central.host.bonds.bonds.first)
        #expect(!legacy.security.isSecureConnections && legacy.security.isAuthenticated == isAuthenticated)
        for host in pair.hosts {
            host.host.pairingSettings.policy.allowsSecureConnections = true
            host.host.pairingSettings.policy.prefersManInTheMiddle = true
        }
        for round in 1...2 {
            pair.reconnect()
            let host = isFromCentral ? pair.central : pair.peripheral
            pair.pair(.secureConnections, from: host)
            for host in pair.hosts {
                #expect(host.host.security(of: pair.link(of: host))?.level == .secureConnections, "round \(round)")
                #expect(host.host.bonds.bonds.count == 1)
                #expect(host.host.bonds.bonds.first?.security.isSecureConnections == true)
            }
            // The second time the new bond suffices.
            #expect(pair.codes.contains(SMP.Code.pairingRequest.rawValue) == (round == 1))
        }
    }
}
