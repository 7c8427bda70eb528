import BLEWire
import Testing

@testable import BLEAdapter

/// The ends of services and characteristics, which follow from their order.
@Suite struct RemoteServicesTests {
    private func service(
        _ uuid: UInt16, _ handle: UInt16, _ characteristics: [RemoteServices.Characteristic] = [],
        isPrimary: Bool = true, isHidden: Bool = false, includes: [UInt16] = []
    ) -> RemoteServices.Service {
        RemoteServices.Service(
            uuid: BluetoothUUID(uuid), handle: handle, isPrimary: isPrimary, isHidden: isHidden, includes: includes,
            characteristics: characteristics)
    }

    private func characteristic(_ uuid: UInt16, _ handle: UInt16, _ descriptors: [(UInt16, UInt16)] = [])
        -> RemoteServices.Characteristic
    {
        RemoteServices.Characteristic(
            uuid: BluetoothUUID(uuid), valueHandle: handle, properties: 0x12,
            descriptors: descriptors.map { DiscoveredDescriptor(uuid: BluetoothUUID($0.0), handle: $0.1) })
    }

    /// A service ends before the next one, and the last one at the last handle (Vol 3, Part G, 2.6.2).
    @Test func servicesEndBeforeTheNext() {
        let services = RemoteServices([
            service(0x180D, 40), service(0x1800, 1, isHidden: true), service(0x180F, 20),
            service(0x1801, 10, isHidden: true), service(0x180A, 0xFFFF), service(0x1809, 50, isPrimary: false),
        ])
        let found = services.services(nil)
        #expect(found.map(\.range.start) == [20, 40, 0xFFFF] && found.map(\.range.end) == [39, 49, 0xFFFF])
        #expect(found.map(\.uuid) == [0x180F, 0x180D, 0x180A].map { BluetoothUUID($0 as UInt16) })
        #expect(found.map(\.isPrimary) == [true, true, true])
        #expect(services.services([]).count == 3)
        for (wanted, starts) in [
            ([0x180F], [20]), ([0x180A, 0x180D], [40, 0xFFFF]), ([0x1234], []), ([0x1800], []), ([0x1809], []),
        ] as [([UInt16], [UInt16])] {
            #expect(services.services(wanted.map { BluetoothUUID($0) }).map(\.range.start) == starts)
        }
        #expect(RemoteServices().services(nil).isEmpty)
    }

    @Test func servicesEndWhereTheHostSays() {
        let services = RemoteServices([
            RemoteServices.Service(uuid: BluetoothUUID(0x180D as UInt16), handle: 10, end: 15),
            RemoteServices.Service(uuid: BluetoothUUID(0x180F as UInt16), handle: 20, end: 40),
            RemoteServices.Service(uuid: BluetoothUUID(0x180A as UInt16), handle: 30, end: 1),
        ])
        #expect(services.services(nil).map(\.range.end) == [15, 29, 30])
    }

    /// The ranges of a Service Changed (Vol 3, Part G, 7.1).
    @Test func changesThatFollowEachOtherAreOneRange() {
        let before = RemoteServices([service(0x1800, 1), service(0x180D, 10), service(0x180F, 20)])
        let after = RemoteServices([
            service(0x1800, 1), service(0x180D, 10), service(0x180A, 30), service(0x1809, 40),
        ])
        func changes(_ handles: Set<UInt16>) -> [[UInt16]] {
            before.changes(handles, to: after).map { [$0.start, $0.end] }
        }
        #expect(changes([]) == [] && changes([50]) == [])
        #expect(changes([1]) == [[1, 9]])
        // The last service has no end of its own.
        #expect(changes([20]) == [[20, 0xFFFF]])
        #expect(changes([20, 30, 40]) == [[20, 0xFFFF]])
        #expect(changes([1, 30]) == [[1, 9], [30, 39]])
        #expect(changes([10]) == [[10, 29]])
    }

    /// Services at the same handle come from a broken host.
    @Test func servicesAtOneHandleHaveOne() {
        let found = RemoteServices([service(0x180F, 20), service(0x180D, 20)]).services(nil)
        #expect(found.map(\.range.start) == [20, 20] && found.map(\.range.end) == [20, 0xFFFF])
    }

    @Test func includedServicesArePrimaryOrSecondary() {
        let services = RemoteServices([
            service(0x180D, 10, includes: [30, 20, 99]), service(0x180F, 20, isPrimary: false), service(0x180A, 30),
        ])
        let range = HandleRange(start: 10, end: 19)
        let found = services.includedServices(of: range, nil)
        #expect(found.map(\.range.start) == [20, 30] && found.map(\.isPrimary) == [false, true])
        #expect(
            services.includedServices(of: range, [BluetoothUUID(0x180A as UInt16)]).map(\.range)
                == [HandleRange(start: 30, end: 0xFFFF)])
        for start in [11, 20] as [UInt16] {
            #expect(services.includedServices(of: HandleRange(start: start, end: 29), nil).isEmpty)
        }
    }

    /// A characteristic is declared before its value, and ends before the declaration of the next one (Vol 3, Part G, 3.3).
    @Test func characteristicsEndBeforeTheNextDeclaration() {
        let services = RemoteServices([
            service(0x180D, 30, [characteristic(0x2A38, 40), characteristic(0x2A37, 32), characteristic(0x2A39, 42)]),
            service(0x180F, 20, [characteristic(0x2A19, 22)]),
        ])
        let range = HandleRange(start: 30, end: 0xFFFF)
        let found = services.characteristics(of: range, nil)
        #expect(found.map(\.valueHandle) == [32, 40, 42] && found.map(\.declarationHandle) == [31, 39, 41])
        #expect(found.map(\.end) == [38, 40, 0xFFFF] && found.map(\.properties) == [0x12, 0x12, 0x12])
        #expect(services.characteristics(of: range, []).count == 3)
        #expect(services.characteristics(of: range, [BluetoothUUID(0x2A38 as UInt16)]).map(\.valueHandle) == [40])
        #expect(services.characteristics(of: HandleRange(start: 20, end: 29), nil).map(\.end) == [29])
        #expect(services.characteristics(of: HandleRange(start: 31, end: 40), nil).isEmpty)
        #expect(services.characteristic(40)?.uuid == BluetoothUUID(0x2A38 as UInt16))
        #expect(services.characteristic(41) == nil)
        // Values at or before the service's declaration, and one right after another.
        let broken = RemoteServices([
            service(0x180D, 30, [characteristic(0x2A37, 30), characteristic(0x2A38, 31), characteristic(0x2A39, 32)])
        ])
        let rest = broken.characteristics(of: range, nil)
        #expect(rest.map(\.valueHandle) == [31, 32] && rest.map(\.end) == [31, 0xFFFF])
    }

    /// Handles of 0 and of 0xFFFF trap nothing.
    @Test func handlesAtTheirLimits() {
        let services = RemoteServices([
            service(0x180D, 0, [characteristic(0x2A37, 0), characteristic(0x2A38, 1), characteristic(0x2A39, 1)]),
            service(0x180F, 0, includes: [0]), service(0x180A, 0xFFFF, [characteristic(0x2A29, 0xFFFF)]),
        ])
        for found in services.services(nil) {
            _ = services.characteristics(of: found.range, nil)
            _ = services.includedServices(of: found.range, nil)
        }
        #expect(services.services(nil).count == 3 && services.descriptors(after: 0xFFFF, end: 0).isEmpty)
    }

    @Test func descriptorsAreBehindTheirValue() {
        let services = RemoteServices([
            service(0x180F, 1, [characteristic(0x2A19, 3)]),
            service(
                0x180D, 20,
                [characteristic(0x2A37, 22, [(0x2904, 30), (0x2902, 23), (0x2901, 22), (0x2903, 31)])]),
        ])
        #expect(services.descriptors(after: 22, end: 30).map(\.handle) == [23, 30])
        #expect(services.descriptors(after: 22, end: 29).map(\.handle) == [23])
        #expect(
            services.descriptors(after: 22, end: 31).map(\.uuid)
                == [0x2902, 0x2904, 0x2903].map { BluetoothUUID($0 as UInt16) })
        #expect(services.descriptors(after: 3, end: 31).isEmpty && services.descriptors(after: 21, end: 31).isEmpty)
        for (handle, isDescriptor) in [(22, true), (23, true), (24, false), (3, false), (31, true)] as [(UInt16, Bool)]
        {
            #expect(services.isDescriptor(handle) == isDescriptor)
        }
    }

    /// Discoveries run on the cache; other operations have no result here.
    @Test func discoveriesHaveAResult() {
        let services = RemoteServices([
            service(0x180D, 10, [characteristic(0x2A37, 12, [(0x2902, 13)])], includes: [20]),
            service(0x180F, 20),
        ])
        let range = HandleRange(start: 10, end: 19)
        func count(_ operation: GATTOperation) -> Int? {
            switch services.result(of: operation) {
            case .services(let found): found.count
            case .characteristics(let found): found.count
            case .descriptors(let found): found.count
            default: nil
            }
        }
        #expect(count(.discoverServices(nil)) == 2 && count(.discoverIncludedServices(service: range, nil)) == 1)
        #expect(count(.discoverCharacteristics(service: range, nil)) == 1)
        #expect(
            count(.discoverDescriptors(after: 12, end: 19)) == 1 && count(.discoverDescriptors(after: 12, end: 12)) == 0
        )
        for operation in [
            .read(handle: 12), .write(handle: 12, value: []), .readRSSI,
            .setNotify(valueHandle: 12, end: 19, mode: .off),
        ] as [GATTOperation] {
            #expect(services.result(of: operation) == nil)
        }
    }
}
