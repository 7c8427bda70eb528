import BLEWire
import Testing

@testable import BLEController

/// The advertiser, the scanner and the initiator of two virtual controllers with extended advertising.
struct ExtendedRolesTests {
    /// The primary and the secondary PHY.
    struct PHYs: CustomTestStringConvertible, Sendable {
        var primary: HCI.PHY
        var secondary: HCI.PHY

        static let all = [HCI.PHY.le1M, .leCoded].flatMap { primary in
            [HCI.PHY.le1M, .le2M, .leCoded].map { PHYs(primary: primary, secondary: $0) }
        }
        var mask: HCI.PHYMask { primary == .le1M ? .le1M : .leCoded }
        var testDescription: String { "\(primary.rawValue) \(secondary.rawValue)" }
    }

    /// Advertising data of the size of `count`, which no other device and no other set has.
    private func data(_ count: Int, of number: UInt8 = 0) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: $0 / 7 * 5 + $0) &+ number }
    }

    /// The packets of one scanner: the pieces of a chain are joined, and the last status counts.
    private func packets(_ host: RawHost) -> [ExtendedReport] {
        var result: [ExtendedReport] = []
        var isOpen = false
        for report in host.extendedReports {
            if isOpen, var last = result.popLast() {
                #expect(last.address == report.address && last.sid == report.sid, "joined with another packet")
                last.data += report.data
                last.type = report.type
                result.append(last)
            } else {
                result.append(report)
            }
            isOpen = report.status == 1
        }
        #expect(!isOpen)
        return result
    }

    // MARK: Scanning

    @Test(arguments: PHYs.all, [0, 31, 230, 1650]) func theScannerGetsTheAdvertisersData(phys: PHYs, count: Int) {
        let bench = Bench()
        let (scanner, advertiser) = (bench.addHost(), bench.addHost(at: RadioPosition(x: 3)))
        advertiser.advertiseExtended(
            bench, .includesTxPower, handle: 5, interval: 0x140, data: data(count)
        ) { ($0.primaryPHY, $0.secondaryPHY) = (phys.primary, phys.secondary) }
        scanner.scanExtended(on: phys.mask, interval: 0x10, window: 0x10)
        for round in 1...2 {
            scanner.events.removeAll()
            bench.run(for: .seconds(4))
            let packets = packets(scanner)
            #expect(packets.count >= 12, "round \(round): \(packets.count)")
            #expect(packets.allSatisfy { $0.data == data(count) && $0.type == 0 && $0.address == advertiser.address })
            #expect(packets.allSatisfy { $0.primary == phys.primary.rawValue && $0.txPower == 0 })
            if count > 0 {
                #expect(packets.allSatisfy { $0.sid == 5 && $0.secondary == phys.secondary.rawValue })
            }
        }
        // Other data has another DID.
        let other = data(min(200, count / 2 + 1), of: 9)
        #expect(advertiser.setLongData(bench, other, handle: 5) == .success)
        bench.run(for: .milliseconds(250))
        scanner.events.removeAll()
        bench.run(for: .seconds(2))
        #expect(!packets(scanner).isEmpty && packets(scanner).allSatisfy { $0.data == other })
    }

    @Test(arguments: PHYs.all, [5, 1650]) func theScannerGetsScanResponses(phys: PHYs, count: Int) {
        let bench = Bench()
        let (scanner, advertiser) = (bench.addHost(), bench.addHost(at: RadioPosition(x: 3)))
        advertiser.advertiseExtended(bench, .scannable, handle: 2, interval: 0x140, response: data(count)) {
            ($0.primaryPHY, $0.secondaryPHY) = (phys.primary, phys.secondary)
        }
        scanner.scanExtended(.active, on: phys.mask, interval: 0x10, window: 0x10)
        bench.run(for: .seconds(4))
        let packets = packets(scanner)
        #expect(Set(packets.map(\.type)) == [0x02, 0x0A])
        let responses = packets.filter { $0.type == 0x0A }
        #expect(responses.count >= 10)
        #expect(responses.allSatisfy { $0.data == data(count) && $0.address == advertiser.address && $0.sid == 2 })
    }

    /// Sixteen sets of each of three advertisers, with equal SIDs: each set is reported, and no data is mixed.
    @Test(arguments: [UInt64(1), 2, 3]) func eachSetIsReportedWithItsData(seed: UInt64) {
        let bench = Bench(seed: seed)
        let scanner = bench.addHost()
        let advertisers = (0..<3).map { bench.addHost(at: RadioPosition(x: Double($0 + 1))) }
        var expected: [[UInt8]: UInt64] = [:]
        for (number, advertiser) in advertisers.enumerated() {
            for handle: UInt8 in 0..<16 {
                let data = data(20 + 30 * Int(handle), of: UInt8(number * 16) + handle)
                expected[data] = advertiser.address.value
                advertiser.advertiseExtended(bench, [], handle: handle, interval: 0x400, data: data)
            }
        }
        scanner.scanExtended(interval: 0x10, window: 0x10)
        bench.run(for: .seconds(20))
        let whole = packets(scanner).filter { $0.status == 0 }
        #expect(whole.allSatisfy { expected[$0.data] == $0.address.value })
        for data in expected.keys { #expect(whole.count { $0.data == data } >= 3) }
        // Truncated data is the beginning of an advertiser's own data.
        for packet in packets(scanner) where packet.status == 2 {
            #expect(expected.contains { $0.value == packet.address.value && $0.key.starts(with: packet.data) })
        }
    }

    /// A lossy medium truncates chains, and never changes them.
    @Test(arguments: [UInt64(1), 2]) func lostPacketsTruncate(seed: UInt64) {
        var configuration = RadioConfiguration()
        configuration.loss = 0.15
        let bench = Bench(seed: seed, configuration: configuration)
        let scanner = bench.addHost()
        let advertisers = [bench.addHost(), bench.addHost()]
        for (number, advertiser) in advertisers.enumerated() {
            advertiser.advertiseExtended(bench, [], interval: 0xA0, data: data(900, of: UInt8(number)))
        }
        scanner.scanExtended(interval: 0x10, window: 0x10)
        bench.run(for: .seconds(20))
        for (number, advertiser) in advertisers.enumerated() {
            let own = packets(scanner).filter { $0.address == advertiser.address }
            let whole = data(900, of: UInt8(number))
            #expect(own.contains { $0.status == 0 } && own.contains { $0.status == 2 })
            #expect(own.allSatisfy { $0.status == 0 ? $0.data == whole : whole.starts(with: $0.data) })
            #expect(own.allSatisfy { $0.status == 0 || $0.data.count < 900 })
        }
    }

    /// The own advertising and the own links take the radio from the scanner, and neither stops.
    @Test(arguments: ["advertising", "central", "peripheral"]) func otherRolesBreakChains(other: String) throws {
        let bench = Bench()
        let (scanner, advertiser, peer) = (bench.addHost(), bench.addHost(), bench.addHost())
        // A chain on Coded takes 120 ms.
        advertiser.advertiseExtended(bench, [], interval: 0x200, data: data(1650)) {
            ($0.primaryPHY, $0.secondaryPHY) = (.leCoded, .leCoded)
        }
        switch other {
        case "advertising": scanner.advertiseExtended(bench, [], handle: 1, interval: 0x40, data: [1, 2, 3])
        case "central":
            peer.advertiseExtended(bench, .connectable, handle: 1, interval: 0x20)
            scanner.connectExtended(to: peer.address, interval: 24)
        default:
            scanner.advertiseExtended(bench, .connectable, handle: 1, interval: 0x20)
            peer.connectExtended(to: scanner.address, interval: 24)
        }
        if other != "advertising" {
            let isConnected = bench.run(atMost: .seconds(3)) {
                !scanner.connections.isEmpty && !peer.connections.isEmpty
            }
            try #require(isConnected)
        }
        let ear = AirEar(bench, of: scanner)
        scanner.scanExtended(on: .leCoded, interval: 0x10, window: 0x10)
        bench.run(for: .seconds(10))
        let reports = packets(scanner)
        #expect(reports.contains { $0.status == 2 && !$0.data.isEmpty })
        #expect(reports.allSatisfy { data(1650).starts(with: $0.data) && ($0.status == 2 || $0.data.count == 1650) })
        #expect(scanner.disconnections.isEmpty && peer.disconnections.isEmpty)
        // 250 events of advertising with 2 packets at least, or 333 connection events.
        #expect(ear.packets.count > 200)
    }

    // MARK: Connecting

    @Test(arguments: PHYs.all) func aLinkCarriesData(phys: PHYs) throws {
        let bench = Bench()
        let (central, peripheral) = (bench.addHost(), bench.addHost(at: RadioPosition(x: 3)))
        for round in 1...3 {
            peripheral.advertiseExtended(bench, .connectable, interval: 0x40, data: data(100)) {
                ($0.primaryPHY, $0.secondaryPHY) = (phys.primary, phys.secondary)
            }
            central.connectExtended(to: peripheral.address, on: phys.mask)
            let isConnected = bench.run(atMost: .seconds(5)) {
                central.connections.count == round && peripheral.connections.count == round
            }
            try #require(isConnected)
            let (here, there) = (central.connections[round - 1], peripheral.connections[round - 1])
            #expect(here.status == .success && there.status == .success)
            #expect(here.peerAddress == peripheral.address && there.peerAddress == central.address)
            for (host, handle) in [(central, here.connectionHandle), (peripheral, there.connectionHandle)] {
                #expect(bench.radio.links(of: host.identifier).map { HCI.PHY($0.sendingPHY) } == [phys.secondary])
                host.queue(data(200, of: UInt8(round)), handle: handle)
            }
            bench.run(for: .seconds(1))
            #expect(central.received[here.connectionHandle] == data(200, of: UInt8(round)))
            #expect(peripheral.received[there.connectionHandle] == data(200, of: UInt8(round)))
            central.received.removeAll()
            peripheral.received.removeAll()
            central.send(
                HCI.Disconnect(connectionHandle: here.connectionHandle, reason: .remoteUserTerminatedConnection))
            bench.run(for: .seconds(1))
            #expect(central.disconnections.count == round && peripheral.disconnections.count == round)
        }
    }

    /// Two initiators that start together: the collisions of their requests end, because each waits for a random number of
    /// advertisements.
    @Test(arguments: UInt64(0)..<8) func initiatorsThatStartTogetherDoNotCollideForEver(seed: UInt64) {
        let bench = Bench(seed: seed)
        let centrals = [bench.addHost(at: RadioPosition(x: -2)), bench.addHost(at: RadioPosition(x: 2))]
        let peripheral = bench.addHost()
        for central in centrals { central.connectExtended(to: peripheral.address) }
        peripheral.advertiseExtended(bench, .connectable, interval: 0x20)
        bench.run(for: .seconds(5))
        #expect(peripheral.connections.map(\.status) == [.success])
        #expect(centrals.flatMap(\.connections).map(\.status) == [.success])
        #expect(centrals.allSatisfy { $0.disconnections.isEmpty })
    }

    /// Lost responses and requests: both ends agree at last.
    @Test(arguments: UInt64(0)..<6) func aLinkBeginsOnALossyMedium(seed: UInt64) {
        var configuration = RadioConfiguration()
        configuration.loss = 0.3
        let bench = Bench(seed: seed, configuration: configuration)
        let (central, peripheral) = (bench.addHost(), bench.addHost())
        central.connectExtended(to: peripheral.address)
        for _ in 0..<10 where bench.radio.links(of: central.identifier).isEmpty {
            peripheral.advertiseExtended(bench, .connectable, interval: 0x20)
            bench.run(for: .seconds(2))
        }
        #expect(bench.radio.links(of: central.identifier).count == 1)
        #expect(bench.radio.links(of: peripheral.identifier).count == 1)
        // A device that has missed a response has no link; only the peripheral of a lost response has one that fails.
        #expect(central.disconnections.isEmpty)
    }

    /// Both devices use private addresses: scan requests, AUX_CONNECT_REQ and AUX_CONNECT_RSP name them.
    @Test func privateDevicesConnect() throws {
        let bench = Bench()
        let central = PrivateHost(bench, key: 0x111)
        let peripheral = PrivateHost(bench, key: 0x222)
        central.add(peripheral)
        peripheral.add(central)
        central.resolve()
        peripheral.resolve()
        peripheral.host.advertiseExtended(bench, .connectable, interval: 0x40) {
            $0.ownAddressType = .resolvableOrRandom
            $0.peerAddress = central.identity
        }
        central.host.scanExtended(interval: 0x10, window: 0x10, own: .resolvableOrRandom)
        bench.run(for: .milliseconds(500))
        #expect(Set(central.host.extendedReports.map(\.address)) == [peripheral.identity.asResolved])
        central.host.connectExtended(to: peripheral.identity.asResolved, own: .resolvableOrRandom)
        let isConnected = bench.run(atMost: .seconds(3)) {
            !central.connections.isEmpty && !peripheral.connections.isEmpty
        }
        try #require(isConnected)
        #expect(central.connections[0].peerAddress == peripheral.identity.asResolved)
        #expect(peripheral.connections[0].peerAddress == central.identity.asResolved)
        #expect(peripheral.owns(central.connections[0].peerResolvablePrivateAddress))
        #expect(central.owns(central.connections[0].localResolvablePrivateAddress))
        bench.run(for: .seconds(2))
        #expect(central.host.disconnections.isEmpty && peripheral.host.disconnections.isEmpty)
    }

    /// A scan, an attempt and advertising at once, on both PHYs, end with a link in each role.
    @Test(arguments: [UInt64(1), 2, 3]) func allRolesRunAtOnce(seed: UInt64) {
        let bench = Bench(seed: seed)
        let hosts = (0..<4).map { bench.addHost(at: RadioPosition(x: Double($0))) }
        for (number, host) in hosts.enumerated() {
            host.scanExtended(.active, on: [.le1M, .leCoded], interval: 0x60, window: 0x60)
            host.advertiseExtended(bench, .connectable, handle: 0, interval: 0x60, data: data(30)) {
                if number % 2 == 0 { ($0.primaryPHY, $0.secondaryPHY) = (.leCoded, .leCoded) }
            }
            host.advertiseExtended(bench, .scannable, handle: 1, interval: 0xA0, response: data(300))
            host.connectExtended(to: hosts[(number + 1) % 4].address, on: [.le1M, .leCoded])
        }
        bench.run(for: .seconds(40))
        for host in hosts {
            #expect(Set(host.connections.filter { $0.status == .success }.map(\.role)) == [.central, .peripheral])
            #expect(host.disconnections.isEmpty)
            // All three others are found, and their scan responses.
            #expect(Set(host.extendedReports.filter { $0.type & 8 != 0 }.map(\.address)).count == 3)
        }
    }
}
