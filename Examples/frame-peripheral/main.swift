import CoreBluetooth
import ExamplePrograms

// The device for frame-central.
let peripheral = FramePeripheral()
peripheral.start()
runUntilInterrupted { peripheral.stop() }
