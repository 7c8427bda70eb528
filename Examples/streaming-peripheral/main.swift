import CoreBluetooth
import ExamplePrograms

// Reads with offset, write requests as arrays, updateValue until it returns false.
let peripheral = StreamingPeripheral()
peripheral.start()
runUntilInterrupted { peripheral.stop() }
