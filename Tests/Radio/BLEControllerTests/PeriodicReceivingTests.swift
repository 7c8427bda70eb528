import BLEWire
import Testing

@testable import BLEController

/// The reception of periodic advertising (Vol 6, Part B, 4.4.3.4 and 4.4.5; Vol 4, Part E, 7.8.67 to 7.8.73 and 7.8.88).
struct PeriodicReceivingTests {
    private let bench = Bench()
    private let advertiser: RawHost
    private let scanner: RawHost

    init() {
        advertiser = bench.addHost()
        scanner = bench.addHost()
    }

    private func octets(_ count: Int, _ factor: Int = 7) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: $0 &* factor) }
    }

    /// Requests a sync and runs until it is established.
    private func synchronize(
        _ setID: UInt8 = 1, timeout: UInt16 = 100, skip: UInt16 = 0, options: HCI.PeriodicSyncOptions = []
    ) -> HCI.LEPeriodicAdvertisingSyncEstablished? {
        let before = scanner.established.count
        #expect(
            scanner.createSync(bench, with: advertiser, setID: setID, skip: skip, timeout: timeout, options: options)
                == .success)
        _ = bench.run(atMost: .seconds(10)) { scanner.established.count > before }
        return scanner.established.last
    }

    private func forget() { scanner.events.removeAll() }

    /// A collision corrupts AUX_CHAIN_IND: the report of the event ends with what was received.
    @Test func aCorruptedChainIsTruncated() throws {
        let data = octets(400)
        #expect(advertiser.advertisePeriodically(bench, interval: 160, data: data) == .success)
        let jammer = TestTransmitter(bench)
        scanner.scanExtended()
        let sync = try #require(synchronize())
        #expect(sync.status == .success)
        scanner.send(HCI.LESetExtendedScanEnable(enable: false))
        var chain: (channel: UInt8, start: Instant)?
        bench.radio.airObserver = { packet in
            guard packet.accessAddress != LL.advertisingAccessAddress,
                case .extended(_, let payload)? = try? LL.AdvertisingPDU(decoding: packet.pdu),
                let pointer = payload.pointer
            else { return }
            chain = (pointer.channel, packet.start + pointer.span)
        }
        // The event that established the sync goes on.
        bench.run(for: .milliseconds(20))
        forget()
        for _ in 0..<6 {
            chain = nil
            #expect(bench.run(atMost: .seconds(1)) { chain != nil })
            let (channel, start) = try #require(chain)
            jammer.transmit(octets(30), at: start + .microseconds(500), on: channel, phy: .oneM)
            bench.run(for: .milliseconds(20))
        }
        let reports = scanner.periodicReports
        #expect(reports.count == 6 && reports.allSatisfy { $0.isTruncated && !$0.data.isEmpty })
        #expect(reports.allSatisfy { $0.data.count < 400 && data.starts(with: $0.data) })
    }

    /// LL/DDI/SCN: whole data on each PHY, and new data with the next event.
    @Test(arguments: [HCI.PHY.le1M, .le2M, .leCoded], [0, 247, 248, 1_650])
    func theDataOfATrainIsReported(phy: HCI.PHY, count: Int) throws {
        #expect(
            advertiser.advertisePeriodically(
                bench, interval: 160, data: octets(count), phy: phy, properties: .includesTxPower) == .success)
        scanner.scanExtended(on: phy == .leCoded ? .leCoded : .le1M)
        let sync = try #require(synchronize())
        #expect(sync.status == .success && sync.advertisingSID == 1 && sync.advertiserAddress == advertiser.address)
        #expect(sync.advertiserPHY == phy && sync.interval == 160 && sync.advertiserClockAccuracy.rawValue == 7)
        // The scanner need not go on.
        scanner.send(HCI.LESetExtendedScanEnable(enable: false))
        for round in 1...3 {
            let data = octets(max(count, 1), 7 + round)
            bench.run(for: .milliseconds(1_000))
            let before = scanner.periodicReports
            #expect(before.count >= 4 && before.allSatisfy { !$0.isTruncated && $0.handle == sync.syncHandle })
            #expect(before.allSatisfy { $0.txPower == 0 && $0.tone == 0xFF })
            if round == 1 { #expect(before.allSatisfy { $0.data == octets(count) }) }
            // A running train takes complete data, of at most 252 octets.
            guard count <= 248 else { break }
            #expect(advertiser.setPeriodicData(bench, data) == .success)
            forget()
            bench.run(for: .milliseconds(1_000))
            let reports = scanner.periodicReports
            #expect(reports.count >= 4 && reports.dropFirst().allSatisfy { $0.data == data })
            forget()
        }
    }

    /// 7.7.65.13: reports of the set have the interval of its train.
    @Test func advertisingReportsHaveTheInterval() {
        advertiser.advertisePeriodically(bench, interval: 88)
        scanner.scanExtended()
        bench.run(for: .seconds(1))
        var intervals: Set<UInt16> = []
        for event in scanner.events where event[0] == 0x3E && event[2] == 0x0D {
            guard var list = try? HCI.LEExtendedAdvertisingReport(decoding: event.span.extracting(droppingFirst: 3))
            else { continue }
            while let report = list.next() { intervals.insert(report.periodicAdvertisingInterval) }
        }
        #expect(intervals == [88])
    }

    /// Loss for less than the timeout does not end the sync; more does, and the next request finds the train again.
    @Test func aSyncSurvivesLossAndEndsAfterItsTimeout() throws {
        advertiser.advertisePeriodically(bench)
        scanner.scanExtended()
        for round in 1...2 {
            let sync = try #require(synchronize(timeout: 100))
            #expect(sync.status == .success)
            for _ in 0..<2 {
                bench.radio.setLoss(1, of: advertiser.identifier)
                bench.run(for: .milliseconds(800))
                bench.radio.setLoss(0, of: advertiser.identifier)
                forget()
                bench.run(for: .milliseconds(450))
                #expect(scanner.periodicReports.count >= 4 && scanner.lostSyncs.isEmpty)
            }
            bench.radio.setLoss(1, of: advertiser.identifier)
            forget()
            let last = bench.radio.now
            #expect(bench.run(atMost: .seconds(2)) { !scanner.lostSyncs.isEmpty })
            #expect(scanner.lostSyncs == [sync.syncHandle])
            let silence = bench.radio.now - last
            // The controller receives a window to its end.
            #expect(silence > .milliseconds(890) && silence <= .milliseconds(1_001))
            bench.radio.setLoss(0, of: advertiser.identifier)
            bench.run(for: .seconds(1))
            #expect(scanner.periodicReports.isEmpty && scanner.lostSyncs.count == 1, "round \(round)")
            #expect(bench.radio.medium.subscribers.values.allSatisfy { $0.count == 1 })
        }
    }

    /// 4.4.5: a train of which nothing is received.
    @Test func aTrainThatIsNotReceivedFails() {
        advertiser.advertisePeriodically(bench)
        scanner.scanExtended()
        for round in 1...2 {
            forget()
            bench.radio.setLoss(0, of: advertiser.identifier)
            #expect(scanner.createSync(bench, with: advertiser) == .success)
            #expect(bench.run(atMost: .seconds(2)) { !scanner.extendedReports.isEmpty })
            bench.radio.setLoss(1, of: advertiser.identifier)
            #expect(bench.run(atMost: .seconds(1)) { !scanner.established.isEmpty })
            #expect(scanner.established.map(\.status) == [.connectionFailedToBeEstablished], "round \(round)")
            #expect(scanner.createSync(bench, with: advertiser) == .success)
            #expect(scanner.status(bench, of: HCI.LEPeriodicAdvertisingCreateSyncCancel()) == .success)
        }
    }

    /// 7.8.67 to 7.8.69, 7.8.88.
    @Test func theCommandsHaveTheirErrors() throws {
        advertiser.advertisePeriodically(bench)
        let cancel = HCI.LEPeriodicAdvertisingCreateSyncCancel()
        #expect(scanner.status(bench, of: cancel) == .commandDisallowed)
        #expect(scanner.createSync(bench, with: advertiser, timeout: 9) == .invalidHCICommandParameters)
        #expect(scanner.createSync(bench, with: advertiser, skip: 500) == .invalidHCICommandParameters)
        #expect(scanner.createSync(bench, with: advertiser, setID: 16) == .invalidHCICommandParameters)
        #expect(
            scanner.createSync(bench, with: advertiser, excluded: .init(rawValue: 0x1F)) == .commandDisallowed)
        for _ in 0..<2 {
            forget()
            // Without a scan nothing is found (7.8.67).
            #expect(scanner.createSync(bench, with: advertiser) == .success)
            #expect(scanner.createSync(bench, with: advertiser) == .commandDisallowed)
            bench.run(for: .seconds(1))
            #expect(scanner.established.isEmpty)
            #expect(
                scanner.status(bench, of: HCI.LEPeriodicAdvertisingTerminateSync(syncHandle: 0)) == .commandDisallowed)
            #expect(scanner.status(bench, of: HCI.LEClearPeriodicAdvertiserList()) == .commandDisallowed)
            // The answer precedes the event.
            #expect(scanner.status(bench, of: cancel) == .success)
            #expect(scanner.established.map(\.status) == [.operationCancelledByHost])
            #expect(scanner.events.last?[0] == 0x3E)
            #expect(scanner.status(bench, of: cancel) == .commandDisallowed)
        }
        scanner.scanExtended()
        let handle = try #require(synchronize()?.syncHandle)
        #expect(scanner.createSync(bench, with: advertiser) == .connectionAlreadyExists)
        #expect(scanner.createSync(bench, with: advertiser, setID: 2) == .success)
        #expect(scanner.status(bench, of: cancel) == .success)
        let terminate = HCI.LEPeriodicAdvertisingTerminateSync(syncHandle: handle + 1)
        #expect(scanner.status(bench, of: terminate) == .unknownAdvertisingIdentifier)
        let enable = HCI.LESetPeriodicAdvertisingReceiveEnable(syncHandle: handle + 1, enable: .reports)
        #expect(scanner.status(bench, of: enable) == .unknownAdvertisingIdentifier)
        let reserved = HCI.LESetPeriodicAdvertisingReceiveEnable(syncHandle: handle, enable: .init(rawValue: 4))
        #expect(scanner.status(bench, of: reserved) == .invalidHCICommandParameters)
    }

    /// Cancelling while the controller already listens for the train leaves nothing.
    @Test func aSyncIsCancelledBeforeItsFirstPDU() {
        advertiser.advertisePeriodically(bench, interval: 800)
        scanner.scanExtended()
        for _ in 0..<2 {
            forget()
            #expect(scanner.createSync(bench, with: advertiser) == .success)
            #expect(bench.run(atMost: .seconds(2)) { bench.radio.medium.subscribers.values.contains { $0.count == 2 } })
            #expect(scanner.status(bench, of: HCI.LEPeriodicAdvertisingCreateSyncCancel()) == .success)
            #expect(bench.radio.medium.subscribers.values.allSatisfy { $0.count == 1 })
            bench.run(for: .seconds(3))
            #expect(scanner.established.map(\.status) == [.operationCancelledByHost])
            #expect(scanner.periodicReports.isEmpty)
        }
    }

    @Test func aTerminatedSyncHasNoReports() throws {
        advertiser.advertisePeriodically(bench)
        scanner.scanExtended()
        for _ in 0..<3 {
            let handle = try #require(synchronize()?.syncHandle)
            bench.run(for: .seconds(1))
            #expect(scanner.periodicReports.count >= 9)
            let terminate = HCI.LEPeriodicAdvertisingTerminateSync(syncHandle: handle)
            #expect(scanner.status(bench, of: terminate) == .success)
            forget()
            bench.run(for: .seconds(1))
            #expect(scanner.periodicReports.isEmpty && scanner.lostSyncs.isEmpty)
            #expect(scanner.status(bench, of: terminate) == .unknownAdvertisingIdentifier)
        }
    }

    /// 4.3.4: any set of the list, and its rules (7.8.70 to 7.8.73).
    @Test func theListSelectsTrains() throws {
        let other = bench.addHost()
        for host in [advertiser, other] {
            for handle in 1...2 as ClosedRange<UInt8> { host.advertisePeriodically(bench, handle: handle) }
        }
        scanner.scanExtended()
        func add(_ host: RawHost, _ setID: UInt8) -> HCI.ErrorCode? {
            scanner.status(
                bench,
                of: HCI.LEAddDeviceToPeriodicAdvertiserList(advertiserAddress: host.address, advertisingSID: setID))
        }
        func remove(_ host: RawHost, _ setID: UInt8) -> HCI.ErrorCode? {
            scanner.status(
                bench,
                of: HCI.LERemoveDeviceFromPeriodicAdvertiserList(
                    advertiserAddress: host.address, advertisingSID: setID))
        }
        for _ in 0..<2 {
            forget()
            #expect(add(advertiser, 2) == .success && add(other, 1) == .success)
            #expect(add(other, 1) == .invalidHCICommandParameters && remove(other, 2) == .unknownAdvertisingIdentifier)
            #expect(add(other, 2) == .success && remove(other, 2) == .success)
            for count in 1...2 {
                #expect(scanner.createSync(bench, setID: 9, options: .usesList) == .success)
                #expect(add(other, 2) == .commandDisallowed && remove(other, 1) == .commandDisallowed)
                #expect(bench.run(atMost: .seconds(5)) { scanner.established.count == count })
            }
            let found = scanner.established
            #expect(found.allSatisfy { $0.status == .success })
            #expect(
                Set(found.map { [$0.advertiserAddress.value, UInt64($0.advertisingSID)] })
                    == [[advertiser.address.value, 2], [other.address.value, 1]])
            // There is no third one.
            #expect(scanner.createSync(bench, options: .usesList) == .success)
            bench.run(for: .seconds(3))
            #expect(scanner.established.count == 2)
            scanner.status(bench, of: HCI.LEPeriodicAdvertisingCreateSyncCancel())
            for sync in found {
                let terminate = HCI.LEPeriodicAdvertisingTerminateSync(syncHandle: sync.syncHandle)
                #expect(scanner.status(bench, of: terminate) == .success)
            }
            #expect(scanner.status(bench, of: HCI.LEClearPeriodicAdvertiserList()) == .success)
        }
        scanner.send(HCI.LEReadPeriodicAdvertiserListSize())
        bench.deliver()
        #expect(scanner.events.contains { $0[0] == 0x0E && Array($0[3...]) == [0x4A, 0x20, 0, 16] })
    }

    /// The controller receives a limited number of trains (0x07), each with its own reports.
    @Test func theNumberOfTrainsIsLimited() {
        let small = bench.addHost { $0.periodicSyncLimit = 2 }
        for handle in 1...3 as ClosedRange<UInt8> {
            advertiser.advertisePeriodically(bench, handle: handle, interval: 200, data: [handle])
        }
        small.scanExtended()
        for handle in 1...2 as ClosedRange<UInt8> {
            #expect(small.createSync(bench, with: advertiser, setID: handle) == .success)
            #expect(bench.run(atMost: .seconds(5)) { small.established.count == Int(handle) })
        }
        #expect(small.createSync(bench, with: advertiser, setID: 3) == .memoryCapacityExceeded)
        small.events.removeAll()
        bench.run(for: .seconds(5))
        let reports = small.periodicReports
        for handle in 0..<2 as Range<UInt16> {
            let own = reports.filter { $0.handle == handle }
            #expect(own.count >= 18 && own.allSatisfy { $0.data == [UInt8(handle + 1)] })
        }
        small.status(bench, of: HCI.LEPeriodicAdvertisingTerminateSync(syncHandle: 0))
        #expect(small.createSync(bench, with: advertiser, setID: 3) == .success)
        small.events.removeAll()
        #expect(bench.run(atMost: .seconds(5)) { small.established.map(\.syncHandle) == [0] })
    }

    /// 7.8.67 and 7.8.88: reports off, on, and without duplicates.
    @Test func reportsFollowTheHost() throws {
        advertiser.advertisePeriodically(bench, data: [1])
        scanner.scanExtended()
        let handle = try #require(synchronize(options: .reportsAreOff)?.syncHandle)
        func enable(_ enable: HCI.PeriodicReceiveEnable) {
            let command = HCI.LESetPeriodicAdvertisingReceiveEnable(syncHandle: handle, enable: enable)
            #expect(scanner.status(bench, of: command) == .success)
            forget()
        }
        for octet in 1...2 as ClosedRange<UInt8> {
            bench.run(for: .seconds(2))
            #expect(scanner.periodicReports.isEmpty && scanner.lostSyncs.isEmpty)
            enable(.reports)
            bench.run(for: .seconds(1))
            #expect(scanner.periodicReports.count >= 9)
            enable([.reports, .filtersDuplicates])
            bench.run(for: .seconds(1))
            advertiser.setPeriodicData(bench, [octet + 1])
            bench.run(for: .seconds(1))
            #expect(scanner.periodicReports.map(\.data) == [[octet], [octet + 1]])
            enable([])
        }
    }

    /// A receiver that skips events follows the train all the same, over new channel maps too.
    @Test(arguments: [0, 5, 50] as [UInt16]) func skippingReceiversFollowTheTrain(skip: UInt16) throws {
        advertiser.advertisePeriodically(bench, interval: 24)
        scanner.scanExtended()
        _ = try #require(synchronize(timeout: 1_000, skip: skip))
        for round in 0..<4 {
            let map: UInt64 = round % 2 == 0 ? 0x3FF : 0x1F_FFE0_0000
            advertiser.status(bench, of: HCI.LESetHostChannelClassification(channelMap: .init(rawValue: map)))
            bench.run(for: .seconds(3))
            forget()
            bench.run(for: .seconds(6))
            #expect(scanner.periodicReports.count >= 190 / (Int(skip) + 1) && scanner.lostSyncs.isEmpty)
        }
    }

    /// Vol 4, Part E, 7.3.2.
    @Test(arguments: [0, 100, 150, 1_000]) func aResetEndsSyncs(milliseconds: Int) throws {
        advertiser.advertisePeriodically(bench, data: octets(1_650))
        for _ in 0..<2 {
            forget()
            scanner.scanExtended()
            #expect(scanner.createSync(bench, with: advertiser) == .success)
            if milliseconds > 0 { #expect(bench.run(atMost: .seconds(5)) { !scanner.established.isEmpty }) }
            bench.run(for: .milliseconds(milliseconds) + .microseconds(3_700))
            scanner.send(HCI.Reset())
            scanner.send(HCI.SetEventMask(mask: HCI.EventMask(rawValue: .max)))
            scanner.unmaskPeriodic()
            scanner.send(HCI.LESetRandomAddress(address: scanner.address))
            bench.deliver()
            forget()
            bench.run(for: .seconds(2))
            #expect(scanner.events.isEmpty)
            #expect(bench.radio.medium.subscribers.values.allSatisfy { $0.count == 1 })
            #expect(bench.radio.medium.devices[scanner.identifier.rawValue].tuning == nil)
        }
    }

    /// A controller with a sync is not quiet, and goes on without its scanner.
    @Test func aControllerWithASyncIsNotQuiet() throws {
        advertiser.advertisePeriodically(bench)
        scanner.scanExtended()
        _ = try #require(synchronize())
        scanner.send(HCI.LESetExtendedScanEnable(enable: false))
        bench.deliver()
        #expect(bench.radio.quietUntil == nil)
        bench.run(for: .seconds(1))
        #expect(scanner.periodicReports.count >= 9)
    }
}
