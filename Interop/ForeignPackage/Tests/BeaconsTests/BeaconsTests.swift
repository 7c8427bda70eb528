import Beacons
import Combine
import CoreBluetooth
import XCTest

#if canImport(BLESimulator)
import BLESimulator

/// On a machine where the virtual radio is there too, the package can be tested with it.
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
        withExtendedLifetime((beacon, watching)) {}
    }
}
#endif
