import BLEWire
import Testing

@testable import BLEController

/// Connection subrating (Vol 6, Part B, 4.5.1, 5.1.19 and 5.1.20).
struct SubratingTests {
    /// A link whose hosts accept subrating.
    private final class Subrated {
        let bench = Bench()
        let central: RawHost
        let peripheral: RawHost
        let record: EventRecord
        private(set) var link: (central: UInt16, peripheral: UInt16) = (0, 0)

        init(
            hostSupport: (central: Bool, peripheral: Bool) = (true, true),
            accepted: HCI.LESetDefaultSubrate? = .init(
                factorMinimum: 1, factorMaximum: 50, maximumLatency: 2, continuationNumber: 3, supervisionTimeout: 400),
            interval: UInt16 = 8, latency: UInt16 = 0
        ) throws {
            central = bench.addHost()
            peripheral = bench.addHost()
            record = EventRecord(bench, of: central)
            for (host, isOn) in [(central, hostSupport.central), (peripheral, hostSupport.peripheral)] {
                host.send(HCI.LESetEventMask(mask: HCI.LEEventMask(rawValue: 0x7_FFFF_FFFF & ~(1 << 9))))
                host.send(HCI.LESetHostFeature(bitNumber: 38, isOn: isOn))
            }
            if let accepted { central.send(accepted) }
            link = try #require(bench.connect(central, peripheral, interval: interval, latency: latency, timeout: 400))
            bench.run(for: .milliseconds(100))
            central.send(HCI.LEReadRemoteFeatures(connectionHandle: link.central))
            bench.run(for: .milliseconds(200))
        }

        func request(
            _ host: RawHost, _ factors: ClosedRange<UInt16>, latency: UInt16 = 0, continuation: UInt16 = 0,
            timeout: UInt16 = 400
        ) {
            host.send(
                HCI.LESubrateRequest(
                    connectionHandle: host === central ? link.central : link.peripheral,
                    factorMinimum: factors.lowerBound, factorMaximum: factors.upperBound, maximumLatency: latency,
                    continuationNumber: continuation, supervisionTimeout: timeout))
        }

        var changes: [[HCI.LESubrateChange]] {
            [central, peripheral].map { $0.all(HCI.LESubrateChange.self) }
        }

        /// The distances of the events within the next `time`, in intervals.
        func distances(for time: TimeSpan) -> [Int64] {
            let before = record.anchors.count
            bench.run(for: time)
            let anchors = record.anchors[before...]
            return zip(anchors, anchors.dropFirst()).map { ($1 - $0).nanoseconds / 10_000_000 }
        }
    }

    @Test func theCentralReducesTheEventsAtOnce() throws {
        let link = try Subrated()
        link.request(link.central, 10...10)
        link.bench.run(for: .milliseconds(500))
        #expect(link.central.status(of: .leSubrateRequest) == .success)
        for changes in link.changes {
            #expect(changes.map(\.status) == [.success] && changes.map(\.factor) == [10])
            #expect(changes.map(\.supervisionTimeout) == [400])
        }
        let distances = link.distances(for: .seconds(5))
        #expect(distances.count >= 45 && distances.allSatisfy { $0 == 10 })
        // Data of both directions waits for the next used event, and arrives.
        for round in 0..<3 {
            link.central.queue([1, UInt8(round)], handle: link.link.central)
            link.peripheral.queue([2, UInt8(round)], handle: link.link.peripheral)
            link.bench.run(for: .milliseconds(210))
            #expect(link.peripheral.received[link.link.peripheral]?.suffix(2) == [1, UInt8(round)])
            #expect(link.central.received[link.link.central]?.suffix(2) == [2, UInt8(round)])
        }
        #expect(link.central.disconnections.isEmpty && link.peripheral.disconnections.isEmpty)
    }

    /// LL/CON/CEN/BV-142-C: the central grants a peripheral's request within its default values; a second request changes it again.
    @Test func thePeripheralRequestsWhatTheCentralAccepts() throws {
        let link = try Subrated()
        for (factors, granted) in [(5...8, 8), (20...100, 50), (1...1, 1)] as [(ClosedRange<UInt16>, UInt16)] {
            let before = link.changes.map(\.count)
            link.request(link.peripheral, factors, latency: 4, timeout: 350)
            link.bench.run(for: .seconds(2))
            for (changes, count) in zip(link.changes, before) {
                #expect(changes.count == count + 1 && changes.last?.factor == granted)
                #expect(changes.last?.status == .success && changes.last?.latency == 2)
                #expect(changes.last?.supervisionTimeout == 350)
            }
            let distances = link.distances(for: .seconds(5))
            #expect(!distances.isEmpty && distances.allSatisfy { $0 == Int64(granted) })
        }
    }

    /// After an event with data, the link uses the next events too (4.5.1).
    @Test func eventsAfterDataContinue() throws {
        let link = try Subrated()
        link.request(link.central, 20...20, continuation: 3)
        link.bench.run(for: .seconds(1))
        for host in [link.central, link.peripheral] {
            let before = link.record.anchors.count
            host.queue([7], handle: host === link.central ? link.link.central : link.link.peripheral)
            link.bench.run(for: .seconds(1))
            let anchors = link.record.anchors[before...]
            let distances = zip(anchors, anchors.dropFirst()).map { ($1 - $0).nanoseconds / 10_000_000 }
            let runs = distances.split(separator: 20).map(Array.init)
            #expect(runs == [[1, 1, 1, 17]], "\(distances)")
        }
        #expect(link.peripheral.received[link.link.peripheral] == [7])
        #expect(link.central.received[link.link.central] == [7])
    }

    /// A factor that does not divide 65,536 keeps its distance over the wrap of the event counter.
    @Test func theEventCounterWraps() throws {
        let link = try Subrated(interval: 6)
        link.request(link.central, 7...7, timeout: 3200)
        link.bench.run(for: .milliseconds(500))
        let before = link.record.anchors.count
        // 65,536 events of 7.5 ms are 491.5 s.
        link.bench.run(for: .seconds(500))
        let anchors = link.record.anchors[before...]
        let distances = Set(zip(anchors, anchors.dropFirst()).map { ($1 - $0).nanoseconds / 7_500_000 })
        #expect(distances == [7])
        link.central.queue([1], handle: link.link.central)
        link.bench.run(for: .milliseconds(200))
        #expect(link.peripheral.received[link.link.peripheral] == [1])
        #expect(link.central.disconnections.isEmpty)
    }

    /// Latency counts subrated events; a peripheral with data wakes at the next one.
    @Test func latencyCountsSubratedEvents() throws {
        let link = try Subrated()
        link.request(link.central, 10...10, latency: 4)
        link.bench.run(for: .seconds(2))
        #expect(link.changes[1].last?.latency == 4)
        let answers = AnswerCount(link.bench, of: link.peripheral)
        link.bench.run(for: .seconds(10))
        // 1000 events, of which one in 10 is used, and the peripheral answers in one of 5.
        #expect((19...21).contains(answers.count))
        let sent = link.bench.radio.now
        var arrived: Instant?
        link.central.onData = { _, _ in arrived = link.bench.radio.now }
        link.peripheral.queue([9], handle: link.link.peripheral)
        link.bench.run(for: .seconds(1))
        let time = try #require(arrived)
        #expect(time - sent <= .milliseconds(101))
    }

    /// LL/CON/PER/BV-139-C: new connection parameters end subrating, and both hosts learn it (5.1.1).
    @Test func newParametersEndSubrating() throws {
        let link = try Subrated()
        link.central.acceptsParameters = true
        link.peripheral.acceptsParameters = true
        for _ in 0..<2 {
            link.request(link.central, 10...10)
            link.bench.run(for: .seconds(1))
            link.central.send(
                HCI.LEConnectionUpdate(
                    connectionHandle: link.link.central, intervalMinimum: 8, intervalMaximum: 8, maximumLatency: 0,
                    supervisionTimeout: 200))
            link.bench.run(for: .seconds(4))
            #expect(link.changes.map { $0.last?.factor } == [1, 1])
            #expect(link.distances(for: .seconds(1)).allSatisfy { $0 == 1 })
        }
        #expect(link.changes.map(\.count) == [4, 4])
        #expect(link.central.disconnections.isEmpty && link.peripheral.disconnections.isEmpty)
    }

    /// The channel map and the PHY change at an instant while most events are not used.
    @Test func proceduresWithAnInstantWorkWhileSubrated() throws {
        let link = try Subrated()
        link.request(link.central, 25...25)
        link.bench.run(for: .seconds(1))
        link.central.send(HCI.LESetHostChannelClassification(channelMap: HCI.ChannelMap(rawValue: 0x3FF)))
        link.bench.run(for: .seconds(5))
        link.peripheral.send(
            HCI.LESetPHY(connectionHandle: link.link.peripheral, txPHYs: .le2M, rxPHYs: .le2M, options: 0))
        link.bench.run(for: .seconds(8))
        let before = link.record.channels.count
        #expect(link.distances(for: .seconds(2)).allSatisfy { $0 == 25 })
        #expect(link.record.channels[before...].allSatisfy { $0 < 10 })
        #expect(link.record.phys.last == .twoM)
        #expect(link.central.disconnections.isEmpty && link.peripheral.disconnections.isEmpty)
    }

    /// A packet that the peripheral loses leaves both sides in step: until the acknowledgement, the central uses the old and the new events.
    @Test func aLostChangeIsRepeated() throws {
        for lost in 1...4 {
            let link = try Subrated()
            var left = lost
            link.bench.radio.tamper = { pdu in
                guard left > 0, pdu.count > 2, pdu[0] & 3 == 3, pdu[2] == 0x27 else { return }
                left -= 1
                pdu[1] ^= 1
            }
            link.request(link.central, 10...10)
            link.bench.run(for: .seconds(2))
            #expect(link.changes.map { $0.map(\.factor) } == [[10], [10]])
            #expect(link.distances(for: .seconds(3)).allSatisfy { $0 == 10 })
            link.peripheral.queue([5], handle: link.link.peripheral)
            link.bench.run(for: .milliseconds(300))
            #expect(link.central.received[link.link.central] == [5])
        }
    }

    @Test func refusalsAreReported() throws {
        // The peer's host has not turned it on.
        let silent = try Subrated(hostSupport: (true, false))
        silent.request(silent.central, 10...10)
        silent.bench.run(for: .seconds(1))
        #expect(silent.changes[0].map(\.status) == [.unsupportedRemoteFeature])
        #expect(silent.distances(for: .seconds(1)).allSatisfy { $0 == 1 })
        // This host has not.
        silent.request(silent.peripheral, 10...10)
        silent.bench.run(for: .milliseconds(100))
        #expect(silent.peripheral.status(of: .leSubrateRequest) == .commandDisallowed)
        // The central accepts no subrate unless its host says so.
        let strict = try Subrated(accepted: nil)
        for _ in 0..<2 {
            strict.request(strict.peripheral, 10...10)
            strict.bench.run(for: .seconds(1))
        }
        #expect(strict.changes[1].map(\.status) == [.unsupportedLLParameterValue, .unsupportedLLParameterValue])
        #expect(strict.changes[0].isEmpty)
        // Supervision would end the link between two used events.
        strict.request(strict.central, 500...500, timeout: 500)
        strict.bench.run(for: .seconds(1))
        #expect(strict.changes[0].map(\.status) == [.invalidLLParameters])
    }

    /// The ranges of Vol 4, Part E, 7.8.123 and 7.8.124.
    @Test func commandsOutOfRangeAreRefused() throws {
        let link = try Subrated()
        let wrong: [(UInt16, UInt16, UInt16, UInt16, UInt16)] = [
            (0, 5, 0, 0, 400), (6, 5, 0, 0, 400), (1, 501, 0, 0, 400), (1, 500, 1, 0, 400), (1, 2, 500, 0, 400),
            (1, 5, 0, 5, 400), (1, 5, 0, 0, 9), (1, 5, 0, 0, 3201),
        ]
        for (minimum, maximum, latency, continuation, timeout) in wrong {
            link.central.send(
                HCI.LESetDefaultSubrate(
                    factorMinimum: minimum, factorMaximum: maximum, maximumLatency: latency,
                    continuationNumber: continuation, supervisionTimeout: timeout))
            link.central.send(
                HCI.LESubrateRequest(
                    connectionHandle: link.link.central, factorMinimum: minimum, factorMaximum: maximum,
                    maximumLatency: latency, continuationNumber: continuation, supervisionTimeout: timeout))
            link.bench.deliver()
            #expect(link.central.status(of: .leSetDefaultSubrate) == .invalidHCICommandParameters)
            #expect(link.central.status(of: .leSubrateRequest) == .invalidHCICommandParameters)
        }
        link.central.send(HCI.LESetHostFeature(bitNumber: 38, isOn: false))
        link.bench.deliver()
        #expect(link.central.status(of: .leSetHostFeature) == .commandDisallowed)
        let idle = link.bench.addHost()
        for bit in [0, 32, 63, 64, 255] as [UInt8] {
            idle.send(HCI.LESetHostFeature(bitNumber: bit, isOn: true))
            link.bench.deliver()
            #expect(idle.status(of: .leSetHostFeature) == .unsupportedFeatureOrParameterValue)
        }
    }
}

/// Counts the packets of a host's controller on data channels.
private final class AnswerCount {
    private(set) var count = 0

    init(_ bench: Bench, of host: RawHost) {
        let identifier = host.identifier
        bench.radio.airObserver = { [unowned self] packet in
            if packet.sender == identifier, packet.channel < 37 { count += 1 }
        }
    }
}

/// The accuracy of sleep clocks, and the number of used channels (5.1.14 and 5.1.11).
struct LinkTimingTests {
    /// LL/CON/CEN/BV-95-C, LL/CON/PER/BV-100-C: either side asks, and asks again.
    @Test func bothSidesLearnThePeersClockAccuracy() throws {
        let bench = Bench()
        let (central, peripheral) = (bench.addHost(), bench.addHost())
        for host in [central, peripheral] {
            host.send(HCI.LESetEventMask(mask: HCI.LEEventMask(rawValue: 0x7_FFFF_FFFF & ~(1 << 9))))
        }
        let link = try #require(bench.connect(central, peripheral))
        for round in 1...2 {
            for (host, handle) in [(central, link.central), (peripheral, link.peripheral)] {
                host.send(HCI.LERequestPeerSCA(connectionHandle: handle))
                bench.run(for: .milliseconds(300))
                let reports = host.all(HCI.LERequestPeerSCAComplete.self)
                #expect(reports.count == round && reports.allSatisfy { $0.status == .success })
                #expect(reports.allSatisfy { $0.clockAccuracy == .ppm20 && $0.connectionHandle == handle })
            }
        }
        central.send(HCI.LERequestPeerSCA(connectionHandle: 0x0EFF))
        bench.deliver()
        #expect(central.status(of: .leRequestPeerSCA) == .unknownConnectionIdentifier)
    }

    private static func procedures(_ role: HCI.Role) -> (LinkLayerProcedures, LinkLayerProcedures.Context) {
        let procedures = LinkLayerProcedures(
            role: role, features: [.clockAccuracyUpdates, .minimumUsedChannels, .subrating, .subratingHostSupport],
            version: LL.VersionInd(version: 13, company: 0, subversion: 0),
            dataLength: DataLength(tx: .minimum, rx: .minimum), phys: (.oneM, .oneM))
        let context = LinkLayerProcedures.Context(
            role: role, event: 10, latency: 0, interval: 24, hostDecidesParameters: true)
        return (procedures, context)
    }

    /// The number counts for the PHYs in use alone, and only the peripheral may send it.
    @Test func theMinimumOfChannelsIsTakenFromThePeripheral() throws {
        for (octets, role, expected) in [
            ([0x19, 1, 10], .central, [.useMoreChannels(10)]), ([0x19, 2, 10], .central, []),
            ([0x19, 1, 1], .central, []), ([0x19, 1, 38], .central, []), ([0x19, 1, 10], .peripheral, []),
        ] as [([UInt8], HCI.Role, [LinkLayerProcedures.Action])] {
            var (procedures, context) = Self.procedures(role)
            var actions: [LinkLayerProcedures.Action] = []
            procedures.receive(octets.span, context, &actions)
            #expect(actions == expected, "\(octets)")
            #expect(procedures.outgoing.first?.first == (role == .peripheral ? 0x07 : nil))
        }
        #expect(LL.ChannelMap(rawValue: 0b1000).extended(to: 3) == LL.ChannelMap(rawValue: 0b1011))
        #expect(LL.ChannelMap(rawValue: 0b1110).extended(to: 3) == LL.ChannelMap(rawValue: 0b1110))
        #expect(LL.ChannelMap(rawValue: 0).extended(to: 37) == .all)
    }

    /// A peer of an older version refuses: the host learns it, and the next procedure begins.
    @Test func anOldPeerRefusesTheClockAccuracy() throws {
        var (procedures, context) = Self.procedures(.central)
        var actions: [LinkLayerProcedures.Action] = []
        procedures.request(.clockAccuracy, context, &actions)
        procedures.request(.ping, context, &actions)
        #expect(procedures.outgoing == [[0x1D, 7]] && procedures.isWaiting)
        procedures.acknowledged(&actions)
        procedures.receive([0x07, 0x1D].span, context, &actions)
        #expect(actions == [.reportAccuracy(.unsupportedRemoteFeature, 0)])
        #expect(procedures.outgoing == [[0x12]])
        // The answer comes late, and changes nothing.
        actions = []
        procedures.receive([0x1E, 3].span, context, &actions)
        #expect(actions.isEmpty)
    }

    /// Values of a hostile central that no link can use are ignored (2.4.2.40).
    @Test func hostileSubratesAreIgnored() throws {
        for octets in [
            [0x27, 0, 0, 0, 0, 0, 0, 0, 0, 100, 0], [0x27, 0xFF, 0xFF, 0, 0, 0, 0, 0, 0, 100, 0],
            [0x27, 10, 0, 0, 0, 0xFF, 0xFF, 0, 0, 100, 0], [0x27, 10, 0, 0, 0, 0, 0, 10, 0, 100, 0],
            [0x27, 10, 0, 0, 0, 0, 0, 0, 0, 0, 0], [0x27, 100, 0, 0, 0, 0, 0, 0, 0, 100, 0], [0x27, 10, 0],
        ] as [[UInt8]] {
            var (procedures, context) = Self.procedures(.peripheral)
            var actions: [LinkLayerProcedures.Action] = []
            procedures.receive(octets.span, context, &actions)
            #expect(actions.isEmpty, "\(octets)")
        }
        var (procedures, context) = Self.procedures(.central)
        var actions: [LinkLayerProcedures.Action] = []
        procedures.receive([0x27, 10, 0, 0, 0, 0, 0, 0, 0, 100, 0].span, context, &actions)
        #expect(actions.isEmpty && procedures.outgoing == [[0x07, 0x27]])
    }
}

/// The vendor command of test tools.
struct VendorCommandTests {
    @Test func thePublicAddressIsSetAndSurvivesAReset() throws {
        let bench = Bench()
        let (host, scanner) = (bench.addHost(), bench.addHost())
        for value in [0x0200_5E00_0001, 0x0200_5E00_0002] as [UInt64] {
            host.send(HCI.VendorWriteBDADDR(address: DeviceAddress(kind: .public, value: value)))
            host.send(HCI.Reset())
            host.send(HCI.SetEventMask(mask: HCI.EventMask(rawValue: .max)))
            host.send(HCI.ReadBDADDR())
            bench.deliver()
            #expect(host.status(of: .vendorWriteBDADDR) == .success)
            let answer = try #require(host.events.last)
            #expect(
                try HCI.ReadBDADDR.ReturnParameters(decoding: answer.span.extracting(droppingFirst: 5)).address.value
                    == value)
            host.advertise(interval: 0x20, own: .public)
            scanner.scan(.passive)
            bench.run(for: .milliseconds(200))
            #expect(scanner.reports.last?.address == value && scanner.reports.last?.kind == .public)
            // A role that is on keeps its address.
            host.send(HCI.VendorWriteBDADDR(address: DeviceAddress(kind: .public, value: 1)))
            bench.deliver()
            #expect(host.status(of: .vendorWriteBDADDR) == .commandDisallowed)
            host.send(HCI.LESetAdvertisingEnable(enable: false))
            scanner.send(HCI.LESetScanEnable(enable: false, filterDuplicates: false))
            bench.deliver()
        }
    }
}
