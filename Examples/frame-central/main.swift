import CoreBluetooth
import ExamplePrograms

// Writes a frame to the device, reads one, hears one, and leaves.
let central = FrameCentral()
central.onFinish = { error in MainActor.assumeIsolated { finishProgram(error) } }
central.start()
runUntilInterrupted { central.stop() }
