import ArgumentParser
import BLEAdapter
import CoreBluetooth
import DeviceLink

struct LinkServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Serve a simulated device until Ctrl-C.",
        discussion: """
            Example: bluelab link serve lamp-1 --key-file lamp.key
            Example: bluelab link serve lamp-1 --way network --listen 127.0.0.1:7000
            Example: bluelab link serve lamp-1 --way cloud --broker mqtts://broker.example

            The device keeps a state, an object with at most 32 members. Operations: `get` returns it, `set` with an object changes members and \
            sends the event `changed` to all clients, `echo` returns its arguments.
            """)

    @OptionGroup var options: LinkOptions

    @Option(
        help: ArgumentHelp(
            "Where the way network listens. Port 0 selects a free one.", valueName: "host:port"))
    var listen = LinkServerAddress(argument: "0.0.0.0:0")!

    @Option(
        help: ArgumentHelp("Where the way direct listens: an IPv4 address and a port.", valueName: "host:port"))
    var direct = LinkServerAddress(argument: "0.0.0.0:\(DirectTransport.port)")!

    @Option(help: ArgumentHelp("Where the way http listens: an IPv4 address and a port.", valueName: "host:port"))
    var http = LinkServerAddress(argument: "0.0.0.0:\(HTTPTransport.port)")!

    @Flag(inversion: .prefixedNo, help: "Announce the device by multicast DNS.")
    var announce = true

    func run() async throws {
        let interruption = Interruption()
        let key = try options.key()
        if options.chosenWays.contains(.bluetooth) { try options.client.apply(isService: true) }
        let queue = DispatchQueue(label: "bluelab.link")
        let (lines, continuation) = AsyncStream.makeStream(of: Result<String, ToolError>.self)
        let json = options.client.json
        let state = ServedState()
        let cloud = try options.bus(queue: queue)
        let listeners = options.chosenWays.compactMap { way -> (any DeviceListener)? in
            switch way {
            case .network:
                NetworkListener(
                    options.device, key: key, at: (listen.host, listen.port),
                    announcedOn: announce ? options.interfaces : nil, queue: queue)
            case .direct: DirectListener(key: key, at: (direct.host, direct.port), queue: queue)
            case .http: HTTPListener(key: key, at: (http.host, http.port), queue: queue)
            case .bluetooth: BluetoothListener(options.device, key: key, queue: queue)
            case .cloud: cloud.map { CloudListener(options.device, key: key, over: $0.bus, prefix: $0.prefix) }
            }
        }
        let device = try? LinkedDevice(options.device, listeners: listeners, queue: queue) { event in
            switch event {
            case .opened(let way, let place):
                let record = LinkServingRecord(way: way, at: place)
                continuation.yield(
                    .success(
                        json
                            ? jsonLine(record, type: "link-serving")
                            : "Serving over \(way) at \(ValueText.printable(place))."))
            case .failed(let way, let reason): printError("\(way): \(ValueText.printable(reason))")
            }
        } onRequest: { request in
            let record = LinkRequestRecord(op: request.operation, args: request.arguments)
            continuation.yield(
                .success(
                    json
                        ? jsonLine(record, type: "link-request")
                        : "\(ValueText.printable(request.operation)) \(request.arguments.json)"))
            request.reply(state.answer(request.operation, request.arguments))
        }
        guard let device else { throw ToolError(.usage, "the identifier of a device has 1 to 64 octets.") }
        state.report(to: device)
        device.start()
        Task {
            await interruption.wait()
            continuation.finish()
        }
        for await line in lines { try emit(line.get()) }
        device.stop()
        queue.sync {}
    }
}

/// The state of the served device.
private final class ServedState: Sendable {
    private static let mostMembers = 32

    private struct Content {
        weak var device: LinkedDevice?
        var members: [String: LinkValue] = [:]
    }

    private let content = Lock(Content())

    /// Later changes are events of `device`.
    func report(to device: LinkedDevice) { content.withLock { $0.device = device } }

    func answer(_ op: String, _ args: LinkValue) -> Result<LinkValue, LinkError> {
        let (device, members) = content.withLock { ($0.device, $0.members) }
        switch op {
        case "get": return .success(.object(members))
        case "echo": return .success(args)
        case "set":
            guard case .object(let changes) = args else {
                return .failure(LinkError("arguments", "The operation set has an object with members."))
            }
            let changed = members.merging(changes) { $1 }
            // The state has to fit in a reply.
            guard changed.count <= Self.mostMembers, LinkValue.object(changed).json.utf8.count <= 4096 else {
                return .failure(
                    LinkError("full", "The state has at most \(Self.mostMembers) members and 4,096 octets."))
            }
            content.withLock { $0.members = changed }
            try? device?.send(event: "changed", .object(changed))
            return .success(.object(changed))
        default: return .failure(LinkError("unknownOperation", "The device has the operations get, set and echo."))
        }
    }
}

struct LinkServingRecord: Encodable {
    let way: String
    let at: String
}

struct LinkRequestRecord: Encodable {
    let op: String
    let args: LinkValue
}
