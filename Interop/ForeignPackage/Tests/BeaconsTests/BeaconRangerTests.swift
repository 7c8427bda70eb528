#if canImport(BLESimulator)
import BLESimulator
import Beacons
import CoreBluetooth
import CoreLocation
import XCTest

/// Tests the part of the package that uses CoreLocation, on the virtual radio.
final class BeaconRangerTests: XCTestCase {
    final class Beacon: NSObject, CBPeripheralManagerDelegate {
        let region: CLBeaconRegion

        init(_ region: CLBeaconRegion) { self.region = region }

        func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
            guard peripheral.state == .poweredOn else { return }
            peripheral.startAdvertising(region.peripheralData(withMeasuredPower: nil) as? [String: Any])
        }
    }

    func testABeaconComesAndGoes() async throws {
        let world = World(seed: 4)
        let uuid = try XCTUnwrap(UUID(uuidString: "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"))
        let ranger = world.addDevice("Phone").run { BeaconRanger(uuid: uuid) }
        await world.run(for: .seconds(5))
        XCTAssertFalse(ranger.isInside)
        let beacon = Beacon(CLBeaconRegion(uuid: uuid, major: 1, minor: 2, identifier: "beacon"))
        let device = world.addDevice("Beacon", at: Position(x: 1))
        let manager = device.run { CBPeripheralManager(delegate: beacon, queue: DispatchQueue(label: "beacon")) }
        await world.run(for: .seconds(5))
        XCTAssertTrue(ranger.isInside)
        XCTAssertEqual(ranger.proximity, .immediate)
        manager.stopAdvertising()
        await world.run(for: .seconds(40))
        XCTAssertFalse(ranger.isInside)
        XCTAssertEqual(ranger.proximity, .unknown)
    }
}
#endif
