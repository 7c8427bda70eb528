import BLEAdapter
import BLEHost
import BLEWire
import Testing

@testable import BLESessions

struct ScanningTests {
    private let service = BluetoothUUID(UInt16(0xFEE7))
    private let advertisingService: [UInt8] = [2, 1, 6, 3, 3, 0xE7, 0xFE]
    private let setScanEnable: UInt16 = 0x200C

    private func scan(_ session: Int, _ bench: SessionBench, _ request: ScanRequest = ScanRequest()) {
        bench.call { $0.startScan(request, session: session, at: $1) }
    }

    private func report(_ bench: SessionBench, _ body: (ScriptedController) -> Void) {
        body(bench.controller)
        bench.settle()
    }

    @Test func theControllerScansFromTheFirstSessionToTheLast() {
        let bench = SessionBench.ready(centrals: 1, 2)
        scan(1, bench)
        scan(2, bench)
        #expect(bench.controller.count(of: setScanEnable) == 1)
        bench.call { $0.stopScan(session: 1, at: $1) }
        #expect(bench.controller.count(of: setScanEnable) == 1)
        bench.call { $0.stopScan(session: 2, at: $1) }
        #expect(bench.controller.commands.last?.parameters == [0, 0])
    }

    @Test func eachSessionGetsTheAdvertisersOfItsFilter() {
        let bench = SessionBench.ready(centrals: 1, 2, 3)
        scan(1, bench)
        scan(2, bench, ScanRequest(services: [service]))
        scan(3, bench, ScanRequest(allowDuplicates: true))
        report(bench) { $0.report(from: 1) }
        report(bench) { $0.report(from: 1) }
        report(bench) { $0.report(from: 2, advertisingService) }
        #expect(bench.takeDiscoveries().map(\.sessions) == [[1, 3], [3], [1, 2, 3]])
        // Changed content is reported again; a new scan reports everything again.
        report(bench) { $0.report(from: 1, [2, 1, 4]) }
        #expect(bench.takeDiscoveries().map(\.sessions) == [[1, 3]])
        scan(1, bench)
        report(bench) { $0.report(from: 1, [2, 1, 4]) }
        #expect(bench.takeDiscoveries().map(\.sessions) == [[3, 1]])
        // The last request of a session counts alone.
        scan(1, bench, ScanRequest(services: [BluetoothUUID(UInt16(0xFEE8))]))
        report(bench) { $0.report(from: 3, advertisingService) }
        #expect(bench.takeDiscoveries().map(\.sessions) == [[2, 3]])
    }

    @Test func aScanResponseMayComeFirst() {
        let bench = SessionBench.ready(centrals: 1)
        scan(1, bench)
        report(bench) { $0.report(4, from: 5, [2, 9, 0x41]) }
        let found = bench.takeDiscoveries()
        #expect(found.map(\.discovery.peer.name) == ["A"] && bench.heard.count == 1)
    }

    @Test func aScannableAdvertiserWaitsForItsScanResponse() {
        let bench = SessionBench.ready(centrals: 1)
        scan(1, bench)
        report(bench) { $0.report(0, from: 1) }
        #expect(bench.takeDiscoveries().isEmpty)
        report(bench) { $0.report(4, from: 1, [2, 9, 0x41]) }
        let first = bench.takeDiscoveries()
        #expect(first.map { [UInt8]($0.discovery.octets.scanResponse) } == [[2, 9, 0x41]])
        #expect(first.map(\.discovery.peer.name) == ["A"] && first.map(\.discovery.isConnectable) == [true])
    }

    @Test func aLostScanResponseDelaysTheReportByAQuarterOfASecond() {
        let bench = SessionBench.ready(centrals: 1)
        scan(1, bench)
        report(bench) { $0.report(0, from: 1) }
        bench.run(.milliseconds(249))
        #expect(bench.takeDiscoveries().isEmpty)
        bench.run(.milliseconds(1))
        #expect(bench.takeDiscoveries().map { $0.discovery.octets.scanResponse.count } == [0])
        report(bench) { $0.report(4, from: 1, [2, 9, 0x41]) }
        #expect(bench.takeDiscoveries().count == 1, "reported again, as changed")
    }

    /// Data and scan response with other values under one key: each half is reported once, with the values of the packet that came.
    @Test func eachOfTwoHalvesThatDifferIsReportedOnce() {
        let bench = SessionBench.ready(centrals: 1)
        bench.call { $0.startScan(ScanRequest(), session: 1, at: $1) }
        // Whether the scan response is the newer half of each report.
        func reports(_ kind: UInt8, _ value: UInt8) -> [Bool] {
            bench.controller.report(kind, from: 0xC000_0000_0007, [4, 0xFF, 1, 2, value])
            bench.settle()
            return bench.takeDiscoveries().map(\.discovery.content.isScanResponseNewer)
        }
        #expect(reports(0, 3) == [])
        #expect(reports(4, 4) == [true])
        #expect(reports(0, 3) == [false])
        for _ in 0..<2 { #expect(reports(4, 4) == [] && reports(0, 3) == []) }
        #expect(reports(0, 5) == [false])
        #expect(reports(4, 6) == [true])
        for _ in 0..<2 { #expect(reports(0, 5) == [] && reports(4, 6) == []) }
    }

    @Test func advertisersArePublishedWithTheirNamesAndReplacedInTheirSlots() {
        let bench = SessionBench.ready(centrals: 1)
        scan(1, bench)
        report(bench) { $0.report(from: 1, [2, 9, 0x41]) }
        report(bench) { $0.report(from: 1, [2, 9, 0x41]) }
        report(bench) { $0.report(from: 1, [2, 9, 0x42]) }
        report(bench) { $0.report(from: 1, [2, 1, 6]) }
        let peer = AdvertiserIdentity(SessionBench.peer(1))
        #expect(bench.heard.map(\.content.name) == ["A", "B"])
        #expect(bench.heard.allSatisfy { $0.slot == 0 && $0.content.identity == peer })
        bench.heard = []
        for number in 0..<AdvertiserTable.capacity { bench.controller.report(from: UInt64(0x1000 + number)) }
        bench.settle()
        let last = AdvertiserIdentity(SessionBench.peer(UInt64(0x1000 + AdvertiserTable.capacity - 1)))
        let replacing = bench.heard.filter { $0.slot == 0 }
        #expect(replacing.map(\.content.identity) == [last] && replacing.map(\.content.name) == [nil])
    }

    /// Reports skip the host's events, but never overtake them.
    @Test func reportsStayBehindEarlierEventsOfTheHost() {
        let bench = SessionBench.ready(centrals: 1)
        scan(1, bench, ScanRequest(allowDuplicates: true))
        // The first event has two reports and goes through the host, the next has one.
        bench.controller.event(
            0x3E,
            [0x02, 2] + [3, 1, 1, 0, 0, 0, 0, 0xC0, 0, 0xC0] + [3, 1, 2, 0, 0, 0, 0, 0xC0, 0, 0xC0])
        bench.controller.report(from: 3)
        for packet in bench.controller.takeOutput() { bench.sessions.receive(packet.span, at: bench.now) }
        bench.controller.report(from: 4)
        bench.settle()
        let found = bench.takeDiscoveries().map { ($0.discovery.address?.value ?? 0) & 0xFF }
        #expect(found == [1, 2, 3, 4])
    }

    @Test func aReportAfterTheEndOfTheScanHasNoEffect() {
        let bench = SessionBench.ready(centrals: 1)
        scan(1, bench)
        bench.call { $0.stopScan(session: 1, at: $1) }
        report(bench) { $0.report(from: 1) }
        #expect(bench.takeDiscoveries().isEmpty && bench.sessions.context.advertisers.entries.isEmpty)
    }

    @Test func theAdvertisementOfAConnectedPeerIsPublished() {
        let bench = SessionBench.ready(centrals: 1)
        scan(1, bench)
        report(bench) { $0.report(from: 1, advertisingService) }
        bench.connect(1, session: 1)
        let peer = SessionBench.peer(1)
        #expect(bench.takeAll().contains(.advertised(peer, AdvertisingOctets(data: advertisingService))))
        report(bench) { $0.report(from: 1, [2, 1, 4]) }
        #expect(bench.takeAll().contains(.advertised(peer, AdvertisingOctets(data: [2, 1, 4]))))
    }

    @Test func aRefusedScanIsLogged() {
        let bench = SessionBench.ready(centrals: 1)
        bench.controller.refusals[setScanEnable] = 0x0C
        scan(1, bench)
        #expect(bench.takeAll() == [.note(.scanningRefused(.commandDisallowed))])
    }

    /// A session that wants each packet gets none at the end of the wait for a scan response.
    @Test func theEndOfAWaitIsNoPacket() {
        let bench = SessionBench.ready(centrals: 1, 2)
        scan(1, bench, ScanRequest(allowDuplicates: true))
        scan(2, bench)
        report(bench) { $0.report(0, from: 1) }
        #expect(bench.takeDiscoveries().map(\.sessions) == [[1]])
        bench.run(.milliseconds(250))
        #expect(bench.takeDiscoveries().map(\.sessions) == [[2]])
        report(bench) { $0.report(0, from: 1) }
        #expect(bench.takeDiscoveries().map(\.sessions) == [[1]])
        bench.run(.seconds(1))
        #expect(bench.takeDiscoveries().isEmpty)
    }

    /// The wait of an advertiser ends once in a scan, and each scan has its own.
    @Test func eachScanWaitsForScanResponses() {
        let bench = SessionBench.ready(centrals: 1)
        for _ in 0..<3 {
            scan(1, bench)
            report(bench) { $0.report(0, from: 1) }
            bench.run(.milliseconds(100))
            report(bench) { $0.report(0, from: 1) }
            bench.run(.milliseconds(149))
            #expect(bench.takeDiscoveries().isEmpty)
            bench.run(.milliseconds(1))
            #expect(bench.takeDiscoveries().count == 1)
            report(bench) { $0.report(0, from: 1) }
            #expect(bench.sessions.nextDeadline == nil && bench.takeDiscoveries().isEmpty)
            // Changed data of a silent responder waits no more.
            report(bench) { $0.report(0, from: 1, [2, 1, 4]) }
            #expect(bench.takeDiscoveries().count == 1)
            report(bench) { $0.report(4, from: 1, [2, 9, 0x41]) }
            #expect(bench.takeDiscoveries().count == 1)
            bench.call { $0.stopScan(session: 1, at: $1) }
            bench.run(.seconds(1))
        }
    }

    /// The wait that a response ends releases no other one.
    @Test func waitsOfSeveralAdvertisersEndApart() {
        let bench = SessionBench.ready(centrals: 1)
        scan(1, bench)
        for number in 1...300 {
            report(bench) { $0.report(0, from: UInt64(number)) }
            bench.run(.microseconds(100))
            if number.isMultiple(of: 3) { report(bench) { $0.report(4, from: UInt64(number - 1), [2, 9, 0x41]) } }
        }
        var found = bench.takeDiscoveries().map { $0.discovery.address?.value ?? 0 }
        #expect(found == Array(stride(from: 2, through: 299, by: 3)))
        bench.run(.milliseconds(230))
        bench.run(.milliseconds(21))
        found = bench.takeDiscoveries().map { $0.discovery.address?.value ?? 0 }
        let others: [UInt64] = (1...300).filter { $0 % 3 != 2 }
        #expect(found == others)
        #expect(bench.sessions.nextDeadline == nil)
    }

    private func runs(_ bench: SessionBench) -> Int {
        bench.takeAll().count { if case .discovered = $0 { true } else { false } }
    }

    @Test func consecutiveDiscoveriesOfTheSameSessionsShareAnEvent() {
        let bench = SessionBench.ready(centrals: 1, 2)
        scan(1, bench)
        for number in 1...3 { bench.controller.report(from: UInt64(number)) }
        bench.settle()
        #expect(bench.takeDiscoveries().map(\.sessions) == [[1], [1], [1]] && runs(bench) == 1)
        // Not across another event.
        bench.controller.report(from: 4)
        bench.controller.acceptLink(from: 0xC000_0000_0009)
        bench.controller.report(from: 5)
        bench.controller.report(from: 6)
        bench.settle()
        #expect(bench.takeDiscoveries().map(\.discovery.address?.value) == [4, 5, 6] && runs(bench) == 2)
        // Nor with other sessions.
        scan(2, bench, ScanRequest(services: [service]))
        bench.controller.report(from: 7)
        bench.controller.report(from: 8)
        bench.controller.report(from: 9, advertisingService)
        bench.controller.report(from: 10, advertisingService)
        bench.controller.report(from: 11)
        bench.settle()
        #expect(bench.takeDiscoveries().map(\.sessions) == [[1], [1], [1, 2], [1, 2], [1]] && runs(bench) == 3)
        bench.call { $0.stopScan(session: 1, at: $1) }
        bench.controller.report(from: 12, advertisingService)
        bench.controller.report(from: 13, advertisingService)
        bench.settle()
        #expect(bench.takeDiscoveries().map(\.sessions) == [[2], [2]] && runs(bench) == 1)
    }
}
