import BLECrypto
import BLEWire
import Testing

@testable import BLEController

/// Scan requests on the secondary channels, filters and the times of extended scans.
struct ExtendedActiveScanningTests {
    private let info = LL.AdvertisingDataInfo(dataID: 0x123, setID: 7)

    private func scene() -> (bench: Bench, scanner: RawHost, sender: RawAdvertiser, ear: AirEar) {
        let bench = Bench()
        let scanner = bench.addHost()
        return (bench, scanner, RawAdvertiser(bench), AirEar(bench, of: scanner))
    }

    /// Advertises once on the secondary channel 5, after 3 ms.
    private func advertise(
        _ sender: RawAdvertiser, _ mode: LL.AdvertisingMode = .none, _ info: LL.AdvertisingDataInfo? = nil,
        data: [UInt8] = [], target: DeviceAddress? = nil, isAnonymous: Bool = false, phy: LL.PHY = .oneM,
        primary: LL.PHY = .oneM
    ) {
        let info = info ?? self.info
        sender.advertise(
            RawPDU(mode: mode, info: info),
            [
                .init(
                    pdu: RawPDU(
                        mode: mode, advertiser: isAnonymous ? nil : sender.address, target: target, info: info,
                        data: data),
                    phy: phy)
            ], at: sender.bench.radio.now + .milliseconds(1), primary: primary)
    }

    // MARK: Scan requests

    /// LL/DDI/SCN/BV-20-C and others: AUX_SCAN_REQ after T_IFS on the same channel and PHY, and the response with its chain.
    @Test(arguments: [LL.PHY.oneM, .twoM, .codedS8])
    func aScannableSetIsAsked(phy: LL.PHY) throws {
        let (bench, scanner, sender, ear) = scene()
        scanner.scanExtended(.active)
        for round in 1...2 {
            scanner.events.removeAll()
            let start = bench.radio.now + .milliseconds(4)
            advertise(sender, .scannable, phy: phy)
            let isAsked = bench.run(atMost: .milliseconds(20)) { ear.packets.count == round }
            try #require(isAsked)
            let request = try #require(ear.packets.last)
            let end =
                start
                + phy.airTime(
                    pduLength: RawPDU(mode: .scannable, advertiser: sender.address, info: info).octets.count)
            #expect(request.start == end + .microseconds(150) && request.channel == 5 && request.phy == phy)
            #expect(request.accessAddress == LL.advertisingAccessAddress)
            // AUX_SCAN_REQ has the format of SCAN_REQ, with both addresses random.
            #expect(request.octets.count == 14 && request.octets[0] == 0xC3)
            let pointer = LL.AuxiliaryPointer(
                channel: 30, isClockAccurate: true, offset: 200, usesLongUnits: false,
                phyCode: phy.isCoded ? 2 : phy == .twoM ? 1 : 0)
            sender.send(
                RawPDU(advertiser: sender.address, pointer: pointer, data: [1, 2, 3]).octets,
                at: request.end + .microseconds(150), on: 5, phy)
            sender.send(
                RawPDU(data: [4, 5]).octets, at: request.end + .microseconds(150 + 200 * 30), on: 30, phy)
            bench.run(for: .milliseconds(50))
            #expect(scanner.extendedReports.map(\.type) == [0x02, 0x0A])
            #expect(scanner.extendedReports.map(\.data) == [[], [1, 2, 3, 4, 5]])
            #expect(scanner.extendedReports.allSatisfy { $0.address == sender.address && $0.sid == 7 })
        }
        #expect(ear.packets.count == 2)
    }

    /// No request to sets that accept none, and none of a passive scanner.
    @Test(arguments: [(HCI.ScanType.active, LL.AdvertisingMode.none), (.active, .connectable), (.passive, .scannable)])
    func otherSetsAreNotAsked(type: HCI.ScanType, mode: LL.AdvertisingMode) {
        let (bench, scanner, sender, ear) = scene()
        scanner.scanExtended(type)
        for _ in 1...5 {
            advertise(sender, mode, data: mode == .scannable ? [] : [1])
            bench.run(for: .milliseconds(30))
        }
        #expect(ear.packets.isEmpty)
        #expect(Set(scanner.extendedReports.map(\.type)) == [UInt16(mode.rawValue)])
        #expect(scanner.extendedReports.count == 5)
    }

    /// The type of the scan belongs to the primary PHY.
    @Test func eachPrimaryPHYHasItsType() {
        let (bench, scanner, sender, ear) = scene()
        scanner.send(
            HCI.LESetExtendedScanParameters(
                ownAddressType: .random, phys: [.le1M, .leCoded],
                entries: [
                    .init(scanType: .passive, interval: 16, window: 16),
                    .init(scanType: .active, interval: 16, window: 16),
                ]))
        scanner.send(HCI.LESetExtendedScanEnable(enable: true))
        for primary in [LL.PHY.oneM, .codedS8] {
            for _ in 0..<60 {
                advertise(sender, .scannable, primary: primary)
                bench.run(for: .milliseconds(30))
            }
            #expect(scanner.extendedReports.contains { $0.primary == (primary == .oneM ? 1 : 3) })
            #expect(ear.packets.isEmpty == (primary == .oneM))
        }
    }

    /// A response of another device, with another ADI or of another kind is none, and two failures raise the backoff.
    @Test(arguments: ["silence", "advertiser", "data", "mode", "request"])
    func anotherResponseIsNone(what: String) {
        let (bench, scanner, sender, ear) = scene()
        scanner.scanExtended(.active)
        var requests = 0
        for _ in 0..<20 {
            advertise(sender, .scannable)
            if bench.run(atMost: .milliseconds(20), until: { ear.packets.count > requests }), what != "silence",
                let end = ear.packets.last?.end
            {
                requests += 1
                var response = RawPDU(advertiser: sender.address, info: info, data: [1])
                switch what {
                case "advertiser": response.advertiser = DeviceAddress(kind: .public, value: sender.address.value)
                case "data": response.info = LL.AdvertisingDataInfo(dataID: 1, setID: 7)
                case "mode": response.mode = .connectable
                default: response.type = .auxConnectRsp
                }
                sender.send(response.octets, at: end + .microseconds(150), on: 5)
            }
            requests = ear.packets.count
            bench.run(for: .milliseconds(30))
        }
        #expect(Set(scanner.extendedReports.map(\.type)) == [0x02] && scanner.extendedReports.count == 20)
        #expect((2...12).contains(ear.packets.count))
    }

    // MARK: Duplicates

    /// Duplicates have the same address, set and data (Vol 4, Part E, 7.8.65).
    @Test(arguments: [(HCI.DuplicateFilter.off, 12), (.on, 5)])
    func duplicatesHaveTheSameSetAndData(filter: HCI.DuplicateFilter, count: Int) {
        let (bench, scanner, sender, _) = scene()
        let other = RawAdvertiser(bench)
        scanner.scanExtended(filter: filter)
        func send(_ sender: RawAdvertiser, _ set: UInt8, _ data: UInt16) {
            for _ in 0..<2 {
                advertise(sender, .none, .init(dataID: data, setID: set), data: [UInt8(data)])
                bench.run(for: .milliseconds(30))
            }
        }
        send(sender, 1, 1)
        send(sender, 2, 1)
        send(other, 1, 1)
        send(sender, 1, 2)
        // The data is new again, but not that of the other set.
        send(sender, 1, 1)
        send(sender, 2, 1)
        #expect(scanner.extendedReports.count == count)
    }

    /// A truncated packet does not hide the whole one, and comes once.
    @Test func aTruncatedPacketIsNoDuplicateOfTheWholeOne() {
        let (bench, scanner, sender, _) = scene()
        scanner.scanExtended(filter: .on)
        for isWhole in [false, false, true, true, false] {
            var second = RawAdvertiser.Link(pdu: RawPDU(info: info, data: [2]), channel: 9)
            second.isSent = isWhole
            sender.advertise(
                RawPDU(info: info),
                [.init(pdu: RawPDU(advertiser: sender.address, info: info, data: [1])), second],
                at: bench.radio.now + .milliseconds(1))
            bench.run(for: .milliseconds(30))
        }
        #expect(scanner.extendedReports.map(\.status) == [2, 0])
    }

    // MARK: Filters

    /// The accept list has one entry for all anonymous advertisers (Vol 4, Part E, 7.8.16).
    @Test func anonymousAdvertisersHaveAnEntryInTheAcceptList() {
        let (bench, scanner, sender, _) = scene()
        func sendBoth() {
            for isAnonymous in [true, false] {
                advertise(sender, isAnonymous: isAnonymous)
                bench.run(for: .milliseconds(30))
            }
        }
        let anonymous = DeviceAddress(kind: .anonymous, value: 0)
        scanner.scanExtended()
        sendBoth()
        #expect(scanner.extendedReports.map(\.address) == [anonymous, sender.address])
        scanner.send(HCI.LESetExtendedScanEnable(enable: false))
        scanner.events.removeAll()
        scanner.scanExtended(policy: .acceptList)
        sendBoth()
        #expect(scanner.extendedReports.isEmpty)
        scanner.send(HCI.LESetExtendedScanEnable(enable: false))
        // The address of the entry has no meaning.
        scanner.send(HCI.LEAddDeviceToFilterAcceptList(address: DeviceAddress(kind: .anonymous, value: 5)))
        #expect(scanner.status(of: .leAddDeviceToFilterAcceptList) ?? .success == .success)
        scanner.scanExtended(policy: .acceptList)
        sendBoth()
        #expect(scanner.extendedReports.map(\.address) == [anonymous])
        scanner.send(HCI.LESetExtendedScanEnable(enable: false))
        scanner.send(HCI.LERemoveDeviceFromFilterAcceptList(address: anonymous))
        scanner.send(HCI.LEAddDeviceToFilterAcceptList(address: sender.address))
        scanner.events.removeAll()
        scanner.scanExtended(policy: .acceptList)
        sendBoth()
        #expect(scanner.extendedReports.map(\.address) == [sender.address])
    }

    /// Only sets without answers are anonymous.
    @Test(arguments: [LL.AdvertisingMode.connectable, .scannable])
    func anAnonymousSetTakesNoAnswers(mode: LL.AdvertisingMode) {
        let (bench, scanner, sender, ear) = scene()
        scanner.scanExtended(.active)
        advertise(sender, mode, isAnonymous: true)
        bench.run(for: .milliseconds(30))
        #expect(scanner.extendedReports.isEmpty && ear.packets.isEmpty)
    }

    /// Directed advertising is for its target. The extended policies report unresolvable targets as well (Vol 6, Part B, 4.3.3).
    @Test(arguments: [HCI.ScanFilterPolicy.everyone, .everyoneExtended])
    func directedSetsAreForTheirTarget(policy: HCI.ScanFilterPolicy) {
        let (bench, scanner, sender, ear) = scene()
        scanner.scanExtended(.active, policy: policy)
        let unknown = DeviceAddress(kind: .random, value: 0x4000_0000_0001)
        let other = DeviceAddress(kind: .random, value: 0xC000_0000_0077)
        for target in [scanner.address, unknown, other] {
            for mode in [LL.AdvertisingMode.connectable, .none, .scannable] {
                advertise(sender, mode, target: target)
                bench.run(for: .milliseconds(30))
            }
        }
        let own = scanner.extendedReports.filter { $0.target == scanner.address }
        #expect(own.map(\.type) == [0x05, 0x04, 0x06])
        let unresolved = scanner.extendedReports.filter { $0.target.kind.rawValue == 0xFE }
        #expect(unresolved.count == (policy == .everyone ? 0 : 3))
        #expect(unresolved.allSatisfy { $0.target.value == unknown.value })
        #expect(scanner.extendedReports.count == own.count + unresolved.count)
        // Only the set for this scanner is asked.
        #expect(ear.packets.count == 1)
    }

    /// The resolving list finds the devices behind private addresses of AUX PDUs.
    @Test func privateAddressesResolve() throws {
        let (bench, scanner, sender, _) = scene()
        let identity = DeviceAddress(kind: .public, value: 0x11_2233_4455)
        let key = IdentityResolvingKey(value: 0x1234_5678)
        scanner.send(
            HCI.LEAddDeviceToResolvingList(identity: identity, peerKey: key, localKey: .none))
        scanner.send(HCI.LESetAddressResolutionEnable(enable: true))
        scanner.scanExtended()
        var crypto: any CryptoProvider = SwiftCryptoProvider(generator: SeededRandom(seed: 5))
        let address = crypto.makeResolvableAddress(key)
        sender.advertise(
            RawPDU(info: info), [.init(pdu: RawPDU(advertiser: address, info: info, data: [1]))],
            at: bench.radio.now + .milliseconds(1))
        bench.run(for: .milliseconds(30))
        #expect(scanner.extendedReports.map(\.address) == [identity.asResolved])
    }

    // MARK: Times

    /// LL/DDI/SCN/BV-26-C and others: a scan with a duration ends with LE Scan Timeout, also the second time.
    @Test func aScanEndsAfterItsDuration() {
        let (bench, scanner, sender, _) = scene()
        for _ in 1...2 {
            scanner.events.removeAll()
            scanner.scanExtended(duration: 10)
            bench.run(for: .milliseconds(99))
            #expect(scanner.all(HCI.LEScanTimeout.self).isEmpty)
            bench.run(for: .milliseconds(2))
            #expect(scanner.all(HCI.LEScanTimeout.self).count == 1)
            advertise(sender)
            bench.run(for: .milliseconds(30))
            #expect(scanner.extendedReports.isEmpty)
            // The parameters may change again.
            bench.run(for: .seconds(3))
            #expect(scanner.all(HCI.LEScanTimeout.self).count == 1)
        }
        // A new start begins a new duration, and the end by the host is no timeout.
        scanner.events.removeAll()
        scanner.scanExtended(duration: 10)
        bench.run(for: .milliseconds(60))
        scanner.send(HCI.LESetExtendedScanEnable(enable: true, duration: 10))
        bench.run(for: .milliseconds(60))
        scanner.send(HCI.LESetExtendedScanEnable(enable: false))
        bench.run(for: .seconds(1))
        #expect(scanner.all(HCI.LEScanTimeout.self).isEmpty)
    }

    /// A scan with a period listens for the duration in each, and the filter may forget at each start.
    @Test(arguments: [(HCI.DuplicateFilter.off, 15), (.on, 1), (.onPerPeriod, 3)])
    func aScanRepeatsInEachPeriod(filter: HCI.DuplicateFilter, count: Int) {
        let (bench, scanner, sender, _) = scene()
        // 150 ms of 1.28 s.
        scanner.scanExtended(filter: filter, duration: 15, period: 1)
        let start = bench.radio.now
        for period in 0..<3 {
            for number in 0..<10 {
                bench.run(until: start + .milliseconds(1280 * period + 30 * number))
                advertise(sender)
            }
        }
        bench.run(until: start + .seconds(4))
        #expect(scanner.extendedReports.count == count)
        #expect(scanner.all(HCI.LEScanTimeout.self).isEmpty)
        // The role is active between the periods as well.
        bench.run(until: start + .milliseconds(1280 * 4 - 100))
        scanner.send(HCI.LESetRandomAddress(address: scanner.address))
        bench.deliver()
        #expect(scanner.status(of: .leSetRandomAddress) == .commandDisallowed)
    }

    // MARK: Two PHYs

    /// Whatever the windows are, both PHYs are heard, and both beside an initiator on one of them.
    @Test(
        arguments: [(16, 16), (64, 32), (64, 64), (0x400, 0x400), (0x400, 0x300), (160, 8)] as [(UInt16, UInt16)],
        [nil, HCI.PHYMask.le1M, .leCoded, [.le1M, .leCoded]])
    func noPHYStarves(schedule: (interval: UInt16, window: UInt16), initiator: HCI.PHYMask?) {
        let (bench, scanner, _, _) = scene()
        let senders = [RawAdvertiser(bench), RawAdvertiser(bench)]
        scanner.scanExtended(on: [.le1M, .leCoded], interval: schedule.interval, window: schedule.window)
        if let initiator {
            scanner.connectExtended(
                to: DeviceAddress(kind: .random, value: 0xC000_0000_0099), on: initiator, scanInterval: 0x60,
                scanWindow: 0x60)
        }
        var random = SeededRandom(seed: 3)
        let start = bench.radio.now
        for number in 0..<200 {
            for (sender, phy) in zip(senders, [LL.PHY.oneM, .codedS8]) {
                // On all primary channels, like a device.
                let time = start + .milliseconds(50 * number) + .microseconds(Int(random.next() % 10_000))
                for channel: UInt8 in 37...39 {
                    sender.send(
                        RawPDU(advertiser: sender.address).octets, at: time + .milliseconds(2 * Int(channel - 37)),
                        on: channel, phy)
                }
            }
        }
        bench.run(for: .seconds(11))
        let share = Double(schedule.window) / Double(schedule.interval)
        for sender in senders {
            let count = scanner.extendedReports.filter { $0.address == sender.address }.count
            #expect(Double(count) > 200 * share * 0.25, "\(count)")
        }
    }
}
