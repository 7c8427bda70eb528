import BLECrypto
import BLEWire
import Testing

@testable import BLEController

/// Requests to an extended advertiser (Vol 6, Part B, 4.4.2.3 and 4.4.2.4).
struct ExtendedAnswerTests {
    private let bench = Bench()
    private let host: RawHost
    private let air: AirRecord
    private let tester: TestTransmitter

    init() {
        host = bench.addHost()
        air = AirRecord(bench)
        tester = TestTransmitter(bench)
    }

    static let phys: [(HCI.PHY, LL.PHY)] = [(.le1M, .oneM), (.le2M, .twoM), (.leCoded, .codedS8)]

    /// What the advertiser sends after a PDU until the next event.
    private func answers(after packet: AirAdvertisement) -> [AirAdvertisement] {
        bench.run(for: .milliseconds(60))
        return air.packets.filter {
            $0.sender == host.identifier && $0.start > packet.end && $0.start < packet.end + .milliseconds(50)
                && !$0.isPrimary
        }
    }

    // MARK: Scan requests

    /// LL/DDI/ADV/BV-22-C and others: AUX_SCAN_RSP follows T_IFS after AUX_SCAN_REQ, with a chain of its own.
    @Test(arguments: phys, [1, 245, 246, 1000]) func aScanRequestIsAnswered(phys: (HCI.PHY, LL.PHY), count: Int) throws
    {
        let response = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
        #expect(
            host.advertiseExtended(bench, .scannable, handle: 3, interval: 0x190, response: response) {
                ($0.secondaryPHY, $0.reportsScanRequests) = (phys.0, true)
            } == .success)
        for round in 1...3 {
            let auxiliary = try #require(tester.awaitAuxiliary(air))
            #expect(auxiliary.mode == .scannable && auxiliary.data.isEmpty)
            tester.requestScan(of: host.address, after: auxiliary)
            let request = auxiliary.end + LL.interFrameSpace + phys.1.airTime(pduLength: 14)
            bench.run(for: .milliseconds(160))
            let first = try #require(air.secondary.last { $0.advertiser != nil && $0.start > request })
            #expect(first.start == request + LL.interFrameSpace && first.channel == auxiliary.channel)
            #expect(first.phy == phys.1 && first.type == .extended && first.mode == LL.AdvertisingMode.none)
            #expect(first.advertiser == host.address.value && first.isSenderRandom)
            #expect(first.dataInfo == auxiliary.dataInfo)
            #expect(air.wholeData(from: first) == response)
            let reports = host.all(HCI.LEScanRequestReceived.self)
            #expect(reports.count == round)
            #expect(reports.allSatisfy { $0.advertisingHandle == 3 && $0.scannerAddress == tester.address })
        }
    }

    /// A request to another address, of another kind of address, a damaged one and one in vain have no answer, and the next event has.
    @Test func aForeignScanRequestIsIgnored() throws {
        #expect(host.advertiseExtended(bench, .scannable, response: [1]) { $0.reportsScanRequests = true } == .success)
        let others = [
            DeviceAddress(kind: .random, value: host.address.value ^ 1),
            DeviceAddress(kind: .public, value: host.address.value),
        ]
        for other in others {
            let auxiliary = try #require(tester.awaitAuxiliary(air))
            tester.requestScan(of: other, after: auxiliary)
            #expect(answers(after: auxiliary).isEmpty)
        }
        let auxiliary = try #require(tester.awaitAuxiliary(air))
        tester.connect(to: host.address, after: auxiliary)
        #expect(answers(after: auxiliary).isEmpty && host.connections.isEmpty)
        let cut = try #require(tester.awaitAuxiliary(air))
        tester.transmit([0xC3, 12, 1, 2, 3], at: cut.end + LL.interFrameSpace, on: cut.channel, phy: .oneM)
        #expect(answers(after: cut).isEmpty && host.all(HCI.LEScanRequestReceived.self).isEmpty)
        let last = try #require(tester.awaitAuxiliary(air))
        tester.requestScan(of: host.address, after: last)
        #expect(answers(after: last).map(\.data) == [[1]])
    }

    /// Scan Request Received is for those who asked for it, with legacy PDUs as well (Vol 4, Part E, 7.7.65.19).
    @Test func scanRequestsAreReportedOnDemand() throws {
        for reports in [true, false] {
            #expect(
                host.advertiseExtended(bench, [.scannable, .legacy], handle: 9, interval: 0x20, response: [1]) {
                    $0.reportsScanRequests = reports
                } == .success)
            for _ in 0..<2 {
                #expect(bench.run(atMost: .seconds(1)) { air.packets.last?.type == .advScanInd })
                let packet = try #require(air.packets.last)
                tester.requestScan(of: host.address, after: packet)
                #expect(bench.run(atMost: .seconds(1)) { air.packets.last?.type == .scanRsp })
            }
            #expect(host.all(HCI.LEScanRequestReceived.self).map(\.advertisingHandle) == [9, 9])
            host.disable(bench)
        }
    }

    // MARK: Connections

    /// LL/CON/ADV/BV-05-C and others: AUX_CONNECT_RSP follows T_IFS after AUX_CONNECT_REQ. The transmit window begins 2.5 ms, on the Coded PHY 3.75 ms
    /// after the request, plus its offset (Vol 6, Part B, 4.5.3). The link uses the PHY and algorithm #2.
    @Test(arguments: phys) func aConnectionRequestIsAnswered(phys: (HCI.PHY, LL.PHY)) throws {
        let phy = phys.1
        for (round, offset) in zip(UInt8(1)..., [0, 5] as [UInt16]) {
            #expect(
                host.advertiseExtended(bench, .connectable, handle: round) { $0.secondaryPHY = phys.0 } == .success)
            let auxiliary = try #require(tester.awaitAuxiliary(air))
            #expect(auxiliary.mode == .connectable)
            let request = tester.connect(to: host.address, after: auxiliary, windowOffset: offset)
            let end = auxiliary.end + LL.interFrameSpace + phy.airTime(pduLength: 36)
            #expect(bench.run(atMost: .milliseconds(20)) { air.packets.last?.type == .auxConnectRsp })
            let response = try #require(air.packets.last)
            #expect(response.start == end + LL.interFrameSpace && response.channel == auxiliary.channel)
            #expect(response.phy == phy && response.mode == LL.AdvertisingMode.none && response.data.isEmpty)
            #expect(response.advertiser == host.address.value && response.isSenderRandom)
            #expect(response.target == tester.address.value && response.isTargetRandom)
            #expect(response.dataInfo == nil && response.pointer == nil)
            bench.deliver()
            // LE Connection Complete, LE Channel Selection Algorithm, then the end of the set.
            #expect(host.events.suffix(3).map { $0[2] } == [0x01, 0x14, 0x12])
            #expect(host.all(HCI.LEChannelSelectionAlgorithm.self).last?.algorithm == 1)
            let connection = try #require(host.connections.last)
            #expect(connection.status == .success && connection.peerAddress == tester.address)
            #expect(
                host.terminations.last
                    == HCI.LEAdvertisingSetTerminated(
                        status: .success, advertisingHandle: round, connectionHandle: connection.connectionHandle,
                        completedEvents: 0))
            let window = end + .microseconds(phy.isCoded ? 3750 : 2500) + LL.slot * Int(offset)
            try expectAnswer(to: request, at: window, phy)
            host.send(HCI.Disconnect(connectionHandle: connection.connectionHandle))
            #expect(bench.run(atMost: .seconds(5)) { host.disconnections.count == Int(round) })
        }
        // The set stays, and can be enabled again (Vol 4, Part E, 7.8.56).
        air.removeAll()
        #expect(host.enable(bench, [1]) == .success && tester.awaitAuxiliary(air) != nil)
    }

    /// The peripheral answers a packet at this time.
    private func expectAnswer(to request: LL.ConnectInd, at time: Instant, _ phy: LL.PHY) throws {
        var channels = ChannelSelection.second(accessAddress: request.accessAddress)
        let before = air.others
        tester.transmit(
            [0x01, 0], at: time, on: channels.channel(event: 0, map: .all), phy: phy,
            accessAddress: request.accessAddress, crcInit: request.crcInit)
        bench.run(until: time + phy.airTime(pduLength: 2) * 3 + .milliseconds(1))
        #expect(air.others == before + 2)
    }

    @Test func aForeignOrInvalidConnectionRequestIsIgnored() throws {
        #expect(host.advertiseExtended(bench, .connectable) == .success)
        let auxiliary = try #require(tester.awaitAuxiliary(air))
        tester.connect(to: DeviceAddress(kind: .random, value: 5), after: auxiliary)
        #expect(answers(after: auxiliary).isEmpty)
        // The offset is longer than the interval.
        let second = try #require(tester.awaitAuxiliary(air))
        tester.connect(to: host.address, after: second, windowOffset: 25)
        #expect(answers(after: second).isEmpty)
        // A scan request to a set that is not scannable.
        let third = try #require(tester.awaitAuxiliary(air))
        tester.requestScan(of: host.address, after: third)
        #expect(answers(after: third).isEmpty && host.connections.isEmpty && host.terminations.isEmpty)
        let last = try #require(tester.awaitAuxiliary(air))
        tester.connect(to: host.address, after: last)
        #expect(answers(after: last).map(\.type) == [.auxConnectRsp] && host.connections.count == 1)
    }

    /// Vol 6, Part B, 4.3.2. LL/DDI/ADV/BV-24-C and others.
    @Test func theFilterPolicyHoldsOnSecondaryChannels() throws {
        let listed = DeviceAddress(kind: .random, value: 0xC0FF_EE00_0002)
        #expect(host.status(bench, of: HCI.LEAddDeviceToFilterAcceptList(address: listed)) == .success)
        host.advertiseExtended(bench, .scannable, response: [1]) { $0.filterPolicy = .scanFromAcceptList }
        // The list is in use.
        #expect(host.status(bench, of: HCI.LEClearFilterAcceptList()) == .commandDisallowed)
        for (scanner, isAnswered) in [(tester.address, false), (listed, true), (tester.address, false)] {
            let auxiliary = try #require(tester.awaitAuxiliary(air))
            tester.requestScan(of: host.address, after: auxiliary, by: scanner)
            #expect(answers(after: auxiliary).isEmpty != isAnswered)
        }
        host.disable(bench)
        #expect(host.status(bench, of: HCI.LEAddDeviceToFilterAcceptList(address: listed)) == .success)
        host.advertiseExtended(bench, .connectable, handle: 1) { $0.filterPolicy = .connectFromAcceptList }
        for (initiator, isAnswered) in [(tester.address, false), (listed, true)] {
            let auxiliary = try #require(tester.awaitAuxiliary(air))
            tester.connect(to: host.address, after: auxiliary, by: initiator)
            #expect(answers(after: auxiliary).isEmpty != isAnswered)
        }
    }

    /// Directed events answer their target alone, and ignore the filter policy (Vol 6, Part B, 4.3.2).
    @Test func directedEventsAnswerTheirTarget() throws {
        let target = DeviceAddress(kind: .random, value: 0xC0FF_EE00_0002)
        host.advertiseExtended(bench, [.scannable, .directed], response: [1]) {
            ($0.peerAddress, $0.filterPolicy) = (target, .bothFromAcceptList)
        }
        for (scanner, isAnswered) in [(tester.address, false), (target, true)] {
            let auxiliary = try #require(tester.awaitAuxiliary(air))
            tester.requestScan(of: host.address, after: auxiliary, by: scanner)
            #expect(answers(after: auxiliary).isEmpty != isAnswered)
        }
        host.disable(bench)
        host.advertiseExtended(bench, [.connectable, .directed], handle: 1) { $0.peerAddress = target }
        for (initiator, isAnswered) in [(tester.address, false), (target, true)] {
            let auxiliary = try #require(tester.awaitAuxiliary(air))
            tester.connect(to: host.address, after: auxiliary, by: initiator)
            #expect(answers(after: auxiliary).isEmpty != isAnswered)
        }
    }

    /// Own address types 2 and 3, and private targets (Vol 6, Part B, 6.2). LL/SEC/ADV.
    @Test func setsUsePrivateAddressesOfTheResolvingList() throws {
        let (local, remote) = (IdentityResolvingKey(value: 0xA), IdentityResolvingKey(value: 0xB))
        let peer = DeviceAddress(kind: .public, value: 0x77)
        host.send(HCI.LEAddDeviceToResolvingList(identity: peer, peerKey: remote, localKey: local))
        host.send(HCI.LESetResolvablePrivateAddressTimeout(timeout: 2))
        #expect(host.status(bench, of: HCI.LESetAddressResolutionEnable(enable: true)) == .success)
        #expect(
            host.advertiseExtended(bench, [.connectable, .directed]) {
                ($0.ownAddressType, $0.peerAddress) = (.resolvableOrRandom, peer)
            } == .success)
        bench.run(for: .seconds(5))
        let crypto = SwiftCryptoProvider(generator: SeededRandom(seed: 0))
        for packet in air.secondary {
            let own = DeviceAddress(kind: .random, value: packet.advertiser ?? 0)
            let target = DeviceAddress(kind: .random, value: packet.target ?? 0)
            #expect(packet.isSenderRandom && crypto.resolves(own, local))
            #expect(packet.isTargetRandom && crypto.resolves(target, remote))
        }
        #expect(Set(air.secondary.map(\.advertiser)).count >= 2 && Set(air.secondary.map(\.target)).count >= 2)
        // The peer connects with a private address, and its identity is reported.
        let auxiliary = try #require(tester.awaitAuxiliary(air))
        let target = DeviceAddress(kind: .random, value: auxiliary.target ?? 0)
        tester.connect(
            to: DeviceAddress(kind: .random, value: auxiliary.advertiser ?? 0), after: auxiliary, by: target)
        #expect(bench.run(atMost: .seconds(1)) { !host.connections.isEmpty })
        #expect(air.packets.last { $0.type == .auxConnectRsp }?.target == target.value)
        #expect(host.connections.first?.peerAddress.value == peer.value)
    }
}
