import CoreBluetooth
import ExamplePrograms

// The twenty-three steps with the first device whose name starts with the argument. Without an argument, with the first device.
answerHelp(
    "walkthrough [NAME]   the central role in twenty-three steps, with the first device whose name starts with NAME")
let central = WalkthroughCentral()
central.namePrefix = CommandLine.arguments.dropFirst().first
central.onNotification = { value in
    let octets = value.prefix(16).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(separator: " ")
    printLine("   notification of \(value.count) octets: \(octets)\(value.count > 16 ? " ..." : "")")
}
central.onFinish = { error in MainActor.assumeIsolated { finishProgram(error) } }
central.start()
// The search prints its state after 3 seconds without a result, and then every 10 seconds. 找不到设备时给出提示
let search = DispatchSource.makeTimerSource(queue: .main)
search.schedule(deadline: .now() + 3, repeating: 10)
search.setEventHandler {
    MainActor.assumeIsolated {
        if let status = central.searchStatus { printLine("   \(status)") }
    }
}
search.resume()
runUntilInterrupted { central.stop() }
