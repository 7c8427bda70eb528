import BLESimulator
import BLEWire
import ESPHomeAPI
import Testing

@testable import BLEAdapter
@testable import BLEGatewayAdapter

/// The adapter over a gateway that leaves requests unanswered, answers late, or answers another request.
@Suite struct SilentGatewayTests {
    private let gateway: ScriptedGateway
    private let adapter: GatewayAdapter
    private let recorder = LinkRecorder()
    private let session: any CentralSession
    private let address = DeviceAddress(kind: .random, value: 0xC0FF_EE00_0001)
    private let peer: PeerIdentifier

    init() async throws {
        let gateway = ScriptedGateway(seed: 7)
        let adapter = gateway.makeAdapter()
        (self.gateway, self.adapter) = (gateway, adapter)
        session = adapter.openCentral(observer: recorder)
        peer = adapter.snapshot.identification.identifier(for: address)
        let events = recorder.events
        try #require(await gateway.world.run(timeout: .seconds(5)) { events.value == ["state poweredOn"] })
        events { $0 = [] }
        gateway.requests { $0 = [] }
    }

    private static let connect = "device \(DeviceRequestKind.connectWithoutCache.rawValue)"
    private static let disconnect = "device \(DeviceRequestKind.disconnect.rawValue)"

    /// A gateway that connects at once, and never says that a link has ended.
    private func neverConfirmEnds() {
        gateway.onDevice { answer in
            answer = { gateway, request in
                guard request.kind == DeviceRequestKind.connectWithoutCache.rawValue else { return }
                gateway.send(DeviceConnectionResponse(address: request.address, isConnected: true, mtu: 100))
            }
        }
    }

    private func take() -> (events: [String], requests: [String]) {
        let events = recorder.events { events in
            defer { events = [] }
            return events
        }
        let requests = gateway.requests { requests in
            defer { requests = [] }
            return requests
        }
        return (events, requests)
    }

    private func run(_ seconds: Int) async { await gateway.world.run(for: .seconds(seconds)) }

    /// A link that the gateway does not report as ended counts as ended after 20 s, each time.
    @Test func aGatewayThatNeverConfirmsAnEndHoldsUpNoLink() async {
        neverConfirmEnds()
        for round in 0..<3 {
            session.connect(peer, options: ConnectionOptions())
            await run(1)
            var seen = take()
            #expect(seen.events == ["connected"] && seen.requests == [Self.connect], "round \(round)")
            #expect(session.maximumTransmissionUnit(of: peer) == 100)
            session.cancelConnection(peer)
            await run(1)
            seen = take()
            #expect(seen.events == ["disconnected cancelled false"] && seen.requests == [Self.disconnect])
            #expect(session.maximumTransmissionUnit(of: peer) == nil)
            // The next request waits for the end of the link.
            session.connect(peer, options: ConnectionOptions())
            await run(17)
            seen = take()
            #expect(seen.events.isEmpty && seen.requests.isEmpty, "round \(round)")
            await run(4)
            seen = take()
            #expect(seen.events == ["connected"] && seen.requests == [Self.connect], "round \(round)")
            session.cancelConnection(peer)
            await run(25)
            seen = take()
            #expect(seen.events == ["disconnected cancelled false"] && seen.requests == [Self.disconnect])
        }
    }

    /// The time limit of one end has no effect on the next link, and nothing is asked again without a session.
    @Test func theTimeLimitOfAnEndBelongsToThatEnd() async {
        gateway.onDevice { answer in
            answer = { gateway, request in
                let isConnected = request.kind == DeviceRequestKind.connectWithoutCache.rawValue
                gateway.send(
                    DeviceConnectionResponse(
                        address: request.address, isConnected: isConnected, mtu: 50, error: isConnected ? 0 : 0x16))
            }
        }
        for _ in 0..<2 {
            session.connect(peer, options: ConnectionOptions())
            await run(1)
            session.cancelConnection(peer)
            await run(1)
        }
        session.connect(peer, options: ConnectionOptions())
        await run(60)
        let seen = take()
        #expect(seen.events.filter { $0 == "connected" }.count == 3 && seen.events.last == "connected")
        #expect(seen.requests == [Self.connect, Self.disconnect, Self.connect, Self.disconnect, Self.connect])
        #expect(session.maximumTransmissionUnit(of: peer) == 50)
    }

    /// A device that answers no request ends its link after 40 s, also if the gateway does not confirm that end.
    @Test func anUnansweredOperationEndsTheLinkTwice() async {
        neverConfirmEnds()
        session.connect(peer, options: ConnectionOptions(reconnectsAutomatically: true))
        await run(1)
        _ = take()
        for round in 0..<2 {
            session.submit(.read(handle: 3), to: peer)
            await run(38)
            var seen = take()
            #expect(seen.events.isEmpty && seen.requests.count == 1, "round \(round)")
            await run(4)
            seen = take()
            #expect(seen.events == ["disconnected failed attributeTimeout true"])
            #expect(seen.requests == [Self.disconnect])
            await run(21)
            seen = take()
            #expect(seen.events == ["connected"] && seen.requests == [Self.connect], "round \(round)")
        }
    }

    /// A gateway that says "connected" twice, or for a link that ends, reports one link.
    @Test func anAnswerThatComesTwiceCountsOnce() async {
        gateway.onDevice { answer in
            answer = { gateway, request in
                for _ in 0..<2 {
                    gateway.send(DeviceConnectionResponse(address: request.address, isConnected: true, mtu: 100))
                }
            }
        }
        session.connect(peer, options: ConnectionOptions())
        await run(1)
        #expect(take().events == ["connected"])
        // The gateway answers the request for the end with the state of the link.
        session.cancelConnection(peer)
        await run(5)
        #expect(take().events == ["disconnected cancelled false"])
        #expect(session.maximumTransmissionUnit(of: peer) == nil)
    }

    /// The delay of a request that was cancelled starts no link, also if the program asked again with a longer one.
    @Test func aDelayBelongsToItsRequest() async {
        neverConfirmEnds()
        session.connect(peer, options: ConnectionOptions(startDelay: .seconds(5)))
        await run(2)
        session.cancelConnection(peer)
        session.connect(peer, options: ConnectionOptions(startDelay: .seconds(10)))
        await run(8)
        var seen = take()
        #expect(seen.events == ["disconnected cancelled false"] && seen.requests.isEmpty)
        await run(3)
        seen = take()
        #expect(seen.events == ["connected"] && seen.requests == [Self.connect])
        // A loss of the network forgets a delay.
        session.cancelConnection(peer)
        await run(25)
        session.connect(peer, options: ConnectionOptions(startDelay: .seconds(20)))
        await run(1)
        gateway.cut()
        await run(40)
        seen = take()
        #expect(!seen.events.contains("connected") && !seen.requests.contains(Self.connect))
    }

    /// The pauses between attempts grow to 30 s and stay there. A connection that worked makes the next pause short again.
    @Test func thePausesBetweenAttemptsGrowAndBeginAnew() async {
        for _ in 0..<2 {
            let start = Int(gateway.scheduler.now.nanoseconds / 1_000_000_000)
            gateway.attempts { $0 = [] }
            gateway.isAway { $0 = true }
            gateway.cut()
            await run(150)
            let times = gateway.attempts.value
            let pauses = zip([start] + times, times).map { $1 - $0 }
            #expect(pauses == [1, 2, 5, 10, 30, 30, 30, 30], "\(pauses)")
            gateway.isAway { $0 = false }
            await run(40)
            #expect(take().events.last == "state poweredOn")
        }
    }

    @Test func aRecoveredScanReportsAnAdvertiserAgain() async {
        let advertisement: @Sendable (ScriptedGateway) -> Void = { gateway in
            gateway.sendAdvertisement(0xC0FF_EE00_0002, [2, 1, 6])
        }
        let gateway = gateway
        for _ in 0..<2 {
            session.startScan(ScanRequest(allowDuplicates: false))
            await run(1)
            for _ in 0..<3 { gateway.scheduler.submit { advertisement(gateway) } }
            await run(1)
            #expect(take().events == ["discovered"], "once in a scan")
        }
        // Another content is another report; more advertisers than the table has do not fill it for good.
        session.startScan(ScanRequest(allowDuplicates: false))
        for round in 0..<2 {
            for number in 0..<5000 as Range<UInt64> {
                let data: [UInt8] = [2, 1, UInt8(round), 3, 9, 0x41, 0x42]
                gateway.scheduler.submit { gateway.sendAdvertisement(0xC000_0000_0000 + number, data) }
            }
            await run(5)
            #expect(take().events.count == 5000)
            let counts = Locked<[Int]>([])
            gateway.scheduler.submit { [adapter] in
                counts { $0 = adapter.central.sessions.values.map(\.reported.count) }
            }
            await run(1)
            #expect(counts.value.count == 1 && counts.value.allSatisfy { $0 > 0 && $0 <= 4096 }, "\(counts.value)")
        }
    }
}
