import BLECrypto
import BLEWire
import Testing

@testable import BLEController

/// Rules of extended advertising that need a second role, a second advertiser or a second command.
struct ExtendedRuleTests {
    private let info = LL.AdvertisingDataInfo(dataID: 0x123, setID: 7)
    private let bench = Bench()
    private let host: RawHost
    private let sender: RawAdvertiser
    private let ear: AirEar

    init() {
        host = bench.addHost()
        sender = RawAdvertiser(bench)
        ear = AirEar(bench, of: host)
    }

    private var tuning: Medium.Tuning? { bench.radio.medium.devices[host.identifier.rawValue].tuning }

    private func advertise(
        _ sender: RawAdvertiser, _ mode: LL.AdvertisingMode, target: DeviceAddress? = nil,
        after delay: TimeSpan = .milliseconds(1)
    ) {
        // An initiator begins on any channel.
        for channel: UInt8 in 37...39 {
            let pointer = LL.AuxiliaryPointer(
                channel: 5, isClockAccurate: true, offset: UInt16(200 - 20 * Int(channel - 37)), usesLongUnits: false,
                phyCode: 0)
            sender.send(
                RawPDU(mode: mode, info: info, pointer: pointer).octets,
                at: bench.radio.now + delay + .microseconds(600 * Int(channel - 37)), on: channel)
        }
        sender.send(
            RawPDU(mode: mode, advertiser: sender.address, target: target, info: info).octets,
            at: bench.radio.now + delay + .milliseconds(6), on: 5)
    }

    // MARK: Initiating

    /// An advertiser that never answers delays no other, and is asked again.
    @Test func anAdvertiserWithoutAnswersDelaysNoOther() {
        let other = RawAdvertiser(bench)
        for device in [sender, other] { host.send(HCI.LEAddDeviceToFilterAcceptList(address: device.address)) }
        host.connectExtended(to: other.address, policy: .acceptList)
        var asked = 0
        for number in 0..<200 {
            advertise(number % 20 == 19 ? other : sender, .connectable)
            let before = ear.packets.count
            bench.run(for: .milliseconds(30))
            let isAsked = ear.packets.count > before
            if number % 20 == 19 {
                #expect(isAsked == (number == 19) || number > 19)
                if isAsked { asked += 1 }
            } else if number >= 100, isAsked {
                asked += 100
            }
        }
        // The other does not answer either: the backoff is for the last one. The sender is asked at least once in nine events.
        #expect(asked % 100 >= 8 && asked / 100 >= 10, "\(asked)")
        #expect(host.connections.isEmpty)
    }

    /// The pursuits of an attempt end with it.
    @Test func aLinkEndsThePursuitsOfItsAttempt() throws {
        host.connectExtended(to: sender.address, scanInterval: 0xFFFF, scanWindow: 0xFFFF)
        // A pointer of another device, 100 ms ahead.
        let other = RawAdvertiser(bench)
        for channel: UInt8 in 37...39 {
            let pointer = LL.AuxiliaryPointer(
                channel: 9, isClockAccurate: true, offset: 3333, usesLongUnits: false, phyCode: 0)
            other.send(
                RawPDU(mode: .connectable, info: info, pointer: pointer).octets,
                at: bench.radio.now + .microseconds(1_000 + 600 * Int(channel - 37)), on: channel)
        }
        advertise(sender, .connectable, after: .milliseconds(3))
        #expect(bench.run(atMost: .milliseconds(30)) { !ear.packets.isEmpty })
        let request = try #require(ear.packets.first)
        let response = RawPDU(type: .auxConnectRsp, advertiser: sender.address, target: host.address)
        sender.send(response.octets, at: request.end + .microseconds(150), on: 5)
        #expect(bench.run(atMost: .milliseconds(5)) { !host.connections.isEmpty })
        let end = bench.radio.now + .milliseconds(110)
        while bench.radio.now < end {
            bench.run(for: .microseconds(50))
            #expect(tuning?.accessAddress != LL.advertisingAccessAddress)
        }
    }

    // MARK: Scanning

    /// Mode 3 is reserved (Vol 6, Part B, 2.3.4).
    @Test func theReservedModeIsIgnored() {
        host.scanExtended()
        for mode: UInt8 in [3, 0] {
            for isAlone in [true, false] {
                var pdu = RawPDU(mode: .init(rawValue: mode), advertiser: sender.address, info: info)
                if isAlone {
                    sender.send(pdu.octets, at: bench.radio.now + .milliseconds(1), on: 37)
                } else {
                    pdu.data = [1]
                    sender.advertise(
                        RawPDU(mode: .init(rawValue: mode), info: info), [.init(pdu: pdu)],
                        at: bench.radio.now + .milliseconds(1))
                }
                bench.run(for: .milliseconds(20))
            }
            #expect(host.extendedReports.count == (mode == 0 ? 2 : 0))
        }
    }

    /// The private target that the controller resolves is reported as the identity address (Vol 4, Part E, 7.7.65.13).
    @Test func aResolvedTargetIsReportedAsTheIdentity() {
        let key = IdentityResolvingKey(value: 0x1234_5678)
        host.send(HCI.LEAddDeviceToResolvingList(identity: sender.address, peerKey: .none, localKey: key))
        host.send(HCI.LESetAddressResolutionEnable(enable: true))
        host.scanExtended(policy: .everyoneExtended, own: .resolvableOrRandom)
        var crypto: any CryptoProvider = SwiftCryptoProvider(generator: SeededRandom(seed: 5))
        let target = crypto.makeResolvableAddress(key)
        let unknown = crypto.makeResolvableAddress(IdentityResolvingKey(value: 0x99))
        for target in [target, unknown] {
            advertise(sender, .connectable, target: target)
            bench.run(for: .milliseconds(30))
        }
        #expect(
            host.extendedReports.map(\.target) == [
                host.address.asResolved,
                DeviceAddress(kind: DeviceAddress.Kind(rawValue: 0xFE), value: unknown.value),
            ])
    }

    /// A scan request does not break a chain that the scanner follows.
    @Test func aRequestLeavesTimeForAChain() {
        host.scanExtended(.active)
        let legacy = RawAdvertiser(bench)
        for round in 1...3 {
            let start = bench.radio.now + .milliseconds(1)
            sender.advertise(
                RawPDU(info: info),
                [
                    .init(pdu: RawPDU(advertiser: sender.address, info: info, data: [1])),
                    .init(pdu: RawPDU(info: info, data: [2]), channel: 9, offset: 500),
                ], at: start)
            // ADV_SCAN_IND, which ends 0.3 ms before AUX_CHAIN_IND at 3 ms and 15 ms.
            var pdu: [UInt8] = []
            let header = LL.AdvertisingHeader(type: .advScanInd, transmitterIsRandom: true, length: 6)
            let none: [UInt8] = []
            #expect(throws: Never.self) {
                try pdu.append(encoding: header)
                try pdu.append(encoding: LL.AdvInd(advertiser: legacy.address.value, data: none.span))
            }
            legacy.send(pdu, at: start + .microseconds(17_570), on: 37)
            bench.run(for: .milliseconds(50))
            let chains = host.extendedReports.filter { $0.address == sender.address }
            #expect(chains.map(\.data) == Array(repeating: [1, 2], count: round))
            #expect(host.extendedReports.filter { $0.address == legacy.address }.count == round)
        }
    }

    /// Of three sets whose PDUs always overlap, each is received, also if they have the same ADI.
    @Test(arguments: [true, false]) func threeOverlappingSetsTakeTurns(isSame: Bool) {
        let senders = (0..<3).map { _ in RawAdvertiser(bench) }
        host.scanExtended()
        let start = bench.radio.now
        for number in 0..<60 {
            for (index, sender) in senders.enumerated() {
                let info = LL.AdvertisingDataInfo(dataID: 1, setID: isSame ? 0 : UInt8(index))
                sender.advertise(
                    RawPDU(info: info),
                    [
                        .init(
                            pdu: RawPDU(advertiser: sender.address, info: info), channel: UInt8(index),
                            offset: UInt16(200 - 20 * index))
                    ], at: start + .milliseconds(20 * number + 5) + .microseconds(600 * index))
            }
        }
        bench.run(for: .seconds(2))
        let counts = senders.map { sender in host.extendedReports.filter { $0.address == sender.address }.count }
        #expect(counts.allSatisfy { $0 >= 5 } && counts.reduce(0, +) >= 60, "\(counts)")
    }

    /// The exchange of a stopped scan ends, although an attempt to connect goes on.
    @Test func aStoppedScanEndsItsExchange() {
        host.connectExtended(to: DeviceAddress(kind: .random, value: 0xC000_0000_0099))
        host.scanExtended(.active)
        advertise(sender, .scannable)
        #expect(bench.run(atMost: .milliseconds(30)) { !ear.packets.isEmpty })
        host.send(HCI.LESetExtendedScanEnable(enable: false))
        bench.deliver()
        #expect(tuning?.channel ?? 0 >= 37)
    }
}
