import CoreBluetooth
import ExamplePrograms

// The twenty-three steps, on the first device whose name starts as the argument says (any, without one).
let central = WalkthroughCentral()
central.namePrefix = CommandLine.arguments.dropFirst().first
central.onNotification = { value in
    let octets = value.prefix(16).map { String($0) }.joined(separator: " ")
    printLine("   notification of \(value.count) octets: \(octets)\(value.count > 16 ? " ..." : "")")
}
central.onFinish = { error in MainActor.assumeIsolated { finishProgram(error) } }
central.start()
runUntilInterrupted { central.stop() }
