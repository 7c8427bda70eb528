// A program that ends as soon as its manager is `.poweredOn`: run.py measures the whole process.
import CoreBluetooth

final class Waiter: NSObject, CBCentralManagerDelegate, @unchecked Sendable {
    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        exit(central.state == .poweredOn ? 0 : 1)
    }
}

setenv("BLUETOOTH_CONTROLLER", "virtual", 1)
let waiter = Waiter()
let manager = CBCentralManager(delegate: waiter, queue: DispatchQueue(label: "delegate"))
dispatchMain()
