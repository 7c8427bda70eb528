import CoreBluetooth
import ExamplePrograms

// Receives the stream of streaming-peripheral, and prints its rate and its gaps each second.
answerHelp("streaming-central   receives the stream of streaming-peripheral, and prints its rate")
let central = StreamingCentral()
central.onFinish = { error in MainActor.assumeIsolated { finishProgram(error) } }
central.start()
runUntilInterrupted { central.stop() }
