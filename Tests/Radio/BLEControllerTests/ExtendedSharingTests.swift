import BLEWire
import Testing

@testable import BLEController

/// Several sets, their ends, and the radio that they share with links (Vol 4, Part E, 7.8.56; Documentation/Internals/Radio.md).
struct ExtendedSharingTests {
    private let bench = Bench()
    private let host: RawHost
    private let air: AirRecord

    init() {
        host = bench.addHost()
        air = AirRecord(bench)
    }

    // MARK: Ends

    /// The duration begins with the first event; no event begins that would not end within it (Vol 4, Part E, 7.8.56).
    @Test(arguments: [1, 30, 100] as [UInt16]) func aSetEndsAfterItsDuration(duration: UInt16) throws {
        host.advertiseExtended(
            bench, [], handle: 2, interval: 0x20, data: [UInt8](repeating: 1, count: 300), enables: false)
        for round in 1...2 {
            air.removeAll()
            #expect(host.enable(bench, [2], duration: duration) == .success)
            #expect(bench.run(atMost: .seconds(2)) { host.terminations.count == round })
            let first = try #require(air.packets.first).start
            #expect(bench.radio.now == first + .milliseconds(10 * Int(duration)))
            #expect(
                host.terminations.last
                    == HCI.LEAdvertisingSetTerminated(
                        status: .advertisingTimeout, advertisingHandle: 2, connectionHandle: 0, completedEvents: 0))
            #expect(bench.radio.status(of: host.identifier)?.isAdvertising == false)
            for packet in air.packets where packet.pointer != nil { #expect(air.named(by: packet) != nil) }
            bench.run(for: .seconds(1))
            #expect(
                host.terminations.count == round && air.packets.allSatisfy { $0.end <= bench.radio.now - .seconds(1) })
        }
    }

    /// An event longer than the duration does not begin, and the set ends nevertheless (Vol 4, Part E, 7.8.56).
    @Test func anEventLongerThanTheDurationIsNotSent() {
        host.advertiseExtended(
            bench, [], handle: 2, interval: 0x140, data: [UInt8](repeating: 1, count: 1650), enables: false
        ) { ($0.primaryPHY, $0.secondaryPHY) = (.leCoded, .leCoded) }
        for round in 1...2 {
            #expect(host.enable(bench, [2], duration: 1) == .success)
            // The random delay of up to 10 ms, then the duration.
            bench.run(for: .milliseconds(25))
            #expect(host.terminations.map(\.status) == Array(repeating: .advertisingTimeout, count: round))
            #expect(air.packets.isEmpty)
        }
    }

    @Test(arguments: [1, 3, 255] as [UInt8]) func aSetEndsAfterItsEvents(limit: UInt8) {
        host.advertiseExtended(bench, .connectable, handle: 2, interval: 0x20, enables: false)
        for round in 1...2 {
            air.removeAll()
            #expect(host.enable(bench, [2], events: limit) == .success)
            #expect(bench.run(atMost: .seconds(10)) { host.terminations.count == round })
            bench.run(for: .seconds(1))
            #expect(air.secondary.count == Int(limit))
            #expect(
                host.terminations.last
                    == HCI.LEAdvertisingSetTerminated(
                        status: .limitReached, advertisingHandle: 2, connectionHandle: 0, completedEvents: limit))
        }
    }

    /// What comes first ends the set. A second enable begins both limits anew (Vol 4, Part E, 7.8.56).
    @Test func enablingAgainRestartsTheLimits() {
        host.advertiseExtended(bench, [], interval: 0xA0)
        host.enable(bench, duration: 100, events: 5)
        for _ in 0..<8 {
            bench.run(for: .milliseconds(350))
            host.enable(bench, duration: 100, events: 5)
        }
        #expect(host.terminations.isEmpty)
        #expect(bench.run(atMost: .seconds(2)) { !host.terminations.isEmpty })
        #expect(host.terminations.map(\.status) == [.limitReached])
        #expect(host.terminations.map(\.completedEvents) == [5])
        host.enable(bench, duration: 30, events: 50)
        bench.run(for: .seconds(2))
        #expect(host.terminations.map(\.status) == [.limitReached, .advertisingTimeout])
        // Without limits it goes on.
        host.enable(bench)
        bench.run(for: .seconds(30))
        #expect(host.terminations.count == 2 && bench.radio.status(of: host.identifier)?.isAdvertising == true)
    }

    @Test func theHighDutyCycleOfAnExtendedCommandEndsWithItsSet() {
        host.advertiseExtended(bench, [.connectable, .directed, .highDutyCycle, .legacy], handle: 7, enables: false)
        host.enable(bench, [7], duration: 128)
        bench.run(for: .milliseconds(1279))
        #expect(host.terminations.isEmpty)
        bench.run(for: .milliseconds(2))
        #expect(host.terminations.map(\.status) == [.advertisingTimeout] && host.connections.isEmpty)
    }

    // MARK: Several sets

    /// Each of sixteen sets has its share, whatever the others do.
    @Test func allSetsAreSent() {
        for handle in UInt8(0)..<16 {
            let properties: [HCI.AdvertisingEventProperties] = [
                [], .connectable, .scannable, [.connectable, .scannable, .legacy],
            ]
            let kind = properties[Int(handle) % 4]
            let hasData = kind != .scannable && kind != [.connectable, .scannable, .legacy]
            let status = host.advertiseExtended(
                bench, kind, handle: handle, interval: 0xA0, data: hasData ? [handle] : [],
                response: kind == .scannable ? [1] : []
            ) { $0.secondaryPHY = handle % 3 == 0 ? .leCoded : .le1M }
            #expect(status == .success)
        }
        bench.run(for: .seconds(1))
        air.removeAll()
        bench.run(for: .seconds(20))
        var counts: [UInt8: Int] = [:]
        for packet in air.packets where packet.isPrimary && packet.channel == 37 {
            counts[packet.dataInfo?.setID ?? 0xFF, default: 0] += 1
        }
        // Four legacy sets, and twelve with their own SID; 181 to 200 events of 100 to 110 ms, some later because of the others.
        #expect(counts.count == 13)
        #expect(counts.allSatisfy { $0.key == 0xFF ? $0.value > 600 : (150...200).contains($0.value) }, "\(counts)")
        for packet in air.packets.dropLast(30) where packet.pointer != nil { #expect(air.named(by: packet) != nil) }
    }

    /// Sets whose events are nearly as long as their intervals, together longer than the time: none gets less than half of another.
    @Test func crowdedSetsShareTheTime() {
        let data = [UInt8](repeating: 1, count: 1650)
        for handle in UInt8(0)..<4 {
            #expect(host.advertiseExtended(bench, [], handle: handle, interval: 0x20, data: data) == .success)
        }
        bench.run(for: .seconds(10))
        var counts: [UInt8: Int] = [:]
        for packet in air.primary where packet.channel == 37 { counts[packet.dataInfo?.setID ?? 0, default: 0] += 1 }
        #expect(counts.count == 4 && (counts.values.min() ?? 0) * 2 > (counts.values.max() ?? 0), "\(counts)")
        #expect(counts.values.reduce(0, +) > 450)
    }

    /// The same beside a scan or an attempt to connect: these get their share.
    @Test(arguments: [2, 16], [false, true]) func crowdedSetsLeaveTimeToListen(sets: Int, initiates: Bool) {
        let other = bench.addHost()
        for handle in UInt8(0)..<UInt8(sets) {
            let data = [UInt8](repeating: handle, count: sets == 2 ? 1650 : 100)
            #expect(host.advertiseExtended(bench, [], handle: handle, interval: 0x20, data: data) == .success)
        }
        #expect(other.advertiseExtended(bench, .connectable, interval: 0x20, data: [7]) == .success)
        if initiates {
            host.connectExtended(to: other.address)
            #expect(bench.run(atMost: .seconds(5)) { !host.connections.isEmpty })
            return
        }
        host.scanExtended(interval: 0x10, window: 0x10)
        bench.run(for: .seconds(10))
        #expect(host.extendedReports.count > 20, "\(host.extendedReports.count)")
        var counts: [UInt8: Int] = [:]
        for packet in air.primary where packet.channel == 37 && packet.sender == host.identifier {
            counts[packet.dataInfo?.setID ?? 0, default: 0] += 1
        }
        // The sets lose no more than the share of the scanner, and none starves.
        #expect(counts.count == sets && (counts.values.min() ?? 0) * 2 > (counts.values.max() ?? 0), "\(counts)")
        #expect(counts.values.reduce(0, +) > (sets == 2 ? 400 : 2_000), "\(counts)")
    }

    /// The same beside a busy link of the central role, which has more than one exchange in an event.
    @Test(arguments: [2, 16], [40, 160] as [UInt16]) func crowdedSetsLeaveTimeToALink(sets: Int, interval: UInt16)
        throws
    {
        let peer = bench.addHost()
        peer.advertise()
        host.connectExtended(to: peer.address, interval: interval)
        #expect(bench.run(atMost: .seconds(5)) { host.connections.count == 1 && peer.connections.count == 1 })
        let handle = try #require(host.connections.first).connectionHandle
        for number in UInt8(0)..<UInt8(sets) {
            let data = [UInt8](repeating: number, count: sets == 2 ? 1650 : 100)
            #expect(host.advertiseExtended(bench, [], handle: number, interval: 0x20, data: data) == .success)
        }
        host.flood = RawHost.packet([UInt8](repeating: 1, count: 27), handle: handle)
        host.pump()
        bench.run(for: .seconds(1))
        for _ in 1...2 {
            let before = peer.received.values.reduce(0) { $0 + $1.count }
            air.removeAll()
            bench.run(for: .seconds(10))
            let exchanges = (peer.received.values.reduce(0) { $0 + $1.count } - before) / 27
            // A link alone has 676 us for each packet and its acknowledgement.
            let share = Double(exchanges) * 0.000_676 / 10
            #expect(share > 0.1 && share < 0.35, "\(share)")
            var counts: [UInt8: Int] = [:]
            for packet in air.primary where packet.channel == 37 {
                counts[packet.dataInfo?.setID ?? 0, default: 0] += 1
            }
            #expect(counts.count == sets && (counts.values.min() ?? 0) * 2 > (counts.values.max() ?? 0), "\(counts)")
            #expect(counts.values.reduce(0, +) > (sets == 2 ? 350 : 1_500), "\(counts)")
        }
        #expect(host.disconnections.isEmpty && peer.disconnections.isEmpty)
    }

    @Test func aStoppedSetLeavesTheOthersAlone() {
        for handle in UInt8(0)..<3 {
            host.advertiseExtended(bench, [], handle: handle, interval: 0x40, data: [UInt8](repeating: 1, count: 1000))
        }
        for round in 0..<50 {
            // At any place of any event.
            bench.run(for: .microseconds(3_000 + 771 * round))
            host.disable(bench, [1])
            air.removeAll()
            bench.run(for: .milliseconds(120))
            let after = Set(air.packets.compactMap { $0.dataInfo?.setID })
            #expect(after.isSuperset(of: [0, 2]))
            #expect(!air.packets.dropFirst().contains { $0.isPrimary && $0.dataInfo?.setID == 1 })
            host.enable(bench, [1])
        }
    }

    // MARK: Links

    /// Beside a link, no pointer names a PDU that is not sent, and neither the link nor the set starves.
    @Test(arguments: [12, 100, 500, 1650], [6, 24, 80] as [UInt16])
    func eventsBesideALinkAreWhole(count: Int, interval: UInt16) throws {
        let peer = bench.addHost()
        // The link begins with a legacy central and an extended advertiser.
        #expect(host.advertiseExtended(bench, [.connectable, .scannable, .legacy], handle: 9) == .success)
        peer.connect(to: host.address, interval: interval, timeout: 100)
        #expect(bench.run(atMost: .seconds(5)) { host.connections.count == 1 && peer.connections.count == 1 })
        let data = [UInt8](repeating: 3, count: count)
        #expect(host.advertiseExtended(bench, [], interval: 0xA0, data: data) == .success)
        bench.run(for: .seconds(1))
        air.removeAll()
        let links = air.others
        bench.run(for: .seconds(20))
        #expect(host.disconnections.isEmpty && peer.disconnections.isEmpty)
        let auxiliaries = air.secondary.filter { $0.advertiser != nil }
        #expect(auxiliaries.count > 100)
        // A link has two packets in each event. It loses at most half of its events.
        let events = 20_000_000 / (1250 * Int(interval))
        #expect(air.others - links > events)
        for packet in air.packets.dropLast(10) where packet.pointer != nil { #expect(air.named(by: packet) != nil) }
        #expect(auxiliaries.dropLast().allSatisfy { air.wholeData(from: $0) == data })
    }

    /// An event longer than what a link can lose is shortened after three postponements, and its last PDU says that no other follows.
    @Test(arguments: [[], .scannable] as [HCI.AdvertisingEventProperties])
    func aLongEventCannotEndALink(properties: HCI.AdvertisingEventProperties) throws {
        let peer = bench.addHost()
        let scanner = bench.addHost()
        scanner.scanExtended(.active, on: .leCoded, interval: 0x10, window: 0x10)
        #expect(host.advertiseExtended(bench, [.connectable, .scannable, .legacy], handle: 9) == .success)
        peer.connect(to: host.address, interval: 6, timeout: 10)
        #expect(bench.run(atMost: .seconds(5)) { host.connections.count == 1 && peer.connections.count == 1 })
        let data = [UInt8](repeating: 3, count: 1650)
        #expect(
            host.advertiseExtended(
                bench, properties, interval: 0x140, data: properties == [] ? data : [],
                response: properties == [] ? [] : data
            ) { ($0.primaryPHY, $0.secondaryPHY) = (.leCoded, .leCoded) } == .success)
        bench.run(for: .seconds(1))
        air.removeAll()
        bench.run(for: .seconds(30))
        #expect(host.disconnections.isEmpty && peer.disconnections.isEmpty)
        #expect(air.secondary.filter { $0.advertiser == host.address.value }.count > 50)
        var ends = 0
        for packet in air.packets.dropLast(10) {
            guard let pointer = packet.pointer else { continue }
            #expect(pointer.offset == 0 || air.named(by: packet) != nil)
            if pointer.offset == 0 { ends += 1 }
        }
        #expect(ends > 5, "\(ends)")
        // The scanner reports the shortened data as truncated.
        let reports = scanner.extendedReports.filter { !$0.data.isEmpty && $0.status != 1 }
        #expect(!reports.isEmpty && reports.allSatisfy { $0.status == 2 })
    }

    /// A short set beside many links, each way.
    @Test func aSetBesideManyLinksIsSent() throws {
        for number in 0..<8 {
            let peer = bench.addHost()
            #expect(
                host.advertiseExtended(bench, [.connectable, .scannable, .legacy], handle: 9, interval: 0x20)
                    == .success)
            peer.connect(to: host.address, interval: 12, timeout: 200)
            #expect(
                bench.run(atMost: .seconds(5)) {
                    host.connections.count == number + 1 && peer.connections.count == 1
                })
        }
        #expect(host.advertiseExtended(bench, [], interval: 0xA0, data: [1, 2, 3]) == .success)
        bench.run(for: .seconds(2))
        air.removeAll()
        bench.run(for: .seconds(20))
        #expect(host.disconnections.isEmpty && air.secondary.count > 100)
    }

    // MARK: Interruptions

    @Test func aResetInTheMiddleOfAnEventEndsIt() {
        for round in 0..<60 {
            host.advertiseExtended(bench, .scannable, response: [UInt8](repeating: 1, count: 900))
            host.advertiseExtended(bench, [], handle: 1, data: [UInt8](repeating: 1, count: 900))
            #expect(bench.run(atMost: .seconds(1)) { !air.packets.isEmpty })
            bench.run(for: .microseconds(211 * round))
            host.send(HCI.Reset())
            bench.deliver()
            air.removeAll()
            bench.run(for: .seconds(1))
            #expect(air.packets.isEmpty && bench.radio.nextDeadline == nil)
            #expect(host.enable(bench) == .unknownAdvertisingIdentifier)
        }
    }

    @Test func aControllerMayLeaveInTheMiddleOfAnEvent() {
        let other = bench.addHost()
        other.advertiseExtended(bench, [], handle: 1, interval: 0x20, data: [UInt8](repeating: 2, count: 900))
        for round in 0..<40 {
            let leaver = bench.addHost()
            leaver.advertiseExtended(bench, [], handle: 2, interval: 0x20, data: [UInt8](repeating: 1, count: 900))
            air.removeAll()
            #expect(bench.run(atMost: .seconds(1)) { air.packets.contains { $0.sender == leaver.identifier } })
            bench.run(for: .microseconds(307 * round))
            bench.radio.removeController(leaver.identifier, isReusable: true)
            bench.hosts.removeAll { $0 === leaver }
            air.removeAll()
            bench.run(for: .milliseconds(100))
            #expect(!air.packets.isEmpty && air.packets.allSatisfy { $0.sender == other.identifier })
        }
    }

    // MARK: Beacons

    /// A legacy set without answers is a beacon of the lane, which changes nothing, also while other sets exist (Documentation/Internals/Radio.md).
    @Test func theLaneChangesNothing() {
        func run(_ devices: Int) -> [String] {
            let bench = Bench(seed: 5)
            bench.radio.minimumLaneDevices = devices
            bench.keepLog()
            let host = bench.addHost()
            host.advertiseExtended(bench, .legacy, handle: 4, interval: 0x40, data: [2, 1, 6])
            host.advertiseExtended(bench, [], handle: 5, interval: 0x40, data: [2, 1, 6], enables: false)
            bench.run(for: .seconds(2))
            #expect(bench.radio.beaconCount == (devices == 1 ? 1 : 0))
            host.enable(bench, [5])
            bench.run(for: .seconds(2))
            #expect(bench.radio.beaconCount == 0)
            host.disable(bench, [5])
            bench.run(for: .seconds(2))
            #expect(bench.radio.beaconCount == (devices == 1 ? 1 : 0))
            // A duration is an end that the lane does not know.
            host.enable(bench, [4], duration: 50)
            bench.run(for: .seconds(2))
            #expect(bench.radio.beaconCount == 0 && host.terminations.count == 1)
            return bench.log
        }
        let log = run(1)
        #expect(log.count > 300 && log == run(1000))
    }
}
