import CoreBluetooth
import ExamplePrograms

// Finds the bicycle, reads the highest charge, writes the lowest, and receives the new mean.
answerHelp("mobike-central   reads and writes the charge of mobike-peripheral, and receives its mean")
let central = MobikeCentral()
central.onFinish = { error in MainActor.assumeIsolated { finishProgram(error) } }
central.start()
runUntilInterrupted { central.stop() }
