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
        // A peer without the feature refuses the PDU, and after a feature exchange the command is refused.
        let plain = bench.addHost { $0.periodicAdvertiserListSize = 0 }
        let other = try connect(advertiser, plain)
        advertiser.advertisePeriodically(bench, handle: 2)
        let third = HCI.LEPeriodicAdvertisingSetInfoTransfer(
            connectionHandle: other.central, serviceData: 5, advertisingHandle: 2)
        #expect(advertiser.status(bench, of: third) == .success)
        bench.run(for: .seconds(1))
        advertiser.send(HCI.LEReadRemoteFeatures(connectionHandle: other.central))
        bench.run(for: .seconds(1))
        #expect(advertiser.status(bench, of: third) == .unsupportedRemoteFeature)
        #expect(advertiser.disconnections.isEmpty && plain.disconnections.isEmpty)
    }

    /// The peer that acknowledges nothing does not fill memory.
    @Test func waitingTransfersAreBounded() throws {
        let handles = try connect(advertiser, receiver)
        advertiser.advertisePeriodically(bench)
        bench.radio.setLoss(1, of: receiver.identifier)
        let command = HCI.LEPeriodicAdvertisingSetInfoTransfer(
            connectionHandle: handles.central, serviceData: 5, advertisingHandle: 1)
        let results = (0..<40).map { _ in advertiser.status(bench, of: command) }
        #expect(results.first == .success && results.last == .memoryCapacityExceeded)
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
