import BLEController
import BLEWire
import Testing

/// What changes at an instant holds from the event with that number on, at both ends (Vol 6, Part B, 5.1.1, 5.1.2, 5.1.10).
struct InstantTests {
    struct Parameters: Sendable, CustomTestStringConvertible {
        var interval: UInt16
        var latency: UInt16 = 0
        var timeout: UInt16
        var testDescription: String { "\(interval)/\(latency)/\(timeout)" }
    }

    /// From the longest interval to the shortest and back, with the shortest timeouts and the longest latency.
    static let transitions: [(from: Parameters, to: Parameters)] = [
        (Parameters(interval: 3200, timeout: 3200), Parameters(interval: 6, timeout: 300)),
        (Parameters(interval: 3200, timeout: 3200), Parameters(interval: 6, timeout: 10)),
        (Parameters(interval: 6, timeout: 10), Parameters(interval: 3200, timeout: 3200)),
        (Parameters(interval: 6, latency: 499, timeout: 1000), Parameters(interval: 3200, timeout: 3200)),
        (Parameters(interval: 3200, timeout: 3200), Parameters(interval: 6, latency: 499, timeout: 1000)),
        (Parameters(interval: 40, latency: 30, timeout: 500), Parameters(interval: 6, timeout: 10)),
    ]

    @Test(arguments: transitions.indices, [HCI.Role.central, .peripheral])
    func aLinkSurvivesEveryChangeOfItsParameters(transition: Int, asking: HCI.Role) throws {
        try change(transition, asking, loss: 0)
    }

    @Test(arguments: transitions.indices, [HCI.Role.central, .peripheral])
    func aLossyLinkSurvivesEveryChangeOfItsParameters(transition: Int, asking: HCI.Role) throws {
        try change(transition, asking, loss: 0.15)
    }

    private func change(_ transition: Int, _ asking: HCI.Role, loss: Double) throws {
        let (from, to) = Self.transitions[transition]
        let bench = Bench(seed: 5)
        let (central, peripheral) = (bench.addHost(), bench.addHost())
        for host in [central, peripheral] { host.acceptsParameters = true }
        let link = try #require(
            bench.connect(
                central, peripheral, interval: from.interval, latency: from.latency, timeout: from.timeout))
        bench.run(for: LL.slot * Int(from.interval) * 3)
        for host in [central, peripheral] { bench.radio.setLoss(loss, of: host.identifier) }
        (asking == .central ? central : peripheral).send(
            to.update(asking == .central ? link.central : link.peripheral))
        let isDone = bench.run(atMost: LL.slot * Int(from.interval) * (Int(from.latency) + 20) * 3) {
            [central, peripheral].allSatisfy { !$0.all(HCI.LEConnectionUpdateComplete.self).isEmpty }
        }
        #expect(isDone)
        for host in [central, peripheral] {
            let updates = host.all(HCI.LEConnectionUpdateComplete.self)
            #expect(updates.map(\.status) == [.success])
            #expect(updates.map(\.interval) == [to.interval])
            #expect(updates.map(\.latency) == [to.latency])
            #expect(updates.map(\.supervisionTimeout) == [to.timeout])
        }
        // Both go on together: data arrives, and longer than the new timeout nothing ends.
        central.queue([1, 2], handle: link.central)
        peripheral.queue([3, 4], handle: link.peripheral)
        bench.run(for: .milliseconds(10 * Int(to.timeout)) + LL.slot * Int(to.interval) * (Int(to.latency) + 12))
        #expect(peripheral.received[link.peripheral] == [1, 2])
        #expect(central.received[link.central] == [3, 4])
        #expect(bench.hosts.allSatisfy { $0.disconnections.isEmpty })
    }

    @Test(arguments: transitions.indices)
    func theFirstNewIntervalFollowsTheEventOfTheInstant(transition: Int) throws {
        let (from, to) = Self.transitions[transition]
        let bench = Bench(seed: 5)
        let (central, peripheral) = (bench.addHost(), bench.addHost())
        peripheral.acceptsParameters = true
        let events = EventRecord(bench, of: central)
        let link = try #require(
            bench.connect(
                central, peripheral, interval: from.interval, latency: from.latency, timeout: from.timeout))
        central.send(to.update(link.central))
        let whole = LL.slot * Int(from.interval) * (Int(from.latency) + 20) * 3
        #expect(bench.run(atMost: whole) { !central.all(HCI.LEConnectionUpdateComplete.self).isEmpty })
        let told = bench.radio.now
        bench.run(for: LL.slot * Int(to.interval) * 3)
        let instant = Int(try #require(events.instant(of: .connectionUpdateInd)))
        #expect(events.anchors[instant] - events.anchors[instant - 1] == LL.slot * Int(from.interval))
        #expect(events.anchors[instant + 1] - events.anchors[instant] == LL.slot * Int(to.interval))
        // The host receives the report at the instant.
        #expect(told == events.anchors[instant])
    }

    /// The supervision timer starts again at the instant, with the new timeout (Vol 6, Part B, 5.1.1).
    @Test(arguments: transitions.indices, [HCI.Role.central, .peripheral])
    func theNewSupervisionTimeoutStartsAtTheInstant(transition: Int, survivor: HCI.Role) throws {
        let (from, to) = Self.transitions[transition]
        let bench = Bench(seed: 5)
        let (central, peripheral) = (bench.addHost(), bench.addHost())
        peripheral.acceptsParameters = true
        let events = EventRecord(bench, of: central)
        let link = try #require(
            bench.connect(
                central, peripheral, interval: from.interval, latency: from.latency, timeout: from.timeout))
        central.send(to.update(link.central))
        let whole = LL.slot * Int(from.interval) * (Int(from.latency) + 20) * 3
        let isNear = bench.run(atMost: whole) {
            events.instant(of: .connectionUpdateInd).map { events.anchors.count == Int($0) } ?? false
        }
        #expect(isNear)
        // The event before the instant goes to its end; then one side is gone.
        bench.run(for: .milliseconds(2))
        let last = try #require(events.anchors.last)
        let (gone, host) = survivor == .central ? (peripheral, central) : (central, peripheral)
        bench.radio.removeController(gone.identifier)
        let end = last + LL.slot * Int(from.interval) + .milliseconds(10 * Int(to.timeout))
        bench.run(until: end - .milliseconds(1))
        #expect(host.disconnections.isEmpty)
        bench.run(until: end + .milliseconds(1))
        #expect(host.disconnections.map(\.reason) == [.connectionTimeout])
    }

    @Test func aChannelMapAppliesFromItsInstant() throws {
        let bench = Bench()
        let (central, peripheral) = (bench.addHost(), bench.addHost())
        let events = EventRecord(bench, of: central)
        central.send(HCI.LESetHostChannelClassification(channelMap: HCI.ChannelMap(rawValue: 0x3FF)))
        let link = try #require(bench.connect(central, peripheral, interval: 24))
        bench.run(for: .seconds(1))
        central.send(HCI.LESetHostChannelClassification(channelMap: HCI.ChannelMap(rawValue: 0x3FF << 20)))
        bench.run(for: .seconds(1))
        let instant = Int(try #require(events.instant(of: .channelMapInd)))
        #expect(events.channels[..<instant].allSatisfy { (0...9).contains($0) })
        #expect(events.channels[instant...].allSatisfy { (20...29).contains($0) })
        #expect(events.channels.count > instant + 10)
        #expect(central.disconnections.isEmpty && peripheral.disconnections.isEmpty && link.central == link.central)
    }

    @Test(arguments: [HCI.Role.central, .peripheral]) func aPHYAppliesFromItsInstant(asking: HCI.Role) throws {
        let bench = Bench()
        let (central, peripheral) = (bench.addHost(), bench.addHost())
        let events = EventRecord(bench, of: central)
        let link = try #require(bench.connect(central, peripheral, interval: 160))
        let (host, handle) = asking == .central ? (central, link.central) : (peripheral, link.peripheral)
        host.send(HCI.LESetPHY(connectionHandle: handle, txPHYs: .le2M, rxPHYs: .le2M))
        #expect(bench.run(atMost: .seconds(5)) { !central.all(HCI.LEPHYUpdateComplete.self).isEmpty })
        let told = bench.radio.now
        bench.run(for: .seconds(2))
        let instant = Int(try #require(events.instant(of: .phyUpdateInd)))
        #expect(events.phys[..<instant].allSatisfy { $0 == .oneM })
        #expect(events.phys[instant...].allSatisfy { $0 == .twoM })
        #expect(events.phys.count > instant + 5)
        #expect(told == events.anchors[instant])
        #expect(peripheral.all(HCI.LEPHYUpdateComplete.self).map(\.status) == [.success])
    }

    /// Data length has no instant: the new one holds when the peer's numbers have come (Vol 6, Part B, 5.1.9).
    @Test func longPDUsFollowTheDataLengthExchange() throws {
        let bench = Bench()
        let (central, peripheral) = (bench.addHost(), bench.addHost())
        let events = EventRecord(bench, of: central)
        let link = try #require(bench.connect(central, peripheral, interval: 40))
        bench.run(for: .milliseconds(200))
        central.flood = RawHost.packet([UInt8](repeating: 1, count: 251), handle: link.central)
        central.pump()
        bench.run(for: .milliseconds(100))
        for octets: UInt16 in [251, 27] {
            let before = events.lengths.count
            central.send(HCI.LESetDataLength(connectionHandle: link.central, txOctets: octets, txTime: 2120))
            bench.run(for: .milliseconds(300))
            let answer = try #require(events.answers(.lengthRsp).last)
            #expect(answer >= before)
            // The packet on its way at that moment may be sent again as it was.
            #expect(events.lengths[before..<answer].allSatisfy { octets == 251 ? $0 <= 27 : $0 > 0 })
            #expect(events.lengths[(answer + 1)...].contains(octets == 251 ? 251 : 27))
            #expect(events.lengths[(answer + 1)...].allSatisfy { $0 <= Int(octets) })
        }
        #expect(central.disconnections.isEmpty)
    }
}

extension InstantTests.Parameters {
    fileprivate func update(_ handle: UInt16) -> HCI.LEConnectionUpdate {
        HCI.LEConnectionUpdate(
            connectionHandle: handle, intervalMinimum: interval, intervalMaximum: interval, maximumLatency: latency,
            supervisionTimeout: timeout)
    }
}
