import BLEController
import BLEWire
import Testing

@Test func aPassiveScannerReportsTheRSSIOfTheDistance() {
    let bench = Bench()
    let advertiser = bench.addHost()
    let scanner = bench.addHost(at: RadioPosition(x: 10))
    advertiser.advertise(.nonconnectableUndirected, interval: 0xA0)
    scanner.scan(.passive)
    bench.run(for: .seconds(1))
    let reports = scanner.reports
    // Ten events of 100 to 110 ms, received on the scanner's channel, and sometimes on the next one.
    #expect((9...12).contains(reports.count))
    // 40 dB at one metre, 25 dB more at ten.
    #expect(reports.allSatisfy { $0 == .init(type: 3, address: advertiser.address.value, data: [2, 1, 6], rssi: -65) })
}

@Test func activeScannerGetsTheScanResponse() {
    let bench = Bench()
    let advertiser = bench.addHost()
    let scanner = bench.addHost()
    advertiser.advertise(.connectableUndirected)
    scanner.scan(.active)
    bench.run(for: .seconds(1))
    #expect(scanner.reports.contains { $0.type == 0 && $0.data == [2, 1, 6] })
    #expect(scanner.reports.contains { $0.type == 4 && $0.data == [3, 9, 0x41, 0x42] })
}

@Test func duplicateFilterReportsEachKindOfPacketOnce() {
    let bench = Bench()
    let advertiser = bench.addHost()
    let scanner = bench.addHost()
    advertiser.advertise(.scannableUndirected, interval: 0x20)
    scanner.scan(.active, filtering: true)
    bench.run(for: .seconds(2))
    #expect(scanner.reports.map(\.type) == [2, 4])
}

@Test func aNonconnectableAdvertiserGetsNoScanRequest() {
    let bench = Bench()
    bench.addHost().advertise(.nonconnectableUndirected)
    let scanner = bench.addHost()
    scanner.scan(.active)
    bench.run(for: .seconds(1))
    #expect(!scanner.reports.isEmpty)
    #expect(scanner.reports.allSatisfy { $0.type == 3 })
}

@Test func advertisingEventsKeepTheirIntervalPlusARandomDelay() {
    let bench = Bench()
    var starts: [Int64] = []
    var channels: [UInt8] = []
    bench.radio.airObserver = { packet in
        channels.append(packet.channel)
        if packet.channel == 37 { starts.append(packet.start.nanoseconds / 1000) }
    }
    bench.addHost().advertise(.connectableUndirected, interval: 0xA0)
    bench.run(for: .seconds(20))
    let gaps = zip(starts.dropFirst(), starts).map { $0 - $1 }
    #expect(gaps.count > 180)
    #expect(gaps.allSatisfy { (100_000...110_000).contains($0) })
    #expect(Set(gaps).count > 150)
    #expect(Array(channels.prefix(6)) == [37, 38, 39, 37, 38, 39])
}

@Test func theScanWindowIsTheShareOfReceivedPackets() {
    let bench = Bench()
    bench.addHost().advertise(.nonconnectableUndirected, interval: 0x20)
    let whole = bench.addHost()
    let tenth = bench.addHost()
    whole.scan(.passive, interval: 0xA0, window: 0xA0)
    tenth.scan(.passive, interval: 0xA0, window: 0x10)
    bench.run(for: .seconds(30))
    let share = Double(tenth.reports.count) / Double(whole.reports.count)
    #expect(share > 0.05 && share < 0.16)
}

@Test func aDeviceIsReportedOnceItIsInRange() {
    let bench = Bench()
    let advertiser = bench.addHost(at: RadioPosition(x: 5000))
    let scanner = bench.addHost()
    advertiser.advertise()
    scanner.scan(.passive)
    bench.run(for: .seconds(2))
    #expect(scanner.reports.isEmpty)
    bench.radio.move(advertiser.identifier, to: RadioPosition(x: 30, y: 40))
    bench.run(for: .seconds(2))
    #expect(scanner.reports.count > 10)
}

@Test func lossFollowsFromDistance() {
    func received(at distance: Double) -> Int {
        let bench = Bench()
        bench.addHost(at: RadioPosition(x: distance)).advertise(.nonconnectableUndirected, interval: 0x20)
        let scanner = bench.addHost()
        scanner.scan(.passive, interval: 0x4000, window: 0x4000)
        bench.run(for: .seconds(10))
        return scanner.reports.count
    }
    let near = received(at: 10)
    let far = received(at: 165)
    let out = received(at: 300)
    #expect(near > 380)
    #expect(far > 0 && far < near * 9 / 10)
    #expect(out == 0)
}

@Test func crowdedChannelLosesPacketsToCollisions() {
    func received(_ advertisers: Int) -> Double {
        let bench = Bench()
        for number in 0..<advertisers {
            bench.addHost(at: RadioPosition(x: 10, y: Double(number) * 0.01)).advertise(
                .nonconnectableUndirected, interval: 0x20)
        }
        let scanner = bench.addHost()
        scanner.scan(.passive, interval: 0x4000, window: 0x4000)
        bench.run(for: .seconds(2))
        return Double(scanner.reports.count) / Double(advertisers)
    }
    let alone = received(1)
    let crowd = received(100)
    // ALOHA at a load of 100 x 176 us / 25 ms each way: about a quarter gets through.
    #expect(crowd < alone * 0.5 && crowd > alone * 0.1)
}

@Test func strongerOfTwoCollidingSignalsIsCaptured() {
    let bench = Bench()
    for number in 0..<60 {
        bench.addHost(at: RadioPosition(x: 60, y: Double(number) * 0.01)).advertise(
            .nonconnectableUndirected, interval: 0x20)
    }
    let near = bench.addHost(at: RadioPosition(x: 1))
    near.advertise(.nonconnectableUndirected, interval: 0x20)
    let scanner = bench.addHost()
    scanner.scan(.passive, interval: 0x4000, window: 0x4000)
    bench.run(for: .seconds(2))
    let received = scanner.reports.filter { $0.address == near.address.value }.count
    #expect(received > 75)
}

@Test func acceptListFiltersScannerAndAdvertiser() {
    let bench = Bench()
    let wanted = bench.addHost()
    let other = bench.addHost()
    let scanner = bench.addHost()
    scanner.send(HCI.LEAddDeviceToFilterAcceptList(address: wanted.address))
    // The scanner requests only from listed advertisers. `wanted` answers no scanner, because its own list is empty.
    wanted.advertise(.connectableUndirected, policy: .scanFromAcceptList)
    other.advertise(.connectableUndirected)
    scanner.scan(.active, policy: .acceptList)
    bench.run(for: .seconds(2))
    #expect(Set(scanner.reports.map(\.address)) == [wanted.address.value])
    #expect(scanner.reports.allSatisfy { $0.type == 0 })
}

@Test func highDutyDirectedAdvertisingEndsAfter1280ms() {
    let bench = Bench()
    let advertiser = bench.addHost()
    advertiser.advertise(
        .connectableDirectedHighDutyCycle, peer: DeviceAddress(kind: .random, value: 0xC000_0000_0077))
    bench.run(for: .milliseconds(1270))
    #expect(advertiser.connections.isEmpty)
    bench.run(for: .milliseconds(20))
    #expect(advertiser.connections.map(\.status) == [.advertisingTimeout])
}

@Test func directedAdvertisingLetsOnlyItsTargetConnect() {
    let bench = Bench()
    let advertiser = bench.addHost()
    let stranger = bench.addHost()
    let target = bench.addHost()
    advertiser.advertise(.connectableDirectedLowDutyCycle, interval: 0x20, peer: target.address)
    stranger.connect(to: advertiser.address)
    bench.run(for: .seconds(2))
    #expect(stranger.connections.isEmpty && advertiser.connections.isEmpty)
    target.connect(to: advertiser.address)
    bench.run(for: .seconds(1))
    #expect(target.connections.map(\.peerAddress) == [advertiser.address])
    #expect(advertiser.connections.map(\.peerAddress) == [target.address])
    for host in [target, advertiser] {
        #expect(host.all(HCI.LEChannelSelectionAlgorithm.self).map(\.algorithm) == [1])
    }
}
