import BLEWire
import Testing

@testable import BLEController

/// The second link in the place of a first one, and the second round of scanning, initiating and advertising: no timer of the first is
/// left.
struct SecondLinkTests {
    private let bench = Bench()

    private func pair() -> (central: RawHost, peripheral: RawHost) {
        (bench.addHost { $0.connectionLimit = 1 }, bench.addHost { $0.connectionLimit = 1 })
    }

    /// With room for one link, each link has the same handle.
    @Test(arguments: [6, 24, 80, 400] as [UInt16]) func linksFollowEachOther(interval: UInt16) throws {
        let (central, peripheral) = pair()
        for round in 0..<12 {
            let link = try #require(bench.connect(central, peripheral, interval: interval, timeout: 400))
            #expect(link.central == 0x40 && link.peripheral == 0x40)
            // Some links end before their first event, and some after their sixth.
            bench.run(for: LL.slot * Int(interval) * (round % 9))
            let ended = (central.disconnections.count, peripheral.disconnections.count)
            #expect(ended == (round, round), "round \(round)")
            let host = round % 2 == 0 ? central : peripheral
            host.send(HCI.Disconnect(connectionHandle: 0x40))
            #expect(
                bench.run(atMost: LL.slot * Int(interval) * 20) {
                    central.disconnections.count > round && peripheral.disconnections.count > round
                })
        }
        let reasons = Set((central.disconnections + peripheral.disconnections).map(\.reason))
        #expect(reasons == [.connectionTerminatedByLocalHost, .remoteUserTerminatedConnection])
        #expect(bench.radio.nextDeadline == nil && bench.radio.medium.scheduler.armedCount == 0)
    }

    /// The procedure response timeout of 40 s is that of the link's own procedure.
    @Test(arguments: [HCI.Role.central, .peripheral]) func aProcedureOfTheFirstLinkDoesNotEndTheSecond(asking: HCI.Role)
        throws
    {
        let (central, peripheral) = pair()
        let host = asking == .central ? central : peripheral
        func ask() {
            host.send(
                HCI.LEConnectionUpdate(
                    connectionHandle: 0x40, intervalMinimum: 24, intervalMaximum: 24, maximumLatency: 0,
                    supervisionTimeout: 100))
        }
        _ = try #require(bench.connect(central, peripheral))
        bench.run(for: .milliseconds(300))
        ask()
        bench.run(for: .seconds(20))
        central.send(HCI.Disconnect(connectionHandle: 0x40))
        bench.run(for: .seconds(1))
        _ = try #require(bench.connect(central, peripheral))
        bench.run(for: .milliseconds(300))
        let begin = bench.radio.now
        ask()
        bench.run(until: begin + .milliseconds(39_900))
        #expect(host.disconnections.count == 1)
        bench.run(until: begin + .milliseconds(40_200))
        #expect(host.disconnections.map(\.reason).last == .llResponseTimeout)
    }

    /// The key, the PHYs, the lengths and the payload timeout of a link end with it.
    @Test func aSecondLinkBeginsWithTheDefaults() throws {
        let (central, peripheral) = pair()
        for round in 0..<2 {
            let link = try #require(bench.connect(central, peripheral, interval: 24))
            bench.run(for: .milliseconds(200))
            let status = try #require(bench.radio.links(of: central.identifier).first)
            #expect(!status.isEncrypted && status.sendingPHY == .oneM && status.receivingPHY == .oneM)
            central.send(HCI.ReadAuthenticatedPayloadTimeout(connectionHandle: link.central))
            bench.deliver()
            // 30 s (Vol 4, Part E, 7.3.93).
            #expect(central.events.last?.suffix(2) == [0xB8, 0x0B])
            var lengths: Set<Int> = []
            bench.radio.airObserver = { if $0.channel < 37 { lengths.insert($0.pdu.count) } }
            central.queue([UInt8](repeating: 1, count: 100), handle: link.central)
            bench.run(for: .milliseconds(300))
            #expect(lengths.max() == 2 + 27, "round \(round)")
            bench.radio.airObserver = nil
            #expect(peripheral.received[link.peripheral]?.count == 100 * (round + 1))
            #expect(bench.encrypt(central, link.central, with: peripheral))
            central.send(HCI.WriteAuthenticatedPayloadTimeout(connectionHandle: link.central, timeout: 500))
            central.send(HCI.LESetDataLength(connectionHandle: link.central, txOctets: 251, txTime: 2120))
            central.send(HCI.LESetPHY(connectionHandle: link.central, txPHYs: .le2M, rxPHYs: .le2M, options: 0))
            bench.run(for: .seconds(1))
            let changed = try #require(bench.radio.links(of: central.identifier).first)
            #expect(changed.isEncrypted && changed.sendingPHY == .twoM && changed.receivingPHY == .twoM)
            central.send(HCI.Disconnect(connectionHandle: link.central))
            bench.run(for: .milliseconds(500))
            #expect(central.disconnections.count == round + 1 && peripheral.disconnections.count == round + 1)
        }
    }

    /// A window of the first scan does not close that of the second.
    @Test(arguments: [false, true]) func aSecondScanHasItsOwnWindow(isPaused: Bool) {
        let (scanner, advertiser) = (bench.addHost(), bench.addHost())
        advertiser.send(
            HCI.LESetAdvertisingParameters(
                intervalMinimum: 0x20, intervalMaximum: 0x20, advertisingType: .nonconnectableUndirected,
                ownAddressType: .random))
        advertiser.send(HCI.LESetAdvertisingEnable(enable: true))
        bench.run(for: .milliseconds(100))
        for _ in 0..<3 {
            // 10 ms of 160 ms, ended after 5 ms.
            scanner.scan(.passive, interval: 0x100, window: 0x10)
            bench.run(for: .milliseconds(5))
            if isPaused {
                scanner.send(HCI.LESetScanEnable(enable: false, filterDuplicates: false))
                bench.run(for: .milliseconds(1))
            }
            scanner.send(HCI.LESetScanEnable(enable: false, filterDuplicates: false))
            bench.deliver()
            scanner.events.removeAll()
            scanner.scan(.passive, interval: 0x100, window: 0x100)
            bench.run(for: .milliseconds(150))
            // One event in 20 to 30 ms.
            #expect(scanner.reports.count >= 5)
            scanner.send(HCI.LESetScanEnable(enable: false, filterDuplicates: false))
            bench.run(for: .milliseconds(7))
        }
    }

    @Test func aSecondAttemptToConnectHasItsOwnWindow() {
        let (central, peripheral) = (bench.addHost(), bench.addHost())
        peripheral.advertise(interval: 0x20)
        bench.run(for: .milliseconds(100))
        for round in 0..<4 {
            let other = DeviceAddress(kind: .random, value: 0xC000_0000_0099)
            central.send(
                HCI.LECreateConnection(
                    scanInterval: 0x400, scanWindow: 0x10, filterPolicy: .peerAddress, peerAddress: other,
                    ownAddressType: .random, intervalMinimum: 24, intervalMaximum: 24, maximumLatency: 0,
                    supervisionTimeout: 100))
            bench.run(for: .milliseconds(5))
            central.send(HCI.LECreateConnectionCancel())
            bench.deliver()
            #expect(central.connections.count == 2 * round + 1)
            #expect(central.connections.last?.status == .unknownConnectionIdentifier)
            central.send(
                HCI.LECreateConnection(
                    scanInterval: 0x400, scanWindow: 0x400, filterPolicy: .peerAddress, peerAddress: peripheral.address,
                    ownAddressType: .random, intervalMinimum: 24, intervalMaximum: 24, maximumLatency: 0,
                    supervisionTimeout: 100))
            // The first event of the advertiser that comes.
            bench.run(for: .milliseconds(40))
            #expect(central.connections.count == 2 * round + 2 && central.connections.last?.status == .success)
            bench.run(for: .milliseconds(100))
            central.send(HCI.Disconnect(connectionHandle: central.connections.last?.connectionHandle ?? 0))
            bench.run(for: .milliseconds(200))
            peripheral.advertise(interval: 0x20)
            bench.run(for: .milliseconds(50))
        }
    }

    /// Devices that are switched on together begin within 10 ms, at different times.
    @Test func advertisersThatBeginTogetherAreApart() {
        var starts: [ControllerIdentifier: Int64] = [:]
        bench.radio.airObserver = { packet in
            if starts[packet.sender] == nil { starts[packet.sender] = packet.start.nanoseconds }
        }
        let hosts = (0..<60).map { _ in bench.addHost() }
        bench.run(for: .seconds(1))
        let begin = bench.radio.now.nanoseconds
        for host in hosts { host.advertise(.nonconnectableUndirected, interval: 0xA0) }
        bench.run(for: .milliseconds(100))
        let delays = hosts.compactMap { starts[$0.identifier].map { $0 - begin } }
        #expect(delays.count == 60 && delays.allSatisfy { $0 >= 0 && $0 <= 10_000_000 })
        #expect(Set(delays).count > 55 && (delays.max() ?? 0) > 8_000_000)
    }
}
