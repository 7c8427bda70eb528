import CoreBluetooth
import ExamplePrograms

// Writes a frame to the device, reads one, receives one notification, and disconnects.
let central = FrameCentral()
central.onFinish = { error in MainActor.assumeIsolated { finishProgram(error) } }
central.start()
runUntilInterrupted { central.stop() }
