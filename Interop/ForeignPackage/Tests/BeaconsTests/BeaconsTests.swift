import Beacons
import Combine
import CoreBluetooth
import Numbers
import XCTest

/// Tests of the modules that the package imports in addition to CoreBluetooth.
final class SurroundingsTests: XCTestCase {
    func testAnActorRunsOnItsQueue() async {
        let isOnIt = await WorkQueue().isOnItsQueue()
        XCTAssertTrue(isOnIt)
    }

    func testListenersAreNotKept() {
        final class Listener {}
        let listeners = Listeners<Listener>()
        let kept = Listener()
        listeners.add(kept, name: "kept")
        do { listeners.add(Listener(), name: "gone") }
        var names: [String] = []
        listeners.tell { names.append($1) }
        XCTAssertEqual(names, ["kept"])
        withExtendedLifetime(kept) {}
    }

    func testNamesOfFoundationAreThereWithItAndNotElsewhere() {
        XCTAssertEqual(FoundationNames.list(["a", "b", "c"]), "a, b, and c")
        XCTAssertEqual(FoundationNames.duration(3900), "1:05:00")
        XCTAssertLessThan(FoundationNames.seconds(since: 0), 0 + CFAbsoluteTimeGetCurrent() + 1)
        let time = DispatchTime.now()
        XCTAssertEqual(FoundationNames.milliseconds(from: time, to: time + .seconds(2)), 2000)
        XCTAssertEqual(FoundationNames.milliseconds(from: time + .seconds(2), to: time), -2000)
        XCTAssertEqual(storedOctets, 8)
    }

    func testAChainAfterAPrefixCompletes() {
        let (subject, inner) = (PassthroughSubject<Int, Never>(), PassthroughSubject<Int, Never>())
        var isOver = false
        let chain = subject.prefix(1).flatMap { _ in inner }.sink(receiveCompletion: { _ in isOver = true }) { _ in }
        subject.send(1)
        inner.send(completion: .finished)
        XCTAssertTrue(isOver)
        chain.cancel()
    }
}

#if canImport(BLESimulator)
import BLESimulator

/// Tests the package on the virtual radio if the module BLESimulator is available.
final class BeaconsTests: XCTestCase {
    final class Advertiser: NSObject, CBPeripheralManagerDelegate {
        func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
            guard peripheral.state == .poweredOn else { return }
            peripheral.startAdvertising([CBAdvertisementDataLocalNameKey: "Beacon"])
        }
    }

    func testABeaconIsFoundByName() async {
        let world = World(seed: 1)
        let advertiser = Advertiser()
        let beacon = world.addDevice("Beacon").run {
            CBPeripheralManager(delegate: advertiser, queue: DispatchQueue(label: "beacon"))
        }
        let finder = world.addDevice("Phone").run { BeaconFinder(queue: DispatchQueue(label: "phone")) }
        var searching: [Bool] = []
        let watching = finder.isSearching.sink { searching.append($0) }
        await world.run(timeout: .seconds(10)) { finder.names.value == ["Beacon"] }
        finder.stop()
        XCTAssertEqual(finder.names.value, ["Beacon"])
        XCTAssertEqual(searching, [false, true, false])
        XCTAssertEqual(finder.last?.note, "Beacon")
        withExtendedLifetime((beacon, watching)) {}
    }
}
#endif
