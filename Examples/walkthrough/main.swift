import CoreBluetooth
import ExamplePrograms

// The twenty-three steps, on the first device whose name starts as the argument says (any, without one).
let central = WalkthroughCentral()
central.namePrefix = CommandLine.arguments.dropFirst().first
central.onNotification = { value in print("   notification:", value.map { String($0) }.joined(separator: " ")) }
central.onFinish = { error in MainActor.assumeIsolated { finishProgram(error) } }
central.start()
runUntilInterrupted { central.stop() }
