import BLEController
import BLEWire
import Testing

/// Moves a link to the Coded PHY, each side with a coding of its own.
private func code(
    _ bench: Bench, _ link: (central: UInt16, peripheral: UInt16), central: UInt16 = 0, peripheral: UInt16 = 0
) {
    for (host, handle, options) in [(0, link.central, central), (1, link.peripheral, peripheral)] {
        bench.hosts[host].send(
            HCI.LESetPHY(connectionHandle: handle, txPHYs: .leCoded, rxPHYs: .leCoded, options: options))
    }
    bench.run(for: .seconds(1))
}

@Test func eachSideSelectsItsOwnCoding() throws {
    let bench = Bench()
    let (central, peripheral) = (bench.addHost(), bench.addHost())
    let link = try #require(bench.connect(central, peripheral))
    code(bench, link, central: 1, peripheral: 2)
    for host in [central, peripheral] {
        let last = try #require(host.all(HCI.LEPHYUpdateComplete.self).last)
        #expect(last.status == .success && last.txPHY == .leCoded && last.rxPHY == .leCoded)
    }
    var used: [Int: Set<LL.PHY>] = [:]
    var times: Set<TimeSpan> = []
    bench.radio.airObserver = {
        used[$0.sender.rawValue, default: []].insert($0.phy)
        if $0.pdu.count == 2 { times.insert($0.airTime) }
    }
    central.queue([1, 2, 3], handle: link.central)
    bench.run(for: .milliseconds(100))
    #expect(used == [central.identifier.rawValue: [.codedS2], peripheral.identifier.rawValue: [.codedS8]])
    #expect(times == [.microseconds(462), .microseconds(720)])
    #expect(peripheral.received[link.peripheral] == [1, 2, 3])
    // Another coding needs no change of PHY.
    central.send(HCI.LESetPHY(connectionHandle: link.central, txPHYs: .leCoded, rxPHYs: .leCoded, options: 2))
    bench.run(for: .milliseconds(200))
    used = [:]
    bench.run(for: .milliseconds(100))
    #expect(used[central.identifier.rawValue] == [.codedS8])
}

@Test func theCodedPHYHasALongerRange() throws {
    // The default air has 0.1 % bit errors at -95 dBm, 158 m away; 8.8 dB are a factor of 2.25 in distance.
    for (distance, options, survives) in [(200.0, UInt16(1), true), (300, 2, true), (450, 1, false), (600, 2, false)] {
        let bench = Bench()
        let (central, peripheral) = (bench.addHost(), bench.addHost())
        let link = try #require(bench.connect(central, peripheral, timeout: 100))
        code(bench, link, central: options, peripheral: options)
        bench.radio.move(peripheral.identifier, to: RadioPosition(x: distance))
        central.queue([UInt8](repeating: 7, count: 27), handle: link.central)
        bench.run(for: .seconds(10))
        #expect(central.disconnections.isEmpty == survives, "\(distance) m, option \(options)")
        #expect((peripheral.received[link.peripheral]?.count == 27) == survives)
    }
    let bench = Bench()
    let (central, peripheral) = (bench.addHost(), bench.addHost())
    _ = try #require(bench.connect(central, peripheral, timeout: 100))
    bench.radio.move(peripheral.identifier, to: RadioPosition(x: 300))
    bench.run(for: .seconds(10))
    #expect(!central.disconnections.isEmpty)
}

@Test func anUnsupportedCodedPHYIsNotUsed() throws {
    let bench = Bench()
    let (central, peripheral) = (bench.addHost(), bench.addHost { $0.supportsCoded = false })
    let link = try #require(bench.connect(central, peripheral))
    central.send(HCI.LESetPHY(connectionHandle: link.central, txPHYs: .leCoded, rxPHYs: .leCoded, options: 0))
    peripheral.send(HCI.LESetPHY(connectionHandle: link.peripheral, txPHYs: .leCoded, rxPHYs: .leCoded, options: 0))
    bench.run(for: .seconds(1))
    #expect(central.all(HCI.LEPHYUpdateComplete.self).map(\.txPHY) == [.le1M])
    #expect(peripheral.status(of: .leSetPHY) == .unsupportedFeatureOrParameterValue)
}

@Test func longCodedPDUsNeedTheTimeLimitOfTheHost() throws {
    let bench = Bench()
    let (central, peripheral) = (bench.addHost(), bench.addHost())
    let link = try #require(bench.connect(central, peripheral, interval: 80))
    central.send(HCI.LESetDataLength(connectionHandle: link.central, txOctets: 251, txTime: 2120))
    bench.run(for: .seconds(1))
    code(bench, link)
    central.queue([UInt8](repeating: 1, count: 251), handle: link.central)
    bench.run(for: .seconds(2))
    // 2704 us, the least there is on this PHY, are 27 octets with S=8.
    #expect(peripheral.receivedSizes.max() == 27 && peripheral.receivedSizes.reduce(0, +) == 251)
    #expect(central.all(HCI.LEDataLengthChange.self).last?.maximumTxTime == 2704)
    central.send(HCI.LESetDataLength(connectionHandle: link.central, txOctets: 251, txTime: 17040))
    bench.run(for: .seconds(1))
    #expect(central.all(HCI.LEDataLengthChange.self).last?.maximumTxTime == 17040)
    peripheral.receivedSizes = []
    central.queue([UInt8](repeating: 1, count: 251), handle: link.central)
    bench.run(for: .seconds(1))
    #expect(peripheral.receivedSizes == [251])
}

@Test func shortIntervalsLimitThePayload() throws {
    // With S=8, 251 octets take longer than an interval of 7.5 ms.
    let bench = Bench()
    let (central, peripheral) = (bench.addHost(), bench.addHost())
    let link = try #require(bench.connect(central, peripheral, interval: 6))
    for (host, handle) in [(central, link.central), (peripheral, link.peripheral)] {
        host.send(HCI.LESetDataLength(connectionHandle: handle, txOctets: 251, txTime: 17040))
    }
    code(bench, link)
    for (host, handle) in [(central, link.central), (peripheral, link.peripheral)] {
        host.queue([UInt8](repeating: 1, count: 251), handle: handle)
    }
    bench.run(for: .seconds(1))
    #expect(peripheral.receivedSizes.reduce(0, +) == 251 && central.receivedSizes.reduce(0, +) == 251)
    #expect(peripheral.receivedSizes.count < 6 && central.receivedSizes.count < 12)
}

@Test func aMICTakesFourOctetsOfAirTimeOnly() throws {
    let bench = Bench()
    let (central, peripheral) = (bench.addHost(), bench.addHost())
    let link = try #require(bench.connect(central, peripheral))
    #expect(bench.encrypt(central, link.central, with: peripheral))
    bench.run(for: .milliseconds(200))
    var counts: Set<Int> = []
    bench.radio.airObserver = {
        counts.insert($0.pdu.count)
        #expect(Int($0.pdu[1]) == $0.pdu.count - 2)
    }
    central.queue([1, 2, 3], handle: link.central)
    bench.run(for: .milliseconds(200))
    #expect(counts == [2, 9])
    #expect(peripheral.received[link.peripheral] == [1, 2, 3])
}
