import BLEWire
import Testing

@testable import BLEController

/// The scanner with extended advertising (Vol 6, Part B, 4.4.3; Vol 4, Part E, 7.7.65.13 and 7.8.64).
struct ExtendedScanningTests {
    private let info = LL.AdvertisingDataInfo(dataID: 0x123, setID: 7)
    private let none = DeviceAddress(kind: .public, value: 0)

    private func octets(_ count: Int, from first: Int = 0) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: $0 + first) }
    }

    /// A scanner and a device that sends raw PDUs. The observer makes all transmissions count.
    private func scene(
        _ configure: (inout ControllerConfiguration) -> Void = { _ in }
    ) -> (bench: Bench, scanner: RawHost, sender: RawAdvertiser) {
        let bench = Bench()
        let scanner = bench.addHost(configure)
        return (bench, scanner, RawAdvertiser(bench))
    }

    private func announcement(_ mode: LL.AdvertisingMode = .none) -> RawPDU { RawPDU(mode: mode, info: info) }

    /// AUX_ADV_IND with the sender's address.
    private func first(
        _ sender: RawAdvertiser, _ mode: LL.AdvertisingMode = .none, _ data: [UInt8] = []
    ) -> RawPDU { RawPDU(mode: mode, advertiser: sender.address, info: info, data: data) }

    // MARK: Single PDUs

    /// LL/DDI/SCN/BV-19-C and others: the report of an AUX_ADV_IND on each PHY.
    @Test(arguments: [LL.PHY.oneM, .twoM, .codedS8, .codedS2], [HCI.PHYMask.le1M, .leCoded])
    func anAuxiliaryPDUIsReported(phy: LL.PHY, primary: HCI.PHYMask) {
        let (bench, scanner, sender) = scene()
        scanner.scanExtended(on: primary)
        let primaryPHY: LL.PHY = primary == .le1M ? .oneM : .codedS8
        for round in 1...2 {
            var aux = first(sender, .none, octets(40))
            aux.txPower = -7
            sender.advertise(
                announcement(), [.init(pdu: aux, phy: phy, offset: 120)], at: bench.radio.now + .milliseconds(1),
                primary: primaryPHY)
            bench.run(for: .milliseconds(20))
            let report = ExtendedReport(
                type: 0, address: sender.address, primary: primary == .le1M ? 1 : 3,
                secondary: phy.isCoded ? 3 : phy == .twoM ? 2 : 1, sid: 7, txPower: -7, target: none,
                data: octets(40))
            #expect(scanner.extendedReports == Array(repeating: report, count: round))
        }
        #expect(scanner.reports.isEmpty)
    }

    @Test func anAdvertisementWithoutDataIsReportedWithoutAnAuxiliaryPDU() {
        let (bench, scanner, sender) = scene()
        scanner.scanExtended()
        sender.send(
            RawPDU(advertiser: sender.address, txPower: 3).octets, at: bench.radio.now + .milliseconds(1), on: 37)
        // A connectable or scannable one needs AuxPtr, and an anonymous one has nothing to report.
        for (index, mode) in [LL.AdvertisingMode.connectable, .scannable].enumerated() {
            sender.send(
                RawPDU(mode: mode, advertiser: sender.address).octets,
                at: bench.radio.now + .milliseconds(3 + index), on: 37)
        }
        sender.send(RawPDU().octets, at: bench.radio.now + .milliseconds(6), on: 37)
        bench.run(for: .milliseconds(20))
        #expect(
            scanner.extendedReports == [
                ExtendedReport(
                    type: 0, address: sender.address, primary: 1, secondary: 0, sid: 0xFF, txPower: 3, target: none,
                    data: [])
            ])
    }

    /// The types of legacy packets in extended reports (Vol 4, Part E, 7.7.65.13, table 7.1).
    @Test(arguments: [(0, 0x13, 0x1B), (2, 0x12, 0x1A), (3, 0x10, nil)] as [(UInt8, UInt16, UInt16?)])
    func legacyPacketsHaveTheirBits(type: UInt8, advertisement: UInt16, response: UInt16?) {
        let bench = Bench()
        let (scanner, advertiser) = (bench.addHost(), bench.addHost())
        scanner.scanExtended(.active)
        advertiser.advertise(HCI.AdvertisingType(rawValue: type), interval: 0x20)
        bench.run(for: .seconds(1))
        #expect(Set(scanner.extendedReports.map(\.type)) == Set([advertisement, response].compactMap(\.self)))
        for report in scanner.extendedReports {
            let data: [UInt8] = report.type == advertisement ? [2, 1, 6] : [3, 9, 0x41, 0x42]
            #expect(
                report
                    == ExtendedReport(
                        type: report.type, address: advertiser.address, primary: 1, secondary: 0, sid: 0xFF,
                        txPower: 127, target: none, data: data))
        }
        #expect(scanner.reports.isEmpty)
    }

    @Test func legacyDirectedPacketsNameTheirTarget() {
        let bench = Bench()
        let (scanner, advertiser) = (bench.addHost(), bench.addHost())
        scanner.scanExtended()
        advertiser.advertise(.connectableDirectedLowDutyCycle, interval: 0x20, peer: scanner.address)
        bench.run(for: .milliseconds(200))
        #expect(Set(scanner.extendedReports.map(\.type)) == [0x15])
        #expect(scanner.extendedReports.allSatisfy { $0.target == scanner.address && $0.data.isEmpty })
    }

    /// A host of the legacy commands gets nothing of extended advertising (Vol 4, Part E, 3.1.1).
    @Test func aLegacyScanIgnoresExtendedAdvertising() {
        let (bench, scanner, sender) = scene()
        scanner.scan(.passive)
        let ear = AirEar(bench, of: scanner)
        for _ in 0..<20 {
            sender.advertise(
                announcement(.scannable), [.init(pdu: first(sender, .scannable))],
                at: bench.radio.now + .milliseconds(1))
            bench.run(for: .milliseconds(30))
        }
        #expect(scanner.events.allSatisfy { $0[0] != 0x3E } && ear.packets.isEmpty)
    }

    // MARK: Windows

    /// The PDU starts from the announced time on, up to one unit later (Vol 6, Part B, 2.3.4.5).
    @Test(
        arguments: [
            (100, false, 0, true), (100, false, 30, true), (100, true, 0, true), (100, true, 300, true),
            (1000, true, 300, true), (100, false, 200, false), (100, true, 700, false), (100, false, -150, false),
        ] as [(UInt16, Bool, Int, Bool)])
    func theWindowIsOneUnitWide(offset: UInt16, isLong: Bool, lateness: Int, isReceived: Bool) {
        let (bench, scanner, sender) = scene()
        scanner.scanExtended()
        for _ in 1...2 {
            sender.advertise(
                announcement(),
                [
                    .init(
                        pdu: first(sender), offset: offset, usesLongUnits: isLong, lateness: .microseconds(lateness))
                ],
                at: bench.radio.now + .milliseconds(1))
            bench.run(for: .seconds(1))
        }
        #expect(scanner.extendedReports.count == (isReceived ? 2 : 0))
    }

    @Test func onlyAnnouncedAuxiliaryPDUsCount() {
        let (bench, scanner, sender) = scene()
        scanner.scanExtended()
        // Not announced, and on a primary channel.
        for channel: UInt8 in [5, 37] {
            sender.send(
                first(sender, .none, [1, 2, 3]).octets, at: bench.radio.now + .milliseconds(Int(channel)), on: channel)
        }
        bench.run(for: .milliseconds(100))
        // The second is the PDU of a device that needs no AuxPtr.
        #expect(scanner.extendedReports.map(\.secondary) == [0])
        scanner.events.removeAll()
        // On another channel or PHY than announced.
        let pointer = LL.AuxiliaryPointer(
            channel: 6, isClockAccurate: true, offset: 100, usesLongUnits: false, phyCode: 0)
        sender.advertise(
            announcement(), [.init(pdu: first(sender), pointer: pointer)], at: bench.radio.now + .milliseconds(1))
        bench.run(for: .milliseconds(100))
        sender.advertise(
            announcement(), [.init(pdu: first(sender), channel: 6, phy: .twoM, pointer: pointer)],
            at: bench.radio.now + .milliseconds(1))
        bench.run(for: .milliseconds(100))
        #expect(scanner.extendedReports.isEmpty)
    }

    /// AUX_ADV_IND must belong to its ADV_EXT_IND.
    @Test(arguments: ["data", "set", "no ADI", "advertiser", "mode", "type"])
    func anotherAuxiliaryPDUIsIgnored(what: String) {
        let (bench, scanner, sender) = scene()
        scanner.scanExtended()
        var announced = announcement()
        announced.advertiser = sender.address
        for isRight in [false, true] {
            var aux = first(sender)
            if !isRight {
                switch what {
                case "data": aux.info = LL.AdvertisingDataInfo(dataID: 0x124, setID: 7)
                case "set": aux.info = LL.AdvertisingDataInfo(dataID: 0x123, setID: 8)
                case "no ADI": aux.info = nil
                case "advertiser": aux.advertiser = DeviceAddress(kind: .random, value: 0xC000_0000_0077)
                case "mode": aux.mode = .scannable
                default: aux.type = .auxConnectRsp
                }
            }
            sender.advertise(announced, [.init(pdu: aux)], at: bench.radio.now + .milliseconds(1))
            bench.run(for: .milliseconds(50))
            #expect(scanner.extendedReports.count == (isRight ? 1 : 0))
        }
    }

    // MARK: Chains

    /// Whole data comes in reports of at most 229 octets (LL/DDI/SCN/BV-22-C and others).
    @Test(arguments: [(LL.PHY.oneM, 600), (.twoM, 1650), (.codedS8, 458), (.codedS2, 1650), (.oneM, 229), (.oneM, 230)])
    func aChainIsReportedInPieces(phy: LL.PHY, count: Int) {
        let (bench, scanner, sender) = scene()
        scanner.scanExtended()
        for _ in 1...2 {
            scanner.events.removeAll()
            let all = octets(count)
            var links: [RawAdvertiser.Link] = []
            for start in stride(from: 0, to: count, by: 240) {
                let data = Array(all[start..<min(count, start + 240)])
                let pdu = links.isEmpty ? first(sender, .none, data) : RawPDU(info: info, data: data)
                // 30 µs units; the pointer counts from the start of the PDU before.
                let gap = phy.airTime(pduLength: 260).nanoseconds / 30_000 + 11
                links.append(
                    .init(
                        pdu: pdu, channel: UInt8(links.count * 3), phy: phy,
                        offset: links.isEmpty ? 100 : UInt16(gap)))
            }
            sender.advertise(announcement(), links, at: bench.radio.now + .milliseconds(1))
            bench.run(for: .milliseconds(300))
            let reports = scanner.extendedReports
            #expect(reports.flatMap(\.data) == all)
            #expect(reports.dropLast().allSatisfy { $0.status == 1 && $0.data.count == 229 })
            #expect(reports.last?.status == 0 && reports.count == (count + 228) / 229)
            #expect(Set(reports.map(\.address)) == [sender.address] && Set(reports.map(\.sid)) == [7])
        }
    }

    /// A chain that breaks is reported as truncated, and the next one is whole.
    @Test(arguments: [
        "missed", "data", "set", "no ADI", "advertiser", "mode", "PHY", "channel", "offset", "late", "request",
    ])
    func aBrokenChainIsTruncated(what: String) {
        let (bench, scanner, sender) = scene()
        scanner.scanExtended()
        for isBroken in [true, false, true, false] {
            scanner.events.removeAll()
            var second = RawPDU(info: info, data: [4, 5])
            var link = RawAdvertiser.Link(pdu: second, channel: 9)
            if isBroken {
                switch what {
                case "missed": link.isSent = false
                case "data": second.info = LL.AdvertisingDataInfo(dataID: 0x122, setID: 7)
                case "set": second.info = LL.AdvertisingDataInfo(dataID: 0x123, setID: 6)
                case "no ADI": second.info = nil
                case "advertiser": second.advertiser = DeviceAddress(kind: .random, value: 0xC000_0000_0099)
                case "mode": second.mode = .scannable
                case "PHY":
                    link.pointer = .init(
                        channel: 9, isClockAccurate: true, offset: 100, usesLongUnits: false, phyCode: 3)
                case "channel":
                    link.channel = 37
                case "offset":
                    link.pointer = .init(
                        channel: 9, isClockAccurate: true, offset: 0, usesLongUnits: false, phyCode: 0)
                case "late": link.lateness = .milliseconds(1)
                default: second.type = .auxConnectRsp
                }
                link.pdu = second
            }
            sender.advertise(
                announcement(), [.init(pdu: first(sender, .none, [1, 2, 3])), link],
                at: bench.radio.now + .milliseconds(1))
            bench.run(for: .milliseconds(50))
            #expect(scanner.extendedReports.map(\.status) == [isBroken ? 2 : 0])
            #expect(scanner.extendedReports.first?.data == (isBroken ? [1, 2, 3] : [1, 2, 3, 4, 5]))
        }
    }

    /// A PDU of a chain with the advertiser's own address continues it.
    @Test func aChainMayRepeatTheAddress() {
        let (bench, scanner, sender) = scene()
        scanner.scanExtended()
        sender.advertise(
            announcement(),
            [.init(pdu: first(sender, .none, [1])), .init(pdu: first(sender, .none, [2]), channel: 9)],
            at: bench.radio.now + .milliseconds(1))
        bench.run(for: .milliseconds(50))
        #expect(scanner.extendedReports.map(\.data) == [[1, 2]])
    }

    /// A collision corrupts a PDU of the chain.
    @Test func aCorruptedChainIsTruncated() {
        let (bench, scanner, sender) = scene()
        let jammer = RawAdvertiser(bench)
        scanner.scanExtended()
        for isJammed in [true, false] {
            scanner.events.removeAll()
            let start = bench.radio.now + .milliseconds(1)
            sender.advertise(
                announcement(),
                [
                    .init(pdu: first(sender, .none, octets(50))),
                    .init(pdu: RawPDU(info: info, data: octets(200)), channel: 9, offset: 100),
                ], at: start)
            // In the middle of the second PDU, which starts 6 ms after the event.
            if isJammed { jammer.send(RawPDU(data: octets(20)).octets, at: start + .microseconds(6800), on: 9) }
            bench.run(for: .milliseconds(50))
            #expect(scanner.extendedReports.map(\.status) == (isJammed ? [2] : [1, 0]))
        }
    }

    /// More than 1,650 octets, and chains without an end, are cut.
    @Test(arguments: [(200, 8, true), (200, 9, false), (0, 63, true), (0, 64, false), (0, 300, false)])
    func aChainHasALimit(length: Int, more: Int, isWhole: Bool) {
        let (bench, scanner, sender) = scene()
        scanner.scanExtended()
        for _ in 1...2 {
            scanner.events.removeAll()
            var links = [RawAdvertiser.Link(pdu: first(sender, .none, octets(50)))]
            for _ in 0..<more {
                links.append(.init(pdu: RawPDU(info: info, data: octets(length)), channel: 9, offset: 100))
            }
            sender.advertise(announcement(), links, at: bench.radio.now + .milliseconds(1))
            bench.run(for: .seconds(2))
            #expect(scanner.extendedReports.last?.status == (isWhole ? 0 : 2))
            #expect(scanner.extendedReports.flatMap(\.data).count == 50 + (length > 0 ? 8 : 0) * length)
        }
    }

    // MARK: Several advertisers

    /// Pointers far ahead do not block the scanner.
    @Test func farPointersDoNotBlockTheScanner() {
        let (bench, scanner, sender) = scene()
        let hostile = RawAdvertiser(bench)
        scanner.scanExtended()
        let start = bench.radio.now
        for number in 0..<100 {
            // 2.4 s ahead; nothing follows.
            let pointer = LL.AuxiliaryPointer(
                channel: UInt8(number % 37), isClockAccurate: false, offset: 0x1FFF, usesLongUnits: true, phyCode: 0)
            var pdu = RawPDU(info: LL.AdvertisingDataInfo(dataID: UInt16(number), setID: UInt8(number % 16)))
            pdu.pointer = pointer
            hostile.send(pdu.octets, at: start + .milliseconds(10 * number + 5), on: 37)
        }
        for number in 0..<100 {
            sender.advertise(
                announcement(), [.init(pdu: first(sender))], at: start + .milliseconds(10 * number + 8))
        }
        bench.run(for: .seconds(4))
        #expect(scanner.extendedReports.count == 100)
    }

    /// A real far pointer is followed, with other advertisers before it.
    @Test func aFarPointerIsFollowed() {
        let (bench, scanner, sender) = scene()
        let other = RawAdvertiser(bench)
        scanner.scanExtended()
        let start = bench.radio.now
        sender.advertise(
            announcement(),
            [
                .init(pdu: first(sender, .none, [1]), offset: 4000, usesLongUnits: true),
                .init(pdu: RawPDU(info: info, data: [2]), channel: 9, offset: 4000, usesLongUnits: true),
            ], at: start + .milliseconds(1))
        for number in 0..<20 {
            other.advertise(
                announcement(), [.init(pdu: first(other, .none, [3]))], at: start + .milliseconds(100 * number + 50))
        }
        bench.run(for: .seconds(4))
        let mine = scanner.extendedReports.filter { $0.address == sender.address }
        #expect(mine.map(\.data) == [[1, 2]] && mine.map(\.status) == [0])
        #expect(scanner.extendedReports.count == 21)
    }

    /// Of two sets whose PDUs always overlap, both are received.
    @Test func overlappingSetsTakeTurns() {
        let (bench, scanner, sender) = scene()
        let other = RawAdvertiser(bench)
        scanner.scanExtended()
        let start = bench.radio.now
        for number in 0..<20 {
            let time = start + .milliseconds(20 * number + 5)
            sender.advertise(
                RawPDU(info: .init(dataID: 1, setID: 1)),
                [
                    .init(
                        pdu: RawPDU(advertiser: sender.address, info: .init(dataID: 1, setID: 1)), channel: 3,
                        offset: 200)
                ], at: time)
            other.advertise(
                RawPDU(info: .init(dataID: 1, setID: 2)),
                [
                    .init(
                        pdu: RawPDU(advertiser: other.address, info: .init(dataID: 1, setID: 2)), channel: 4,
                        offset: 180)
                ], at: time + .microseconds(600))
        }
        bench.run(for: .seconds(1))
        let counts = [sender.address, other.address].map { address in
            scanner.extendedReports.filter { $0.address == address }.count
        }
        #expect(counts.allSatisfy { $0 >= 8 } && counts.reduce(0, +) >= 20)
    }

    /// Sets beyond all limits: bounded memory, and each is reported.
    @Test func manySetsAreReported() {
        let (bench, scanner, _) = scene()
        let senders = (0..<16).map { _ in RawAdvertiser(bench) }
        scanner.scanExtended(filter: .on)
        for (number, sender) in senders.enumerated() {
            for set: UInt8 in 0..<16 {
                let info = LL.AdvertisingDataInfo(dataID: 1, setID: set)
                for repetition in 0..<2 {
                    sender.advertise(
                        RawPDU(info: info),
                        [.init(pdu: RawPDU(advertiser: sender.address, info: info), channel: UInt8(number))],
                        at: bench.radio.now + .milliseconds(1 + 10 * repetition))
                }
                bench.run(for: .milliseconds(30))
            }
        }
        #expect(scanner.extendedReports.count == 256 && Set(scanner.extendedReports).count == 256)
    }
}
