import CFuzzer
import Glibc

// Runs one target under libFuzzer.
// usage: fuzz TARGET [OPTION-OF-LIBFUZZER ...] [FOLDER-OR-FILE ...]

let targets: [String: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt] = [
    "host": { run($0, $1, HostTarget.run) },
    "peer": { run($0, $1, PeerTarget.run) },
    "controller": { run($0, $1, ControllerTarget.run) },
    "air": { run($0, $1, AirTarget.run) },
    "parsers": { run($0, $1, ParserTarget.run) },
    "store": { run($0, $1, StoreTarget.run) },
]

func run(_ start: UnsafePointer<UInt8>?, _ count: Int, _ body: (inout Input) -> Void) -> CInt {
    var input = Input(UnsafeBufferPointer(start: start, count: count))
    body(&input)
    return 0
}

guard CommandLine.arguments.count > 1, let target = targets[CommandLine.arguments[1]] else {
    print(
        "usage: fuzz TARGET [OPTION ...] [FOLDER-OR-FILE ...]; the targets: \(targets.keys.sorted().joined(separator: " "))"
    )
    exit(2)
}

// libFuzzer sees the arguments without the target's name.
var argumentCount = CommandLine.argc - 1
var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv + 1
exit(LLVMFuzzerRunDriver(&argumentCount, &arguments, target))
