import BLESimulator
import Combine
import CoreBluetooth
import Testing

@Suite struct KeyValueObservingTests {
    let world = World(seed: 3)
    let queue = DispatchQueue(label: "phone")

    @Test func scanningAndStateArePublished() async {
        let manager = world.addDevice("Phone").run { CBCentralManager(delegate: nil, queue: queue) }
        let states = Recorder<CBManagerState, Never>()
        manager.publisher(for: \.state).subscribe(states)
        let scanning = Recorder<Bool, Never>()
        manager.publisher(for: \.isScanning, options: [.new]).subscribe(scanning)
        await world.run(timeout: .seconds(5)) { states.values.last == .poweredOn }
        manager.scanForPeripherals(withServices: nil)
        manager.stopScan()
        #expect(states.values == [.unknown, .poweredOn])
        #expect(scanning.values == [true, false])
    }

    @Test func withoutDemandTheNewestValueWaits() async {
        let manager = world.addDevice("Phone").run { CBCentralManager(delegate: nil, queue: queue) }
        await world.run(for: .seconds(1))
        let scanning = Recorder<Bool, Never>(.none)
        manager.publisher(for: \.isScanning).subscribe(scanning)
        manager.scanForPeripherals(withServices: nil)
        #expect(scanning.values.isEmpty)
        scanning.request(.max(1))
        #expect(scanning.values == [true])
        manager.stopScan()
        scanning.request(.unlimited)
        #expect(scanning.values == [true, false])
    }

    @Test func cancellingEndsTheObservation() async {
        let manager = world.addDevice("Phone").run { CBCentralManager(delegate: nil, queue: queue) }
        await world.run(for: .seconds(1))
        let scanning = Recorder<Bool, Never>()
        manager.publisher(for: \.isScanning).subscribe(scanning)
        scanning.cancel()
        manager.scanForPeripherals(withServices: nil)
        #expect(scanning.values == [false])
        #expect(manager.publisher(for: \.isScanning) == manager.publisher(for: \.isScanning))
    }
}
