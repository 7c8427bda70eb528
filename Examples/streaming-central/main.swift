import CoreBluetooth
import ExamplePrograms

// Receives the stream of streaming-peripheral, and prints its rate and its gaps each second.
let central = StreamingCentral()
central.onFinish = { error in MainActor.assumeIsolated { finishProgram(error) } }
central.start()
runUntilInterrupted { central.stop() }
