import BLEWire
import Testing

@testable import BLEController

/// Two controllers with extended advertising: what one sends, the other one reports or connects to.
struct ExtendedPairTests {
    private let bench = Bench()
    private let advertiser: RawHost
    private let scanner: RawHost

    init() {
        advertiser = bench.addHost()
        scanner = bench.addHost()
    }

    private static func octets(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 3) } }

    /// The data of whole advertisements by set, and how many were truncated.
    private func whole(_ reports: [ExtendedReport]) -> (data: [UInt8: Set<[UInt8]>], truncated: Int) {
        var (data, open, truncated) = ([UInt8: Set<[UInt8]>](), [UInt8: [UInt8]](), 0)
        for report in reports {
            open[report.sid, default: []] += report.data
            if report.status == 1 { continue }
            if report.status == 0 {
                data[report.sid, default: []].insert(open[report.sid] ?? [])
            } else {
                truncated += 1
            }
            open[report.sid] = nil
        }
        return (data, truncated)
    }

    @Test(
        arguments: [(.le1M, .le1M), (.le1M, .le2M), (.le1M, .leCoded), (.leCoded, .leCoded), (.leCoded, .le1M)]
            as [(HCI.PHY, HCI.PHY)],
        [1, 245, 246, 500, 1650])
    func allDataArrives(phys: (HCI.PHY, HCI.PHY), count: Int) {
        let data = Self.octets(count)
        advertiser.advertiseExtended(bench, .includesTxPower, handle: 6, interval: 0x140, data: data) {
            ($0.primaryPHY, $0.secondaryPHY) = phys
        }
        scanner.scanExtended(on: phys.0 == .leCoded ? .leCoded : .le1M)
        bench.run(for: .seconds(2))
        let reports = scanner.extendedReports
        let (found, truncated) = whole(reports)
        #expect(found == [6: [data]] && truncated == 0)
        for report in reports {
            #expect(report.primary == phys.0.rawValue && report.secondary == phys.1.rawValue)
            #expect(report.address == advertiser.address && report.sid == 6 && report.type & 0x1F == 0)
        }
    }

    @Test(arguments: [HCI.PHY.le1M, .le2M, .leCoded], [10, 1650]) func allScanResponsesArrive(phy: HCI.PHY, count: Int)
    {
        let response = Self.octets(count)
        advertiser.advertiseExtended(bench, .scannable, handle: 1, interval: 0x140, response: response) {
            ($0.secondaryPHY, $0.reportsScanRequests) = (phy, true)
        }
        scanner.scanExtended(.active)
        bench.run(for: .seconds(3))
        let responses = scanner.extendedReports.filter { $0.type & 0x08 != 0 }
        #expect(whole(responses).data == [1: [response]] && whole(responses).truncated == 0)
        let requests = advertiser.all(HCI.LEScanRequestReceived.self)
        #expect(requests.count > 5 && requests.allSatisfy { $0.scannerAddress == scanner.address })
    }

    /// A link on each PHY carries data, for the second time as for the first.
    @Test(arguments: [HCI.PHY.le1M, .le2M, .leCoded]) func aConnectionBeginsOnTheSecondaryPHY(phy: HCI.PHY) throws {
        for round in 0..<3 {
            advertiser.advertiseExtended(bench, .connectable, interval: 0x40, data: [2, 1, 6]) {
                ($0.primaryPHY, $0.secondaryPHY) = (phy == .leCoded ? .leCoded : .le1M, phy)
            }
            scanner.connectExtended(to: advertiser.address, on: [.le1M, .le2M, .leCoded])
            #expect(
                bench.run(atMost: .seconds(5)) {
                    advertiser.connections.count == round + 1 && scanner.connections.count == round + 1
                })
            let handle = try #require(scanner.connections.last?.connectionHandle)
            let other = try #require(advertiser.connections.last?.connectionHandle)
            #expect(advertiser.terminations.last?.connectionHandle == other)
            let expected: LL.PHY = phy == .le1M ? .oneM : phy == .le2M ? .twoM : .codedS8
            #expect(bench.radio.links(of: advertiser.identifier).map(\.sendingPHY) == [expected])
            scanner.queue([UInt8(round), 2, 3], handle: handle)
            #expect(bench.run(atMost: .seconds(2)) { advertiser.received[other]?.suffix(3) == [UInt8(round), 2, 3] })
            scanner.send(HCI.Disconnect(connectionHandle: handle))
            #expect(bench.run(atMost: .seconds(2)) { advertiser.disconnections.count == round + 1 })
        }
    }

    /// Sets of several devices at once: nothing of one is in a report of another.
    @Test func manySetsStayApart() {
        let second = bench.addHost()
        for handle in UInt8(0)..<4 {
            advertiser.advertiseExtended(
                bench, [], handle: handle, data: [UInt8](repeating: handle, count: 100 + 120 * Int(handle)))
            second.advertiseExtended(
                bench, [], handle: handle + 8, data: [UInt8](repeating: handle + 8, count: 60 + 130 * Int(handle)))
        }
        scanner.scanExtended()
        bench.run(for: .seconds(10))
        let data = whole(scanner.extendedReports).data
        #expect(Set(data.keys) == Set(Array(0..<4) + Array(8..<12)))
        for handle in UInt8(0)..<4 {
            #expect(data[handle] == [[UInt8](repeating: handle, count: 100 + 120 * Int(handle))])
            #expect(data[handle + 8] == [[UInt8](repeating: handle + 8, count: 60 + 130 * Int(handle))])
        }
    }

    /// A legacy host sees and connects to the legacy PDUs of an extended advertiser.
    @Test func aLegacyHostMeetsTheLegacySet() throws {
        advertiser.advertiseExtended(
            bench, [.connectable, .scannable, .legacy], data: [2, 1, 6], response: [3, 9, 0x41, 0x42])
        advertiser.advertiseExtended(bench, .connectable, handle: 1, data: [9])
        scanner.scan(.active)
        bench.run(for: .seconds(1))
        #expect(Set(scanner.reports.map(\.data)) == [[2, 1, 6], [3, 9, 0x41, 0x42]])
        scanner.connect(to: advertiser.address)
        #expect(bench.run(atMost: .seconds(2)) { !scanner.connections.isEmpty && !advertiser.connections.isEmpty })
        #expect(advertiser.terminations.map(\.advertisingHandle) == [0])
        // The other set goes on.
        #expect(bench.radio.status(of: advertiser.identifier)?.isAdvertising == true)
    }

    /// Each device advertises and scans at once, on its one radio.
    @Test func advertisersThatScanHearEachOther() {
        for host in [advertiser, scanner] {
            host.advertiseExtended(bench, [], data: Self.octets(600) + [UInt8(host.identifier.rawValue)])
            host.scanExtended(on: [.le1M, .leCoded], interval: 0x20, window: 0x20)
        }
        bench.run(for: .seconds(20))
        for (host, other) in [(advertiser, scanner), (scanner, advertiser)] {
            let (data, _) = whole(host.extendedReports)
            #expect(data[0] == [Self.octets(600) + [UInt8(other.identifier.rawValue)]])
        }
    }

    /// Hosts that break every rule of the extended commands.
    @Test(arguments: [UInt64(1), 2, 3]) func hostileHostsDoNotTrap(seed: UInt64) {
        let bench = Bench(seed: seed)
        let hosts = [bench.addHost(), bench.addHost(), bench.addHost()]
        var random = SeededRandom(seed: seed)
        bench.radio.tamper = { pdu in
            guard random.next() % 6 == 0, !pdu.isEmpty else { return }
            pdu[Int(random.next() % UInt64(pdu.count))] = UInt8(truncatingIfNeeded: random.next())
        }
        var reports = 0
        for round in 0..<6_000 {
            let host = hosts[Int(random.next() % 3)]
            let handle = UInt8(random.next() % 3)
            switch random.next() % 8 {
            case 0, 1:
                let opcode = UInt8(
                    [0x35, 0x36, 0x37, 0x38, 0x39, 0x3C, 0x3D, 0x41, 0x42, 0x43][Int(random.next() % 10)])
                let length = Int(random.next() % 30)
                host.send(
                    raw: [1, opcode, 0x20, UInt8(length)]
                        + (0..<length).map { _ in UInt8(truncatingIfNeeded: random.next() >> 58) })
            case 2:
                let properties = HCI.AdvertisingEventProperties(rawValue: UInt16(random.next() % 0x80))
                _ = host.status(
                    bench,
                    of: HCI.LESetExtendedAdvertisingParameters(
                        advertisingHandle: handle, properties: properties, intervalMinimum: 0x20,
                        intervalMaximum: 0x200, ownAddressType: .random,
                        primaryPHY: random.next() % 2 == 0 ? .le1M : .leCoded,
                        secondaryPHY: HCI.PHY(rawValue: 1 + UInt8(random.next() % 3)), reportsScanRequests: true))
                host.send(HCI.LESetAdvertisingSetRandomAddress(advertisingHandle: handle, address: host.address))
            case 3:
                _ = host.setData(
                    bench, Self.octets(Int(random.next() % 252)), handle: handle,
                    HCI.DataOperation(rawValue: UInt8(random.next() % 6)), isResponse: random.next() % 2 == 0)
            case 4: host.enable(bench, [handle], duration: UInt16(random.next() % 20), events: UInt8(random.next() % 4))
            case 5 where round % 5 == 0: host.disable(bench)
            case 6: host.connectExtended(to: hosts[Int(handle)].address, on: [.le1M, .leCoded])
            default: if round % 40 == 0 { host.scanExtended(.active, on: [.le1M, .leCoded]) }
            }
            bench.run(for: .milliseconds(Int(random.next() % 12)))
            for host in hosts {
                reports += host.extendedReports.count
                host.events.removeAll()
            }
        }
        #expect(reports > 100)
    }
}
