import BLEController
import BLEWire
import Testing

/// Octets of L2CAP payload that arrive, against what `phylimit` says fits: cycles of a data PDU, a space, an empty PDU, a
/// space, of which the last one also keeps the distance from the next anchor.
private struct Measurement {
    var interval: UInt16
    var phy: LL.PHY
    var fromPeripheral: Bool

    /// Data PDUs of 251 octets in one event.
    var limit: Int {
        let cycle = phy.airTime(pduLength: 253) + phy.airTime(pduLength: 2) + LL.interFrameSpace * 2
        return Int((LL.slot * Int(interval)).nanoseconds / cycle.nanoseconds)
    }

    /// Data PDUs that arrived in each event, on average.
    func measure() throws -> Double {
        let bench = Bench()
        let (central, peripheral) = (bench.addHost(), bench.addHost())
        let link = try #require(bench.connect(central, peripheral, interval: interval, timeout: 1000))
        let (sender, receiver) = fromPeripheral ? (peripheral, central) : (central, peripheral)
        let handle = fromPeripheral ? link.peripheral : link.central
        sender.send(HCI.LESetDataLength(connectionHandle: handle, txOctets: 251, txTime: 2120))
        if phy == .twoM {
            central.send(HCI.LESetPHY(connectionHandle: link.central, txPHYs: .le2M, rxPHYs: .le2M, options: 0))
        }
        let settled = LL.slot * Int(interval) * 20
        bench.run(for: settled)
        receiver.keepsEvents = false
        sender.flood = RawHost.packet([UInt8](repeating: 5, count: 251), handle: handle)
        sender.pump()
        bench.run(for: settled)
        let before = receiver.receivedSizes.count
        bench.run(for: settled)
        let after = receiver.receivedSizes[before...]
        #expect(after.allSatisfy { $0 == 251 })
        return Double(after.count) / 20
    }
}

@Test(arguments: [UInt16(6), 24, 80, 320], [LL.PHY.oneM, .twoM])
func oneDirectionReachesWhatFitsTheEvent(interval: UInt16, phy: LL.PHY) throws {
    for fromPeripheral in [false, true] {
        let measurement = Measurement(interval: interval, phy: phy, fromPeripheral: fromPeripheral)
        let reached = try measurement.measure()
        #expect(reached >= Double(measurement.limit) * 0.995, "\(measurement): \(reached) of \(measurement.limit)")
        #expect(reached <= Double(measurement.limit) + 0.1)
    }
}

@Test func bothDirectionsAtOnceFillTheEvent() throws {
    let bench = Bench()
    let (central, peripheral) = (bench.addHost(), bench.addHost())
    let link = try #require(bench.connect(central, peripheral, interval: 80, timeout: 1000))
    for (host, handle) in [(central, link.central), (peripheral, link.peripheral)] {
        host.send(HCI.LESetDataLength(connectionHandle: handle, txOctets: 251, txTime: 2120))
    }
    bench.run(for: .seconds(1))
    for (host, handle) in [(central, link.central), (peripheral, link.peripheral)] {
        host.keepsEvents = false
        host.flood = RawHost.packet([UInt8](repeating: 5, count: 251), handle: handle)
        host.pump()
    }
    bench.run(for: .seconds(1))
    let before = (central.receivedSizes.count, peripheral.receivedSizes.count)
    bench.run(for: .seconds(2))
    let cycle = (LL.PHY.oneM.airTime(pduLength: 253) + LL.interFrameSpace) * 2
    let limit = 20 * Int(TimeSpan.milliseconds(100).nanoseconds / cycle.nanoseconds)
    #expect(central.receivedSizes.count - before.0 >= limit * 995 / 1000)
    #expect(peripheral.receivedSizes.count - before.1 >= limit * 995 / 1000)
}

@Test func eightLinksOfOneCentralGetEqualShares() throws {
    let bench = Bench()
    let central = bench.addHost()
    var links: [UInt16] = []
    for _ in 0..<8 {
        let peripheral = bench.addHost()
        let link = try #require(bench.connect(central, peripheral, interval: 320, timeout: 1000))
        peripheral.send(HCI.LESetDataLength(connectionHandle: link.peripheral, txOctets: 251, txTime: 2120))
        bench.run(for: .seconds(4))
        peripheral.flood = RawHost.packet([UInt8](repeating: 5, count: 251), handle: link.peripheral)
        links.append(link.central)
    }
    for host in bench.hosts { host.pump() }
    bench.run(for: .seconds(2))
    central.received = [:]
    bench.run(for: .seconds(8))
    let shares = links.map { Double(central.received[$0]?.count ?? 0) }
    let (least, most) = (shares.min() ?? 0, shares.max() ?? 0)
    #expect(least > 0 && least >= most * 0.97, "\(shares)")
}
