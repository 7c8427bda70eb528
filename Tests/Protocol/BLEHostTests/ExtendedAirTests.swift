import BLEController
import BLECrypto
import BLEWire
import Testing

@testable import BLEHost

/// Two hosts with extended advertising over the air.
struct ExtendedAirTests {
    private let bench = RadioBench()
    private let set = AdvertisingSet(handle: 3)

    private func octets(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 13 &+ 1) } }

    private func reports(_ host: RadioHost, from address: DeviceAddress?) -> [(
        report: AdvertisingReport, data: [UInt8]
    )] {
        host.events.compactMap {
            guard case .advertisingReport(let report) = $0.event, report.address == address else { return nil }
            return (report, Array($0.bytes[report.data]))
        }
    }

    /// Legacy packets by the commands for sets: as with the legacy commands.
    @Test(arguments: [true, false], [true, false]) func eitherKindOfCommandsHearsTheOther(first: Bool, second: Bool)
        throws
    {
        func configuration(_ isExtended: Bool) -> HostConfiguration {
            var configuration = HostConfiguration()
            configuration.usesExtendedAdvertising = isExtended
            return configuration
        }
        let (central, peripheral) = (bench.ready(configuration(first)), bench.ready(configuration(second)))
        #expect([central.host.usesExtendedAdvertising, peripheral.host.usesExtendedAdvertising] == [first, second])
        peripheral.host.setAdvertising(
            AdvertisingParameters(data: [2, 1, 6], scanResponse: [3, 9, 0x41, 0x42]), at: bench.now)
        central.host.setScanning(ScanParameters(), at: bench.now)
        bench.run(.seconds(2))
        let found = reports(central, from: peripheral.address)
        #expect(found.contains { $0.report.kind == .connectable && $0.report.form.isLegacy && $0.data == [2, 1, 6] })
        #expect(found.contains { $0.report.kind == .scanResponse && $0.data == [3, 9, 0x41, 0x42] })
        for round in 1...3 {
            let (link, _) = try #require(bench.link(central, peripheral), "round \(round)")
            central.host.disconnect(link, at: bench.now)
            bench.run(.seconds(1))
        }
    }

    @Test(arguments: [0, 1, 200, 251, 252, 700, 1_650], [HCI.PHY.le1M, .le2M])
    func dataArrivesWhole(count: Int, phy: HCI.PHY) throws {
        let (central, peripheral) = (bench.ready(), bench.ready())
        let data = octets(count)
        peripheral.host.setAdvertising(
            AdvertisingParameters(
                data: data, isConnectable: false, intervalMinimum: 160, intervalMaximum: 160,
                pdus: .extended(.init(secondaryPHY: phy, sid: 9, includesTransmitPower: true))),
            of: set, at: bench.now)
        central.host.setScanning(ScanParameters(), at: bench.now)
        bench.run(.seconds(10)) { reports(central, from: peripheral.address).count { !$0.report.isTruncated } >= 3 }
        let whole = reports(central, from: peripheral.address).filter { !$0.report.isTruncated }
        #expect(whole.count >= 3)
        for (report, octets) in whole {
            #expect(
                octets == data && report.kind == .nonConnectable && !report.form.isLegacy && report.form.primaryPHY == 1
            )
            // Without data there is no packet on a secondary channel, which has the SID.
            if count > 0 { #expect(report.form.sid == 9 && report.form.transmitPower != 127) }
        }
        peripheral.host.setAdvertising(nil, of: set, at: bench.now)
        bench.run(.seconds(1))
        let before = central.events.count
        bench.run(.seconds(1))
        #expect(central.events.count == before)
    }

    @Test func aScanResponseArrivesWhole() throws {
        let (central, peripheral) = (bench.ready(), bench.ready())
        let response = octets(600)
        peripheral.host.setAdvertising(
            AdvertisingParameters(
                data: [], scanResponse: response, isConnectable: false, intervalMinimum: 160, intervalMaximum: 160,
                pdus: .extended(.init())), of: set, at: bench.now)
        central.host.setScanning(ScanParameters(), at: bench.now)
        bench.run(.seconds(10)) {
            reports(central, from: peripheral.address).contains {
                $0.report.kind == .scanResponse && $0.data == response
            }
        }
        let found = reports(central, from: peripheral.address)
        #expect(found.contains { $0.report.kind == .scannable && $0.report.isScannable && $0.data.isEmpty })
        #expect(found.contains { $0.report.kind == .scanResponse && !$0.report.isTruncated && $0.data == response })
    }

    @Test func anonymousAdvertisingHasNoAddress() {
        let (central, peripheral) = (bench.ready(), bench.ready())
        peripheral.host.setAdvertising(
            AdvertisingParameters(data: [2, 1, 6], isConnectable: false, pdus: .extended(.init(isAnonymous: true))),
            of: set, at: bench.now)
        central.host.setScanning(ScanParameters(), at: bench.now)
        bench.run(.seconds(2))
        let kinds = central.events.compactMap {
            if case .advertisingReport(let report) = $0.event { report.address.kind } else { nil }
        }
        #expect(!kinds.isEmpty && kinds.allSatisfy { $0 == .anonymous })
    }

    /// A connection on each secondary PHY, from each primary PHY, begins there and is made again after its end.
    @Test(arguments: [HCI.PHY.le1M, .leCoded], [HCI.PHY.le1M, .le2M, .leCoded])
    func aConnectionBeginsOnTheSecondaryPHY(primary: HCI.PHY, secondary: HCI.PHY) throws {
        let (central, peripheral) = (bench.ready(), bench.ready())
        peripheral.host.setAdvertising(
            AdvertisingParameters(
                data: [2, 1, 6], pdus: .extended(.init(primaryPHY: primary, secondaryPHY: secondary))), of: set,
            at: bench.now)
        let address = try #require(peripheral.address)
        for round in 1...3 {
            central.host.connect(to: address, heardOn: primary, at: bench.now)
            bench.run(.seconds(20)) { central.connected.count == round && peripheral.connected.count == round }
            let link = try #require(peripheral.connected.last)
            #expect(peripheral.host.information(of: link)?.transmitPHY == secondary.rawValue, "round \(round)")
            bench.run(.seconds(2))
            let own = try #require(central.connected.last.flatMap { central.host.information(of: $0) })
            // The host moves a link to 2M unless it began on Coded.
            if primary == .leCoded { #expect(own.transmitPHY == (secondary == .leCoded ? 3 : 2)) }
            central.host.disconnect(try #require(central.connected.last), at: bench.now)
            bench.run(.seconds(2)) { central.disconnected.count == round && peripheral.disconnected.count == round }
        }
        #expect(central.disconnected.count == 3 && central.violations.isEmpty && peripheral.violations.isEmpty)
    }

    /// A scan on both PHYs beside an attempt on 1M finds the peer on Coded, and the attempt follows.
    @Test func aPeerThatMovesToCodedIsFound() throws {
        let (central, peripheral) = (bench.ready(), bench.ready())
        let address = try #require(peripheral.address)
        central.host.setScanning(ScanParameters(phys: [.le1M, .leCoded]), at: bench.now)
        central.host.connect(to: address, heardOn: .le1M, at: bench.now)
        bench.run(.seconds(1))
        peripheral.host.setAdvertising(
            AdvertisingParameters(
                data: [2, 1, 6], pdus: .extended(.init(primaryPHY: .leCoded, secondaryPHY: .leCoded))), of: set,
            at: bench.now)
        #expect(bench.run(.seconds(30)) { central.connected.count == 1 && peripheral.connected.count == 1 })
        #expect(central.host.information(of: try #require(central.connected.last))?.peer == address)
    }

    /// Several sets of one device beside a link, with a private address that changes.
    @Test func setsWorkBesideALinkAndWithANewAddress() throws {
        var configuration = HostConfiguration()
        configuration.privacy.usesPrivateAddress = true
        configuration.privacy.addressLifetime = .seconds(20)
        let central = bench.ready()
        let peripheral = bench.ready(
            configuration, crypto: SwiftCryptoProvider(generator: SeededRandom(seed: 5))
        ) { $0.host.pairingSettings.identityKey = IdentityResolvingKey(value: 0x1234_5678) }
        peripheral.host.setAdvertising(AdvertisingParameters(data: [2, 1, 6]), at: bench.now)
        peripheral.host.setAdvertising(
            AdvertisingParameters(data: octets(300), isConnectable: false, pdus: .extended(.init(sid: 1))), of: set,
            at: bench.now)
        central.host.setScanning(ScanParameters(), at: bench.now)
        func heard(since start: Int) -> [DeviceAddress: Set<Int>] {
            var heard: [DeviceAddress: Set<Int>] = [:]
            for entry in central.events[start...] {
                guard case .advertisingReport(let report) = entry.event, !report.isTruncated else { continue }
                heard[report.address, default: []].insert(report.data.count)
            }
            return heard
        }
        var seen: Set<DeviceAddress> = []
        for _ in 0..<3 {
            let start = central.events.count
            bench.run(.seconds(15)) { heard(since: start).values.contains { $0.isSuperset(of: [3, 300]) } }
            let address = try #require(heard(since: start).first { $0.value.isSuperset(of: [3, 300]) }?.key)
            #expect(address.isResolvable && seen.insert(address).inserted)
            bench.run(.seconds(20))
        }
        let start = central.events.count
        bench.run(.seconds(2)) { !heard(since: start).isEmpty }
        let now = try #require(heard(since: start).keys.first)
        central.host.connect(to: now, at: bench.now)
        #expect(bench.run(.seconds(10)) { central.connected.count == 1 && peripheral.connected.count == 1 })
        let linked = central.events.count
        bench.run(.seconds(10)) { heard(since: linked).values.contains { $0.isSuperset(of: [3, 300]) } }
        #expect(heard(since: linked).values.contains { $0.isSuperset(of: [3, 300]) })
    }
}
