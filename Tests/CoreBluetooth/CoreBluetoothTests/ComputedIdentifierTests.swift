import BLEAdapter
import BLEHostAdapter
import BLEWire
import CoreBluetooth
import Testing

/// Identifiers that are computed from addresses, at their first use.
@Suite struct ComputedIdentifierTests {
    /// Counts the identifiers that it computes.
    private final class Identification: PeerIdentification {
        static let mask: UInt64 = 0x5A5A_5A5A_5A5A_5A5A
        let computations = Locked(0)

        func identifier(for address: DeviceAddress) -> PeerIdentifier {
            PeerIdentifier(high: 0x4000, low: address.value ^ Self.mask)
        }
        func address(of identifier: PeerIdentifier) -> DeviceAddress? {
            identifier.high == 0x4000 ? DeviceAddress(kind: .random, value: identifier.low ^ Self.mask) : nil
        }
        func identity(for address: DeviceAddress) -> AdvertiserIdentity { AdvertiserIdentity(computedFrom: address) }
        func identity(of identifier: PeerIdentifier) -> AdvertiserIdentity {
            address(of: identifier).map { AdvertiserIdentity(computedFrom: $0) } ?? AdvertiserIdentity(identifier)
        }
        func computedIdentifier(for address: DeviceAddress) -> PeerIdentifier {
            computations { $0 += 1 }
            return identifier(for: address)
        }
    }

    private let identification = Identification()
    private let address = DeviceAddress(kind: .random, value: 0xC000_0000_0001)
    private var identifier: UUID { identification.identifier(for: address).uuidForTests }

    private func bench(allowsDuplicates: Bool) -> CentralBench {
        let bench = CentralBench(identification: identification)
        bench.manager.scanForPeripherals(
            withServices: nil, options: [CBCentralManagerScanOptionAllowDuplicatesKey: allowsDuplicates])
        return bench
    }

    private func discover(_ address: DeviceAddress, _ bench: CentralBench) {
        let content = DiscoveryContent(
            identity: AdvertiserIdentity(computedFrom: address), source: IdentifierSource(identification),
            names: PeerNames(), address: address, octets: AdvertisingOctets(),
            isConnectable: true)
        bench.emit { $0.discovered(Discovery(content, rssi: -50)) }
    }

    private func retrieved(_ bench: CentralBench) -> CBPeripheral? {
        let record = PeerRecord(identifier: identification.identifier(for: address), name: nil)
        bench.session.record.known { $0 = [record] }
        return bench.manager.retrievePeripherals(withIdentifiers: [identifier]).first
    }

    @Test(arguments: [false, true]) func aReportComputesNoIdentifier(allowsDuplicates: Bool) throws {
        let bench = bench(allowsDuplicates: allowsDuplicates)
        for _ in 0..<3 { discover(address, bench) }
        let peripheral = try #require(bench.recorder.peripherals.value.first)
        #expect(bench.recorder.peripherals.value.count == 1)
        bench.manager.stopScan()
        #expect(identification.computations.value == 0)
        #expect(peripheral.identifier == identifier && peripheral.identifier == identifier)
        #expect(identification.computations.value == 1)
    }

    @Test func theEndOfAPeripheralComputesNoIdentifier() {
        let bench = bench(allowsDuplicates: false)
        bench.recorder.keeps { $0 = false }
        discover(address, bench)
        #expect(identification.computations.value == 0)
    }

    @Test(arguments: [false, true]) func aDiscoveredDeviceIsRetrievedAndConnected(allowsDuplicates: Bool) throws {
        let bench = bench(allowsDuplicates: allowsDuplicates)
        discover(address, bench)
        let peripheral = try #require(retrieved(bench))
        #expect(peripheral === bench.recorder.peripherals.value.first)
        bench.manager.connect(peripheral)
        let peer = identification.identifier(for: address)
        #expect(bench.newCommands().last == .connect(peer, ConnectionOptions()))
        bench.emit { $0.connected(PeerRecord(identifier: peer, name: nil)) }
        #expect(peripheral.state == .connected)
        discover(address, bench)
        #expect(bench.recorder.peripherals.value.count == 1 && retrieved(bench) === peripheral)
    }

    @Test func aRetrievedDeviceIsDiscoveredAsTheSame() throws {
        let bench = bench(allowsDuplicates: true)
        let peripheral = try #require(retrieved(bench))
        discover(address, bench)
        #expect(bench.recorder.peripherals.value == [peripheral])
    }

    @Test func manyDevicesKeepTheirObjects() {
        let bench = bench(allowsDuplicates: false)
        let addresses = (0..<300 as Range<UInt64>).map { DeviceAddress(kind: .random, value: 0xC000_0000_0000 | $0) }
        for address in addresses { discover(address, bench) }
        // Every second object ends.
        bench.recorder.peripherals { objects in
            objects = objects.enumerated().filter { $0.offset.isMultiple(of: 2) }.map(\.element)
        }
        let kept = bench.recorder.peripherals.value
        for address in addresses { discover(address, bench) }
        let all = bench.recorder.peripherals.value
        #expect(kept.count == 150 && all.count == 300 && Array(all.prefix(150)) == kept)
        #expect(Set(all.map(\.identifier)).count == 300)
    }
}
