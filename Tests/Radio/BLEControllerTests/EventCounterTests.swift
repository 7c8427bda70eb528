import BLEWire
import Testing

@testable import BLEController

/// The event counter of a link on the air, with latency and over its wrap at 65,536.
struct EventCounterTests {
    enum Kind: CaseIterable { case parameters, channelMap, phy }

    private func change(_ kind: Kind, _ central: RawHost, _ handle: UInt16, latency: UInt16 = 0) {
        switch kind {
        case .parameters:
            central.send(
                HCI.LEConnectionUpdate(
                    connectionHandle: handle, intervalMinimum: 12, intervalMaximum: 12, maximumLatency: latency,
                    supervisionTimeout: 3200))
        case .channelMap:
            central.send(HCI.LESetHostChannelClassification(channelMap: HCI.ChannelMap(rawValue: 0x3FF)))
        case .phy: central.send(HCI.LESetPHY(connectionHandle: handle, txPHYs: .le2M, rxPHYs: .le2M, options: 0))
        }
    }

    /// Whether the events from the instant on, and no others, have what `kind` changes.
    private func expectChange(_ kind: Kind, at instant: Int, _ events: EventRecord) {
        switch kind {
        case .parameters:
            #expect(events.anchors[instant] - events.anchors[instant - 1] == LL.slot * 6)
            #expect(events.anchors[instant + 1] - events.anchors[instant] == LL.slot * 12)
        case .channelMap:
            #expect(events.channels[(instant - 20)..<instant].contains { $0 > 9 })
            #expect(events.channels[instant...].allSatisfy { $0 <= 9 })
        case .phy:
            #expect(events.phys[..<instant].allSatisfy { $0 == .oneM })
            #expect(events.phys[instant...].allSatisfy { $0 == .twoM })
        }
    }

    /// The central's request comes while the peripheral skips events, at each distance from the event that it will listen to.
    @Test(arguments: Kind.allCases, [0, 7, 15, 22, 29]) func aChangeReachesASleepingPeripheral(kind: Kind, phase: Int)
        throws
    {
        let bench = Bench()
        let (central, peripheral) = (bench.addHost(), bench.addHost())
        peripheral.acceptsParameters = true
        let events = EventRecord(bench, of: central)
        let link = try #require(bench.connect(central, peripheral, interval: 6, latency: 30, timeout: 3200))
        bench.run(for: LL.slot * 6 * (310 + phase))
        change(kind, central, link.central, latency: 30)
        bench.run(for: LL.slot * 6 * 31 * 8)
        let opcode: LL.ControlOpcode =
            kind == .parameters ? .connectionUpdateInd : kind == .channelMap ? .channelMapInd : .phyUpdateInd
        expectChange(kind, at: Int(try #require(events.instant(of: opcode))), events)
        central.queue([1, 2], handle: link.central)
        peripheral.queue([3, 4], handle: link.peripheral)
        bench.run(for: .seconds(2))
        #expect(peripheral.received[link.peripheral] == [1, 2] && central.received[link.central] == [3, 4])
        #expect(central.disconnections.isEmpty && peripheral.disconnections.isEmpty)
    }

    /// The event counter wraps from 65,535 to 0, as do the instants; the channels show the counter.
    @Test(arguments: Kind.allCases, [UInt16(0), 30]) func theEventCounterWraps(kind: Kind, latency: UInt16) throws {
        let bench = Bench()
        let (central, peripheral) = (bench.addHost(), bench.addHost())
        peripheral.acceptsParameters = true
        let events = EventRecord(bench, of: central)
        let link = try #require(bench.connect(central, peripheral, interval: 6, latency: latency, timeout: 3200))
        // The instant lies at least 6 events and the latency after the request, and after the peripheral's answer if it needs one.
        let start = latency == 0 ? 65_531 : 65_505
        #expect(bench.run(atMost: .seconds(600)) { events.anchors.count >= start })
        change(kind, central, link.central, latency: latency)
        bench.run(for: .seconds(3))
        let opcode: LL.ControlOpcode =
            kind == .parameters ? .connectionUpdateInd : kind == .channelMap ? .channelMapInd : .phyUpdateInd
        let instant = try #require(events.instant(of: opcode))
        try #require(instant < 200)
        try #require(events.anchors.count > 65_536 + Int(instant) + 20)
        expectChange(kind, at: 65_536 + Int(instant), events)
        // Channel selection algorithm #2 with the counter modulo 65,536 (Vol 6, Part B, 4.5.8.3).
        var selection = ChannelSelection.second(accessAddress: events.accessAddress)
        let last = kind == .channelMap ? 65_536 + Int(instant) : events.anchors.count
        for index in 0..<last {
            let channel = selection.channel(event: UInt16(truncatingIfNeeded: index), map: .all)
            if channel != events.channels[index] {
                Issue.record("event \(index): channel \(events.channels[index]) instead of \(channel)")
                break
            }
        }
        central.queue([1, 2], handle: link.central)
        peripheral.queue([3, 4], handle: link.peripheral)
        bench.run(for: .seconds(2))
        #expect(peripheral.received[link.peripheral] == [1, 2] && central.received[link.central] == [3, 4])
        #expect(central.disconnections.isEmpty && peripheral.disconnections.isEmpty)
    }
}
