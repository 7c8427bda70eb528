import CFuzzer
import Glibc

// Runs one target under libFuzzer. The environment selects the target, because libFuzzer starts this program again
// itself.

let targets: [String: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt] = [
    "host": { run($0, $1, HostTarget.run) },
    "peer": { run($0, $1, PeerTarget.run) },
    "controller": { run($0, $1, ControllerTarget.run) },
    "air": { run($0, $1, AirTarget.run) },
    "parsers": { run($0, $1, ParserTarget.run) },
    "network": { run($0, $1, NetworkTarget.run) },
    "http": { run($0, $1, HTTPTarget.run) },
    "gateway": { run($0, $1, GatewayTarget.run) },
    "formats": { run($0, $1, FormatTarget.run) },
    "link": { run($0, $1, LinkTarget.run) },
    "cloud": { run($0, $1, CloudTarget.run) },
    "bus": { run($0, $1, BusTarget.run) },
    "bluez": { run($0, $1, BlueZTarget.run) },
    "broker": { run($0, $1, BrokerTarget.run) },
    "store": { run($0, $1, StoreTarget.run) },
    "captures": { run($0, $1, CaptureTarget.run) },
]

func run(_ start: UnsafePointer<UInt8>?, _ count: Int, _ body: (inout Input) -> Void) -> CInt {
    var input = Input(UnsafeBufferPointer(start: start, count: count))
    body(&input)
    return 0
}

guard let name = getenv("FUZZ_TARGET"), let target = targets[String(cString: name)] else {
    print("FUZZ_TARGET names no target. There are: \(targets.keys.sorted().joined(separator: " ")).")
    exit(2)
}

var argumentCount = CommandLine.argc
var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
exit(LLVMFuzzerRunDriver(&argumentCount, &arguments, target))
