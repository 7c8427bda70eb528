import BLEWire
import Testing

@testable import BLEController

/// The zones of path loss (Vol 6, Part B, 4.5.16; Vol 4, Part E, 7.8.119 and 7.8.120).
struct PathLossReportTests {
    private typealias Report = PathLossMonitor.Report

    private static func zones(
        high: UInt8 = 74, _ highMargin: UInt8 = 6, low: UInt8 = 55, _ lowMargin: UInt8 = 5, time: UInt16 = 0,
        handle: UInt16 = 0x40
    ) -> HCI.LESetPathLossReportingParameters {
        .init(
            connectionHandle: handle, highThreshold: high, highHysteresis: highMargin, lowThreshold: low,
            lowHysteresis: lowMargin, minimumTime: time)
    }

    private func monitor(time: UInt16 = 0) throws -> PathLossMonitor {
        var monitor = PathLossMonitor()
        monitor.set(try #require(PathLossMonitor.Zones(Self.zones(time: time))))
        monitor.turn(on: true)
        return monitor
    }

    @Test func contradictionsAreRefused() {
        for (command, isValid) in [
            (Self.zones(), true), (Self.zones(high: 250, 5), true), (Self.zones(high: 250, 6), false),
            (Self.zones(low: 5, 5), true), (Self.zones(low: 5, 6), false), (Self.zones(high: 60, 0, low: 61, 0), false),
            (Self.zones(high: 60, 0, low: 60, 0), true), (Self.zones(high: 66, 6, low: 55, 5), true),
            (Self.zones(high: 65, 6, low: 55, 5), false), (Self.zones(high: 255, 0, low: 0, 0), true),
        ] {
            #expect((PathLossMonitor.Zones(command) != nil) == isValid, "\(command)")
        }
    }

    /// Each boundary lies at the threshold plus the hysteresis on the way up, and minus it on the way down.
    @Test func zonesChangeWithHysteresis() throws {
        var monitor = try monitor()
        var event: UInt16 = 0
        for (loss, zone) in [
            (60, .middle), (50, nil), (49, .low), (55, nil), (60, nil), (61, .middle), (80, nil), (81, .high),
            (70, nil),
            (68, nil), (67, .middle), (0, .low), (254, .high), (40, .low), (90, .high), (68, nil), (60, .middle),
        ] as [(UInt8, PathLossMonitor.Zone?)] {
            event &+= 1
            #expect(monitor.measure(loss, event: event) == zone.map { Report(loss: loss, zone: $0) }, "\(loss)")
        }
    }

    /// The first zone comes at once, by the thresholds.
    @Test(arguments: [(54, .low), (55, .middle), (74, .middle), (75, .high)] as [(UInt8, PathLossMonitor.Zone)])
    func theFirstZoneFollowsFromTheThresholds(loss: UInt8, zone: PathLossMonitor.Zone) throws {
        var monitor = try monitor(time: 1000)
        #expect(monitor.measure(loss, event: 7) == Report(loss: loss, zone: zone))
        #expect(monitor.measure(loss, event: 8) == nil)
    }

    @Test func aZoneCountsAfterItsTime() throws {
        var monitor = try monitor(time: 4)
        _ = monitor.measure(60, event: 0xFFF0)
        // Over the wrap of the counter, with events that the link skips.
        for (loss, event, zone) in [
            (90, 0xFFFC, nil), (91, 0xFFFE, nil), (92, 1, .high), (60, 2, nil), (90, 5, nil), (60, 6, nil),
            (60, 9, nil),
            (60, 10, .middle), (40, 11, nil), (90, 13, nil), (40, 14, nil), (40, 17, nil), (40, 30, .low),
        ] as [(UInt8, UInt16, PathLossMonitor.Zone?)] {
            #expect(monitor.measure(loss, event: event) == zone.map { Report(loss: loss, zone: $0) }, "\(event)")
        }
        // The longest time is longer than the counter of events.
        monitor.set(try #require(PathLossMonitor.Zones(Self.zones(time: 0xFFFF))))
        _ = monitor.measure(40, event: 31)
        _ = monitor.measure(90, event: 32)
        #expect(monitor.measure(90, event: 31) == Report(loss: 90, zone: .high))
    }

    /// LL/PCL/PER/BV-49-C: the path loss becomes unknown, and is known again.
    @Test func anUnknownPathLossIsReported() throws {
        var monitor = try monitor(time: 10)
        #expect(monitor.measure(nil, event: 0) == nil)
        for round in UInt16(0)..<2 {
            #expect(monitor.measure(90, event: 10 * round + 1) == Report(loss: 90, zone: .high))
            #expect(monitor.measure(nil, event: 10 * round + 2) == Report(loss: 255, zone: .high))
            #expect(monitor.measure(nil, event: 10 * round + 3) == nil)
        }
        monitor.turn(on: false)
        #expect(!monitor.isOn && monitor.measure(90, event: 30) == nil && monitor.measure(nil, event: 31) == nil)
        monitor.turn(on: true)
        monitor.turn(on: true)
        #expect(monitor.measure(90, event: 32) == Report(loss: 90, zone: .high))
    }

    /// New boundaries hold at once, whatever the time is (7.8.119).
    @Test func newBoundariesHoldAtOnce() throws {
        var monitor = try monitor(time: 100)
        #expect(monitor.measure(60, event: 1)?.zone == .middle)
        monitor.set(try #require(PathLossMonitor.Zones(Self.zones(high: 50, 5, low: 20, time: 100))))
        #expect(monitor.measure(60, event: 2) == Report(loss: 60, zone: .high))
        #expect(monitor.measure(10, event: 3) == nil)
        monitor.set(try #require(PathLossMonitor.Zones(Self.zones(high: 52, 5, low: 20, time: 100))))
        #expect(monitor.measure(60, event: 4) == nil && monitor.measure(60, event: 5) == nil)
        // Without a high zone.
        monitor.set(try #require(PathLossMonitor.Zones(Self.zones(high: 255, 0, low: 20, time: 0))))
        #expect(monitor.measure(254, event: 6) == Report(loss: 254, zone: .middle))
    }

    // MARK: Between controllers

    @Test func aMovingPeerChangesTheZone() throws {
        let link = try PowerLink()
        for (host, handle) in [(link.central, link.handles.central), (link.peripheral, link.handles.peripheral)] {
            let reports = { host.all(HCI.LEPathLossThreshold.self).map { [$0.pathLoss, $0.zone.rawValue] } }
            host.send(HCI.LESetPathLossReportingEnable(connectionHandle: handle, isOn: true))
            link.bench.deliver()
            #expect(host.status(of: .leSetPathLossReportingEnable) == .commandDisallowed)
            host.send(Self.zones(high: 65, 6, low: 55, 5, handle: handle))
            link.bench.deliver()
            #expect(host.status(of: .leSetPathLossReportingParameters) == .invalidHCICommandParameters)
            host.send(Self.zones(time: 3, handle: handle))
            link.bench.run(for: .milliseconds(300))
            #expect(host.status(of: .leSetPathLossReportingParameters) == .success && reports().isEmpty)
            for _ in 0..<2 {
                host.send(HCI.LESetPathLossReportingEnable(connectionHandle: handle, isOn: true))
                link.bench.run(for: .milliseconds(500))
                #expect(host.status(of: .leSetPathLossReportingEnable) == .success && reports() == [[65, 1]])
            }
            link.move(to: 50)
            link.bench.run(for: .milliseconds(500))
            #expect(reports() == [[65, 1], [82, 2]])
            link.move(to: 1)
            link.bench.run(for: .milliseconds(500))
            link.move(to: 10)
            link.bench.run(for: .milliseconds(500))
            #expect(reports() == [[65, 1], [82, 2], [40, 0], [65, 1]])
            // Another power of the peer is no other path loss.
            link.write(-12, of: link.peer(of: host))
            link.bench.run(for: .milliseconds(500))
            #expect(reports().count == 4 && link.rssi(of: host) == -77)
            link.write(0, of: link.peer(of: host))
            host.send(HCI.LESetPathLossReportingEnable(connectionHandle: handle, isOn: false))
            link.bench.run(for: .milliseconds(200))
            link.move(to: 1)
            link.bench.run(for: .milliseconds(500))
            link.move(to: 10)
            link.bench.run(for: .milliseconds(500))
            #expect(reports().count == 4)
            host.send(HCI.LESetPathLossReportingEnable(connectionHandle: handle, isOn: true))
            link.bench.run(for: .milliseconds(200))
            #expect(reports().count == 5 && reports().last == [65, 1])
            // The controller has asked for the power once.
            #expect(link.sent(by: host, 0x23) == [[0x23, 1, 0, 0]])
            host.send(HCI.LESetPathLossReportingEnable(connectionHandle: handle, isOn: false))
        }
    }

    /// On another PHY, the peer's power is not known until the peer has answered.
    @Test func anotherPHYAsksForItsPower() throws {
        let link = try PowerLink()
        link.central.send(Self.zones(handle: link.handles.central))
        link.central.send(HCI.LESetPathLossReportingEnable(connectionHandle: link.handles.central, isOn: true))
        link.bench.run(for: .milliseconds(500))
        for phy in [HCI.PHYMask.le2M, .le1M, .le2M] {
            link.central.send(
                HCI.LESetPHY(connectionHandle: link.handles.central, txPHYs: phy, rxPHYs: phy, options: 0))
            link.bench.run(for: .seconds(1))
        }
        let reports = link.central.all(HCI.LEPathLossThreshold.self).map { [$0.pathLoss, $0.zone.rawValue] }
        #expect(reports == [[65, 1], [255, 1], [65, 1]])
        #expect(link.sent(by: link.central, 0x23) == [[0x23, 1, 0, 0], [0x23, 2, 0, 0]])
    }

    /// A monitored link may have something to say at any time.
    @Test func aMonitoredLinkIsNotQuiet() throws {
        let link = try PowerLink()
        link.bench.run(for: .seconds(1))
        #expect(link.bench.radio.quietUntil != nil)
        link.central.send(Self.zones(handle: link.handles.central))
        link.central.send(HCI.LESetPathLossReportingEnable(connectionHandle: link.handles.central, isOn: true))
        link.bench.run(for: .seconds(1))
        #expect(link.bench.radio.quietUntil == nil)
        link.central.send(HCI.LESetPathLossReportingEnable(connectionHandle: link.handles.central, isOn: false))
        link.bench.run(for: .seconds(1))
        #expect(link.bench.radio.quietUntil != nil)
    }
}
