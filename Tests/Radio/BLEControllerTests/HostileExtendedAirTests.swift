import BLEWire
import Testing

@testable import BLEController

/// Extended advertising of hostile devices: the scanner and the initiator live on, with bounded memory.
struct HostileExtendedAirTests {
    private let info = LL.AdvertisingDataInfo(dataID: 5, setID: 1)

    /// Fields of which each may be missing, reserved or of another advertiser.
    private func randomPDU(_ random: inout SeededRandom, from address: DeviceAddress) -> RawPDU {
        var pdu = RawPDU()
        let mode = random.next() % 12
        pdu.mode = LL.AdvertisingMode(rawValue: mode < 4 ? UInt8(mode) : 0)
        pdu.info = random.next() % 8 == 0 ? nil : info
        if random.next() % 2 == 0 { pdu.advertiser = address }
        if random.next() % 16 == 0 { pdu.target = DeviceAddress(kind: .random, value: random.next()) }
        if random.next() % 4 == 0 {
            pdu.pointer = LL.AuxiliaryPointer(
                channel: UInt8(random.next() % 64), isClockAccurate: random.next() % 2 == 0,
                offset: UInt16(random.next() % (random.next() % 2 == 0 ? 40 : 0x2000)),
                usesLongUnits: random.next() % 4 == 0, phyCode: UInt8(random.next() % 8))
        }
        if random.next() % 16 == 0 { pdu.type = .auxConnectRsp }
        pdu.data = Array(repeating: 1, count: Int(random.next() % 180))
        return pdu
    }

    /// An event with a chain whose pointers are right, except that a PDU may be missing or have another pointer.
    private func sendChain(_ sender: RawAdvertiser, _ random: inout SeededRandom, at start: Instant) {
        let links = (0..<Int(1 + random.next() % 5)).map { _ in
            var link = RawAdvertiser.Link(
                pdu: randomPDU(&random, from: sender.address), channel: UInt8(random.next() % 37),
                phy: random.next() % 2 == 0 ? .oneM : .twoM, offset: UInt16(60 + random.next() % 60))
            link.isSent = random.next() % 8 != 0
            if random.next() % 8 == 0 { link.pointer = randomPDU(&random, from: sender.address).pointer }
            return link
        }
        var announcement = randomPDU(&random, from: sender.address)
        announcement.mode = links[0].pdu.mode
        sender.advertise(announcement, links, at: start)
    }

    @Test(arguments: UInt64(1)...6) func theScannerAndTheInitiatorLiveOn(seed: UInt64) throws {
        let bench = Bench(seed: seed)
        let (host, peripheral) = (bench.addHost(), bench.addHost())
        let hostile = (0..<3).map { _ in RawAdvertiser(bench) }
        var random = SeededRandom(seed: seed)
        host.scanExtended(.active, on: [.le1M, .leCoded], interval: 0x10, window: 0x10)
        host.connectExtended(to: hostile[0].address, on: [.le1M, .le2M, .leCoded])
        for _ in 0..<1_500 {
            let chained = hostile[Int(random.next() % 3)]
            sendChain(chained, &random, at: bench.radio.now + .microseconds(Int(random.next() % 4_000)))
            for sender in hostile where random.next() % 4 == 0 {
                let channel = UInt8(random.next() % 3 == 0 ? random.next() % 37 : 37 + random.next() % 3)
                let phy = [LL.PHY.oneM, .twoM, .codedS8, .codedS2][Int(random.next() % 4)]
                var octets = randomPDU(&random, from: sender.address).octets
                for _ in 0..<random.next() % 4 where !octets.isEmpty {
                    octets[Int(random.next() % UInt64(octets.count))] = UInt8(truncatingIfNeeded: random.next())
                }
                sender.send(octets, at: bench.radio.now + .microseconds(Int(random.next() % 4_000)), on: channel, phy)
            }
            bench.run(for: .milliseconds(8))
        }
        bench.run(for: .seconds(5))
        let statuses = Set(host.extendedReports.map(\.status))
        #expect(statuses.isSuperset(of: [0, 2]) && host.extendedReports.count > 50)
        host.send(HCI.LECreateConnectionCancel())
        bench.run(for: .seconds(5))
        host.events.removeAll()
        // A good advertiser is reported and connected.
        peripheral.advertiseExtended(bench, .connectable, interval: 0x40, data: [1, 2, 3])
        bench.run(for: .seconds(2))
        let good = host.extendedReports.filter { $0.address == peripheral.address && $0.data == [1, 2, 3] }
        #expect(good.count > 10)
        let before = host.connections.count
        host.connectExtended(to: peripheral.address)
        let isConnected = bench.run(atMost: .seconds(3)) { host.connections.count > before }
        #expect(isConnected && host.connections.last?.status == .success)
    }

    /// A pointer names no PDU if its window has closed, its offset is 0, or its channel or PHY does not exist.
    @Test func aPointerIntoThePastNamesNoPDU() throws {
        let start = Instant.zero + .milliseconds(10)
        func appointment(
            _ offset: UInt16, channel: UInt8 = 3, phyCode: UInt8 = 0, after delay: TimeSpan
        ) -> AuxiliaryPursuit.Appointment? {
            let pointer = LL.AuxiliaryPointer(
                channel: channel, isClockAccurate: true, offset: offset, usesLongUnits: false, phyCode: phyCode)
            return AuxiliaryPursuit.Appointment(pointer, from: start, now: start + delay, supported: .oneM)
        }
        // 100 units of 30 µs, and the unit in which the PDU may start, 16 µs and 70 ppm later.
        let closes = try #require(appointment(100, after: .zero)).closes
        #expect(closes == start + .nanoseconds(3_000_000 + 30_000 + 16_000 + 210))
        let latest = closes - start
        #expect(appointment(100, after: latest - .nanoseconds(1))?.opens == closes - .nanoseconds(1))
        #expect(appointment(100, after: latest) == nil)
        #expect(appointment(1, after: .milliseconds(1)) == nil && appointment(0x1FFF, after: .seconds(100)) == nil)
        #expect(appointment(0, after: .zero) == nil)
        #expect(appointment(100, channel: 37, after: .zero) == nil)
        for code: UInt8 in 1..<8 { #expect(appointment(100, phyCode: code, after: .zero) == nil, "\(code)") }
    }

    /// Offsets that end before the packet with the pointer does: the scanner does not wait, and no chain is whole.
    @Test(arguments: [(0, false), (1, false), (30, false), (0, true), (1, true), (2, true)] as [(UInt16, Bool)])
    func thePDUOfAPastPointerIsMissing(offset: UInt16, isAnnouncement: Bool) {
        let bench = Bench()
        let host = bench.addHost()
        let sender = RawAdvertiser(bench)
        host.scanExtended()
        let past = LL.AuxiliaryPointer(
            channel: 9, isClockAccurate: true, offset: offset, usesLongUnits: false, phyCode: 0)
        // The first PDU is 1.6 ms long, ADV_EXT_IND 0.14 ms.
        let data = [UInt8](repeating: 7, count: 180)
        for _ in 0..<50 {
            host.events.removeAll()
            var first = RawAdvertiser.Link(pdu: RawPDU(advertiser: sender.address, info: info, data: data))
            if isAnnouncement { first.pointer = past }
            var second = RawAdvertiser.Link(pdu: RawPDU(info: info, data: [8]), channel: 9)
            second.pointer = past
            sender.advertise(RawPDU(info: info), [first, second], at: bench.radio.now + .milliseconds(1))
            bench.run(for: .milliseconds(20))
            #expect(host.extendedReports.map(\.status) == (isAnnouncement ? [] : [2]))
            #expect(host.extendedReports.allSatisfy { $0.data == data })
        }
        // The next event is whole, and the scanner hears it at once.
        host.events.removeAll()
        sender.advertise(
            RawPDU(info: info), [.init(pdu: RawPDU(advertiser: sender.address, info: info, data: [1]))],
            at: bench.radio.now + .milliseconds(1))
        bench.run(for: .milliseconds(20))
        #expect(host.extendedReports.map(\.status) == [0] && host.extendedReports.first?.data == [1])
    }

    /// The memory of pursuits and of reported sets is bounded.
    @Test func tablesAreBounded() throws {
        var pursuits = AuxiliaryPursuits()
        func pursuit(_ offset: Int) throws -> AuxiliaryPursuit {
            let pointer = LL.AuxiliaryPointer(
                channel: 3, isClockAccurate: true, offset: UInt16(offset), usesLongUnits: true, phyCode: 0)
            let appointment = AuxiliaryPursuit.Appointment(pointer, from: .zero, now: .zero, supported: .oneM)
            let header = LL.AdvertisingHeader(type: .extended)
            return AuxiliaryPursuit(
                AuxiliaryPursuit.Announcement(LL.ExtendedAdvertisement(mode: .none), header, phy: .oneM),
                at: try #require(appointment))
        }
        // Each nearer one replaces the farthest.
        var random = SeededRandom(seed: 1)
        for number in 0..<800 { _ = pursuits.add(try pursuit(8_100 - 10 * number), &random) }
        #expect(pursuits.waiting.count == AuxiliaryPursuits.limit)
        let nearest = try pursuit(8_100 - 10 * 799).appointment.opens
        #expect(pursuits.next == nearest)
        let last = pursuits.waiting.map(\.appointment.opens).max() ?? .zero
        #expect(last < Instant.zero + .milliseconds(60))

        var reported = ReportedAdvertisers()
        func key(_ number: Int) -> ReportedAdvertisers.SetKey {
            .init(DeviceAddress(kind: .random, value: UInt64(number)), info, .advertisement)
        }
        for number in 0..<ReportedAdvertisers.limit where !reported.insert(key(number)) {
            Issue.record("\(number) is no duplicate")
        }
        let isRepeated = !reported.insert(key(0))
        #expect(isRepeated && reported.contains(key(0)))
        let isNew = reported.insert(key(ReportedAdvertisers.limit))
        #expect(isNew && !reported.contains(key(0)))
    }

    /// After a reset no timer runs, whenever it comes, and the removal of a controller traps at no time.
    @Test(arguments: ["scan", "chain", "request", "connection", "period"], [true, false])
    func aResetLeavesNoTimer(state: String, isRemoved: Bool) {
        for delay in stride(from: 0, to: 16_000, by: 373) {
            let bench = Bench()
            let host = bench.addHost()
            let sender = RawAdvertiser(bench)
            let mode: LL.AdvertisingMode =
                state == "connection" ? .connectable : state == "request" ? .scannable : .none
            host.scanExtended(
                .active, on: [.le1M, .leCoded], interval: 0x100, window: 0x100,
                duration: state == "period" ? 1 : 0, period: state == "period" ? 1 : 0)
            if state == "connection" {
                host.connectExtended(to: sender.address, scanInterval: 0x1000, scanWindow: 0x1000)
            }
            var links = [
                RawAdvertiser.Link(pdu: RawPDU(mode: mode, advertiser: sender.address, info: info, data: [1]))
            ]
            if state == "chain" { links.append(.init(pdu: RawPDU(info: info, data: [2]), channel: 9)) }
            if state != "scan" && state != "period" {
                for channel: UInt8 in 37...39 {
                    var pdu = RawPDU(mode: mode, info: info)
                    pdu.pointer = .init(
                        channel: 5, isClockAccurate: true, offset: UInt16(200 - 30 * Int(channel - 37)),
                        usesLongUnits: false, phyCode: 0)
                    sender.send(
                        pdu.octets, at: bench.radio.now + .microseconds(900 * Int(channel - 36)), on: channel)
                }
                let start = bench.radio.now + .microseconds(6_900)
                var first = links[0].pdu
                if links.count > 1 {
                    first.pointer = .init(
                        channel: 9, isClockAccurate: true, offset: 100, usesLongUnits: false, phyCode: 0)
                    sender.send(links[1].pdu.octets, at: start + .milliseconds(3), on: 9)
                }
                sender.send(first.octets, at: start, on: 5)
            }
            bench.run(for: .microseconds(delay))
            if isRemoved {
                bench.radio.removeController(host.identifier)
            } else {
                host.send(HCI.Reset())
                bench.deliver()
            }
            let medium = bench.radio.medium
            let inFlight = medium.transmissions.count { $0.sender >= 0 && $0.end > medium.now }
            #expect(medium.scheduler.armedCount == inFlight, "\(delay) us")
            #expect(medium.devices[host.identifier.rawValue].tuning == nil)
            #expect(medium.devices[host.identifier.rawValue].sending < 0)
            bench.run(for: .seconds(1))
        }
    }
}
