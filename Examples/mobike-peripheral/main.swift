import CoreBluetooth
import ExamplePrograms

// The bicycle for mobike-central.
answerHelp("mobike-peripheral   the bicycle for mobike-central, until Ctrl-C")
let peripheral = MobikePeripheral()
peripheral.start()
runUntilInterrupted { peripheral.stop() }
