import CoreBluetooth
import ExamplePrograms

// Reads with offset, write requests as arrays, updateValue until it returns false. The argument is the length of the stream.
let usage = "streaming-peripheral [OCTETS]   the length of the stream, from 0 to 100000000; 20000 if not given"
answerHelp(usage)
let peripheral = StreamingPeripheral()
if let argument = CommandLine.arguments.dropFirst().first {
    guard let count = Int(argument), (0...100_000_000).contains(count) else {
        printLine("usage: \(usage)")
        exit(2)
    }
    peripheral.streamed = StreamingPeripheral.stream(of: count)
}
peripheral.start()
runUntilInterrupted { peripheral.stop() }
