// The processor time of calls over a bus (D-Bus), with this package's client and with libdbus-1: one call after another, each with its answer read as
// values. Further processes of this program are the service and the clients.
import Dispatch
import Figures
import Foundation
import BLETransport
import SystemBus

let service = "org.example.Objects"
let objects = 200

/// The answer of a service with many objects, as bluetoothd gives one of its devices.
func managedObjects() -> [BusValue] {
    let entries = (0..<objects).map { number -> BusValue in
        let properties: [(String, BusValue)] = [
            ("Address", .string("00:AA:01:01:00:01")), ("AddressType", .string("public")),
            ("Name", .string("device \(number)")),
            ("Alias", .string("device \(number)")), ("Paired", .bool(false)), ("Trusted", .bool(false)),
            ("RSSI", .int16(-60)),
            (
                "UUIDs",
                .array(
                    "s",
                    [.string("0000180d-0000-1000-8000-00805f9b34fb"), .string("0000180f-0000-1000-8000-00805f9b34fb")])
            ),
            ("Adapter", .path("/org/bluez/hci0")), ("ServicesResolved", .bool(true)),
        ]
        let content = properties.map { BusValue.entry(.string($0.0), .variant($0.1)) }
        return .entry(
            .path("/org/bluez/hci0/dev_00_AA_01_01_00_\(number)"),
            .array("{sa{sv}}", [.entry(.string("org.bluez.Device1"), .array("{sv}", content))]))
    }
    return [.array("{oa{sa{sv}}}", entries)]
}

func count(_ values: [BusValue]) -> Int {
    values.reduce(0) { sum, value in
        switch value {
        case .array(_, let content), .structure(let content): sum + 1 + count(content)
        case .entry(let key, let value): sum + 1 + count([key, value])
        case .variant(let value): sum + 1 + count([value])
        case .octets(let content): sum + 1 + content.count
        default: sum + 1
        }
    }
}

/// Where a client calls, and how often.
struct Work {
    let name: String
    let calls: Int

    var target: (String, String, String, String) {
        name == "call"
            ? ("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "GetId")
            : (service, "/", "org.freedesktop.DBus.ObjectManager", "GetManagedObjects")
    }
}

let queue = DispatchQueue(label: "bus")

/// Serves the objects until the process ends.
final class Server: @unchecked Sendable {
    private let bus: BusConnection
    private let answer = managedObjects()

    init(_ address: String) { bus = BusConnection(to: BusAddress.parse(address), queue: queue) }

    func start() {
        bus.export("/", ["org.freedesktop.DBus.ObjectManager": ["GetManagedObjects"]]) { [answer] in $0.reply(answer) }
        bus.requestName(service) { _ in
            print("READY")
            fflush(nil)
        }
    }
}

/// As the adapter over bluetoothd has it.
let group = try PollingGroup(queue: queue) { serveStreams in
    serveStreams()
    return .unlimited
}

/// Makes the calls with `SystemBus`.
final class Caller: @unchecked Sendable {
    private let bus: BusConnection
    private let work: Work
    private var left: Int
    private var begin = 0.0
    private var values = 0

    init(_ address: String, _ work: Work) {
        self.work = work
        left = work.calls + 1
        bus = BusConnection(to: BusAddress.parse(address), queue: queue, group: group)
    }

    func next() {
        // The first call is no part of the figure: the connection begins with it.
        if left == work.calls { begin = processorSeconds() }
        guard left > 0 else { finish(values, processorSeconds() - begin) }
        left -= 1
        let (destination, path, interface, member) = work.target
        bus.call(destination, path, interface, member) { [self] result in
            guard case .success(let reply) = result else { fatalError("\(result)") }
            values = count(reply.body)
            next()
        }
    }
}

func finish(_ values: Int, _ seconds: Double) -> Never {
    print("\(values) \(seconds)")
    exit(0)
}

func callWithLibrary(_ address: String, _ work: Work) -> Never {
    let (destination, path, interface, member) = work.target
    guard let library = LibDBus(address), var values = library.values(destination, path, interface, member) else {
        exit(2)
    }
    let begin = processorSeconds()
    for _ in 0..<work.calls { values = library.values(destination, path, interface, member) ?? 0 }
    finish(values, processorSeconds() - begin)
}

// MARK: The processes

func start(_ program: String, _ arguments: [String]) throws -> (Process, FileHandle) {
    let process = Process()
    let pipe = Pipe()
    process.executableURL = URL(fileURLWithPath: program)
    (process.arguments, process.standardOutput) = (arguments, pipe)
    try process.run()
    return (process, pipe.fileHandleForReading)
}

func line(_ handle: FileHandle) -> String {
    var octets = Data()
    while let octet = try? handle.read(upToCount: 1), octet != Data("\n".utf8), !octet.isEmpty { octets += octet }
    return String(decoding: octets, as: UTF8.self)
}

let arguments = CommandLine.arguments
switch arguments.dropFirst().first {
case "serve":
    let server = Server(arguments[2])
    queue.async { server.start() }
    dispatchMain()
case "ours":
    let caller = Caller(arguments[2], Work(name: arguments[3], calls: Int(arguments[4])!))
    queue.async { caller.next() }
    dispatchMain()
case "libdbus-1":
    callWithLibrary(arguments[2], Work(name: arguments[3], calls: Int(arguments[4])!))
default:
    let itself = CommandLine.arguments[0]
    let (daemon, output) = try start("/usr/bin/dbus-daemon", ["--session", "--nofork", "--print-address"])
    let address = line(output)
    let (server, ready) = try start(itself, ["serve", address])
    _ = line(ready)
    for (name, calls) in [("call", isShort ? 2_000 : 20_000), ("objects", isShort ? 50 : 500)] {
        for stack in ["ours", "libdbus-1"] {
            let rounds = try (0..<5).map { _ in
                let (client, result) = try start(itself, [stack, address, name, "\(calls)"])
                let words = line(result).split(separator: " ")
                client.waitUntilExit()
                guard words.count == 2 else { exit(1) }
                return (values: Double(words[0])!, time: Double(words[1])! / Double(calls) * 1e6)
            }
            let title = name == "call" ? "a call and its answer" : "an answer of \(Int(rounds[0].values)) values"
            Figure("bus.\(name).processor", median(rounds.map(\.time)), "us", title: title, stack: stack).report()
        }
    }
    server.terminate()
    daemon.terminate()
}
