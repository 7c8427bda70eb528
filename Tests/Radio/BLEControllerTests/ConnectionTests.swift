import BLEController
import BLEWire
import Testing

@Test func connectionCarriesDataBothWaysAndEndsWithItsReason() throws {
    let bench = Bench()
    let (central, peripheral) = (bench.addHost(), bench.addHost(at: RadioPosition(x: 3)))
    let link = try #require(bench.connect(central, peripheral))
    #expect(central.connections[0].role == .central)
    #expect(peripheral.connections[0].role == .peripheral)
    #expect(central.connections[0].interval == 24 && peripheral.connections[0].supervisionTimeout == 100)
    #expect(central.all(HCI.LEChannelSelectionAlgorithm.self).map(\.algorithm) == [1])
    central.queue([1, 0, 4, 0, 9], handle: link.central)
    peripheral.queue([UInt8](repeating: 7, count: 100), handle: link.peripheral)
    bench.run(for: .milliseconds(300))
    #expect(peripheral.received[link.peripheral] == [1, 0, 4, 0, 9])
    #expect(central.received[link.central] == [UInt8](repeating: 7, count: 100))
    // 27 octets a packet without data length extension.
    #expect(central.receivedSizes == [27, 27, 27, 19])
    #expect(central.credits == 16 && peripheral.credits == 16)
    central.send(HCI.Disconnect(connectionHandle: link.central))
    bench.run(for: .milliseconds(300))
    #expect(central.disconnections.map(\.reason) == [.connectionTerminatedByLocalHost])
    #expect(peripheral.disconnections.map(\.reason) == [.remoteUserTerminatedConnection])
    #expect(bench.radio.nextDeadline == nil)
}

@Test func peripheralCanEndTheConnection() throws {
    let bench = Bench()
    let (central, peripheral) = (bench.addHost(), bench.addHost())
    let link = try #require(bench.connect(central, peripheral))
    peripheral.send(
        HCI.Disconnect(
            connectionHandle: link.peripheral, reason: .remoteDeviceTerminatedConnectionDueToPowerOff))
    bench.run(for: .milliseconds(300))
    #expect(peripheral.disconnections.map(\.reason) == [.connectionTerminatedByLocalHost])
    #expect(central.disconnections.map(\.reason) == [.remoteDeviceTerminatedConnectionDueToPowerOff])
}

@Test func leavingTheRangeEndsInASupervisionTimeout() throws {
    let bench = Bench()
    let (central, peripheral) = (bench.addHost(), bench.addHost())
    _ = try #require(bench.connect(central, peripheral, timeout: 100))
    bench.run(for: .seconds(1))
    bench.radio.move(peripheral.identifier, to: RadioPosition(x: 10_000))
    let left = bench.radio.now
    bench.run(for: .milliseconds(960))
    #expect(central.disconnections.isEmpty && peripheral.disconnections.isEmpty)
    #expect(
        bench.run(atMost: .milliseconds(50)) { !central.disconnections.isEmpty && !peripheral.disconnections.isEmpty })
    #expect(bench.radio.now - left <= .seconds(1))
    #expect(central.disconnections.map(\.reason) == [.connectionTimeout])
    #expect(peripheral.disconnections.map(\.reason) == [.connectionTimeout])
}

@Test func aPeerWithoutPowerCausesASupervisionTimeout() throws {
    let bench = Bench()
    let (central, peripheral) = (bench.addHost(), bench.addHost())
    _ = try #require(bench.connect(central, peripheral, timeout: 50))
    bench.run(for: .milliseconds(200))
    bench.radio.removeController(peripheral.identifier)
    bench.run(for: .seconds(1))
    #expect(central.disconnections.map(\.reason) == [.connectionTimeout])
}

@Test func aLostConnectIndEndsAfterSixIntervals() throws {
    let bench = Bench()
    let (central, peripheral) = (bench.addHost(), bench.addHost())
    peripheral.advertise(interval: 0x20)
    central.connect(to: peripheral.address, interval: 80)
    _ = bench.run(atMost: .seconds(5)) { !central.connections.isEmpty }
    bench.radio.removeController(peripheral.identifier)
    let begin = bench.radio.now
    #expect(bench.run(atMost: .seconds(5)) { !central.disconnections.isEmpty })
    #expect(central.disconnections.map(\.reason) == [.connectionFailedToBeEstablished])
    let took = bench.radio.now - begin
    #expect(took > .milliseconds(590) && took < .milliseconds(710))
}

@Test(arguments: [UInt64(1), 2, 3])
func thirtyPercentPacketLossLosesAndRepeatsNoData(seed: UInt64) throws {
    let bench = Bench(seed: seed)
    let (central, peripheral) = (bench.addHost(), bench.addHost())
    let link = try #require(bench.connect(central, peripheral, interval: 6, timeout: 400))
    // After the connection, because a lost CONNECT_IND prevents one.
    bench.radio.configuration.loss = 0.3
    var random = SeededRandom(seed: seed)
    var (down, up): ([UInt8], [UInt8]) = ([], [])
    for _ in 0..<200 {
        let one = (0..<Int(random.next() % 60 + 1)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        let two = (0..<Int(random.next() % 60 + 1)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        central.queue(one, handle: link.central)
        peripheral.queue(two, handle: link.peripheral)
        down += one
        up += two
    }
    bench.run(for: .seconds(30))
    #expect(peripheral.received[link.peripheral] == down)
    #expect(central.received[link.central] == up)
    #expect(central.credits == 16 && peripheral.credits == 16)
    #expect(central.disconnections.isEmpty)
}

@Test func anAcceptListConnectsToThePresentDevice() throws {
    let bench = Bench()
    let central = bench.addHost()
    let (absent, present) = (bench.addHost(at: RadioPosition(x: 9000)), bench.addHost())
    central.send(HCI.LEAddDeviceToFilterAcceptList(address: absent.address))
    central.send(HCI.LEAddDeviceToFilterAcceptList(address: present.address))
    central.connect(to: DeviceAddress(kind: .public, value: 0), policy: .acceptList)
    absent.advertise(interval: 0x20)
    present.advertise(interval: 0x20)
    bench.run(for: .seconds(1))
    #expect(central.connections.map(\.peerAddress) == [present.address])
}

@Test func cancelledConnectionAttemptIsReported() {
    let bench = Bench()
    let central = bench.addHost()
    central.connect(to: DeviceAddress(kind: .random, value: 0xC000_0000_0099))
    bench.run(for: .seconds(1))
    central.send(HCI.LECreateConnectionCancel())
    bench.deliver()
    #expect(central.status(of: .leCreateConnectionCancel) == .success)
    #expect(central.connections.map(\.status) == [.unknownConnectionIdentifier])
    central.send(HCI.LECreateConnectionCancel())
    bench.deliver()
    #expect(central.status(of: .leCreateConnectionCancel) == .commandDisallowed)
}

@Test func peripheralLatencySkipsEventsOnlyWithoutData() throws {
    let bench = Bench()
    let (central, peripheral) = (bench.addHost(), bench.addHost())
    let link = try #require(bench.connect(central, peripheral, interval: 40, latency: 9, timeout: 400))
    bench.run(for: .seconds(2))
    var sent = [0, 0]
    bench.radio.airObserver = { sent[$0.sender.rawValue] += 1 }
    bench.run(for: .seconds(10))
    // 200 events: the central calls in each, the peripheral answers in one of ten.
    #expect((198...202).contains(sent[0]))
    #expect((18...22).contains(sent[1]))
    let before = bench.radio.now
    peripheral.queue([1, 2, 3], handle: link.peripheral)
    #expect(bench.run(atMost: .seconds(1)) { central.received[link.central] == [1, 2, 3] })
    #expect(bench.radio.now - before < .milliseconds(101))
    #expect(central.disconnections.isEmpty)
}

@Test func oneCentralServesEightPeripheralsWithoutCollisions() throws {
    let bench = Bench()
    let central = bench.addHost()
    var links: [(central: UInt16, peripheral: UInt16)] = []
    for _ in 0..<8 { links.append(try #require(bench.connect(central, bench.addHost(), interval: 24))) }
    for (number, link) in links.enumerated() {
        central.queue([UInt8(number)], handle: link.central)
        bench.hosts[number + 1].queue([UInt8(100 + number)], handle: link.peripheral)
    }
    bench.run(for: .milliseconds(200))
    for (number, link) in links.enumerated() {
        #expect(bench.hosts[number + 1].received[link.peripheral] == [UInt8(number)])
        #expect(central.received[link.central] == [UInt8(100 + number)])
    }
    var packets = 0
    bench.radio.airObserver = { _ in packets += 1 }
    bench.run(for: .seconds(3))
    #expect((1590...1610).contains(packets))
    #expect(bench.hosts.allSatisfy { $0.disconnections.isEmpty })
}

@Test func twoCentralsShareOnePeripheral() throws {
    let bench = Bench()
    let (first, second, peripheral) = (bench.addHost(), bench.addHost(), bench.addHost())
    let one = try #require(bench.connect(first, peripheral, interval: 24))
    let two = try #require(bench.connect(second, peripheral, interval: 24))
    #expect(one.peripheral != two.peripheral)
    peripheral.queue([1], handle: one.peripheral)
    peripheral.queue([2], handle: two.peripheral)
    bench.run(for: .seconds(20))
    #expect(first.received[one.central] == [1])
    #expect(second.received[two.central] == [2])
    #expect(bench.hosts.allSatisfy { $0.disconnections.isEmpty })
}

@Test(arguments: [HCI.InitiatorFilterPolicy.peerAddress, .acceptList])
func noSecondLinkToAConnectedPeerIsInitiated(policy: HCI.InitiatorFilterPolicy) throws {
    let bench = Bench()
    let (first, second) = (bench.addHost(), bench.addHost())
    second.send(HCI.LEAddDeviceToFilterAcceptList(address: first.address))
    second.connect(to: first.address, policy: policy)
    let link = try #require(bench.connect(first, second))
    first.advertise(interval: 0x20)
    bench.run(for: .seconds(5))
    #expect(second.connections.count == 1 && second.disconnections.isEmpty)
    // The attempt continues: it succeeds when the link has ended.
    first.send(HCI.Disconnect(connectionHandle: link.central))
    bench.run(for: .seconds(1))
    #expect(second.connections.map(\.role) == [.peripheral, .central])
    #expect(second.disconnections.count == 1)
}
