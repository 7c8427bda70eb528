import CoreBluetooth
import ExamplePrograms

// Finds the bicycle, reads the highest charge, writes the lowest, and receives the new mean.
let central = MobikeCentral()
central.onFinish = { error in MainActor.assumeIsolated { finishProgram(error) } }
central.start()
runUntilInterrupted { central.stop() }
