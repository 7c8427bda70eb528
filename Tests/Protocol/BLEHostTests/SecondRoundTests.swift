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
            intervalMinimum: 800, intervalMaximum: 800, latency: 4, timeout: 3_200)
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
            #expect(pair.central.host.connections[pair.link]?.securityManager?.wanted == nil)
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

    private let wish = RequestedConnectionParameters(
        intervalMinimum: 80, intervalMaximum: 80, latency: 0, timeout: 400)

    /// However a central's update fails, it fails once, leaves no timer and does not stand in the way of the next.
    @Test func aRefusedUpdateOfACentralEndsOnce() throws {
        let bench = Bench()
        let central = bench.ready()
        let peripheral = bench.ready()
        let (link, _) = try #require(bench.link(central, peripheral))
        let controller = central.controller
        func request() {
            central.host.requestConnectionParameters(link, wish, at: bench.now)
            bench.settle()
        }
        var expected = 0
        func isRefusedOnce() -> Bool {
            expected += 1
            return refusals(central) == expected && central.host.nextTimeout == nil
        }
        for round in 1...3 {
            let before = central.host.information(of: link)?.parameters
            // Command Status refuses.
            controller.refusals = [.leConnectionUpdate: .commandDisallowed]
            request()
            #expect(isRefusedOnce(), "round \(round)")
            controller.refusals = [:]
            // LE Connection Update Complete refuses.
            controller.connectionUpdate = .unsupportedRemoteFeature
            request()
            #expect(isRefusedOnce(), "round \(round)")
            // No event comes. A second request meanwhile is refused at once.
            controller.connectionUpdate = nil
            request()
            #expect(refusals(central) == expected && central.host.nextTimeout != nil)
            request()
            expected += 1
            #expect(refusals(central) == expected)
            bench.run(.seconds(30))
            #expect(refusals(central) == expected)
            bench.run(.seconds(2))
            #expect(isRefusedOnce(), "round \(round)")
            #expect(central.host.information(of: link)?.parameters == before)
            bench.run(.seconds(120))
            #expect(refusals(central) == expected)
            // The next one works, and nothing fires later.
            controller.connectionUpdate = .success
            request()
            #expect(central.host.information(of: link)?.parameters.interval == 80 && central.host.nextTimeout == nil)
            bench.run(.seconds(120))
            #expect(refusals(central) == expected && central.disconnected.isEmpty)
        }
    }

    /// A peripheral's request ends with the refusal, after 30 s without an answer (Vol 3, Part C, appendix A), and some time after an
    /// acceptance without an update.
    @Test func aRefusedUpdateOfAPeripheralEndsOnce() throws {
        let bench = Bench()
        let central = bench.ready()
        let peripheral = bench.ready()
        let (link, other) = try #require(bench.link(central, peripheral))
        func request() {
            peripheral.host.requestConnectionParameters(other, wish, at: bench.now)
            bench.settle()
        }
        var expected = 0
        for round in 1...3 {
            // The central accepts, and its controller does nothing.
            central.controller.connectionUpdate = nil
            request()
            bench.run(.seconds(30))
            #expect(refusals(peripheral) == expected, "round \(round)")
            bench.run(.seconds(31))
            expected += 1
            #expect(refusals(peripheral) == expected && peripheral.host.nextTimeout == nil, "round \(round)")
            // The central's host refuses at once.
            central.controller.connectionUpdate = .success
            let endless = RequestedConnectionParameters(
                intervalMinimum: 800, intervalMaximum: 800, latency: 4, timeout: 3_200)
            peripheral.host.requestConnectionParameters(other, endless, at: bench.now)
            bench.settle()
            expected += 1
            #expect(refusals(peripheral) == expected && peripheral.host.nextTimeout == nil, "round \(round)")
            // The request is lost.
            peripheral.controller.passesData = { _ in false }
            request()
            peripheral.controller.passesData = { _ in true }
            bench.run(.milliseconds(29_999))
            #expect(refusals(peripheral) == expected, "round \(round)")
            bench.run(.milliseconds(1))
            expected += 1
            #expect(refusals(peripheral) == expected && peripheral.host.nextTimeout == nil, "round \(round)")
            bench.run(.seconds(120))
            #expect(refusals(peripheral) == expected && refusals(central) == 0)
            request()
            #expect(central.host.information(of: link)?.parameters.interval == 80)
            #expect(peripheral.host.information(of: other)?.parameters.interval == 80)
            #expect(peripheral.host.nextTimeout == nil && refusals(peripheral) == expected)
        }
    }

    /// An update on behalf of the peer is not the update that the program waits for.
    @Test func aRefusedUpdateForThePeerRefusesNothingOfTheProgram() throws {
        let bench = Bench()
        let central = bench.ready()
        let peripheral = bench.ready()
        let (link, other) = try #require(bench.link(central, peripheral))
        central.controller.connectionUpdate = nil
        central.host.requestConnectionParameters(link, wish, at: bench.now)
        bench.settle()
        central.controller.refusals = [.leConnectionUpdate: .commandDisallowed]
        peripheral.host.requestConnectionParameters(other, wish, at: bench.now)
        bench.settle()
        #expect(refusals(central) == 0)
        // 30 s and 15 intervals.
        let information = central.host.information(of: link)
        let span = TimeSpan.seconds(30) + (try #require(information)).parameters.intervalSpan * 15
        bench.run(span - .microseconds(1))
        #expect(refusals(central) == 0)
        bench.run(.microseconds(1))
        #expect(refusals(central) == 1)
        bench.run(.seconds(60))
        #expect(refusals(central) == 1 && refusals(peripheral) == 1)
    }

    /// A failure `recoveryPeriod` after the one before, or later, is a first one again.
    @Test(arguments: [(59_999, false), (60_000, true), (60_001, true)]) func laterFailuresAreFirstOnes(
        milliseconds: Int, works: Bool
    ) {
        let bench = Bench()
        let host = bench.ready()
        for _ in 0..<4 {
            host.controller.emit(HCI.HardwareError(hardwareCode: 1))
            bench.settle()
            bench.run(.milliseconds(milliseconds))
        }
        #expect(host.host.state == (works ? .ready : .failed(.hardwareError(1))))
    }

    @Test func aStartByTheProgramBeginsTheCountAgain() {
        let bench = Bench()
        let host = bench.ready()
        for _ in 0..<3 {
            for count in 1...3 {
                host.controller.emit(HCI.HardwareError(hardwareCode: 1))
                bench.settle()
                #expect(host.host.state == (count < 3 ? .ready : .failed(.hardwareError(1))))
            }
            host.host.start(at: bench.now)
            bench.settle()
            #expect(host.host.state == .ready)
        }
    }
}
