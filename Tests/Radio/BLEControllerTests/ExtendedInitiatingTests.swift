import BLEWire
import Testing

@testable import BLEController

/// The initiator with extended advertising (Vol 6, Part B, 4.4.4; Vol 4, Part E, 7.8.66).
struct ExtendedInitiatingTests {
    private let info = LL.AdvertisingDataInfo(dataID: 0x321, setID: 3)

    private func scene() -> (bench: Bench, central: RawHost, sender: RawAdvertiser, ear: AirEar) {
        let bench = Bench()
        let central = bench.addHost()
        return (bench, central, RawAdvertiser(bench), AirEar(bench, of: central))
    }

    /// Advertises on channel 5 until the central sends a packet there, at most 20 times.
    private func awaitRequest(
        _ sender: RawAdvertiser, _ ear: AirEar, phy: LL.PHY = .oneM, primary: LL.PHY = .oneM,
        target: DeviceAddress? = nil, attempts: Int = 20
    ) -> HeardPacket? {
        let bench = sender.bench
        let before = ear.packets.count
        for _ in 0..<attempts {
            let start = bench.radio.now + .milliseconds(1)
            // The initiator begins on any channel.
            for channel: UInt8 in 37...39 {
                let offset = UInt16(400 - 70 * Int(channel - 37))
                var pdu = RawPDU(mode: .connectable, info: info)
                pdu.pointer = LL.AuxiliaryPointer(
                    channel: 5, isClockAccurate: true, offset: offset, usesLongUnits: false,
                    phyCode: phy.isCoded ? 2 : phy == .twoM ? 1 : 0)
                sender.send(pdu.octets, at: start + .microseconds(2100 * Int(channel - 37)), on: channel, primary)
            }
            sender.send(
                RawPDU(mode: .connectable, advertiser: sender.address, target: target, info: info).octets,
                at: start + .milliseconds(12), on: 5, phy)
            if bench.run(atMost: .milliseconds(40), until: { ear.packets.count > before }) { return ear.packets.last }
        }
        return nil
    }

    private func respond(_ sender: RawAdvertiser, to request: HeardPacket, _ change: (inout RawPDU) -> Void = { _ in })
    {
        let central = DeviceAddress(
            kind: request.octets[0] & 0x40 != 0 ? .random : .public,
            value: (0..<6).reduce(UInt64(0)) { $0 | UInt64(request.octets[2 + $1]) << (8 * $1) })
        var response = RawPDU(type: .auxConnectRsp, advertiser: sender.address, target: central)
        change(&response)
        sender.send(response.octets, at: request.end + .microseconds(150), on: request.channel, request.phy)
    }

    // MARK: Links

    /// LL/CON/INI/BV-17-C and others: AUX_CONNECT_REQ, AUX_CONNECT_RSP, and the first packet in the transmit window, on the PHY of the
    /// secondary channel.
    @Test(arguments: [LL.PHY.oneM, .twoM, .codedS8], [HCI.PHYMask.le1M, .leCoded, [.le1M, .le2M, .leCoded]])
    func aLinkBeginsOnTheSecondaryPHY(phy: LL.PHY, phys: HCI.PHYMask) throws {
        let (bench, central, sender, ear) = scene()
        let primary: LL.PHY = phys == .leCoded ? .codedS8 : .oneM
        for round in 1...2 {
            central.connectExtended(to: sender.address, on: phys)
            let request = try #require(awaitRequest(sender, ear, phy: phy, primary: primary))
            #expect(request.phy == phy && request.channel == 5 && request.octets.count == 36)
            // CONNECT_IND's type; the bit of channel selection #2 is reserved.
            #expect(request.octets[0] == 0xC5)
            respond(sender, to: request)
            let number = central.connections.count
            let isConnected = bench.run(atMost: .milliseconds(10)) { central.connections.count > number }
            try #require(isConnected)
            let connection = central.connections[number]
            #expect(connection.status == .success && connection.role == .central)
            #expect(connection.peerAddress == sender.address)
            // The interval names the entry of the PHY: of 1M, 2M and Coded if all are there, else the only one.
            let entry: UInt16 = phys.rawValue == 7 ? (phy == .oneM ? 0 : phy == .twoM ? 1 : 2) : 0
            #expect(connection.interval == 24 + entry)
            #expect(central.all(HCI.LEChannelSelectionAlgorithm.self).last?.algorithm == 1)
            let before = ear.packets.count
            let isSent = bench.run(atMost: .milliseconds(100)) { ear.packets.count > before }
            try #require(isSent)
            let first = try #require(ear.packets.last)
            // 2.5 ms, on Coded 3.75 ms, then the offset (Vol 6, Part B, 4.5.3).
            let offset = Int(request.octets[22]) | Int(request.octets[23]) << 8
            let delay = TimeSpan.microseconds(phy.isCoded ? 3750 : 2500)
            let window = request.end + delay + LL.slot * offset
            #expect(first.start >= window && first.start <= window + LL.slot * Int(request.octets[21]))
            #expect(first.phy == phy && first.channel < 37 && first.accessAddress != LL.advertisingAccessAddress)
            #expect(bench.radio.links(of: central.identifier).map(\.sendingPHY) == [phy])
            // Nobody answers.
            bench.run(for: .seconds(2))
            #expect(central.disconnections.count == round)
        }
    }

    /// Without a valid AUX_CONNECT_RSP there is no link, and the initiator goes on.
    @Test(arguments: ["silence", "advertiser", "target", "no target", "type", "corrupted", "late"])
    func aLinkNeedsItsResponse(what: String) throws {
        let (bench, central, sender, ear) = scene()
        central.connectExtended(to: sender.address)
        for _ in 1...3 {
            let request = try #require(awaitRequest(sender, ear))
            let other = DeviceAddress(kind: .random, value: 0xC000_0000_0077)
            switch what {
            case "silence": break
            case "advertiser": respond(sender, to: request) { $0.advertiser = other }
            case "target": respond(sender, to: request) { $0.target = other }
            case "no target": respond(sender, to: request) { $0.target = nil }
            case "type": respond(sender, to: request) { $0.type = .extended }
            case "corrupted":
                respond(sender, to: request)
                // A whole collision that begins after the access address.
                RawAdvertiser(bench).send(
                    RawPDU(data: Array(repeating: 0, count: 20)).octets, at: request.end + .microseconds(200), on: 5)
            default:
                var response = RawPDU(type: .auxConnectRsp, advertiser: sender.address)
                response.target = central.address
                sender.send(response.octets, at: request.end + .microseconds(250), on: 5)
            }
            bench.run(for: .milliseconds(20))
            #expect(central.connections.isEmpty)
        }
        let request = try #require(awaitRequest(sender, ear))
        respond(sender, to: request)
        bench.run(for: .milliseconds(10))
        #expect(central.connections.map(\.status) == [.success])
    }

    /// Directed advertising connects with its target only (Vol 6, Part B, 4.3.3).
    @Test func directedAdvertisingConnectsWithItsTarget() {
        let (_, central, sender, ear) = scene()
        central.connectExtended(to: sender.address)
        let other = DeviceAddress(kind: .random, value: 0xC000_0000_0077)
        #expect(awaitRequest(sender, ear, target: other) == nil)
        #expect(awaitRequest(sender, ear, target: central.address) != nil)
    }

    @Test func onlyTheRequestedAdvertiserIsAnswered() {
        let (bench, central, sender, ear) = scene()
        let other = RawAdvertiser(bench)
        central.connectExtended(to: other.address)
        #expect(awaitRequest(sender, ear) == nil && awaitRequest(other, ear) != nil)
        bench.run(for: .milliseconds(20))
        central.send(HCI.LECreateConnectionCancel())
        central.send(HCI.LEAddDeviceToFilterAcceptList(address: sender.address))
        central.connectExtended(to: other.address, policy: .acceptList)
        #expect(awaitRequest(other, ear) == nil && awaitRequest(sender, ear) != nil)
    }

    /// Legacy advertisers are answered with CONNECT_IND.
    @Test(arguments: [HCI.AdvertisingType.connectableUndirected, .connectableDirectedLowDutyCycle])
    func legacyAdvertisersAreAnswered(type: HCI.AdvertisingType) throws {
        let bench = Bench()
        let (central, peripheral) = (bench.addHost(), bench.addHost())
        for round in 1...2 {
            peripheral.advertise(type, interval: 0x20, peer: central.address)
            central.connectExtended(to: peripheral.address, on: [.le1M, .leCoded])
            let isConnected = bench.run(atMost: .seconds(2)) { peripheral.connections.count == round }
            try #require(isConnected)
            bench.run(for: .milliseconds(500))
            #expect(central.connections.count == round && central.connections.last?.interval == 24)
            #expect(central.disconnections.count == round - 1)
            let handle = try #require(central.connections.last?.connectionHandle)
            central.send(HCI.Disconnect(connectionHandle: handle, reason: .remoteUserTerminatedConnection))
            bench.run(for: .milliseconds(500))
        }
    }

    // MARK: Cancelling

    /// The host may cancel at any moment; the next attempt succeeds.
    @Test(
        arguments: Array(stride(from: 0, to: 14_000, by: 250)) + [
            13_000, 13_100, 13_200, 13_300, 13_400, 13_500, 13_600,
        ])
    func aConnectionIsCancelled(delay: Int) throws {
        let (bench, central, sender, ear) = scene()
        central.connectExtended(to: sender.address, scanInterval: 0xFFFF, scanWindow: 0xFFFF)
        let start = bench.radio.now + .milliseconds(1)
        for channel: UInt8 in 37...39 {
            let pointer = LL.AuxiliaryPointer(
                channel: 5, isClockAccurate: true, offset: UInt16(400 - 70 * Int(channel - 37)), usesLongUnits: false,
                phyCode: 0)
            sender.send(
                RawPDU(mode: .connectable, info: info, pointer: pointer).octets,
                at: start + .microseconds(2100 * Int(channel - 37)), on: channel)
        }
        sender.send(
            RawPDU(mode: .connectable, advertiser: sender.address, info: info).octets, at: start + .milliseconds(12),
            on: 5)
        bench.run(until: start + .microseconds(delay))
        central.send(HCI.LECreateConnectionCancel())
        bench.run(for: .milliseconds(50))
        #expect(central.status(of: .leCreateConnectionCancel) == .success)
        #expect(central.connections.map(\.status) == [.unknownConnectionIdentifier])
        central.send(HCI.LECreateConnectionCancel())
        bench.deliver()
        #expect(central.status(of: .leCreateConnectionCancel) == .commandDisallowed)
        central.connectExtended(to: sender.address)
        let request = try #require(awaitRequest(sender, ear))
        respond(sender, to: request)
        bench.run(for: .milliseconds(10))
        #expect(central.connections.map(\.status) == [.unknownConnectionIdentifier, .success])
    }

    // MARK: Beside a scan

    /// A device that has moved from 1M to Coded is found by the scan while an attempt runs on 1M, and the other way round.
    @Test(arguments: [(HCI.PHYMask.le1M, LL.PHY.codedS8), (.leCoded, .oneM)], [UInt16(0x10), 0x60, 0x400])
    func theScanFindsADeviceOnTheOtherPHY(phys: (attempt: HCI.PHYMask, device: LL.PHY), interval: UInt16) {
        let (bench, host, sender, _) = scene()
        host.scanExtended(on: [.le1M, .leCoded], interval: interval, window: interval)
        host.connectExtended(to: sender.address, on: phys.attempt, scanInterval: interval, scanWindow: interval)
        for _ in 0..<20 {
            sender.advertise(
                RawPDU(mode: .connectable, info: info),
                [.init(pdu: RawPDU(mode: .connectable, advertiser: sender.address, info: info, data: [1]))],
                at: bench.radio.now + .milliseconds(1), primary: phys.device)
            bench.run(for: .milliseconds(107))
        }
        #expect(host.extendedReports.contains { $0.address == sender.address && $0.type == 1 })
        // The attempt is for the other PHY.
        #expect(host.connections.isEmpty)
    }

    /// The scan reports the AUX_ADV_IND that the initiator answers.
    @Test func theScanReportsWhatTheInitiatorAnswers() throws {
        let (bench, host, sender, ear) = scene()
        host.scanExtended(.active, interval: 0x10, window: 0x10)
        host.connectExtended(to: sender.address)
        let request = try #require(awaitRequest(sender, ear))
        respond(sender, to: request)
        bench.run(for: .milliseconds(20))
        #expect(host.connections.map(\.status) == [.success])
        #expect(host.extendedReports.map(\.type) == [1])
    }

    // MARK: Commands

    private func status(_ command: some HCICommand, _ configure: (inout ControllerConfiguration) -> Void = { _ in })
        -> HCI.ErrorCode?
    {
        let bench = Bench()
        let host = bench.addHost(configure)
        host.send(command)
        bench.deliver()
        return host.status(of: type(of: command).opcode)
    }

    /// Vol 4, Part E, 7.8.64.
    @Test(
        arguments: [
            (1, [16, 16], 0x00), (5, [16, 16, 0xFFFF, 0xFFFF], 0), (4, [4, 4], 0), (0, [], 0x12), (2, [16, 16], 0x11),
            (3, [16, 16, 16, 16], 0x11), (8, [16, 16], 0x11), (1, [3, 3], 0x12), (1, [16, 17], 0x12),
            (5, [16, 16, 16, 3], 0x12), (1, [16, 0], 0x12),
        ] as [(UInt8, [UInt16], UInt8)])
    func scanParametersAreChecked(phys: UInt8, times: [UInt16], status expected: UInt8) {
        let entries = stride(from: 0, to: times.count, by: 2).map {
            HCI.LESetExtendedScanParameters.Entry(scanType: .passive, interval: times[$0], window: times[$0 + 1])
        }
        let command = HCI.LESetExtendedScanParameters(
            ownAddressType: .random, phys: HCI.PHYMask(rawValue: phys), entries: entries)
        #expect(status(command)?.rawValue == expected)
        if phys & 4 != 0 { #expect(status(command) { $0.supportsCoded = false }?.rawValue == 0x11) }
    }

    @Test func otherScanParametersAreChecked() {
        func command(
            type: UInt8 = 0, own: UInt8 = 1, policy: UInt8 = 0
        ) -> HCI.LESetExtendedScanParameters {
            .init(
                ownAddressType: HCI.OwnAddressType(rawValue: own),
                filterPolicy: HCI.ScanFilterPolicy(rawValue: policy), phys: .le1M,
                entries: [.init(scanType: HCI.ScanType(rawValue: type), interval: 16, window: 16)])
        }
        #expect(status(command(type: 2)) == .invalidHCICommandParameters)
        #expect(status(command(own: 4)) == .invalidHCICommandParameters)
        #expect(status(command(policy: 4)) == .invalidHCICommandParameters)
        #expect(status(command(own: 2, policy: 3)) == .success)
        #expect(status(command(own: 2)) { $0.resolvingListSize = 0 } == .unsupportedFeatureOrParameterValue)
        // While a scan runs the parameters are fixed.
        let bench = Bench()
        let host = bench.addHost()
        host.scanExtended()
        host.send(command())
        bench.deliver()
        #expect(host.status(of: .leSetExtendedScanParameters) == .commandDisallowed)
    }

    /// Vol 4, Part E, 7.8.65: a duration must end before its period.
    @Test(
        arguments: [
            (0, 0, 0, 0x00), (10, 0, 1, 0), (0, 1, 2, 0), (127, 1, 0, 0), (128, 1, 0, 0x12), (129, 1, 0, 0x12),
            (0xFFFF, 0xFFFF, 0, 0), (0, 0, 3, 0x12),
        ] as [(UInt16, UInt16, UInt8, UInt8)])
    func theTimesOfAScanAreChecked(duration: UInt16, period: UInt16, filter: UInt8, status expected: UInt8) {
        // The default own address is the public one.
        let command = HCI.LESetExtendedScanEnable(
            enable: true, filterDuplicates: HCI.DuplicateFilter(rawValue: filter), duration: duration, period: period)
        let result = status(command) { $0.publicAddress = DeviceAddress(kind: .public, value: 1) }
        #expect(result?.rawValue == expected)
    }

    /// Vol 4, Part E, 7.8.66.
    @Test(
        arguments: [
            (1, 0x00), (4, 0), (5, 0), (7, 0), (3, 0), (2, 0x12), (0, 0x12), (8, 0x11), (9, 0x11),
        ] as [(UInt8, UInt8)])
    func thePHYsOfAnAttemptAreChecked(phys: UInt8, status expected: UInt8) {
        let bench = Bench()
        let host = bench.addHost()
        host.connectExtended(
            to: DeviceAddress(kind: .random, value: 0xC000_0000_0077), on: HCI.PHYMask(rawValue: phys))
        bench.deliver()
        #expect(host.status(of: .leExtendedCreateConnection)?.rawValue == expected)
        // A second attempt waits for the end of the first one.
        host.connectExtended(to: DeviceAddress(kind: .random, value: 0xC000_0000_0077))
        bench.deliver()
        #expect(
            host.status(of: .leExtendedCreateConnection) == (expected == 0 ? .commandDisallowed : .success))
    }

    @Test(
        arguments: [
            ([16, 16, 24, 40, 0, 100], 0x00), ([0xFFFF, 0xFFFF, 24, 24, 0, 100], 0), ([16, 17, 24, 24, 0, 100], 0x12),
            ([3, 3, 24, 24, 0, 100], 0x12), ([16, 16, 5, 24, 0, 100], 0x12), ([16, 16, 24, 23, 0, 100], 0x12),
            ([16, 16, 24, 24, 500, 3200], 0x12), ([16, 16, 3200, 3200, 0, 100], 0x12),
        ] as [([UInt16], UInt8)])
    func theParametersOfAnAttemptAreChecked(values: [UInt16], status expected: UInt8) {
        let good = HCI.LEExtendedCreateConnection.Entry(
            scanInterval: 16, scanWindow: 16, intervalMinimum: 24, intervalMaximum: 24, maximumLatency: 0,
            supervisionTimeout: 100)
        let entry = HCI.LEExtendedCreateConnection.Entry(
            scanInterval: values[0], scanWindow: values[1], intervalMinimum: values[2], intervalMaximum: values[3],
            maximumLatency: values[4], supervisionTimeout: values[5])
        for entries in [[entry, good], [good, entry]] {
            let command = HCI.LEExtendedCreateConnection(
                filterPolicy: .peerAddress, ownAddressType: .random,
                peerAddress: DeviceAddress(kind: .random, value: 0xC000_0000_0077), phys: [.le1M, .leCoded],
                entries: entries)
            #expect(status(command)?.rawValue == expected)
        }
    }
}
