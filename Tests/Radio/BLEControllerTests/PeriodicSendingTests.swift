import BLEWire
import Testing

@testable import BLEController

/// Periodic advertising of a set (Vol 6, Part B, 4.4.2.12; Vol 4, Part E, 7.8.61 to 7.8.63).
struct PeriodicSendingTests {
    private let bench = Bench()
    private let host: RawHost
    private let ear: AirEar

    init() {
        host = bench.addHost()
        ear = AirEar(bench, of: host)
    }

    private func octets(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) } }

    /// LL/DDI/ADV/BV-26-C and others: AUX_SYNC_IND is sent in each interval, with its chain, at the place that SyncInfo names.
    @Test(arguments: [HCI.PHY.le1M, .le2M, .leCoded], [0, 10, 500, 1_650])
    func aTrainIsSentWhereItIsAnnounced(phy: HCI.PHY, count: Int) throws {
        #expect(
            host.advertisePeriodically(bench, interval: 160, data: octets(count), phy: phy, advertisingInterval: 0x90)
                == .success)
        bench.run(for: .seconds(4))
        let trains = ear.trains
        #expect(trains.count == 1)
        let (accessAddress, events) = try #require(trains.first)
        #expect(events.count >= 18)
        let anchors = events.map { $0[0].start }
        #expect(zip(anchors, anchors.dropFirst()).allSatisfy { $1 - $0 == .milliseconds(200) })
        for event in events.dropLast() {
            #expect(event.allSatisfy { HCI.PHY($0.phy) == phy && $0.channel < 37 })
            var data: [UInt8] = []
            for packet in event {
                let octets = packet.octets
                guard case .extended(_, let payload) = try LL.AdvertisingPDU(decoding: octets.span) else { continue }
                data.append(payload.data)
            }
            #expect(data == octets(count))
        }
        #expect(ear.announcements.count > 10)
        for (packet, info) in ear.announcements where packet.end + .milliseconds(300) < bench.radio.now {
            let span = try #require(info.offsetSpan(mayAdjust: false))
            let event = try #require(anchors.firstIndex { $0 >= packet.start + span })
            #expect(anchors[event] <= packet.start + span + info.offsetUnit)
            #expect(Int(info.eventCounter) == event && info.accessAddress == accessAddress)
            #expect(info.interval == 160 && info.channelMap == .all && !info.adjustsOffset)
        }
    }

    /// 7.8.63: the train begins with its set, goes on without it, and begins anew with another access address.
    @Test func theTrainBeginsWithItsSetAndOutlivesIt() {
        for round in 1...2 {
            host.advertiseExtended(bench, [], handle: 1, enables: false)
            let parameters = HCI.LESetPeriodicAdvertisingParameters(
                advertisingHandle: 1, intervalMinimum: 80, intervalMaximum: 80)
            #expect(host.status(bench, of: parameters) == .success)
            #expect(host.enablePeriodic(bench) == .success)
            // The host has turned it on: only complete data, and no parameters.
            #expect(host.status(bench, of: parameters) == .commandDisallowed)
            #expect(host.setPeriodicData(bench, [1], .first) == .commandDisallowed)
            bench.run(for: .seconds(1))
            #expect(ear.trains.count == round - 1)
            host.enable(bench, [1])
            bench.run(for: .seconds(1))
            #expect(ear.trains.count == round)
            host.disable(bench)
            let before = ear.packets.count
            bench.run(for: .seconds(1))
            #expect(ear.packets.count - before >= 9)
            // A set with a train that is on is not removed (7.8.59 and 7.8.60).
            #expect(host.status(bench, of: HCI.LERemoveAdvertisingSet(advertisingHandle: 1)) == .commandDisallowed)
            #expect(host.status(bench, of: HCI.LEClearAdvertisingSets()) == .commandDisallowed)
            #expect(host.enablePeriodic(bench, 1, []) == .success)
            #expect(host.enablePeriodic(bench, 1, []) == .success)
            let end = ear.packets.count
            bench.run(for: .seconds(1))
            #expect(ear.packets.count == end && bench.radio.nextDeadline == nil)
            #expect(bench.radio.medium.subscribers.isEmpty)
            #expect(host.status(bench, of: HCI.LERemoveAdvertisingSet(advertisingHandle: 1)) == .success)
        }
    }

    /// 7.8.61 to 7.8.63.
    @Test func theCommandsHaveTheirErrors() {
        let parameters = HCI.LESetPeriodicAdvertisingParameters(
            advertisingHandle: 1, intervalMinimum: 80, intervalMaximum: 160)
        #expect(host.status(bench, of: parameters) == .unknownAdvertisingIdentifier)
        #expect(host.setPeriodicData(bench, [1]) == .unknownAdvertisingIdentifier)
        #expect(host.enablePeriodic(bench) == .unknownAdvertisingIdentifier)
        for properties in [.connectable, .scannable, .anonymous, [.connectable, .scannable, .legacy], .legacy]
            as [HCI.AdvertisingEventProperties]
        {
            host.advertiseExtended(bench, properties, handle: 1, enables: false)
            #expect(host.status(bench, of: parameters) == .invalidHCICommandParameters)
        }
        host.advertiseExtended(bench, [], handle: 1, enables: false)
        #expect(host.setPeriodicData(bench, [1]) == .commandDisallowed)
        #expect(host.enablePeriodic(bench) == .commandDisallowed)
        for (shortest, longest) in [(5, 80), (0, 0), (81, 80)] as [(UInt16, UInt16)] {
            var bad = parameters
            (bad.intervalMinimum, bad.intervalMaximum) = (shortest, longest)
            #expect(host.status(bench, of: bad) == .invalidHCICommandParameters)
        }
        #expect(host.status(bench, of: parameters) == .success)
        #expect(host.enablePeriodic(bench, 1, .init(rawValue: 5)) == .invalidHCICommandParameters)
        #expect(host.setPeriodicData(bench, [1], .first) == .success)
        #expect(host.enablePeriodic(bench) == .commandDisallowed)
        #expect(host.setPeriodicData(bench, [2], .last) == .success)
        // A set whose kind has changed is refused later.
        host.advertiseExtended(bench, .connectable, handle: 1, enables: false)
        #expect(host.enablePeriodic(bench) == .commandDisallowed)
        host.advertiseExtended(bench, [], handle: 1, enables: false)
        #expect(host.enablePeriodic(bench) == .success)
        // 7.8.53: neither another kind of set nor another PHY while the train is on.
        #expect(host.advertiseExtended(bench, .connectable, handle: 1, enables: false) == .commandDisallowed)
        #expect(
            host.advertiseExtended(bench, [], handle: 1, enables: false) { $0.secondaryPHY = .le2M }
                == .commandDisallowed)
        #expect(host.advertiseExtended(bench, [], handle: 1, enables: false) == .success)
        // 3.1.1: not after a legacy command.
        let old = bench.addHost()
        old.advertise()
        bench.deliver()
        #expect(old.status(bench, of: parameters) == .commandDisallowed)
        #expect(old.createSync(bench, with: host) == .commandDisallowed)
        let plain = bench.addHost { $0.periodicAdvertiserListSize = 0 }
        #expect(plain.status(bench, of: parameters) == .unknownHCICommand)
        #expect(plain.createSync(bench, with: host) == .unknownHCICommand)
    }

    /// HCI/DDI/BI-50-C, BI-51-C: 7.8.61 and 7.8.62.
    @Test func dataThatDoesNotFitIsRefused() {
        host.advertiseExtended(bench, [], handle: 1, enables: false)
        var parameters = HCI.LESetPeriodicAdvertisingParameters(
            advertisingHandle: 1, intervalMinimum: 6, intervalMaximum: 6)
        #expect(host.status(bench, of: parameters) == .success)
        #expect(host.setPeriodicData(bench, octets(1_650)) == .packetTooLong)
        parameters.intervalMaximum = 80
        #expect(host.status(bench, of: parameters) == .success)
        #expect(host.setPeriodicData(bench, octets(1_650)) == .success)
        parameters.intervalMaximum = 6
        #expect(host.status(bench, of: parameters) == .packetTooLong)
        #expect(host.enablePeriodic(bench) == .success)
    }

    /// A set with a train and one without data and train differ in AUX_ADV_IND, and a stopped train is not announced any more.
    @Test func onlyARunningTrainIsAnnounced() {
        host.advertisePeriodically(bench)
        for _ in 0..<2 {
            bench.run(for: .seconds(1))
            #expect(ear.announcements.count > 10)
            host.enablePeriodic(bench, 1, [])
            bench.run(for: .milliseconds(30))
            let count = ear.announcements.count
            bench.run(for: .seconds(1))
            #expect(ear.announcements.count == count)
            // It goes on without AUX_ADV_IND, as without data.
            #expect(ear.packets.suffix(5).allSatisfy { $0.channel >= 37 })
            host.enablePeriodic(bench)
        }
    }

    /// Vol 4, Part E, 7.3.2: nothing is left, in the middle of an event as well.
    @Test(arguments: [10, 55, 57, 60, 101]) func aResetEndsTrains(milliseconds: Int) {
        for _ in 0..<2 {
            #expect(host.advertisePeriodically(bench, interval: 40, data: octets(1_650)) == .success)
            bench.run(for: .milliseconds(milliseconds))
            host.send(HCI.Reset())
            host.send(HCI.LESetRandomAddress(address: host.address))
            bench.deliver()
            let count = ear.packets.count
            bench.run(for: .seconds(1))
            #expect(ear.packets.count == count && bench.radio.nextDeadline == nil)
            #expect(bench.radio.medium.subscribers.isEmpty)
            #expect(bench.radio.medium.devices.allSatisfy { $0.tuning == nil && $0.sending < 0 })
        }
    }

    /// 4.4.2.12: the host's channel classification is announced, then used.
    @Test func theTrainUsesTheHostsChannels() throws {
        host.advertisePeriodically(bench, interval: 16)
        bench.run(for: .milliseconds(500))
        let map = LL.ChannelMap(rawValue: 0x1FF)
        #expect(
            host.status(bench, of: HCI.LESetHostChannelClassification(channelMap: .init(rawValue: map.rawValue)))
                == .success)
        bench.run(for: .seconds(2))
        let events = try #require(ear.trains.first?.value)
        #expect(events.prefix(20).contains { !map.contains($0[0].channel) })
        #expect(events.suffix(60).allSatisfy { map.contains($0[0].channel) })
        // A train that begins later uses them at once.
        host.advertisePeriodically(bench, handle: 2, interval: 16)
        bench.run(for: .seconds(1))
        let second = ear.trains.values.max { $0[0][0].start < $1[0][0].start }
        #expect(second.map { $0.allSatisfy { map.contains($0[0].channel) } } == true)
    }
}
