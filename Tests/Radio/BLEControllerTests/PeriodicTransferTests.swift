import BLEWire
import Testing

@testable import BLEController

/// The transfer of trains on links (Vol 6, Part B, 5.1.13; Vol 4, Part E, 7.8.89 to 7.8.92).
struct PeriodicTransferTests {
    private let bench = Bench()
    private let advertiser: RawHost
    private let helper: RawHost
    private let receiver: RawHost

    init() {
        advertiser = bench.addHost()
        helper = bench.addHost()
        receiver = bench.addHost()
        for host in [advertiser, helper, receiver] { host.unmaskPeriodic() }
    }

    /// Connects two hosts by extended commands.
    private func connect(
        _ central: RawHost, _ peripheral: RawHost, interval: UInt16 = 24
    ) throws -> (central: UInt16, peripheral: UInt16) {
        peripheral.advertiseExtended(bench, .connectable, handle: 0)
        let before = (central.connections.count, peripheral.connections.count)
        central.connectExtended(to: peripheral.address, interval: interval)
        #expect(
            bench.run(atMost: .seconds(5)) {
                central.connections.count > before.0 && peripheral.connections.count > before.1
            })
        bench.run(for: .seconds(1))
        return (
            try #require(central.connections.last).connectionHandle,
            try #require(peripheral.connections.last).connectionHandle
        )
    }

    private func accept(_ host: RawHost, _ handle: UInt16, _ mode: HCI.SyncTransferMode) -> HCI.ErrorCode? {
        host.status(
            bench,
            of: HCI.LESetPeriodicAdvertisingSyncTransferParameters(
                connectionHandle: handle, mode: mode, skip: 0, syncTimeout: 300))
    }

    /// LL/PAST: the advertiser itself tells its peer, in both roles of the link.
    @Test(
        arguments: [true, false],
        [(.le1M, 6), (.le1M, 24), (.le1M, 240), (.le2M, 24), (.leCoded, 24)] as [(HCI.PHY, UInt16)])
    func anAdvertiserTellsItsPeer(isCentral: Bool, kind: (phy: HCI.PHY, interval: UInt16)) throws {
        let (phy, interval) = kind
        let (central, peripheral) = isCentral ? (advertiser, receiver) : (receiver, advertiser)
        let handles = try connect(central, peripheral, interval: interval)
        let (own, other) = isCentral ? handles : (handles.peripheral, handles.central)
        let data = (0..<300).map { UInt8(truncatingIfNeeded: $0) }
        #expect(advertiser.advertisePeriodically(bench, interval: 160, data: data, phy: phy) == .success)
        #expect(accept(receiver, other, .report) == .success)
        for round in 1...2 {
            let command = HCI.LEPeriodicAdvertisingSetInfoTransfer(
                connectionHandle: own, serviceData: 0x1234, advertisingHandle: 1)
            #expect(advertiser.status(bench, of: command) == .success)
            #expect(bench.run(atMost: .seconds(5)) { receiver.transferred.count == round })
            let event = try #require(receiver.transferred.last)
            #expect(event.status == .success && event.connectionHandle == other && event.serviceData == 0x1234)
            #expect(event.advertiserAddress == advertiser.address && event.advertisingSID == 1)
            #expect(event.advertiserPHY == phy && event.interval == 160)
            bench.run(for: .seconds(4))
            let reports = receiver.periodicReports
            // The link takes time from both ends of the train.
            #expect(reports.count >= 3 && reports.contains { $0.data == data && !$0.isTruncated }, "\(reports.count)")
            #expect(receiver.lostSyncs.isEmpty)
            // A train that is received already is ignored.
            #expect(advertiser.status(bench, of: command) == .success)
            bench.run(for: .seconds(1))
            #expect(receiver.transferred.count == round)
            let terminate = HCI.LEPeriodicAdvertisingTerminateSync(syncHandle: event.syncHandle)
            #expect(receiver.status(bench, of: terminate) == .success)
            receiver.events.removeAll { $0[2] == 0x0F }
        }
        #expect(receiver.disconnections.isEmpty && advertiser.disconnections.isEmpty)
    }

    /// LL/PAST: a receiver passes its sync on, in both roles, also one that skips events.
    @Test(arguments: [true, false], [0, 9] as [UInt16]) func aReceiverPassesItsSyncOn(isCentral: Bool, skip: UInt16)
        throws
    {
        advertiser.advertisePeriodically(bench, interval: 80)
        helper.scanExtended()
        #expect(helper.createSync(bench, with: advertiser, skip: skip, timeout: 1_000) == .success)
        #expect(bench.run(atMost: .seconds(5)) { !helper.established.isEmpty })
        helper.send(HCI.LESetExtendedScanEnable(enable: false))
        let sync = try #require(helper.established.first).syncHandle
        let (central, peripheral) = isCentral ? (helper, receiver) : (receiver, helper)
        let handles = try connect(central, peripheral)
        let (own, other) = isCentral ? handles : (handles.peripheral, handles.central)
        #expect(accept(receiver, other, .reportWithoutDuplicates) == .success)
        for round in 1...2 {
            let command = HCI.LEPeriodicAdvertisingSyncTransfer(
                connectionHandle: own, serviceData: 7, syncHandle: sync)
            #expect(helper.status(bench, of: command) == .success)
            #expect(bench.run(atMost: .seconds(5)) { receiver.transferred.count == round })
            let event = try #require(receiver.transferred.last)
            #expect(event.status == .success && event.advertiserAddress == advertiser.address)
            bench.run(for: .seconds(2))
            #expect(receiver.periodicReports.map(\.data) == [[2, 1, 6]])
            receiver.events.removeAll { $0[2] == 0x0F }
            let terminate = HCI.LEPeriodicAdvertisingTerminateSync(syncHandle: event.syncHandle)
            #expect(receiver.status(bench, of: terminate) == .success)
        }
        // The end of the link does not end the sync.
        let command = HCI.LEPeriodicAdvertisingSyncTransfer(connectionHandle: own, serviceData: 7, syncHandle: sync)
        helper.status(bench, of: command)
        #expect(bench.run(atMost: .seconds(5)) { receiver.transferred.count == 3 })
        helper.send(HCI.Disconnect(connectionHandle: own))
        bench.run(for: .seconds(1))
        #expect(!receiver.disconnections.isEmpty)
        advertiser.setPeriodicData(bench, [9])
        bench.run(for: .seconds(1))
        #expect(receiver.periodicReports.last?.data == [9] && receiver.lostSyncs.isEmpty)
    }

    /// A helper whose clock drifts tells of a train that it heard 0.9 s before: 400 ppm of that second are more than the two exact clocks explain.
    @Test(arguments: [-400, 400]) func aDriftingHelperTellsLate(error: Int) throws {
        let clock = try #require(ClockSetting(error: error))
        #expect(clock.accuracy == .ppm500)
        bench.radio.setClock(clock, of: helper.identifier)
        advertiser.advertisePeriodically(bench, interval: 800)
        helper.scanExtended()
        #expect(helper.createSync(bench, with: advertiser, timeout: 1_000) == .success)
        #expect(bench.run(atMost: .seconds(5)) { !helper.established.isEmpty })
        helper.send(HCI.LESetExtendedScanEnable(enable: false))
        let sync = try #require(helper.established.first).syncHandle
        let handles = try connect(helper, receiver)
        #expect(accept(receiver, handles.peripheral, .report) == .success)
        let heard = helper.periodicReports.count
        #expect(bench.run(atMost: .seconds(3)) { helper.periodicReports.count > heard })
        bench.run(for: .milliseconds(900))
        let command = HCI.LEPeriodicAdvertisingSyncTransfer(
            connectionHandle: handles.central, serviceData: 7, syncHandle: sync)
        #expect(helper.status(bench, of: command) == .success)
        #expect(bench.run(atMost: .seconds(10)) { !receiver.transferred.isEmpty })
        #expect(receiver.transferred.map(\.status) == [.success])
        bench.run(for: .seconds(5))
        #expect(receiver.periodicReports.count >= 3)
    }

    /// 7.8.91 and 7.8.92: the modes, and the default for later links.
    @Test func theModesDecide() throws {
        advertiser.advertisePeriodically(bench)
        for (mode, isDefault) in [(0, true), (0, false), (1, true), (1, false), (2, true), (3, false)]
            as [(UInt8, Bool)]
        {
            let mode = HCI.SyncTransferMode(rawValue: mode)
            let standard = HCI.LESetDefaultPeriodicAdvertisingSyncTransferParameters(
                mode: isDefault ? mode : .ignore, skip: 0, syncTimeout: 100)
            #expect(receiver.status(bench, of: standard) == .success)
            let handles = try connect(advertiser, receiver)
            if !isDefault { #expect(accept(receiver, handles.peripheral, mode) == .success) }
            receiver.events.removeAll()
            let command = HCI.LEPeriodicAdvertisingSetInfoTransfer(
                connectionHandle: handles.central, serviceData: 1, advertisingHandle: 1)
            #expect(advertiser.status(bench, of: command) == .success)
            bench.run(for: .seconds(2))
            #expect(receiver.transferred.count == (mode == .ignore ? 0 : 1))
            let reports = receiver.periodicReports.count
            switch mode {
            case .report: #expect(reports >= 15)
            case .reportWithoutDuplicates: #expect(reports == 1)
            default: #expect(reports == 0)
            }
            if let sync = receiver.transferred.first {
                receiver.status(bench, of: HCI.LEPeriodicAdvertisingTerminateSync(syncHandle: sync.syncHandle))
            }
            advertiser.send(HCI.Disconnect(connectionHandle: handles.central))
            bench.run(for: .seconds(1))
        }
        #expect(accept(receiver, 0x40, .init(rawValue: 4)) == .unknownConnectionIdentifier)
        let handles = try connect(advertiser, receiver)
        #expect(accept(receiver, handles.peripheral, .init(rawValue: 4)) == .invalidHCICommandParameters)
        var standard = HCI.LESetDefaultPeriodicAdvertisingSyncTransferParameters(
            mode: .report, skip: 500, syncTimeout: 100)
        #expect(receiver.status(bench, of: standard) == .invalidHCICommandParameters)
        standard = .init(mode: .report, skip: 0, syncTimeout: 100, excludedToneExtensions: .init(rawValue: 0x1F))
        #expect(receiver.status(bench, of: standard) == .commandDisallowed)
    }

    /// 5.1.13: a train that is not received any more, and one that the peer's controller does not know.
    @Test func aTransferredTrainMayFail() throws {
        let handles = try connect(advertiser, receiver)
        #expect(accept(receiver, handles.peripheral, .report) == .success)
        let command = HCI.LEPeriodicAdvertisingSetInfoTransfer(
            connectionHandle: handles.central, serviceData: 5, advertisingHandle: 1)
        // There is no such set, and its train does not run.
        #expect(advertiser.status(bench, of: command) == .unknownAdvertisingIdentifier)
        advertiser.advertiseExtended(bench, [], handle: 1)
        #expect(advertiser.status(bench, of: command) == .commandDisallowed)
        for round in 1...2 {
            advertiser.advertisePeriodically(bench, handle: 2, interval: 160)
            let second = HCI.LEPeriodicAdvertisingSetInfoTransfer(
                connectionHandle: handles.central, serviceData: 5, advertisingHandle: 2)
            #expect(advertiser.status(bench, of: second) == .success)
            advertiser.enablePeriodic(bench, 2, [])
            #expect(bench.run(atMost: .seconds(3)) { receiver.transferred.count == round })
            #expect(receiver.transferred.last?.status == .connectionFailedToBeEstablished)
            advertiser.disable(bench)
        }
        let sync = HCI.LEPeriodicAdvertisingSyncTransfer(
            connectionHandle: handles.central, serviceData: 5, syncHandle: 0)
        #expect(advertiser.status(bench, of: sync) == .unknownAdvertisingIdentifier)
        // The features of a peer without the feature are requested before the PDU, which is not sent then; the next command is refused.
        let plain = bench.addHost { $0.periodicAdvertiserListSize = 0 }
        let other = try connect(advertiser, plain)
        advertiser.advertisePeriodically(bench, handle: 2)
        let third = HCI.LEPeriodicAdvertisingSetInfoTransfer(
            connectionHandle: other.central, serviceData: 5, advertisingHandle: 2)
        let link = try #require(bench.radio.links(of: plain.identifier).first).accessAddress
        var sent: [UInt8] = []
        bench.radio.airObserver = { packet in
            if packet.accessAddress == link, packet.pdu.count > 2, packet.pdu[0] & 3 == 3 { sent.append(packet.pdu[2]) }
        }
        #expect(advertiser.status(bench, of: third) == .success)
        bench.run(for: .seconds(1))
        bench.radio.airObserver = nil
        // LL_FEATURE_REQ and LL_FEATURE_RSP, of which the host hears nothing.
        #expect(sent == [0x08, 0x09])
        #expect(!advertiser.events.contains { $0[0] == 0x3E && $0[2] == 0x04 })
        #expect(advertiser.status(bench, of: third) == .unsupportedRemoteFeature)
        #expect(advertiser.disconnections.isEmpty && plain.disconnections.isEmpty)
    }

    /// The peer that acknowledges nothing does not fill memory. While its features are not known, a train waits once with each value.
    @Test(arguments: [true, false], [true, false]) func waitingTransfersAreBounded(
        knowsFeatures: Bool, haveOneValue: Bool
    ) throws {
        let handles = try connect(advertiser, receiver)
        if knowsFeatures {
            advertiser.send(HCI.LEReadRemoteFeatures(connectionHandle: handles.central))
            bench.run(for: .seconds(1))
        }
        advertiser.advertisePeriodically(bench)
        bench.radio.setLoss(1, of: receiver.identifier)
        let results = (0..<40).map { number in
            advertiser.status(
                bench,
                of: HCI.LEPeriodicAdvertisingSetInfoTransfer(
                    connectionHandle: handles.central, serviceData: haveOneValue ? 5 : number, advertisingHandle: 1))
        }
        let isBounded = knowsFeatures || !haveOneValue
        #expect(results.first == .success && results.last == (isBounded ? .memoryCapacityExceeded : .success))
    }

    /// The peer gets each value that the host was told was sent, also of those that waited for the peer's features.
    @Test func eachValueIsSent() throws {
        let handles = try connect(advertiser, receiver)
        advertiser.advertisePeriodically(bench)
        let link = try #require(bench.radio.links(of: receiver.identifier).first).accessAddress
        var values: [UInt8] = []
        bench.radio.airObserver = { packet in
            // LL_PERIODIC_SYNC_IND begins with the value.
            if packet.accessAddress == link, packet.pdu.count > 3, packet.pdu[0] & 3 == 3, packet.pdu[2] == 0x1C {
                values.append(packet.pdu[3])
            }
        }
        for value in [1, 2, 3] as [UInt16] {
            let command = HCI.LEPeriodicAdvertisingSetInfoTransfer(
                connectionHandle: handles.central, serviceData: value, advertisingHandle: 1)
            #expect(advertiser.status(bench, of: command) == .success)
        }
        bench.run(for: .seconds(2))
        #expect(values == [1, 2, 3])
    }

    /// The train has the accuracy of the clock as it is, not as at the train's last event.
    @Test func aTransferHasThePresentAccuracy() throws {
        let handles = try connect(advertiser, receiver)
        #expect(accept(receiver, handles.peripheral, .report) == .success)
        advertiser.advertisePeriodically(bench, interval: 800)
        bench.run(for: .seconds(2))
        let command = HCI.VendorWriteSleepClock(error: 0, accuracy: .ppm500)
        #expect(advertiser.status(bench, of: command) == .success)
        let transfer = HCI.LEPeriodicAdvertisingSetInfoTransfer(
            connectionHandle: handles.central, serviceData: 1, advertisingHandle: 1)
        #expect(advertiser.status(bench, of: transfer) == .success)
        #expect(bench.run(atMost: .seconds(5)) { !receiver.transferred.isEmpty })
        #expect(receiver.transferred.map(\.advertiserClockAccuracy) == [.ppm500])
    }

    /// Transfers on an encrypted link.
    @Test func aTransferIsEncrypted() throws {
        let handles = try connect(advertiser, receiver)
        #expect(bench.encrypt(advertiser, handles.central, with: receiver))
        #expect(accept(receiver, handles.peripheral, .report) == .success)
        advertiser.advertisePeriodically(bench)
        let command = HCI.LEPeriodicAdvertisingSetInfoTransfer(
            connectionHandle: handles.central, serviceData: 5, advertisingHandle: 1)
        #expect(advertiser.status(bench, of: command) == .success)
        #expect(bench.run(atMost: .seconds(3)) { receiver.transferred.first?.status == .success })
    }
}
