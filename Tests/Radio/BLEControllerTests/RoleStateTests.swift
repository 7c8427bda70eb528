import BLECrypto
import BLEWire
import Testing

@testable import BLEController

/// The second round of each role: nothing of the first one is left.
struct RoleStateTests {
    // MARK: The advertiser

    @Test func anAdvertiserForgetsAMissedEvent() {
        var advertiser = AdvertisingSet(handle: 0)
        #expect(advertiser.begin(at: .zero) == .nothing && !advertiser.isEnabled)
        for _ in 0..<2 {
            advertiser.enable()
            #expect(advertiser.state == .resting && !advertiser.isWaiting && advertiser.starved == 0)
            advertiser.isWaiting = true
            advertiser.starved = 3
            #expect(advertiser.begin(at: Instant(nanoseconds: 7)) == .advertise(channel: 37))
            #expect(!advertiser.isWaiting && advertiser.eventStart == Instant(nanoseconds: 7) && advertiser.isInEvent)
            // A second event does not begin within one.
            #expect(advertiser.begin(at: Instant(nanoseconds: 9)) == .nothing)
            #expect(advertiser.eventStart == Instant(nanoseconds: 7))
            advertiser.isWaiting = true
            advertiser.disable()
            #expect(!advertiser.isWaiting && !advertiser.isInEvent && advertiser.sent() == .nothing)
            advertiser.interrupt()
            #expect(advertiser.state == .off)
        }
        advertiser.isWaiting = true
        advertiser.enable()
        #expect(!advertiser.isWaiting)
    }

    @Test func anEventGoesThroughItsChannels() {
        for (map, channels) in [(UInt8(7), [37, 38, 39]), (5, [37, 39]), (2, [38]), (4, [39])] as [(UInt8, [UInt8])] {
            var advertiser = AdvertisingSet(handle: 0)
            advertiser.parameters.primaryChannelMap = HCI.AdvertisingChannelMap(rawValue: map)
            advertiser.enable()
            for _ in 0..<2 {
                var action = advertiser.begin(at: .zero)
                for channel in channels {
                    #expect(action == .advertise(channel: channel))
                    #expect(advertiser.timedOut() == .nothing && !advertiser.respond())
                    #expect(advertiser.sent() == .listen(channel: channel))
                    #expect(advertiser.sent() == .nothing)
                    if channel == 38 {
                        #expect(advertiser.respond() == true)
                        #expect(advertiser.timedOut() == .nothing)
                        action = advertiser.sent()
                    } else {
                        action = advertiser.timedOut()
                    }
                }
                #expect(action == .rest && advertiser.state == .resting && advertiser.isEnabled)
            }
        }
    }

    /// Who may answer, by the type of advertising (Vol 6, Part B, 4.4.2).
    @Test(
        arguments: [
            (0, true, true, false), (1, true, false, true), (2, false, true, false), (3, false, false, false),
            (4, true, false, true),
        ] as [(UInt8, Bool, Bool, Bool)])
    func theTypeDecidesWhoMayAnswer(type: UInt8, isConnectable: Bool, isScannable: Bool, isDirected: Bool) {
        var advertiser = AdvertisingSet(handle: 0)
        advertiser.parameters = .init(HCI.LESetAdvertisingParameters(advertisingType: .init(rawValue: type)))
        #expect(advertiser.isConnectable == isConnectable && advertiser.isScannable == isScannable)
        #expect(advertiser.isDirected == isDirected && advertiser.isHighDuty == (type == 1))
        #expect(advertiser.expectsAnswers == (type != 3))
        let pdus: [LL.AdvertisingPDUType] = [.advInd, .advDirectInd, .advScanInd, .advNonconnInd, .advDirectInd]
        #expect(advertiser.pduType == pdus[Int(type)])
        advertiser.enable()
        #expect(advertiser.begin(at: .zero) == .advertise(channel: 37))
        #expect(advertiser.sent() == (type == 3 ? .advertise(channel: 38) : .listen(channel: 37)))
        #expect(advertiser.respond() == isScannable)
    }

    /// The random delay is 0 to 10 ms; the high duty cycle has at most 3.75 ms between events (Vol 6, Part B, 4.4.2.2 and 4.4.2.4.3).
    @Test func theDelayIsTheIntervalAndUpToTenMilliseconds() {
        var random = SeededRandom(seed: 1)
        var advertiser = AdvertisingSet(handle: 0)
        advertiser.parameters.intervalMinimum = 0x20
        let delays = (0..<20_000).map { _ in advertiser.delay(random: &random) - .milliseconds(20) }
        #expect(delays.allSatisfy { $0 >= .zero && $0 <= .milliseconds(10) })
        #expect(delays.contains { $0 < .microseconds(10) } && delays.contains { $0 > .microseconds(9_990) })
        advertiser.parameters = .init(
            HCI.LESetAdvertisingParameters(advertisingType: .connectableDirectedHighDutyCycle))
        #expect((0..<100).allSatisfy { _ in advertiser.delay(random: &random) <= .microseconds(3_750) })
    }

    // MARK: The scanner

    private let advertiser = DeviceAddress(kind: .random, value: 0xC000_0000_0001)

    private func exchange(on channel: UInt8) -> ScanningRole.Exchange {
        .init(advertiser: advertiser, type: .connectableUndirected, channel: channel)
    }

    @Test func eachScanReportsAnew() {
        var scanner = ScanningRole()
        var random = SeededRandom(seed: 1)
        scanner.settings[.oneM]?.isActive = true
        for _ in 0..<3 {
            scanner.enable(filter: .on)
            #expect(scanner.isWorthReporting(.connectableUndirected, from: advertiser) == true)
            #expect(scanner.isWorthReporting(.connectableUndirected, from: advertiser) == false)
            // Another type, another kind of address and another address are other packets.
            #expect(scanner.isWorthReporting(.scanResponse, from: advertiser) == true)
            let other = DeviceAddress(kind: .public, value: advertiser.value)
            #expect(scanner.isWorthReporting(.connectableUndirected, from: other) == true)
            #expect(scanner.isWorthReporting(.connectableUndirected, from: advertiser) == false)
            #expect(scanner.wantsResponse(from: advertiser) == true)
            scanner.request(exchange(on: 38))
            #expect(scanner.wantsResponse(from: other) == false)
            scanner.requestSent()
            #expect(scanner.state == .awaitingResponse(exchange(on: 38)))
            scanner.endExchange(answered: true, random: &random)
            // It has answered, so there is no other request. Another device gets one.
            #expect(scanner.state == .listening && !scanner.wantsResponse(from: advertiser))
            #expect(scanner.wantsResponse(from: other) == true)
            scanner.disable()
            scanner.endExchange(answered: nil, random: &random)
            #expect(!scanner.isEnabled && !scanner.wantsResponse(from: advertiser))
        }
        scanner.enable(filter: .off)
        for _ in 0..<3 { #expect(scanner.isWorthReporting(.connectableUndirected, from: advertiser) == true) }
        scanner.request(exchange(on: 38))
        scanner.requestSent()
        scanner.endExchange(answered: true, random: &random)
        #expect(scanner.wantsResponse(from: advertiser) == true)
    }

    /// An interrupted exchange is neither a success nor a failure.
    @Test func anInterruptedExchangeDoesNotCount() {
        var scanner = ScanningRole()
        var random = SeededRandom(seed: 1)
        scanner.enable(filter: .on)
        for _ in 0..<10 {
            scanner.request(exchange(on: 37))
            scanner.endExchange(answered: nil, random: &random)
            scanner.request(exchange(on: 37))
            scanner.requestSent()
            scanner.endExchange(answered: nil, random: &random)
        }
        #expect(scanner.state == .listening && scanner.backoff == ScanBackoff())
        for _ in 0..<2 {
            scanner.request(exchange(on: 37))
            scanner.requestSent()
            scanner.endExchange(answered: false, random: &random)
        }
        #expect(scanner.backoff.upperLimit == 2)
        scanner.enable(filter: .on)
        #expect(scanner.backoff == ScanBackoff())
    }

    /// Two consecutive failures double the upper limit, up to 256, and two consecutive successes halve it, down to 1 (Vol 6, Part B,
    /// 4.4.3.2).
    @Test(arguments: [
        ("F", 1), ("FF", 2), ("FFF", 2), ("FFFF", 4), ("FSF", 1), ("FSFF", 2), ("FFS", 2), ("FFSS", 1), ("FFSFS", 2),
        ("FFFSFSS", 1), ("FFFFSFSFS", 4), ("FFFFSS", 2), ("FFFFSSS", 2), ("FFFFSSSS", 1), ("FFFFFFSSFF", 8), ("SS", 1),
        ("SSSSFF", 2),
        ("SFF", 2), ("SFSFSF", 1), ("FFFFFFFFFFFFFFFF", 256), ("FFFFFFFFFFFFFFFFFF", 256),
        ("FFFFFFFFFFFFFFFFFFSS", 128),
    ])
    func theBackoffCountsConsecutiveOutcomes(outcomes: String, limit: Int) {
        for seed: UInt64 in 1...20 {
            var random = SeededRandom(seed: seed)
            var backoff = ScanBackoff()
            #expect(backoff.mayRequest() == true)
            for outcome in outcomes {
                backoff.end(isAnswered: outcome == "S", random: &random)
                #expect((1...backoff.upperLimit).contains(backoff.count))
                // The request follows the advertisement with which the count reaches zero, and each further one.
                for left in stride(from: backoff.count - 1, through: 0, by: -1) {
                    #expect(backoff.mayRequest() == (left == 0))
                }
                #expect(backoff.mayRequest() && backoff.count == 0)
            }
            #expect(backoff.upperLimit == limit, "\(outcomes)")
        }
    }

    /// The count is drawn from the whole range.
    @Test func theBackoffDrawsFromOneToItsLimit() {
        var random = SeededRandom(seed: 4)
        var backoff = ScanBackoff()
        for _ in 0..<4 { backoff.end(isAnswered: false, random: &random) }
        var counts: Set<Int> = []
        for number in 0..<200 {
            // Alternating outcomes leave the limit at 4.
            backoff.end(isAnswered: number % 2 == 0, random: &random)
            counts.insert(backoff.count)
        }
        #expect(counts == [1, 2, 3, 4])
    }

    // MARK: Scanner and initiator

    @Test(arguments: [37, 38, 39] as [UInt8]) func aScheduleGoesRoundTheChannels(first: UInt8) {
        var schedule = ListeningSchedule(interval: 0x40, window: 0x10, firstChannel: first)
        #expect(!schedule.isOpen && !schedule.isContinuous && schedule.share == 25)
        #expect(schedule.interval == .milliseconds(40) && schedule.window == .milliseconds(10))
        for step in 0..<7 {
            schedule.beginInterval()
            #expect(schedule.isOpen && schedule.channel == 37 + (first - 37 + UInt8(step)) % 3)
            schedule.endWindow()
            #expect(!schedule.isOpen)
        }
    }

    @Test func aWindowIsNotLongerThanItsInterval() {
        let schedule = ListeningSchedule(interval: 0x10, window: 0x4000)
        #expect(schedule.window == .milliseconds(10) && schedule.isContinuous && schedule.share == 100)
        #expect(ListeningSchedule(interval: 0x4000, window: 0x4000).interval == .microseconds(10_240_000))
        #expect(ListeningSchedule(interval: 100, window: 99).share == 99)
        #expect(!ListeningSchedule(interval: 100, window: 99).isContinuous)
    }

    @Test func anInitiatorListensForEachRequest() {
        var initiator = InitiatingRole()
        #expect(!initiator.isEnabled)
        for number: UInt16 in 1...3 {
            let request = ConnectionRequest(
                HCI.LECreateConnection(
                    scanInterval: 16 * number, scanWindow: 8 * number, filterPolicy: .acceptList,
                    peerAddress: advertiser, ownAddressType: .random, intervalMinimum: 24, intervalMaximum: 24,
                    maximumLatency: 0, supervisionTimeout: 100))
            initiator.begin(request, on: 38)
            #expect(initiator.state == .listening && initiator.request == request)
            let schedule = ListeningSchedule(interval: 16 * number, window: 8 * number, firstChannel: 38)
            #expect(initiator.schedules[.oneM] == schedule && initiator.schedules[.coded] == nil)
            initiator.end()
            #expect(!initiator.isEnabled)
        }
    }

    // MARK: Reset

    /// After a reset no timer of the controller runs, whenever the reset comes.
    @Test(arguments: [
        "high duty", "advertising", "passive", "active", "window", "initiating", "central", "peripheral", "rotation",
    ])
    func aResetLeavesNoTimer(state: String) throws {
        for delay in stride(from: 0, to: 12_000, by: 373) {
            let bench = Bench()
            let (host, other) = (bench.addHost(), bench.addHost())
            let nobody = DeviceAddress(kind: .random, value: 0xC000_0000_0099)
            switch state {
            case "high duty": host.advertise(.connectableDirectedHighDutyCycle, peer: nobody)
            case "advertising": host.advertise(interval: 0x20)
            case "passive": host.scan(.passive)
            case "active":
                host.scan(.active)
                other.advertise(.scannableUndirected, interval: 0x20)
            case "window": host.scan(.active, interval: 0x20, window: 0x10)
            case "initiating":
                host.send(
                    HCI.LECreateConnection(
                        scanInterval: 0x20, scanWindow: 0x10, filterPolicy: .peerAddress, peerAddress: nobody,
                        ownAddressType: .random, intervalMinimum: 24, intervalMaximum: 24, maximumLatency: 0,
                        supervisionTimeout: 100))
            case "central": _ = try #require(bench.connect(host, other))
            case "peripheral": _ = try #require(bench.connect(other, host))
            default:
                host.send(
                    HCI.LEAddDeviceToResolvingList(
                        identity: nobody, peerKey: IdentityResolvingKey(value: 1),
                        localKey: IdentityResolvingKey(value: 2)))
            }
            bench.run(for: .microseconds(delay))
            host.send(HCI.Reset())
            other.send(HCI.Reset())
            bench.deliver()
            // Only packets that are on the air have timers.
            let medium = bench.radio.medium
            let inFlight = medium.transmissions.count { $0.sender >= 0 && $0.end > medium.now }
            #expect(medium.scheduler.armedCount == inFlight, "\(delay) us")
            #expect(medium.subscribers.isEmpty)
            #expect(medium.devices.allSatisfy { $0.tuning == nil && $0.sending < 0 })
        }
    }

    /// The time limit of the high duty cycle before a reset does not end what the host starts after it.
    @Test func theHighDutyCycleOfTheFirstLifeEndsWithIt() {
        let bench = Bench()
        let host = bench.addHost()
        let nobody = DeviceAddress(kind: .random, value: 0xC000_0000_0099)
        for restart in [true, false] {
            host.advertise(.connectableDirectedHighDutyCycle, peer: nobody)
            bench.run(for: .milliseconds(500))
            if restart {
                host.send(HCI.Reset())
                host.send(HCI.SetEventMask(mask: HCI.EventMask(rawValue: .max)))
                host.send(HCI.LESetRandomAddress(address: host.address))
            } else {
                host.send(HCI.LESetAdvertisingEnable(enable: false))
            }
            host.advertise(interval: 0x20)
            bench.run(for: .seconds(2))
            #expect(host.connections.isEmpty)
            #expect(bench.radio.status(of: host.identifier)?.isAdvertising == true)
            host.send(HCI.LESetAdvertisingEnable(enable: false))
        }
        // A second time it has its whole time again.
        host.advertise(.connectableDirectedHighDutyCycle, peer: nobody)
        bench.run(for: .milliseconds(1_000))
        host.send(HCI.LESetAdvertisingEnable(enable: false))
        host.advertise(.connectableDirectedHighDutyCycle, peer: nobody)
        bench.run(for: .milliseconds(1_270))
        #expect(host.connections.isEmpty)
        bench.run(for: .milliseconds(20))
        #expect(host.connections.map(\.status) == [.advertisingTimeout])
    }

    /// Every setting of the host has its default again (Vol 4, Part E, 7.3.2).
    @Test func aResetRestoresTheSettings() throws {
        let bench = Bench()
        let (host, peer) = (bench.addHost(), bench.addHost())
        func settings(_ host: RawHost) -> [[UInt8]] {
            bench.deliver()
            host.events.removeAll()
            host.send(HCI.SetEventMask(mask: HCI.EventMask(rawValue: .max)))
            host.send(HCI.LEReadSuggestedDefaultDataLength())
            host.send(HCI.LESetAdvertisingEnable(enable: true))
            host.send(
                HCI.LEGenerateDHKey(remoteKey: P256PublicKey(x: UInt256(low: 1, high: 0), y: UInt256(low: 1, high: 0))))
            host.send(HCI.LEReadLocalResolvableAddress(identity: peer.address))
            bench.deliver()
            return host.events
        }
        let fresh = bench.addHost()
        fresh.send(HCI.Reset())
        let defaults = settings(fresh)
        host.send(HCI.LEWriteSuggestedDefaultDataLength(maximumTxOctets: 100, maximumTxTime: 1000))
        host.send(HCI.LESetDefaultPHY(txPHYs: .le2M, rxPHYs: .le2M))
        host.send(HCI.LEReadLocalP256PublicKey())
        host.send(HCI.LESetHostChannelClassification(channelMap: HCI.ChannelMap(rawValue: 0x3FF)))
        host.send(HCI.LEAddDeviceToFilterAcceptList(address: peer.address))
        host.send(
            HCI.LEAddDeviceToResolvingList(
                identity: peer.address, peerKey: IdentityResolvingKey(value: 1),
                localKey: IdentityResolvingKey(value: 2)))
        host.send(HCI.LESetAddressResolutionEnable(enable: true))
        host.send(HCI.Reset())
        #expect(settings(host) == defaults)
        // The settings of new links, and of the accept list.
        host.send(HCI.LESetEventMask(mask: HCI.LEEventMask(rawValue: 0xFFFFF & ~(1 << 9))))
        host.send(HCI.LESetRandomAddress(address: host.address))
        peer.advertise(interval: 0x20)
        host.connect(to: DeviceAddress(kind: .public, value: 0), policy: .acceptList)
        bench.run(for: .seconds(2))
        #expect(host.connections.isEmpty)
        host.send(HCI.LECreateConnectionCancel())
        bench.deliver()
        host.connections.removeAll()
        let link = try #require(bench.connect(host, peer))
        peer.send(HCI.LESetPHY(connectionHandle: link.peripheral, txPHYs: .leCoded, rxPHYs: .leCoded, options: 0))
        host.send(HCI.LEReadChannelMap(connectionHandle: link.central))
        bench.deliver()
        #expect(host.events.last?.suffix(5) == [0xFF, 0xFF, 0xFF, 0xFF, 0x1F])
        bench.run(for: .seconds(2))
        // All PHYs are preferred again.
        #expect(host.all(HCI.LEPHYUpdateComplete.self).map(\.txPHY) == [.leCoded])
    }
}
