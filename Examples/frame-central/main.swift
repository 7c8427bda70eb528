import CoreBluetooth
import ExamplePrograms

// Writes a frame to the device, reads one, receives one notification, and disconnects.
answerHelp("frame-central   writes a frame to frame-peripheral, reads one, and receives one notification")
let central = FrameCentral()
central.onFinish = { error in MainActor.assumeIsolated { finishProgram(error) } }
central.start()
runUntilInterrupted { central.stop() }
