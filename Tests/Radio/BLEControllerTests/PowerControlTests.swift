import BLEController
import BLEWire
import Testing

/// Transmit power between two controllers (Vol 6, Part B, 5.1.17 and 5.1.18; Vol 4, Part E, 7.8.117, 7.8.118 and 7.8.121).
struct PowerControlTests {
    private func read(_ link: PowerLink, _ host: RawHost, _ phy: UInt8) -> [UInt8]? {
        host.send(
            HCI.LEEnhancedReadTransmitPowerLevel(
                connectionHandle: link.handle(of: host), phy: HCI.PowerPHY(rawValue: phy)))
        link.bench.deliver()
        return host.events.last.map { Array($0.dropFirst(5)) }
    }

    private func readRemote(_ link: PowerLink, _ host: RawHost, _ phy: UInt8) -> HCI.LETransmitPowerReporting? {
        host.send(
            HCI.LEReadRemoteTransmitPowerLevel(
                connectionHandle: link.handle(of: host), phy: HCI.PowerPHY(rawValue: phy)))
        link.bench.run(for: .milliseconds(300))
        return host.all(HCI.LETransmitPowerReporting.self).last
    }

    @Test func bothHostsReadBothPowers() throws {
        let link = try PowerLink(central: { $0.transmitPower = 4 }, peripheral: { $0.transmitPower = -6 })
        for round in 1...2 {
            for (host, own, other) in [(link.central, 4, -6), (link.peripheral, -6, 4)] as [(RawHost, Int8, Int8)] {
                let handle = UInt8(link.handle(of: host))
                for phy in UInt8(1)...4 {
                    let power = UInt8(bitPattern: own)
                    #expect(read(link, host, phy) == [0, handle, 0, phy, power, power])
                    let report = try #require(readRemote(link, host, phy))
                    #expect(report.status == .success && report.reason == .remoteRead && report.phy.rawValue == phy)
                    #expect(report.power == other && report.limits == .maximum && report.delta == 0)
                }
                #expect(host.all(HCI.LETransmitPowerReporting.self).count == 4 * round)
            }
        }
    }

    @Test func theRangeOfPowersIsRead() throws {
        for (power, least) in [(4, -20), (-30, -30)] as [(Int8, Int8)] {
            let bench = Bench()
            let host = bench.addHost { $0.transmitPower = power }
            host.send(HCI.LEReadTransmitPower())
            bench.deliver()
            #expect(host.events.last?.suffix(3) == [0, UInt8(bitPattern: least), UInt8(bitPattern: power)])
        }
    }

    /// Values that are reserved, and a PHY that the controller does not have (7.8.117 and 7.8.118).
    @Test func otherPHYsAreRefused() throws {
        let link = try PowerLink(central: { $0.supportsCoded = false })
        for phy in [0, 3, 4, 5, 0xFF] as [UInt8] {
            #expect(read(link, link.central, phy) == [0x11, UInt8(link.handles.central), 0])
            #expect(readRemote(link, link.central, phy) == nil)
            #expect(link.central.status(of: .leReadRemoteTransmitPowerLevel) == .unsupportedFeatureOrParameterValue)
        }
        // The peer does not send on the Coded PHY.
        let report = try #require(readRemote(link, link.peripheral, 3))
        #expect(report.status == .unsupportedLLParameterValue && report.power == 127)
    }

    /// The power of a link is the power on the air, and no other link's.
    @Test func theWrittenPowerIsOnTheAir() throws {
        let link = try PowerLink()
        #expect(link.rssi(of: link.central) == -65 && link.rssi(of: link.peripheral) == -65)
        for (power, selected) in [(-15, -15), (-127, -20), (20, 0), (-7, -7)] as [(Int8, Int8)] {
            link.write(power, of: link.peripheral)
            link.bench.run(for: .milliseconds(200))
            #expect(link.peripheral.status(of: .vendorWriteTransmitPower) == .success)
            #expect(link.rssi(of: link.central) == -65 + selected && link.rssi(of: link.peripheral) == -65)
            link.peripheral.send(HCI.ReadTransmitPowerLevel(connectionHandle: link.handles.peripheral, kind: .current))
            link.bench.deliver()
            #expect(link.peripheral.events.last?.last == UInt8(bitPattern: selected))
            link.peripheral.send(HCI.ReadTransmitPowerLevel(connectionHandle: link.handles.peripheral, kind: .maximum))
            link.bench.deliver()
            #expect(link.peripheral.events.last?.last == 0)
            // Another PHY has its own power.
            #expect(read(link, link.peripheral, 2)?.suffix(2) == [0, 0])
        }
        // The peer has not asked (5.1.18).
        #expect(link.sent(by: link.peripheral, 0x25).isEmpty)
        #expect(link.peripheral.all(HCI.LETransmitPowerReporting.self).isEmpty)
        // The next link begins with the greatest power.
        link.central.send(HCI.Disconnect(connectionHandle: link.handles.central))
        link.bench.run(for: .seconds(1))
        let next = try #require(link.bench.connect(link.central, link.peripheral))
        link.bench.run(for: .milliseconds(200))
        #expect(link.rssi(of: link.central) == -65 && next.central != link.handles.central)
    }

    /// Reports come where they are enabled, for as long as they are.
    @Test func changesAreReportedOnBothSides() throws {
        let link = try PowerLink()
        link.report(local: false, remote: true, to: link.central)
        link.report(local: true, remote: false, to: link.peripheral)
        link.bench.run(for: .milliseconds(300))
        // The controller asks at once, and only once.
        #expect(link.sent(by: link.central, 0x23) == [[0x23, 1, 0, 0]])
        let remote = { link.central.all(HCI.LETransmitPowerReporting.self) }
        let local = { link.peripheral.all(HCI.LETransmitPowerReporting.self) }
        #expect(remote().map(\.power) == [0] && remote().map(\.delta) == [127] && local().isEmpty)
        let (powers, deltas): ([Int8], [Int8]) = ([-10, -20, -3], [-10, -10, 17])
        for (round, power) in powers.enumerated() {
            let limits: LL.PowerLimits = power == -20 ? .minimum : []
            link.write(power, of: link.peripheral)
            link.bench.run(for: .milliseconds(300))
            #expect(remote().count == round + 2 && local().count == round + 1)
            for (report, reason) in zip([remote().last, local().last], [1, 0] as [UInt8]) {
                #expect(report?.reason.rawValue == reason && report?.phy == .le1M && report?.power == power)
                #expect(report?.delta == deltas[round] && report?.limits == limits)
            }
        }
        #expect(link.sent(by: link.peripheral, 0x25).count == 3)
        // The same power again is no change.
        link.write(-3, of: link.peripheral)
        link.report(local: false, remote: false, to: link.central)
        link.report(local: false, remote: false, to: link.peripheral)
        link.bench.run(for: .milliseconds(300))
        link.write(0, of: link.peripheral)
        link.bench.run(for: .milliseconds(300))
        #expect(remote().count == 4 && local().count == 3)
        #expect(link.sent(by: link.peripheral, 0x25).count == 4)
        link.report(local: false, remote: true, to: link.central)
        link.bench.run(for: .milliseconds(300))
        #expect(link.sent(by: link.central, 0x23).count == 1)
    }

    @Test func reportsAreMasked() throws {
        let link = try PowerLink()
        link.central.send(HCI.LESetEventMask(mask: HCI.LEEventMask(rawValue: ~(1 << 32))))
        link.report(local: true, remote: true, to: link.central)
        link.bench.run(for: .milliseconds(300))
        #expect(readRemote(link, link.central, 1) == nil)
        #expect(link.central.status(of: .leReadRemoteTransmitPowerLevel) == .success)
    }

    /// A controller keeps the received power in its range while its peer moves, and does not insist at the peer's limits.
    @Test func thePreferredReceivedPowerIsKept() throws {
        let link = try PowerLink(central: { $0.preferredRSSI = -60 ... -50 })
        // 65 dB: the greatest power is not enough, so one request in vain.
        link.bench.run(for: .seconds(5))
        #expect(link.rssi(of: link.central) == -65 && link.sent(by: link.central, 0x23) == [[0x23, 1, 10, 0]])
        #expect(link.sent(by: link.peripheral, 0x24).map { $0.prefix(4) } == [[0x24, 2, 0, 0]])
        // 40 dB: 15 dB less, which is -55 dBm.
        link.move(to: 1)
        link.bench.run(for: .seconds(5))
        #expect(link.rssi(of: link.central) == -55 && link.rssi(of: link.peripheral) == -40)
        #expect(link.sent(by: link.central, 0x23).count == 2)
        link.move(to: 10)
        link.bench.run(for: .seconds(5))
        #expect(link.rssi(of: link.central) == -65 && link.sent(by: link.central, 0x23).count == 3)
        #expect(link.central.disconnections.isEmpty && link.sent(by: link.peripheral, 0x25).isEmpty)
    }

    /// Both controllers keep their ranges, and their requests cross.
    @Test func bothSidesKeepTheirRanges() throws {
        let link = try PowerLink(
            central: { $0.preferredRSSI = -75 ... -71 }, peripheral: { $0.preferredRSSI = -80 ... -78 })
        link.bench.run(for: .seconds(5))
        #expect(link.rssi(of: link.central) == -73 && link.rssi(of: link.peripheral) == -79)
        #expect(link.sent(by: link.central, 0x23).count == 1 && link.sent(by: link.peripheral, 0x23).count == 1)
    }

    @Test func wrongPowersAreRefused() throws {
        let link = try PowerLink()
        let handle = link.handles.central
        for (role, handle, power, status) in [
            (.advertiser, 0, 0, .unsupportedFeatureOrParameterValue),
            (.scanner, 0, 0, .unsupportedFeatureOrParameterValue),
            (.link, handle, 21, .invalidHCICommandParameters), (.link, handle, 127, .invalidHCICommandParameters),
            (.link, handle, -128, .invalidHCICommandParameters), (.link, 0x0EFF, 0, .unknownConnectionIdentifier),
        ] as [(HCI.VendorPowerRole, UInt16, Int8, HCI.ErrorCode)] {
            link.central.send(HCI.VendorWriteTransmitPower(role: role, handle: handle, power: power))
            link.bench.deliver()
            #expect(link.central.status(of: .vendorWriteTransmitPower) == status)
        }
    }

    /// A peer out of reach acknowledges nothing: the notifications do not accumulate.
    @Test func notificationsHaveALimit() throws {
        let link = try PowerLink()
        #expect(readRemote(link, link.central, 1) != nil)
        link.move(to: 10_000)
        for power in 0..<40 as Range<Int8> { link.write(-(power % 20), of: link.peripheral) }
        link.bench.deliver()
        #expect(link.peripheral.status(of: .vendorWriteTransmitPower) == .controllerBusy)
        link.move(to: 10)
        link.bench.run(for: .seconds(2))
        #expect(link.sent(by: link.peripheral, 0x25).count == 16)
        link.write(-1, of: link.peripheral)
        link.bench.run(for: .milliseconds(200))
        #expect(link.rssi(of: link.central) == -66)
    }
}
