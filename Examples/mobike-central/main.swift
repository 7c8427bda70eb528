import CoreBluetooth
import ExamplePrograms

// Finds the bicycle, reads the highest charge, sets the lowest, and hears the mean change.
let central = MobikeCentral()
central.onFinish = { error in MainActor.assumeIsolated { finishProgram(error) } }
central.start()
runUntilInterrupted { central.stop() }
