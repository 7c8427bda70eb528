// Advertisements and notifications through a gateway: with Noise over a TCP connection of the loopback interface between two processes,
// and as a path in one thread whose allocations and instructions are counted.
// usage: gateway [--short]
//        gateway gateway-advertisement|gateway-notification ROUNDS    that path alone
//        gateway serve RATE                           the process of the gateway, which the measurement starts
import BLEAdapter
import BLEGatewayAdapter
import BLETransport
import BLEWire
import BluetoothGateway
import CAllocationCounter
import Dispatch
import Figures
import Foundation

func fail(_ sentence: String) -> Never {
    print("gateway: \(sentence)")
    exit(1)
}

let configuration = GatewayConfiguration(
    name: "hall", version: "1", macAddress: "02:00:00:00:00:01", slots: 3, key: Client.key)

/// Serves until the standard input ends. Prints the memory in octets, its own and all of it, the processor time in seconds, and the
/// events passed on and dropped, for each line of input.
func serve(rate: Int) -> Never {
    let queue = DispatchQueue(label: "gateway")
    let server = GatewayServer(
        adapter: FeedingAdapter(rate: rate), configuration: configuration, scheduler: QueueScheduler(queue))!
    queue.sync {
        do throws(TransportError) {
            guard
                case .tcp(_, let port) = try server.listen(at: .tcp(host: "127.0.0.1", port: 0), on: queue)
            else { fail("no port") }
            print(port)
            fflush(nil)
        } catch {
            fail("\(error)")
        }
    }
    // As the tool does when its start is over.
    queue.asyncAfter(deadline: .now() + .milliseconds(500)) { ProgramPages.release() }
    while readLine() != nil {
        let counts = queue.sync { server.counts }
        print(
            privateOctets(), residentOctets(), processorSeconds(), counts.advertisements + counts.values,
            counts.droppedAdvertisements + counts.droppedValues)
        fflush(nil)
    }
    exit(0)
}

/// A gateway in a process of its own.
final class GatewayProcess {
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    private var buffer = Data()

    init(rate: Int) throws {
        process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
        process.arguments = ["serve", "\(rate)"]
        process.standardInput = input
        process.standardOutput = output
        try process.run()
    }

    func line() -> String {
        while true {
            if let end = buffer.firstIndex(of: 0x0A) {
                defer { buffer.removeSubrange(...end) }
                return String(decoding: buffer[..<end], as: UTF8.self)
            }
            let more = output.fileHandleForReading.availableData
            if more.isEmpty { fail("the gateway ended") }
            buffer.append(more)
        }
    }

    /// What `serve` prints.
    func figures() -> [Double] {
        input.fileHandleForWriting.write(Data("figures\n".utf8))
        return line().split(separator: " ").compactMap { Double($0) }
    }

    func end() {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }
}

@MainActor func measure(_ work: Client.Work, _ name: String, rate: Int) throws {
    let seconds = isShort ? 2 : 10
    let gateway = try GatewayProcess(rate: rate)
    defer { gateway.end() }
    guard let port = UInt16(gateway.line()) else { fail("no port") }
    let scheduler = QueueScheduler(DispatchQueue(label: "client"))
    let adapter = GatewayAdapter(
        AddressNetwork(.tcp(host: "127.0.0.1", port: port), scheduler: scheduler), key: Client.key,
        identification: FeedingAdapter(rate: 0), scheduler: scheduler)
    let client = Client(work, capacity: rate * (seconds + 4))
    client.open(adapter)
    guard client.arrived.wait(timeout: .now() + 10) == .success else { fail("no \(name) arrived") }
    sleep(1)
    scheduler.queue.sync { _ = client.takeDelays() }
    let (before, start) = (gateway.figures(), wallSeconds())
    sleep(UInt32(seconds))
    let (delays, length) = scheduler.queue.sync { (client.takeDelays(), wallSeconds() - start) }
    let after = gateway.figures()
    guard before.count == 5, after.count == 5, !delays.isEmpty else { fail("no figures") }
    let passed = after[3] - before[3]
    func report(_ part: String, _ value: Double, _ unit: String, _ title: String) {
        Figure("gateway.\(name).\(part)", value, unit, title: title).report()
    }
    let title = "\(rate) \(name) a second"
    report("rate", (Double(delays.count) / length).rounded(), "events/s", "\(title), arrived")
    report("dropped", after[4] - before[4], "events", "\(title), dropped")
    report("delay.p50", Double(delays[delays.count / 2]) / 1e3, "us", "\(title), delay, median")
    report("delay.p99", Double(delays[delays.count * 99 / 100]) / 1e3, "us", "\(title), delay, 99 %")
    report("processor", (after[2] - before[2]) / passed * 1e6, "us", "\(title), processor time of the gateway for one")
    report("memory", after[0] / 1e6, "MB", "\(title), memory that the gateway allocated")
    report("resident", after[1] / 1e6, "MB", "\(title), memory of the gateway with the pages of its libraries")
}

let rounds = 1000

@MainActor func count(_ work: Client.Work, _ name: String) {
    let path = Path(work)
    for _ in 0..<rounds { path.round() }
    let before = allocation_count()
    for _ in 0..<rounds { path.round() }
    let each = Double(allocation_count() - before) / Double(rounds * Path.burst)
    if path.client.count != 2 * rounds * Path.burst { fail("\(name): \(path.client.count) arrived") }
    Figure("allocations.gateway-\(name)", each, "allocations", title: "\(name) through a gateway, in bursts of 8")
        .report()
}

let arguments = CommandLine.arguments.dropFirst().filter { $0 != "--short" }
let works: [String: Client.Work] = ["gateway-advertisement": .advertisements, "gateway-notification": .notifications]
if arguments.first == "serve", let rate = arguments.last.flatMap({ Int($0) }) {
    serve(rate: rate)
} else if arguments.count == 2, let work = works[arguments[0]], let rounds = Int(arguments[1]) {
    let path = Path(work)
    for _ in 0..<rounds { path.round() }
    if path.client.count != rounds * Path.burst { fail("\(path.client.count) arrived") }
} else {
    count(.advertisements, "advertisement")
    count(.notifications, "notification")
    try measure(.advertisements, "advertisements", rate: 50_000)
    try measure(.notifications, "notifications", rate: 20_000)
}
