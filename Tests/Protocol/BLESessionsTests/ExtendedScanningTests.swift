import BLEAdapter
import BLEHost
import BLEWire
import Testing

@testable import BLESessions

/// Scans and connections of sessions on a controller with extended advertising.
struct ExtendedScanningTests {
    private let bench = SessionBench.ready(centrals: 1) { $0.isExtended = true }

    private func scan(_ request: ScanRequest = ScanRequest(), _ bench: SessionBench? = nil) {
        (bench ?? self.bench).call { $0.startScan(request, session: 1, at: $1) }
    }

    private func discoveries() -> [(data: [UInt8], scanResponse: [UInt8], isConnectable: Bool)] {
        bench.settle()
        return bench.takeDiscoveries().map {
            ([UInt8]($0.discovery.octets.data), [UInt8]($0.discovery.octets.scanResponse), $0.discovery.isConnectable)
        }
    }

    /// AD structures of `count` octets together: names and service data.
    private func long(_ count: Int) -> [UInt8] {
        var octets: [UInt8] = []
        while octets.count < count {
            let rest = min(count - octets.count, 256)
            octets +=
                [UInt8(rest - 1), 0xFF]
                + [UInt8](repeating: UInt8(truncatingIfNeeded: octets.count), count: max(0, rest - 2))
        }
        return octets
    }

    private func sendInPieces(_ type: UInt16, from address: UInt64, _ octets: [UInt8], end: UInt16 = 0) {
        var start = 0
        repeat {
            let next = min(start + 229, octets.count)
            bench.controller.extendedReport(
                type | (next == octets.count ? end : 0x20), from: address, Array(octets[start..<next]))
            start = next
        } while start < octets.count
    }

    @Test func theControllerScansByTheExtendedCommands() {
        scan()
        // The start-up tries both commands.
        #expect(bench.controller.count(of: 0x2041) == 2 && bench.controller.count(of: 0x2042) == 2)
        #expect(bench.controller.count(of: 0x200B) == 0 && bench.controller.count(of: 0x200C) == 0)
        bench.call { $0.stopScan(session: 1, at: $1) }
        #expect(
            bench.controller.commands.last?.opcode == 0x2042 && bench.controller.commands.last?.parameters.first == 0)
    }

    /// With the configuration on Coded as well.
    @Test func theConfigurationAddsTheCodedPHY() {
        for (isOn, phys) in [(false, 1), (true, 5)] as [(Bool, UInt8)] {
            let bench = SessionBench.ready(centrals: 1, scansCodedPHY: isOn) { $0.isExtended = true }
            scan(ScanRequest(), bench)
            #expect(bench.controller.commands.last { $0.opcode == 0x2041 }?.parameters[2] == phys)
        }
    }

    /// Legacy packets mean the same in either form of report.
    @Test func legacyPacketsAreReportedAsEver() {
        let legacy = SessionBench.ready(centrals: 1)
        scan()
        scan(ScanRequest(), legacy)
        for (kind, type) in [(0, 0x13), (4, 0x1B), (1, 0x15), (2, 0x12), (4, 0x1A), (3, 0x10)] as [(UInt8, UInt16)] {
            for address in 1...3 as ClosedRange<UInt64> {
                legacy.controller.report(kind, from: address, [2, 1, kind])
                bench.controller.extendedReport(type, from: address, [2, 1, kind], sid: 0xFF)
            }
            legacy.settle()
            let expected = legacy.takeDiscoveries().map {
                (
                    [UInt8]($0.discovery.octets.data), [UInt8]($0.discovery.octets.scanResponse),
                    $0.discovery.isConnectable
                )
            }
            let found = discoveries()
            #expect(found.count == expected.count, "\(kind)")
            for (found, expected) in zip(found, expected) { #expect(found == expected) }
        }
    }

    @Test(arguments: [32, 229, 230, 458, 1_650]) func longAdvertisementsArriveWhole(count: Int) {
        scan()
        for round in 0..<2 {
            let octets = long(count)
            sendInPieces(0x01, from: 1, octets)
            let found = discoveries()
            // Connectable and not scannable: no wait for a scan response. Reported once.
            #expect(found.count == (round == 0 ? 1 : 0))
            #expect(found.allSatisfy { $0.data == octets && $0.isConnectable })
        }
        bench.call { $0.stopScan(session: 1, at: $1) }
        scan()
        sendInPieces(0x01, from: 1, long(count))
        #expect(discoveries().count == 1)
    }

    /// A scannable set has its data in the scan response.
    @Test func aLongScanResponseIsJoined() {
        scan()
        bench.controller.extendedReport(0x02, from: 1, [])
        #expect(discoveries().isEmpty)
        let octets = long(700)
        sendInPieces(0x0A, from: 1, octets)
        let found = discoveries()
        #expect(found.count == 1 && found.first?.scanResponse == octets && found.first?.isConnectable == false)
    }

    /// What was not received whole, and what has no address, is no discovery.
    @Test func truncatedAndAnonymousAdvertisementsAreNotDelivered() {
        scan(ScanRequest(allowDuplicates: true))
        sendInPieces(0x01, from: 1, long(300), end: 0x40)
        bench.controller.extendedReport(0x41, from: 2, [2, 1, 6])
        bench.controller.extendedReport(0x21, from: 3, [2, 1, 6])
        bench.controller.extendedReport(0x00, from: 0, [2, 1, 6], kind: 0xFF)
        #expect(discoveries().isEmpty && bench.sessions.context.advertisers.entries.isEmpty)
        // The first one is noted.
        let notes = bench.takeAll().compactMap { event -> DeviceAddress? in
            if case .note(.advertisementTruncated(let address)) = event { address } else { nil }
        }
        #expect(notes.map(\.value) == [1])
        sendInPieces(0x01, from: 1, long(300))
        #expect(discoveries().map(\.data) == [long(300)])
    }

    /// Each set is reported once, and again when its own data changes. A scan response belongs to its set.
    @Test func theSetsOfADeviceAreToldApart() {
        scan()
        for round in 0..<3 {
            bench.controller.extendedReport(0x10, from: 1, [2, 1, 6], sid: 0xFF)
            bench.controller.extendedReport(0x00, from: 1, [3, 3, 1, 0x18], sid: 1)
            bench.controller.extendedReport(0x01, from: 1, [3, 3, 2, 0x18], sid: 2)
            bench.settle()
            let found = bench.takeDiscoveries()
            #expect(found.count == (round == 0 ? 3 : 0))
            #expect(Set(found.map(\.discovery.peer.identifier)).count == (round == 0 ? 1 : 0))
            #expect(found.map(\.discovery.content.form?.sid) == (round == 0 ? [0xFF, 1, 2] : []))
        }
        bench.controller.extendedReport(0x00, from: 1, [3, 3, 3, 0x18], sid: 1)
        #expect(discoveries().map(\.data) == [[3, 3, 3, 0x18]])
        for round in 0..<2 {
            bench.controller.extendedReport(0x12, from: 2, [2, 1, 6], sid: 0xFF)
            bench.controller.extendedReport(0x02, from: 2, [], sid: 4)
            bench.controller.extendedReport(0x0A, from: 2, [2, 0x0A, 4], sid: 4)
            bench.controller.extendedReport(0x1A, from: 2, [2, 0x0A, 7], sid: 0xFF)
            let found = discoveries()
            #expect(found.map(\.data) == (round == 0 ? [[], [2, 1, 6]] : []))
            #expect(found.map(\.scanResponse) == (round == 0 ? [[2, 0x0A, 4], [2, 0x0A, 7]] : []))
        }
    }

    /// A set without a name has that of the device.
    @Test func aNameIsThatOfAllSets() {
        scan()
        bench.controller.extendedReport(0x10, from: 1, [2, 9, 0x41], sid: 0xFF)
        bench.controller.extendedReport(0x00, from: 1, [2, 1, 6], sid: 1)
        bench.settle()
        #expect(bench.takeDiscoveries().map(\.discovery.content.name) == ["A", "A"])
    }

    /// The PHY on which a device was heard last is that of the attempt, in each of several.
    @Test func aDeviceIsConnectedOnThePHYOnWhichItWasHeard() {
        scan()
        bench.controller.outcomes = [.pending, .pending, .pending, .pending]
        for (primary, phys) in [(3, 5), (1, 1), (3, 5)] as [(UInt8, UInt8)] {
            bench.controller.extendedReport(0x01, from: 9, [2, 1, 6], primary: primary, secondary: primary)
            bench.settle()
            bench.connect(9, session: 1)
            let create = bench.controller.commands.last { $0.opcode == 0x2043 }?.parameters
            #expect(create?[9] == phys)
            bench.cancel(9, session: 1)
        }
        bench.connect(10, session: 1)
        #expect(bench.controller.commands.last { $0.opcode == 0x2043 }?.parameters[9] == 1, "not heard")
    }

    @Test func aDeviceOnSecondaryChannelsConnects() {
        scan()
        for _ in 0..<2 {
            bench.controller.extendedReport(0x01, from: 9, long(200), secondary: 2)
            #expect(discoveries().allSatisfy { $0.isConnectable })
            bench.connect(9, session: 1)
            #expect(bench.take().contains { if case .connected = $0 { true } else { false } })
            bench.cancel(9, session: 1)
            _ = bench.take()
        }
        #expect(bench.controller.count(of: 0x200D) == 0)
    }
}
