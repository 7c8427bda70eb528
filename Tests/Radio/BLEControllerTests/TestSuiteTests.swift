import BLEController
import BLEWire
import Testing

/// Cases of the SIG's suites LL.TS and HCI.TS that no other test shows; `Documentation/TestSuites.md` lists all of them.
struct TestSuiteTests {
    private let bench = Bench()

    private func advertise(_ host: RawHost, _ type: HCI.AdvertisingType, on channels: HCI.AdvertisingChannelMap) {
        host.send(
            HCI.LESetAdvertisingParameters(
                intervalMinimum: 0xA0, intervalMaximum: 0xA0, advertisingType: type, ownAddressType: .random,
                channelMap: channels))
        host.send(HCI.LESetAdvertisingEnable(enable: true))
    }

    /// LL/DDI/ADV/BV-01-C, LL/DDI/ADV/BV-02-C, LL/DDI/ADV/BV-03-C, LL/DDI/ADV/BV-04-C, LL/DDI/ADV/BV-15-C
    @Test(
        arguments: [
            HCI.AdvertisingType.nonconnectableUndirected, .connectableUndirected, .scannableUndirected,
        ], 1...7 as ClosedRange<UInt8>)
    func anAdvertiserUsesOnlyItsChannelsInOrder(type: HCI.AdvertisingType, map: UInt8) {
        let host = bench.addHost()
        var channels: [UInt8] = []
        bench.radio.airObserver = { channels.append($0.channel) }
        advertise(host, type, on: HCI.AdvertisingChannelMap(rawValue: map))
        bench.run(for: .seconds(1))
        let used = [UInt8(37), 38, 39].filter { map >> ($0 - 37) & 1 == 1 }
        #expect(channels.count >= used.count * 8)
        for (number, channel) in channels.enumerated() { #expect(channel == used[number % used.count]) }
    }

    /// LL/CON/ADV/BV-01-C, LL/DDI/ADV/BV-06-C, LL/DDI/ADV/BV-07-C
    @Test func advertisingEndsWhenALinkBegins() throws {
        let (central, peripheral, scanner) = (bench.addHost(), bench.addHost(), bench.addHost())
        scanner.scan(.active)
        peripheral.advertise(interval: 0x20)
        bench.run(for: .milliseconds(200))
        #expect(Set(scanner.reports.map(\.type)) == [0, 4])
        central.connect(to: peripheral.address)
        #expect(bench.run(atMost: .seconds(1)) { !peripheral.connections.isEmpty })
        scanner.events.removeAll()
        bench.run(for: .seconds(2))
        #expect(scanner.reports.isEmpty && peripheral.disconnections.isEmpty)
        // It may begin again, and is not connectable a second time by itself.
        peripheral.advertise(.nonconnectableUndirected, interval: 0xA0)
        bench.run(for: .seconds(1))
        #expect(!scanner.reports.isEmpty)
    }

    /// LL/CON/INI/BV-06-C, LL/CON/INI/BV-07-C
    @Test(arguments: [HCI.AdvertisingType.connectableUndirected, .connectableDirectedLowDutyCycle])
    func anInitiatorConnectsOnlyToItsAcceptList(type: HCI.AdvertisingType) {
        let (central, wanted, other) = (bench.addHost(), bench.addHost(), bench.addHost())
        central.send(HCI.LEAddDeviceToFilterAcceptList(address: wanted.address))
        other.advertise(type, interval: 0x20, peer: central.address)
        central.connect(to: DeviceAddress(kind: .public, value: 0), policy: .acceptList)
        bench.run(for: .seconds(2))
        #expect(central.connections.isEmpty)
        wanted.advertise(type, interval: 0x20, peer: central.address)
        bench.run(for: .seconds(2))
        #expect(central.connections.map(\.peerAddress) == [wanted.address] && other.connections.isEmpty)
    }

    /// LL/DDI/ADV/BV-09-C
    @Test func anAdvertiserAcceptsConnectionsOnlyFromItsAcceptList() {
        let (wanted, other, advertiser) = (bench.addHost(), bench.addHost(), bench.addHost())
        advertiser.send(HCI.LEAddDeviceToFilterAcceptList(address: wanted.address))
        advertiser.advertise(interval: 0x20, policy: .connectFromAcceptList)
        other.connect(to: advertiser.address)
        bench.run(for: .seconds(1))
        // The advertiser misses the CONNECT_IND, so the initiator's link fails.
        #expect(advertiser.connections.isEmpty)
        #expect(other.disconnections.map(\.reason) == [.connectionFailedToBeEstablished])
        wanted.connect(to: advertiser.address)
        bench.run(for: .seconds(1))
        #expect(advertiser.connections.map(\.peerAddress) == [wanted.address])
    }

    /// LL/DDI/ADV/BV-08-C, LL/DDI/ADV/BV-18-C
    @Test(arguments: [HCI.AdvertisingType.connectableUndirected, .scannableUndirected])
    func anAdvertiserAnswersOnlyScannersOnItsAcceptList(type: HCI.AdvertisingType) {
        let (wanted, other, advertiser) = (bench.addHost(), bench.addHost(), bench.addHost())
        advertiser.send(HCI.LEAddDeviceToFilterAcceptList(address: wanted.address))
        advertiser.advertise(type, interval: 0x20, policy: .scanFromAcceptList)
        for scanner in [wanted, other] { scanner.scan(.active) }
        bench.run(for: .seconds(3))
        #expect(wanted.reports.contains { $0.type == 4 })
        // The scanner may receive a response to another scanner's request, but only after its own request.
        #expect(!other.reports.isEmpty && !other.reports.contains { $0.type == 4 })
    }

    /// LL/CON/PER/BV-19-C, LL/CON/PER/BV-20-C, LL/CON/CEN/BV-20-C, LL/CON/CEN/BV-21-C
    @Test(arguments: [HCI.Role.central, .peripheral]) func versionsAreExchangedOnceALink(asking: HCI.Role) throws {
        let (central, peripheral) = (bench.addHost(), bench.addHost())
        let link = try #require(bench.connect(central, peripheral))
        bench.run(for: .milliseconds(100))
        var sent = 0
        bench.radio.airObserver = { packet in
            if packet.pdu.count > 2, packet.pdu[0] & 3 == 3, packet.pdu[2] == 0x0C { sent += 1 }
        }
        let (host, handle) = asking == .central ? (central, link.central) : (peripheral, link.peripheral)
        for count in 1...3 {
            host.send(HCI.ReadRemoteVersionInformation(connectionHandle: handle))
            bench.run(for: .milliseconds(300))
            let events = host.events.filter { $0[0] == 0x0C }
            #expect(events.count == count)
            #expect(events.last?[2...] == [0, UInt8(handle & 0xFF), 0, 13, 0xFF, 0xFF, 1, 0])
        }
        // One from each side, whatever the number of the hosts' requests (Vol 6, Part B, 5.1.5).
        #expect(sent == 2)
    }

    /// HCI/DSU/BV-02-C to BV-06-C: whatever a controller does, nothing of it is left after a reset.
    @Test(arguments: ["advertising", "peripheral", "scanning", "initiating", "central"])
    func aResetEndsEveryState(state: String) throws {
        let (host, other) = (bench.addHost(), bench.addHost())
        switch state {
        case "advertising": host.advertise(interval: 0x20)
        case "peripheral": _ = try #require(bench.connect(other, host, timeout: 50))
        case "scanning":
            host.scan()
            other.advertise(interval: 0x20)
        case "initiating": host.connect(to: DeviceAddress(kind: .random, value: 0xC000_0000_0099))
        default: _ = try #require(bench.connect(host, other, timeout: 50))
        }
        bench.run(for: .milliseconds(300))
        host.send(HCI.Reset())
        bench.deliver()
        #expect(host.status(of: .reset) == .success)
        let events = host.events.count
        var sent = 0
        let identifier = host.identifier
        bench.radio.airObserver = { if $0.sender == identifier { sent += 1 } }
        bench.run(for: .seconds(2))
        #expect(sent == 0 && host.events.count == events)
        // It works again as after power on.
        host.send(HCI.LESetRandomAddress(address: host.address))
        host.advertise(.nonconnectableUndirected)
        bench.run(for: .milliseconds(200))
        #expect(sent > 0)
    }

    /// HCI/DDI/BV-03-C, HCI/DDI/BV-04-C
    @Test func disablingEndsAdvertisingAndScanning() {
        let (advertiser, scanner) = (bench.addHost(), bench.addHost())
        advertiser.advertise(interval: 0x20)
        scanner.scan(.passive)
        bench.run(for: .milliseconds(300))
        #expect(!scanner.reports.isEmpty)
        scanner.send(HCI.LESetScanEnable(enable: false, filterDuplicates: false))
        bench.deliver()
        scanner.events.removeAll()
        bench.run(for: .milliseconds(300))
        #expect(scanner.reports.isEmpty)
        scanner.scan(.passive)
        advertiser.send(HCI.LESetAdvertisingEnable(enable: false))
        bench.deliver()
        #expect(advertiser.status(of: .leSetAdvertisingEnable) == .success)
        var sent = 0
        bench.radio.airObserver = { _ in sent += 1 }
        bench.run(for: .seconds(1))
        #expect(sent == 0 && scanner.reports.isEmpty)
    }

    /// LL/DDI/SCN/BV-11-C
    @Test func aScannerReportsDirectedAdvertisingOnlyToItsTarget() {
        let (advertiser, meant, other) = (bench.addHost(), bench.addHost(), bench.addHost())
        for scanner in [meant, other] { scanner.scan(.passive) }
        advertiser.advertise(.connectableDirectedLowDutyCycle, interval: 0x20, peer: meant.address)
        bench.run(for: .seconds(1))
        #expect(meant.reports.count > 10 && meant.reports.allSatisfy { $0.type == 1 })
        #expect(other.reports.isEmpty)
    }

    /// LL/SEC/ADV/BV-02-C, LL/SEC/ADV/BV-04-C, LL/SEC/ADV/BV-06-C
    @Test(arguments: [
        HCI.AdvertisingType.nonconnectableUndirected, .scannableUndirected, .connectableUndirected,
    ])
    func anAdvertiserMayHaveANonresolvablePrivateAddress(type: HCI.AdvertisingType) {
        let (advertiser, scanner) = (bench.addHost(), bench.addHost())
        let address = DeviceAddress(kind: .random, value: 0x1234_5678_9ABC)
        advertiser.send(HCI.LESetRandomAddress(address: address))
        advertiser.advertise(type, interval: 0xA0)
        scanner.scan(.active)
        bench.run(for: .seconds(1))
        #expect(!scanner.reports.isEmpty && scanner.reports.allSatisfy { $0.address == address.value })
        #expect(scanner.reports.contains { $0.type == 4 } == (type != .nonconnectableUndirected))
        scanner.connect(to: address)
        bench.run(for: .seconds(2))
        #expect(scanner.connections.map(\.peerAddress) == (type == .connectableUndirected ? [address] : []))
    }

    /// HCI/CIN/BV-06-C
    @Test func anAcceptListHasItsReportedSize() {
        let host = bench.addHost { $0.acceptListSize = 5 }
        host.send(HCI.LEReadFilterAcceptListSize())
        bench.deliver()
        #expect(host.events.last?.suffix(2) == [0, 5])
        for number in 0..<5 {
            host.send(HCI.LEAddDeviceToFilterAcceptList(address: DeviceAddress(kind: .public, value: UInt64(number))))
            bench.deliver()
            #expect(host.status(of: .leAddDeviceToFilterAcceptList) == .success)
        }
        host.send(HCI.LEAddDeviceToFilterAcceptList(address: DeviceAddress(kind: .public, value: 99)))
        bench.deliver()
        #expect(host.status(of: .leAddDeviceToFilterAcceptList) == .memoryCapacityExceeded)
        host.send(HCI.LEClearFilterAcceptList())
        host.send(HCI.LEAddDeviceToFilterAcceptList(address: DeviceAddress(kind: .public, value: 99)))
        bench.deliver()
        #expect(host.status(of: .leAddDeviceToFilterAcceptList) == .success)
    }
}
