import BLEWire
import Testing

@testable import BLEController

/// The trains with which a controller synchronizes, and those that it leaves (Vol 6, Part B, 4.4.3.4; Vol 4, Part E, 7.8.67).
struct PeriodicSelectionTests {
    private let bench = Bench()
    private let advertiser: RawHost
    private let scanner: RawHost

    init() {
        advertiser = bench.addHost()
        scanner = bench.addHost()
    }

    /// 7.8.67: a train with an excluded kind of Constant Tone Extension fails, and with the list the controller goes on searching.
    @Test func excludedTrainsAreNotReceived() {
        advertiser.advertisePeriodically(bench)
        scanner.scanExtended()
        let command = HCI.LEAddDeviceToPeriodicAdvertiserList(
            advertiserAddress: advertiser.address, advertisingSID: 1)
        #expect(scanner.status(bench, of: command) == .success)
        for _ in 0..<2 {
            scanner.events.removeAll()
            #expect(scanner.createSync(bench, with: advertiser, excluded: .withoutExtension) == .success)
            #expect(bench.run(atMost: .seconds(5)) { !scanner.established.isEmpty })
            #expect(scanner.established.map(\.status) == [.unsupportedRemoteFeature])
            #expect(scanner.createSync(bench, options: .usesList, excluded: .withoutExtension) == .success)
            bench.run(for: .seconds(3))
            #expect(scanner.established.count == 1 && scanner.periodicReports.isEmpty)
            #expect(scanner.status(bench, of: HCI.LEPeriodicAdvertisingCreateSyncCancel()) == .success)
            #expect(scanner.createSync(bench, with: advertiser, excluded: .angleOfArrival) == .success)
            #expect(bench.run(atMost: .seconds(5)) { scanner.established.last?.status == .success })
            let terminate = HCI.LEPeriodicAdvertisingTerminateSync(
                syncHandle: scanner.established.last?.syncHandle ?? 9)
            #expect(scanner.status(bench, of: terminate) == .success)
        }
    }

    /// 7.7.65.14: a private address that the controller resolves is reported as the identity, whichever the host has named. The peer of a link learns
    /// the address on the air.
    @Test func aResolvedAdvertiserIsReportedByItsIdentity() throws {
        let (sender, receiver) = (PrivateHost(bench, key: 1), PrivateHost(bench, key: 2))
        sender.add(receiver)
        receiver.add(sender)
        receiver.resolve()
        sender.host.advertiseExtended(bench, [], handle: 1, enables: false) {
            $0.ownAddressType = .resolvableOrRandom
            $0.peerAddress = receiver.identity
        }
        let parameters = HCI.LESetPeriodicAdvertisingParameters(
            advertisingHandle: 1, intervalMinimum: 80, intervalMaximum: 80)
        #expect(sender.host.status(bench, of: parameters) == .success)
        #expect(sender.host.enablePeriodic(bench) == .success && sender.host.enable(bench, [1]) == .success)
        receiver.host.scanExtended()
        for _ in 0..<2 {
            receiver.host.events.removeAll()
            #expect(receiver.host.createSync(bench, with: sender.host) == .success)
            // The list must not change while the controller resolves for a request (7.8.38).
            #expect(
                receiver.host.status(bench, of: HCI.LEClearResolvingList()) == .commandDisallowed)
            #expect(bench.run(atMost: .seconds(5)) { !receiver.host.established.isEmpty })
            let sync = try #require(receiver.host.established.first)
            #expect(sync.status == .success && sync.advertiserAddress == sender.identity.asResolved)
            #expect(receiver.host.createSync(bench, with: sender.host) == .connectionAlreadyExists)
            let terminate = HCI.LEPeriodicAdvertisingTerminateSync(syncHandle: sync.syncHandle)
            #expect(receiver.host.status(bench, of: terminate) == .success)
        }
    }

    /// A train with the access address of a link would be received twice, and is ignored. A peer of the link knows the address.
    @Test func aTrainWithTheAddressOfALinkIsIgnored() throws {
        let sender = RawAdvertiser(bench)
        let record = EventRecord(bench, of: scanner)
        let peer = bench.addHost()
        peer.advertiseExtended(bench, .connectable, handle: 0)
        scanner.connectExtended(to: peer.address)
        #expect(bench.run(atMost: .seconds(2)) { !scanner.connections.isEmpty })
        bench.run(for: .milliseconds(200))
        scanner.scanExtended()
        #expect(scanner.createSync(bench, with: sender.host, setID: 7) == .success)
        for (accessAddress, isRefused) in [(record.accessAddress, true), (0x7176_4129, false)] {
            let before = bench.radio.medium.subscribers.count
            var info = LL.SyncInfo(
                offset: 1_000, usesLongUnits: false, adjustsOffset: false, interval: 800, channelMap: .all,
                sleepClockAccuracy: 7, accessAddress: accessAddress, crcInit: 1, eventCounter: 0)
            info.crcInit = 2
            var pdu = RawPDU(advertiser: sender.address, info: .init(dataID: 1, setID: 7))
            pdu.syncInfo = info
            for _ in 0..<20 {
                sender.advertise(
                    RawPDU(info: .init(dataID: 1, setID: 7)), [.init(pdu: pdu)],
                    at: bench.radio.now + .milliseconds(1))
                bench.run(for: .milliseconds(11))
            }
            #expect(bench.radio.medium.subscribers.count == before + (isRefused ? 0 : 1))
            #expect(bench.radio.medium.subscribers.values.allSatisfy { $0.count <= 2 })
        }
    }
}
