import BLEController
import BLEWire
import Testing

@Test func dataLengthIsNegotiatedAndUsed() throws {
    let bench = Bench()
    let (central, peripheral) = (bench.addHost(), bench.addHost())
    let link = try #require(bench.connect(central, peripheral))
    central.send(HCI.LESetDataLength(connectionHandle: link.central, txOctets: 251, txTime: 2120))
    bench.run(for: .milliseconds(200))
    // The peripheral's host has made no request, so its packets stay short; both sides may receive long ones.
    #expect(central.all(HCI.LEDataLengthChange.self).map(\.maximumTxOctets) == [251])
    #expect(central.all(HCI.LEDataLengthChange.self).map(\.maximumRxOctets) == [27])
    #expect(peripheral.all(HCI.LEDataLengthChange.self).map(\.maximumRxOctets) == [251])
    central.queue([UInt8](repeating: 1, count: 251), handle: link.central)
    bench.run(for: .milliseconds(100))
    #expect(peripheral.receivedSizes == [251])
    peripheral.send(HCI.LESetDataLength(connectionHandle: link.peripheral, txOctets: 100, txTime: 17040))
    bench.run(for: .milliseconds(200))
    peripheral.queue([UInt8](repeating: 2, count: 251), handle: link.peripheral)
    bench.run(for: .milliseconds(100))
    #expect(central.receivedSizes == [100, 100, 51])
}

@Test func theSuggestedDataLengthAppliesToNewLinks() throws {
    let bench = Bench()
    let (central, peripheral) = (bench.addHost(), bench.addHost())
    for host in [central, peripheral] {
        host.send(HCI.LEWriteSuggestedDefaultDataLength(maximumTxOctets: 251, maximumTxTime: 2120))
    }
    let link = try #require(bench.connect(central, peripheral))
    bench.run(for: .milliseconds(200))
    peripheral.queue([UInt8](repeating: 1, count: 251), handle: link.peripheral)
    bench.run(for: .milliseconds(100))
    #expect(central.receivedSizes == [251])
}

@Test func bothSidesSwitchTo2MAtTheInstant() throws {
    let bench = Bench()
    let (central, peripheral) = (bench.addHost(), bench.addHost())
    let link = try #require(bench.connect(central, peripheral))
    central.send(HCI.LESetPHY(connectionHandle: link.central, txPHYs: .le2M, rxPHYs: .le2M, options: 0))
    bench.run(for: .milliseconds(500))
    for host in [central, peripheral] {
        let updates = host.all(HCI.LEPHYUpdateComplete.self)
        #expect(updates.map(\.status) == [.success])
        #expect(updates.map(\.txPHY) == [.le2M] && updates.map(\.rxPHY) == [.le2M])
    }
    var phys: Set<LL.PHY> = []
    bench.radio.airObserver = { phys.insert($0.phy) }
    peripheral.queue([1, 2, 3], handle: link.peripheral)
    bench.run(for: .milliseconds(100))
    #expect(phys == [.twoM])
    #expect(central.received[link.central] == [1, 2, 3])
    #expect(central.disconnections.isEmpty)
}

@Test func aPeripheralMayChangeThePHYOfOneDirection() throws {
    let bench = Bench()
    let (central, peripheral) = (bench.addHost(), bench.addHost())
    let link = try #require(bench.connect(central, peripheral))
    peripheral.send(HCI.LESetPHY(connectionHandle: link.peripheral, txPHYs: .le2M, rxPHYs: .le1M, options: 0))
    bench.run(for: .milliseconds(500))
    #expect(peripheral.all(HCI.LEPHYUpdateComplete.self).map(\.txPHY) == [.le2M])
    #expect(central.all(HCI.LEPHYUpdateComplete.self).map(\.rxPHY) == [.le2M])
    #expect(central.all(HCI.LEPHYUpdateComplete.self).map(\.txPHY) == [.le1M])
}

@Test func anUnsupportedPHYIsNotUsed() throws {
    let bench = Bench()
    let (central, peripheral) = (bench.addHost(), bench.addHost { $0.supports2M = false })
    let link = try #require(bench.connect(central, peripheral))
    central.send(HCI.LESetPHY(connectionHandle: link.central, txPHYs: .le2M, rxPHYs: .le2M, options: 0))
    bench.run(for: .milliseconds(500))
    #expect(central.all(HCI.LEPHYUpdateComplete.self).map(\.txPHY) == [.le1M])
    #expect(peripheral.all(HCI.LEPHYUpdateComplete.self).isEmpty)
}

@Test func centralUpdatesTheConnectionAtAnInstant() throws {
    let bench = Bench()
    let (central, peripheral) = (bench.addHost(), bench.addHost())
    peripheral.acceptsParameters = true
    let link = try #require(bench.connect(central, peripheral, interval: 24))
    central.send(
        HCI.LEConnectionUpdate(
            connectionHandle: link.central, intervalMinimum: 80, intervalMaximum: 80, maximumLatency: 0,
            supervisionTimeout: 300))
    bench.run(for: .seconds(1))
    for host in [central, peripheral] {
        let updates = host.all(HCI.LEConnectionUpdateComplete.self)
        #expect(updates.map(\.status) == [.success] && updates.map(\.interval) == [80])
        #expect(updates.map(\.supervisionTimeout) == [300])
    }
    var packets = 0
    bench.radio.airObserver = { _ in packets += 1 }
    bench.run(for: .seconds(10))
    #expect((198...202).contains(packets))
    #expect(central.disconnections.isEmpty)
}

@Test func theCentralsHostDecidesAboutAParameterRequest() throws {
    let bench = Bench()
    let (central, peripheral) = (bench.addHost(), bench.addHost())
    let link = try #require(bench.connect(central, peripheral, interval: 24))
    let update = HCI.LEConnectionUpdate(
        connectionHandle: link.peripheral, intervalMinimum: 40, intervalMaximum: 48, maximumLatency: 2,
        supervisionTimeout: 400)
    peripheral.send(update)
    bench.run(for: .milliseconds(300))
    let requests = central.all(HCI.LERemoteConnectionParameterRequest.self)
    #expect(requests.map(\.intervalMaximum) == [48] && requests.map(\.maximumLatency) == [2])
    central.send(HCI.LERemoteConnectionParameterRequestNegativeReply(connectionHandle: link.central))
    bench.run(for: .milliseconds(300))
    #expect(peripheral.all(HCI.LEConnectionUpdateComplete.self).map(\.status) == [.unacceptableConnectionParameters])
    peripheral.send(update)
    bench.run(for: .milliseconds(300))
    central.send(
        HCI.LERemoteConnectionParameterRequestReply(
            connectionHandle: link.central, intervalMinimum: 40, intervalMaximum: 48, maximumLatency: 2,
            supervisionTimeout: 400, minimumConnectionEventLength: 0, maximumConnectionEventLength: 0))
    bench.run(for: .seconds(1))
    #expect(peripheral.all(HCI.LEConnectionUpdateComplete.self).last?.interval == 40)
    #expect(central.all(HCI.LEConnectionUpdateComplete.self).map(\.latency) == [2])
    bench.run(for: .seconds(5))
    #expect(central.disconnections.isEmpty && peripheral.disconnections.isEmpty)
}

@Test func aParameterRequestIsRejectedIfTheHostMasksIt() throws {
    let bench = Bench()
    let (central, peripheral) = (bench.addHost(), bench.addHost())
    central.send(HCI.LESetEventMask(mask: .default))
    let link = try #require(bench.connect(central, peripheral))
    peripheral.send(
        HCI.LEConnectionUpdate(
            connectionHandle: link.peripheral, intervalMinimum: 40, intervalMaximum: 48, maximumLatency: 2,
            supervisionTimeout: 400))
    bench.run(for: .milliseconds(300))
    #expect(peripheral.all(HCI.LEConnectionUpdateComplete.self).map(\.status) == [.unsupportedRemoteFeature])
}

@Test func theChannelMapChangesDuringALink() throws {
    let bench = Bench()
    let (central, peripheral) = (bench.addHost(), bench.addHost())
    let link = try #require(bench.connect(central, peripheral, interval: 6))
    let map = HCI.ChannelMap(rawValue: 0x1E_00E0_0600)
    central.send(HCI.LESetHostChannelClassification(channelMap: map))
    bench.run(for: .milliseconds(500))
    var channels: Set<UInt8> = []
    bench.radio.airObserver = { channels.insert($0.channel) }
    bench.run(for: .seconds(2))
    #expect(channels == [9, 10, 21, 22, 23, 33, 34, 35, 36])
    central.send(HCI.LEReadChannelMap(connectionHandle: link.central))
    bench.deliver()
    #expect(central.status(of: .leReadChannelMap) == .success)
    #expect(central.disconnections.isEmpty)
}

@Test func featuresAndVersionAreExchanged() throws {
    let bench = Bench()
    let (central, peripheral) = (bench.addHost(), bench.addHost())
    let link = try #require(bench.connect(central, peripheral))
    peripheral.send(HCI.LEReadRemoteFeatures(connectionHandle: link.peripheral))
    central.send(HCI.LEReadRemoteFeatures(connectionHandle: link.central))
    central.send(HCI.ReadRemoteVersionInformation(connectionHandle: link.central))
    bench.run(for: .milliseconds(500))
    for host in [central, peripheral] {
        let complete = try #require(host.all(HCI.LEReadRemoteFeaturesComplete.self).first)
        #expect(complete.status == .success && complete.features.contains(.phy2M))
        #expect(complete.features.contains(.dataPacketLengthExtension))
    }
    let version = central.events.last { $0[0] == 0x0C }
    #expect(version.map { Array($0[2...]) } == [0, UInt8(link.central & 0xFF), 0, 13, 0xFF, 0xFF, 1, 0])
}

@Test func simultaneousProceduresOfBothSidesComplete() throws {
    let bench = Bench()
    let (central, peripheral) = (bench.addHost(), bench.addHost())
    peripheral.acceptsParameters = true
    let link = try #require(bench.connect(central, peripheral))
    for _ in 0..<3 {
        for (host, handle) in [(central, link.central), (peripheral, link.peripheral)] {
            host.send(
                HCI.LESetPHY(connectionHandle: handle, txPHYs: [.le1M, .le2M], rxPHYs: [.le1M, .le2M], options: 0))
            host.send(HCI.LESetDataLength(connectionHandle: handle, txOctets: 251, txTime: 2120))
            host.send(
                HCI.LEConnectionUpdate(
                    connectionHandle: handle, intervalMinimum: 12, intervalMaximum: 12, maximumLatency: 0,
                    supervisionTimeout: 200))
            host.send(HCI.LEReadRemoteFeatures(connectionHandle: handle))
        }
        bench.run(for: .seconds(2))
        // The peripheral's request for parameters may be waiting for this response.
        central.send(HCI.LERemoteConnectionParameterRequestNegativeReply(connectionHandle: link.central))
        bench.run(for: .seconds(2))
    }
    for host in [central, peripheral] {
        #expect(host.all(HCI.LEPHYUpdateComplete.self).count >= 3)
        #expect(host.all(HCI.LEConnectionUpdateComplete.self).count >= 3)
        #expect(host.all(HCI.LEReadRemoteFeaturesComplete.self).count == 3)
        #expect(host.disconnections.isEmpty)
    }
    bench.run(for: .seconds(60))
    #expect(central.disconnections.isEmpty && peripheral.disconnections.isEmpty)
}
