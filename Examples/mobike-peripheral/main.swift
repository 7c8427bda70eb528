import CoreBluetooth
import ExamplePrograms

// The bicycle for mobike-central.
let peripheral = MobikePeripheral()
peripheral.start()
runUntilInterrupted { peripheral.stop() }
