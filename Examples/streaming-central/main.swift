import CoreBluetooth
import ExamplePrograms

// Takes the stream of streaming-peripheral to its end, and says each second how fast it comes and what is missing.
let central = StreamingCentral()
central.onFinish = { error in MainActor.assumeIsolated { finishProgram(error) } }
central.start()
runUntilInterrupted { central.stop() }
