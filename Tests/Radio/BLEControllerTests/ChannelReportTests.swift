import BLEWire
import Testing

@testable import BLEController

/// The reports of a peripheral about its channels, and what the central does with them (Vol 6, Part B, 5.1.21 and 5.1.22).
struct ChannelReportTests {
    private static let reporting = LL.ChannelReportingInd(isOn: true, minimumSpacing: 5, maximumDelay: 10)

    private func take(
        _ octets: [UInt8], _ role: HCI.Role, features: LL.FeatureSet = .channelClassification
    ) -> (sent: [[UInt8]], actions: [LinkLayerProcedures.Action]) {
        var procedures = LinkLayerProcedures(
            role: role, features: features, version: LL.VersionInd(version: 13, company: 0, subversion: 0),
            dataLength: DataLength(tx: .minimum, rx: .minimum), phys: (.oneM, .oneM))
        var actions: [LinkLayerProcedures.Action] = []
        let context = LinkLayerProcedures.Context(
            role: role, event: 10, latency: 0, interval: 24, hostDecidesParameters: true)
        procedures.receive(octets.span, context, &actions)
        return (procedures.outgoing, actions)
    }

    // MARK: PDUs

    @Test func thePeripheralTakesTheCentralsWish() {
        for (octets, isOn, spacing, delay) in [
            ([0x28, 1, 5, 5], true, 5, 5), ([0x28, 0, 5, 150], false, 5, 150), ([0x28, 1, 150, 150], true, 150, 150),
        ] as [([UInt8], Bool, UInt8, UInt8)] {
            let (sent, actions) = take(octets, .peripheral)
            #expect(
                actions == [.reportChannels(.init(isOn: isOn, minimumSpacing: spacing, maximumDelay: delay))]
                    && sent.isEmpty)
        }
    }

    /// LL/FRH/PER/BI-01-C: values out of range, a delay that is shorter than the spacing, and wrong lengths.
    @Test func wrongWishesAreUnknown() {
        for octets in [
            [0x28, 2, 5, 5], [0x28, 0xFF, 5, 5], [0x28, 1, 4, 5], [0x28, 1, 0, 0], [0x28, 1, 151, 151],
            [0x28, 1, 5, 151], [0x28, 1, 10, 9], [0x28, 0, 255, 255], [0x28, 1, 5], [0x28, 1, 5, 5, 0],
        ] as [[UInt8]] {
            let (sent, actions) = take(octets, .peripheral)
            #expect(sent == [[0x07, 0x28]] && actions.isEmpty, "\(octets)")
        }
        let status = [0x29] + [UInt8](repeating: 0, count: 10)
        // Each PDU has one direction, and needs the feature.
        #expect(take([0x28, 1, 5, 5], .central).sent == [[0x07, 0x28]])
        #expect(take(status, .peripheral).sent == [[0x07, 0x29]])
        #expect(take([0x28, 1, 5, 5], .peripheral, features: []).sent == [[0x07, 0x28]])
        #expect(take(status, .central, features: []).sent == [[0x07, 0x29]])
        #expect(take(status, .central).actions == [.learnChannels(.unknown)])
        #expect(take(Array(status.dropLast()), .central).sent == [[0x07, 0x29]])
    }

    // MARK: The reporter

    @Test func aChangeIsReportedOnceAndAfterTheSpacing() {
        var reporter = ChannelReporter()
        let some = LL.ChannelMap(rawValue: 0xFF)
        #expect(reporter.takeReport(allowed: some, at: .zero) == nil)
        reporter.set(Self.reporting)
        let excluded = LL.ChannelClassification(bad: LL.ChannelMap(rawValue: ~0xFF))
        #expect(reporter.takeReport(allowed: some, at: .zero) == excluded)
        #expect(reporter.takeReport(allowed: some, at: Instant.zero + .seconds(5)) == nil && !reporter.isPending)
        let later = Instant.zero + .seconds(10)
        #expect(reporter.takeReport(allowed: .all, at: later) == .unknown)
        #expect(reporter.takeReport(allowed: some, at: later + .milliseconds(999)) == nil && reporter.isPending)
        // The old state before the end of the spacing is no change.
        #expect(reporter.takeReport(allowed: .all, at: later + .milliseconds(999)) == nil && !reporter.isPending)
        #expect(reporter.takeReport(allowed: some, at: later + .seconds(1)) == excluded)
        // Off, and on again: what the central knows is not repeated.
        reporter.set(.init(isOn: false, minimumSpacing: 5, maximumDelay: 5))
        #expect(reporter.takeReport(allowed: .all, at: later + .seconds(9)) == nil && !reporter.isPending)
        reporter.set(.init(isOn: true, minimumSpacing: 150, maximumDelay: 150))
        #expect(reporter.takeReport(allowed: some, at: later + .seconds(9)) == nil)
        #expect(reporter.takeReport(allowed: .all, at: later + .seconds(9)) == nil && reporter.isPending)
        #expect(reporter.takeReport(allowed: .all, at: later + .seconds(31)) == .unknown)
    }

    /// Half of the last eight events with losses make a channel bad. It recovers with better events, or by forgetting.
    @Test func channelsWithLossesAreBad() {
        var quality = ChannelQuality()
        var now = Instant.zero
        func note(_ channel: UInt8, _ losses: [Bool]) {
            for isLost in losses { quality.note(channel, isLost: isLost, at: now) }
        }
        note(3, [true, true, true])
        #expect(quality.bad.count == 0)
        note(3, [false, false, true])
        #expect(quality.bad == LL.ChannelMap(rawValue: 1 << 3))
        note(36, [true, true, true, true])
        note(37, [true, true, true, true])
        note(255, [true, true, true, true])
        #expect(quality.bad == LL.ChannelMap(rawValue: 1 << 3 | 1 << 36))
        note(3, [false, false, false])
        #expect(quality.bad == LL.ChannelMap(rawValue: 1 << 36))
        now += .seconds(59)
        note(3, [false])
        #expect(quality.bad == LL.ChannelMap(rawValue: 1 << 36))
        now += .seconds(1)
        note(3, [true, true, true])
        #expect(quality.bad.count == 0)
    }

    // MARK: The map of the central

    @Test func theMapHasTheGoodChannelsOfBothAndEnough() {
        var channels = LinkLayerConnection.DataChannels(map: .all, selection: .first(hop: 5))
        func map(_ allowed: UInt64, bad: UInt64?, minimum: Int = 0) -> UInt64 {
            channels.minimum = minimum
            channels.peripheralStatus = bad.map { LL.ChannelClassification(bad: LL.ChannelMap(rawValue: $0)) }
            return channels.chosenMap(from: LL.ChannelMap(rawValue: allowed)).rawValue
        }
        #expect(map(0xFF, bad: nil) == 0xFF && map(0xFF, bad: 0) == 0xFF)
        #expect(map(0xFF, bad: 0x0F) == 0xF0)
        #expect(map(0xFF, bad: 0x7F) == 0x81)
        #expect(map(0xFF, bad: 0xFF) == 0x03)
        #expect(map(0xFF, bad: 0x0F, minimum: 6) == 0xF3)
        #expect(map(0xF0, bad: 0xFF, minimum: 6) == 0xF3)
        #expect(map(0xF0, bad: nil, minimum: 6) == 0xF3)
        #expect(map(0x1F_FFFF_FFFF, bad: 0x1F_FFFF_FFFF, minimum: 37) == 0x1F_FFFF_FFFF)
    }

    // MARK: Between controllers

    private func classify(_ host: RawHost, _ map: UInt64) {
        host.send(HCI.LESetHostChannelClassification(channelMap: HCI.ChannelMap(rawValue: map)))
    }

    private func map(_ link: PowerLink, _ host: RawHost) -> UInt64? {
        host.send(HCI.LEReadChannelMap(connectionHandle: link.handle(of: host)))
        link.bench.deliver()
        let answer = host.events.last.flatMap {
            try? HCI.LEReadChannelMap.ReturnParameters(decoding: $0.span.extracting(droppingFirst: 5))
        }
        return answer?.channelMap.rawValue
    }

    @Test func theCentralFollowsThePeripheralsHost() throws {
        let link = try PowerLink(central: { $0.channelReporting = Self.reporting })
        link.bench.run(for: .milliseconds(500))
        #expect(link.sent(by: link.central, 0x28) == [[0x28, 1, 5, 10]])
        #expect(link.sent(by: link.peripheral, 0x29) == [[0x29] + [UInt8](repeating: 0, count: 10)])
        #expect(link.sent(by: link.central, 0x01).isEmpty)
        for (own, peer, expected) in [
            (0x1F_FFFF_FFFF, 0x3FF, 0x3FF), (0x1F_FFFF_FFFF, 0x1F_FFFF_FFFF, 0x1F_FFFF_FFFF), (0xFF0, 0x3FF, 0x3F0),
            (0xFF000, 0x3FF, 0x3000), (0xFF000, 0x1F_FFFF_FFFF, 0xFF000),
        ] as [(UInt64, UInt64, UInt64)] {
            classify(link.central, own)
            classify(link.peripheral, peer)
            link.bench.run(for: .seconds(3))
            #expect(map(link, link.central) == expected && map(link, link.peripheral) == expected, "\(expected)")
        }
        #expect(link.central.disconnections.isEmpty && link.peripheral.disconnections.isEmpty)
    }

    /// LL/FRH/PER/BV-03-C: two changes within the spacing; the second report waits, also if the peripheral skips events by its latency.
    @Test(arguments: [0, 20] as [UInt16]) func reportsKeepTheirSpacing(latency: UInt16) throws {
        let link = try PowerLink(latency: latency, central: { $0.channelReporting = Self.reporting })
        link.bench.run(for: .seconds(3))
        let begin = link.bench.radio.now
        for map in [0xFF, 0xFFF, 0xFFFF] as [UInt64] {
            classify(link.peripheral, map)
            link.bench.run(for: .milliseconds(200))
        }
        link.bench.run(for: .seconds(3))
        let reports = link.pdus.filter { $0.octets[0] == 0x29 }.dropFirst()
        #expect(reports.count == 2)
        let starts = reports.map { $0.start }
        #expect(zip(starts, starts.dropFirst()).allSatisfy { $1 - $0 >= .seconds(1) })
        // Within the delay of 2 s.
        #expect(starts.allSatisfy { $0 - begin < .seconds(2) })
        #expect(map(link, link.central) == 0xFFFF)
    }

    @Test func nobodyReportsWithoutTheWish() throws {
        let link = try PowerLink()
        classify(link.peripheral, 0x3FF)
        link.bench.run(for: .seconds(3))
        #expect(link.sent(by: link.central, 0x28).isEmpty && link.sent(by: link.peripheral, 0x29).isEmpty)
        #expect(map(link, link.central) == 0x1F_FFFF_FFFF)
    }

    /// Packets get lost on a channel: the peripheral notices, and the central leaves the channel until the peripheral has forgotten it.
    @Test func aBadChannelLeavesTheMap() throws {
        let link = try PowerLink(interval: 6, central: { $0.channelReporting = Self.reporting })
        classify(link.central, 0x0F)
        link.bench.run(for: .seconds(1))
        #expect(map(link, link.peripheral) == 0x0F)
        // A wrong length is an error of the packet.
        link.bench.radio.tamper = { pdu in
            let medium = link.bench.radio.medium
            let ended = medium.transmissions.first { $0.sender >= 0 && $0.end == medium.now }
            if ended?.channel == 2, pdu.count >= 2 { pdu[1] ^= 1 }
        }
        link.bench.run(for: .seconds(3))
        #expect(map(link, link.central) == 0x0B && map(link, link.peripheral) == 0x0B)
        #expect(link.sent(by: link.peripheral, 0x29).last == [0x29, 0x30] + [UInt8](repeating: 0, count: 9))
        link.bench.radio.tamper = nil
        link.bench.run(for: .seconds(40))
        #expect(map(link, link.central) == 0x0B)
        link.bench.run(for: .seconds(30))
        #expect(map(link, link.central) == 0x0F && link.central.disconnections.isEmpty)
    }
}
