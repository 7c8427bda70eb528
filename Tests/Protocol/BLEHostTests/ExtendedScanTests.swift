import BLEWire
import Testing

@testable import BLEHost

/// Scans and connections by the extended commands (Vol 4, Part E, 7.8.64 to 7.8.66).
struct ExtendedScanTests {
    private let bench = Bench()

    private func host(
        _ more: HCI.LEFeatures = [], _ configuration: HostConfiguration = HostConfiguration(),
        _ adjust: (FakeController) -> Void = { _ in }
    ) -> BenchHost {
        let host = bench.ready(configuration) {
            $0.publicAddress = 0x0011_2233_4455
            $0.becomeExtended(more)
            adjust($0)
        }
        host.controller.clearLog()
        return host
    }

    private func parameters(_ opcode: HCI.Opcode, by host: BenchHost) -> [UInt8]? {
        host.controller.log.last { $0.opcode == opcode }?.parameters
    }

    private func scan(_ parameters: ScanParameters?, on host: BenchHost) {
        host.host.setScanning(parameters, at: bench.now)
        bench.settle()
    }

    private func reports(_ host: BenchHost) -> [(report: AdvertisingReport, data: [UInt8])] {
        defer { host.clearEvents() }
        return host.events.compactMap {
            if case .advertisingReport(let report) = $0.event { (report, Array($0.bytes[report.data])) } else { nil }
        }
    }

    private func random(_ value: UInt64) -> DeviceAddress { DeviceAddress(kind: .random, value: value) }

    // MARK: Scan

    @Test func scanningHasItsFields() {
        let device = host([.phyCoded])
        scan(ScanParameters(), on: device)
        #expect(parameters(.leSetExtendedScanParameters, by: device) == [0, 0, 1, 1, 64, 0, 64, 0])
        #expect(parameters(.leSetExtendedScanEnable, by: device) == [1, 0, 0, 0, 0, 0])
        // A duty cycle with room for both.
        scan(
            ScanParameters(
                isActive: false, interval: 0x1234, window: 0x56, filtersDuplicates: true, phys: [.le1M, .leCoded]),
            on: device)
        #expect(
            parameters(.leSetExtendedScanParameters, by: device) == [
                0, 0, 5, 0, 0x34, 0x12, 0x56, 0, 0, 0x34, 0x12, 0x56, 0,
            ])
        #expect(parameters(.leSetExtendedScanEnable, by: device) == [1, 1, 0, 0, 0, 0])
        // Coded gets a third of a continuous scan.
        scan(ScanParameters(interval: 60, window: 60, phys: [.le1M, .leCoded]), on: device)
        #expect(parameters(.leSetExtendedScanParameters, by: device) == [0, 0, 5, 1, 60, 0, 40, 0, 1, 60, 0, 20, 0])
        scan(ScanParameters(phys: .leCoded), on: device)
        #expect(parameters(.leSetExtendedScanParameters, by: device) == [0, 0, 4, 1, 64, 0, 64, 0])
        scan(nil, on: device)
        #expect(parameters(.leSetExtendedScanEnable, by: device) == [0, 0, 0, 0, 0, 0])
        #expect(device.controller.log.allSatisfy { CommandKind($0.opcode) != .legacy })
    }

    /// Windows and intervals of every size are allowed values: 4 units or more, the sum in the interval where both fit.
    @Test func sharedWindowsFit() {
        for interval in [4, 5, 11, 12, 13, 48, 64, 100, 16_384] as [UInt16] {
            for window in [4, interval / 2, interval - 1, interval] where window >= 4 {
                let windows = ScanShare([.le1M, .le2M, .leCoded], interval: interval, window: window).windows
                #expect(windows.count == 3 && windows.allSatisfy { (4...window).contains($0) }, "\(interval) \(window)")
                #expect(windows[0] == windows[1])
                if interval >= 12 { #expect(windows[0] + windows[2] <= interval) }
                #expect(ScanShare(.le1M, interval: interval, window: window).windows == [window])
                #expect(ScanShare(.leCoded, interval: interval, window: window).windows == [window])
            }
        }
    }

    @Test func aPHYThatTheControllerDoesNotScanIsLeftOut() {
        for isExtended in [true, false] {
            let device = isExtended ? host() : bench.ready { $0.features = [.phyCoded] }
            scan(ScanParameters(phys: [.le1M, .leCoded]), on: device)
            #expect(device.controller.isScanning)
            scan(ScanParameters(phys: .leCoded), on: device)
            guard case .scanningFailed(.unsupportedFeatureOrParameterValue)? = device.events.last?.event else {
                Issue.record("\(device.events)")
                return
            }
            #expect(!device.controller.isScanning)
        }
    }

    // MARK: Reports

    @Test func aReportHasItsFields() throws {
        let device = host()
        scan(ScanParameters(), on: device)
        device.controller.report(0x01, from: 1, [3, 9, 65, 66], sid: 7, primary: 3, secondary: 2, txPower: -3)
        bench.settle()
        let (report, data) = try #require(reports(device).first)
        #expect(report.kind == .connectable && report.address == random(1) && report.rssi == -40)
        #expect(!report.form.isLegacy && !report.isTruncated && !report.isScannable && report.isConnectable)
        #expect(
            report.form.primaryPHY == 3 && report.form.secondaryPHY == 2 && report.form.sid == 7
                && report.form.transmitPower == -3)
        #expect(data == [3, 9, 65, 66])
        for (type, kind, isLegacy, isScannable) in [
            (0x13, .connectable, true, true), (0x12, .scannable, true, true), (0x10, .nonConnectable, true, false),
            (0x15, .connectableDirected, true, false), (0x1B, .scanResponse, true, false),
            (0x02, .scannable, false, true), (0x00, .nonConnectable, false, false),
            (0x04, .nonConnectable, false, false),
            (0x05, .connectableDirected, false, false), (0x0A, .scanResponse, false, false),
        ] as [(UInt16, AdvertisingReport.Kind, Bool, Bool)] {
            device.controller.report(type, from: 1, sid: isLegacy ? 0xFF : 1)
            bench.settle()
            let report = try #require(reports(device).first).report
            #expect(
                report.kind == kind && report.form.isLegacy == isLegacy && report.isScannable == isScannable, "\(type)")
        }
    }

    /// A legacy packet has at most 31 octets, in one report.
    @Test func aLegacyReportThatCannotBeOneIsDropped() {
        let device = host()
        scan(ScanParameters(), on: device)
        for (type, count, isValid) in [
            (0x13, 31, true), (0x13, 32, false), (0x33, 3, false), (0x53, 3, false), (0x01, 32, true),
        ] as [(UInt16, Int, Bool)] {
            device.controller.report(type, from: 1, [UInt8](repeating: 0, count: count))
            bench.settle()
            #expect(reports(device).count == (isValid ? 1 : 0), "\(type) \(count)")
        }
    }

    @Test func longAdvertisementsArriveWhole() throws {
        let device = host()
        scan(ScanParameters(), on: device)
        for round in 0..<2 {
            let whole = (0..<1650).map { UInt8(truncatingIfNeeded: $0 &* 31) }
            for start in stride(from: 0, to: 1650, by: 229) {
                let end = min(1650, start + 229)
                device.controller.report(end == 1650 ? 0x01 : 0x21, from: 1, Array(whole[start..<end]))
                // A legacy device between.
                device.controller.report(0x13, from: 2, [2, 1, 6], sid: 0xFF)
            }
            bench.settle()
            let all = reports(device)
            let long = try #require(all.first { $0.report.address == random(1) })
            #expect(long.data == whole && !long.report.isTruncated && all.count == 9, "round \(round)")
        }
        device.controller.report(0x41, from: 1, [1, 2])
        bench.settle()
        #expect(reports(device).map(\.report.isTruncated) == [true])
    }

    /// A controller begins a scan without the rest of an advertisement of the last one. A piece between the request to stop and its answer counts.
    @Test func aScanBeginsWithoutOldPieces() {
        let device = host()
        for _ in 0..<2 {
            scan(ScanParameters(), on: device)
            device.controller.report(0x21, from: 1, [1])
            bench.settle()
            device.host.setScanning(nil, at: bench.now)
            device.controller.report(0x21, from: 1, [2])
            bench.settle()
            // Of no scan.
            device.controller.report(0x21, from: 1, [3])
            bench.settle()
            scan(ScanParameters(), on: device)
            device.controller.report(0x21, from: 1, [4])
            device.controller.report(0x01, from: 1, [5])
            bench.settle()
            let all = reports(device)
            #expect(all.map(\.data) == [[4, 5]] && all.allSatisfy { !$0.report.isTruncated })
            scan(nil, on: device)
        }
    }

    /// A pause for an attempt, which the host makes by itself, is the end of a scan as well.
    @Test func aPauseOfTheScanEndsUnfinishedAdvertisements() {
        let device = host { $0.cannotScanAndInitiate = true }
        scan(ScanParameters(), on: device)
        for _ in 0..<2 {
            device.controller.report(0x21, from: 1, [1])
            bench.settle()
            device.host.connect(to: random(9), at: bench.now)
            bench.settle()
            device.host.cancelConnect(to: random(9), at: bench.now)
            bench.settle()
            #expect(device.controller.isScanning)
            device.controller.report(0x21, from: 1, [4])
            device.controller.report(0x01, from: 1, [5])
            bench.settle()
            #expect(reports(device).map(\.data) == [[4, 5]])
        }
    }

    /// Some controllers set bits of the event type and the PHYs that are reserved for future use.
    @Test func reservedBitsAreIgnored() throws {
        let device = host(.phyCoded)
        scan(ScanParameters(phys: [.le1M, .leCoded]), on: device)
        device.host.connect(to: random(1), heardOn: .le1M, at: bench.now)
        device.controller.report(0x2513, from: 2, primary: 0x21, secondary: 0xE0)
        device.controller.report(0x2520, from: 1, [1], primary: 0x23, secondary: 0x63)
        device.controller.report(0x8080, from: 1, [2], primary: 0x43, secondary: 0x03)
        bench.settle()
        #expect(parameters(.leExtendedCreateConnection, by: device)?[9] == 5)
        let all = reports(device)
        #expect(all.map(\.data) == [[2, 1, 6], [1, 2]] && all.allSatisfy { !$0.report.isTruncated })
        #expect(all.map(\.report.form.primaryPHY) == [1, 3] && all.map(\.report.form.secondaryPHY) == [0, 3])
        #expect(all.map(\.report.kind) == [.connectable, .nonConnectable])
    }

    /// Legacy packets are on 1M, alone, and have no SID.
    @Test func aLegacyReportIsOn1M() throws {
        let device = host(.phyCoded)
        scan(ScanParameters(), on: device)
        device.host.connect(to: random(1), heardOn: .le1M, at: bench.now)
        bench.settle()
        device.controller.clearLog()
        device.controller.report(0x13, from: 1, sid: 5, primary: 3, secondary: 3)
        bench.settle()
        let report = try #require(reports(device).first).report
        #expect(report.form.primaryPHY == 1 && report.form.secondaryPHY == 0 && report.form.sid == 0xFF)
        #expect(device.controller.log.isEmpty)
    }

    @Test func anAnonymousAdvertisementHasNoAddress() throws {
        let device = host()
        scan(ScanParameters(), on: device)
        device.controller.report(0x00, from: 0, kind: 0xFF, [1, 1])
        bench.settle()
        let (report, data) = try #require(reports(device).first)
        #expect(report.address.kind == .anonymous && data == [1, 1])
    }

    /// Extended reports of a controller that scans by the legacy commands are of legacy packets.
    @Test func extendedReportsOfALegacyScanAreLegacy() throws {
        let device = bench.ready()
        scan(ScanParameters(), on: device)
        device.controller.report(0x01, from: 1, sid: 0xFF)
        bench.settle()
        let report = try #require(reports(device).first).report
        #expect(report.form.isLegacy && report.kind == .connectable && report.isScannable)
    }

    // MARK: Connections

    /// 7.8.66, with an entry for each PHY: 1M, 2M for links that begin on it, and Coded.
    @Test(arguments: [false, true], [false, true]) func connectingHasItsFields(has2M: Bool, isCoded: Bool) {
        var features: HCI.LEFeatures = .phyCoded
        if has2M { features.insert(.phy2M) }
        let device = host(features)
        device.host.connect(to: random(0xC605_0403_0201), heardOn: isCoded ? .leCoded : .le1M, at: bench.now)
        bench.settle()
        func entry(_ window: UInt8) -> [UInt8] { [48, 0, window, 0, 24, 0, 24, 0, 0, 0, 200, 0, 0, 0, 0, 0] }
        let first: UInt8 = isCoded ? 32 : 48
        #expect(
            parameters(.leExtendedCreateConnection, by: device)
                == [0, 0, 1, 1, 2, 3, 4, 5, 0xC6, 1 + (has2M ? 2 : 0) + (isCoded ? 4 : 0)] + entry(first)
                + (has2M ? entry(first) : []) + (isCoded ? entry(16) : []))
    }

    /// A peer is sought on 1M, and on Coded if it was heard there or the configuration says so. A controller without Coded has 1M alone.
    @Test func thePHYsOfAnAttemptAreThoseOfThePeer() {
        for (hasCoded, scansCoded, heard, isCoded) in [
            (true, false, nil, false), (true, true, nil, true), (false, true, nil, false), (true, true, .le1M, true),
            (true, false, .leCoded, true), (false, true, .leCoded, false),
        ] as [(Bool, Bool, HCI.PHY?, Bool)] {
            var configuration = HostConfiguration()
            configuration.scansCodedPHY = scansCoded
            let device = host(hasCoded ? .phyCoded : [], configuration)
            for _ in 0..<2 {
                device.host.connect(to: random(7), heardOn: heard, at: bench.now)
                bench.settle()
                #expect(parameters(.leExtendedCreateConnection, by: device)?[9] == (isCoded ? 5 : 1))
                device.host.cancelConnect(to: random(7), at: bench.now)
                bench.settle()
            }
        }
    }

    /// An attempt that waits for the end of the last link keeps the PHY of its peer.
    @Test func aPostponedAttemptKeepsThePHYOfItsPeer() throws {
        let (central, peripheral) = (host(.phyCoded), host(.phyCoded) { $0.publicAddress = 2 })
        peripheral.host.setAdvertising(AdvertisingParameters(data: []), at: bench.now)
        for round in 1...2 {
            central.host.connect(to: peripheral.controller.address, heardOn: .leCoded, at: bench.now)
            bench.settle()
            central.controller.holdsDisconnections = true
            central.host.disconnect(try #require(central.connected.last), at: bench.now)
            central.host.connect(to: peripheral.controller.address, heardOn: .leCoded, at: bench.now)
            bench.settle()
            central.controller.clearLog()
            central.controller.releaseDisconnections()
            bench.settle()
            #expect(parameters(.leExtendedCreateConnection, by: central)?[9] == 5, "round \(round)")
            central.host.disconnect(try #require(central.connected.last), at: bench.now)
            bench.settle()
        }
    }

    /// The accept list is used on Coded as long as one of its peers needs it.
    @Test func theAcceptListIsUsedOnThePHYsOfItsPeers() {
        let device = host(.phyCoded)
        device.host.connect(to: random(1), heardOn: .le1M, at: bench.now)
        device.host.connect(to: random(2), heardOn: .le1M, at: bench.now)
        bench.settle()
        #expect(parameters(.leExtendedCreateConnection, by: device)?.prefix(10) == [1, 0, 0, 0, 0, 0, 0, 0, 0, 1])
        device.host.cancelConnect(to: random(2), at: bench.now)
        device.host.connect(to: random(2), heardOn: .leCoded, at: bench.now)
        bench.settle()
        #expect(parameters(.leExtendedCreateConnection, by: device)?[9] == 5)
        // What is known of a peer ends with its request.
        device.host.cancelConnect(to: random(2), at: bench.now)
        bench.settle()
        device.host.connect(to: random(2), heardOn: .le1M, at: bench.now)
        bench.settle()
        #expect(parameters(.leExtendedCreateConnection, by: device)?[9] == 1)
    }

    /// A scan beside the attempt hears the peer on the other PHY: the attempt starts again, once.
    @Test func aPeerThatMovesToCodedIsSoughtThere() {
        let device = host(.phyCoded)
        scan(ScanParameters(phys: [.le1M, .leCoded]), on: device)
        for heard in [1, 2] as [UInt64] {
            device.host.connect(to: random(heard), heardOn: .le1M, at: bench.now)
            bench.settle()
        }
        #expect(parameters(.leExtendedCreateConnection, by: device)?[9] == 1)
        device.controller.clearLog()
        device.controller.report(0x01, from: 3, primary: 3, secondary: 3)
        device.controller.report(0x01, from: 2)
        bench.settle()
        #expect(device.controller.log.isEmpty)
        for _ in 0..<3 {
            device.controller.report(0x01, from: 2, primary: 3, secondary: 3)
            bench.settle()
        }
        #expect(device.controller.opcodes().count { $0 == .leExtendedCreateConnection } == 1)
        #expect(parameters(.leExtendedCreateConnection, by: device)?[9] == 5)
        #expect(device.controller.isScanning && device.controller.isInitiating)
        #expect(Set(device.controller.acceptList) == [random(1), random(2)])
        // The only peer of an attempt as well.
        device.host.cancelConnect(to: random(2), at: bench.now)
        bench.settle()
        #expect(parameters(.leExtendedCreateConnection, by: device)?[9] == 1)
        device.controller.report(0x01, from: 1, primary: 3, secondary: 3)
        bench.settle()
        #expect(parameters(.leExtendedCreateConnection, by: device)?.prefix(10) == [0, 0, 1, 1, 0, 0, 0, 0, 0, 5])
    }

    /// A link that began on Coded stays there; one that began on 1M moves to 2M as ever.
    @Test(arguments: [HCI.PHY.leCoded, .le1M]) func aLinkOnCodedStaysThere(phy: HCI.PHY) throws {
        let features: HCI.LEFeatures = [.phyCoded, .phy2M]
        let (central, peripheral) = (host(features), host(features) { $0.publicAddress = 2 })
        central.controller.linkPHY = phy
        peripheral.host.setAdvertising(AdvertisingParameters(data: []), at: bench.now)
        bench.settle()
        for _ in 0..<2 {
            central.controller.clearLog()
            central.host.connect(to: peripheral.controller.address, heardOn: .leCoded, at: bench.now)
            bench.settle()
            let link = try #require(central.connected.last)
            #expect(central.controller.opcodes().contains(.leReadPHY))
            #expect(central.controller.opcodes().contains(.leSetPHY) == (phy == .le1M))
            #expect(central.host.information(of: link)?.transmitPHY == (phy == .le1M ? 2 : 3))
            central.host.disconnect(link, at: bench.now)
            bench.settle()
        }
        // An advertiser on 1M may have its secondary channel on Coded.
        central.controller.clearLog()
        central.host.connect(to: peripheral.controller.address, heardOn: .le1M, at: bench.now)
        bench.settle()
        #expect(central.controller.opcodes().contains(.leReadPHY))
        #expect(central.controller.opcodes().contains(.leSetPHY) == (phy == .le1M))
    }

    /// A controller without Coded has nothing to read.
    @Test func aLinkMovesTo2MAtOnceWithoutCoded() {
        let (central, peripheral) = (host([.phy2M]), host([.phy2M]) { $0.publicAddress = 2 })
        peripheral.host.setAdvertising(AdvertisingParameters(data: []), at: bench.now)
        bench.settle()
        central.host.connect(to: peripheral.controller.address, heardOn: .le1M, at: bench.now)
        bench.settle()
        #expect(!central.controller.opcodes().contains(.leReadPHY) && central.controller.opcodes().contains(.leSetPHY))
    }

    /// The PHY of a link that cannot be read may be Coded.
    @Test func aLinkWhosePHYIsUnknownIsNotMoved() {
        let features: HCI.LEFeatures = [.phyCoded, .phy2M]
        for isSupported in [true, false] {
            let (central, peripheral) = (host(features), host(features) { $0.publicAddress = 2 })
            if !isSupported { central.host.lifecycle.capabilities.commands.remove(.leReadPHY) }
            central.controller.refusals[.leReadPHY] = .unspecifiedError
            peripheral.host.setAdvertising(AdvertisingParameters(data: []), at: bench.now)
            bench.settle()
            central.host.connect(to: peripheral.controller.address, heardOn: .leCoded, at: bench.now)
            bench.settle()
            #expect(central.connected.count == 1 && !central.controller.opcodes().contains(.leSetPHY))
            peripheral.host.setAdvertising(nil, at: bench.now)
            bench.settle()
        }
    }

    /// A controller that cannot scan and initiate: the scan pauses, by whichever kind of commands.
    @Test func aScanPausesForAnAttempt() {
        let (central, peripheral) = (host() { $0.cannotScanAndInitiate = true }, host() { $0.publicAddress = 2 })
        scan(ScanParameters(), on: central)
        for _ in 0..<2 {
            central.host.connect(to: peripheral.controller.address, at: bench.now)
            bench.settle()
            #expect(!central.controller.isScanning && central.controller.isInitiating)
            central.host.cancelConnect(to: peripheral.controller.address, at: bench.now)
            bench.settle()
            #expect(central.controller.isScanning)
        }
    }
}
