import CoreBluetooth
import ExamplePrograms

// The device for frame-central.
answerHelp("frame-peripheral   the device for frame-central, until Ctrl-C")
let peripheral = FramePeripheral()
peripheral.start()
runUntilInterrupted { peripheral.stop() }
