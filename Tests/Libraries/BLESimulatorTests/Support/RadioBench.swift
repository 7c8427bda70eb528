import BLEAdapter
import BLEHost
import BLEHostAdapter
import BLERuntime
import BLESimulator
import BLEStore
import BLETransport
import BLEVirtualRadio
import BLEWire
import Foundation
import TestConditions
import Testing

/// A shared radio with an endpoint of its own, and programs on it.
final class RadioBench: Sendable {
    let world: World
    let endpoint: SharedRadioEndpoint
    private let server = Lock<SharedRadioServer?>(nil)
    private let folder: String
    private let idleLimit: TimeSpan
    private let heartbeat: Heartbeat

    init(
        _ name: String, seed: UInt64 = 1, pace: Pace = .multiple(8), serves: Bool = true,
        idleLimit: TimeSpan = RadioControlServer.idleLimit
    ) throws {
        self.idleLimit = idleLimit
        // In /tmp, whatever the environment: the path of a socket must be short.
        folder = "/tmp/ocb-radio-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        endpoint = try SharedRadioEndpoint(name: name, runtimeDirectory: folder)
        world = World(seed: seed, pace: pace)
        heartbeat = Heartbeat(world)
        if serves { try serve() }
    }

    deinit {
        end()
        // The sockets close on the queue before this block.
        let folder = folder
        let removal = DispatchWorkItem { try? FileManager.default.removeItem(atPath: folder) }
        let engine = world.radio.engine
        engine.queue.async(execute: removal)
        if !engine.isHeldByCaller { removal.wait() }
    }

    func serve() throws {
        let server = try SharedRadioServer(
            world.radio, at: endpoint, platforms: HostPlatform.controllers, idleLimit: idleLimit)
        self.server.withLock { $0 = server }
    }

    /// Stops the server and removes all programs from the radio.
    func end() {
        server.withLock { $0 }?.stop()
        server.withLock { $0 = nil }
        world.disconnectExternalHosts()
    }

    /// The adapter of a program that joins; it waits patiently for answers, for a busy machine may be slow.
    func join(
        at address: TransportAddress? = nil, seed: UInt64 = 1, patience: TimeSpan = .seconds(600)
    ) throws -> HostAdapter {
        var configuration = HostConfiguration()
        configuration.commandTimeout = patience
        let store = DeviceStore(key: StoreKey(high: seed, low: 2))
        guard let address else {
            return try ControllerSupervisor.adapter(
                for: SharedRadioSource(endpoint), seed: seed, configuration: configuration, store: store)
        }
        return try ControllerSupervisor.adapter(
            for: SocketControllerSource(address), seed: seed, configuration: configuration, store: store)
    }

    /// Runs until `condition` holds, which may come to hold without anything happening on the radio.
    @discardableResult
    func run(until condition: @escaping @Sendable () -> Bool) async -> Bool {
        await world.run(timeout: .seconds(4800), until: condition)
    }

    /// What the radio answers on its control socket.
    func ask(_ line: String) async throws -> [String: Any] {
        world.start()
        defer { world.stop() }
        let answer = try await RadioControlClient.ask(line, at: endpoint, timeout: .seconds(60))
        guard let object = try JSONSerialization.jsonObject(with: Data(answer.utf8)) as? [String: Any] else {
            throw MissingResultError(description: "an object in \(answer)")
        }
        return object
    }

    func devices() async throws -> [[String: Any]] { try await ask("list")["devices"] as? [[String: Any]] ?? [] }

    /// Asks again and again until there are so many devices.
    func awaitDevices(_ count: Int) async throws {
        for _ in 0..<2000 {
            if try await devices().count == count { return }
        }
        throw MissingResultError(description: "\(count) devices; there are \(try await devices().count)")
    }
}

/// A program that says what it likes to a socket.
final class RawClient: Sendable {
    private struct Content {
        var stream: DispatchStream?
        var received: [UInt8] = []
        var receivedCount = 0
        var lineCount = 0
        var sentCount = 0
        var isClosed = false
    }

    private let queue = DispatchQueue(label: "raw client")
    private let content = ExecutorIsolated(Box())

    private final class Box {
        let content = Lock(Content())
    }

    private struct ExecutorIsolated: @unchecked Sendable {
        let box: Box
        init(_ box: Box) { self.box = box }
    }

    /// - Parameters:
    ///   - reads: false for one that never reads what it is sent.
    ///   - floods: sends them again and again, as fast as they are taken.
    init(_ address: TransportAddress, reads: Bool = true, sends octets: [UInt8] = [], floods: Bool = false) {
        let (queue, content) = (queue, content)
        queue.async {
            StreamConnector.connect(to: address, queue: queue) { result in
                guard let connection = try? result.get() else {
                    content.box.content.withLock { $0.isClosed = true }
                    return
                }
                let stream = DispatchStream(connection, queue: queue)
                stream.onReceive = { part in
                    let part = [UInt8](part)
                    content.box.content.withLock { content in
                        content.receivedCount += part.count
                        content.lineCount += part.count { $0 == UInt8(ascii: "\n") }
                        if !floods { content.received += part }
                    }
                }
                stream.onClose = { _ in content.box.content.withLock { $0.isClosed = true } }
                if reads { stream.start() }
                content.box.content.withLock { $0.stream = stream }
                if floods {
                    stream.onDrain = { [unowned stream] in Self.fill(stream, with: octets, content.box) }
                    Self.fill(stream, with: octets, content.box)
                } else {
                    stream.send(octets.span)
                }
            }
        }
    }

    /// Sends until no more is taken.
    private static func fill(_ stream: DispatchStream, with octets: [UInt8], _ box: Box) {
        while true {
            switch stream.send(octets.span) {
            case .sent, .queued: box.content.withLock { $0.sentCount += octets.count }
            case .full, .closed: return
            }
        }
    }

    /// Blocks until the system has connected it, or it was refused.
    func awaitConnection() {
        #expect(eventuallyOnThisThread { content.box.content.withLock { $0.stream != nil || $0.isClosed } })
    }

    /// How many octets it was sent so far; one that floods keeps none.
    var receivedCount: Int { content.box.content.withLock { $0.receivedCount } }
    /// How many octets of a flood were taken, by the system or to be sent.
    var sentCount: Int { content.box.content.withLock { $0.sentCount } }
    /// How many lines it was sent so far.
    var lineCount: Int { content.box.content.withLock { $0.lineCount } }
    /// What it was sent so far.
    var received: [UInt8] { content.box.content.withLock { $0.received } }
    /// The other side ended the connection.
    var isClosed: Bool { content.box.content.withLock { $0.isClosed } }

    /// Ends like a killed process: its socket closes without a termination of the links.
    func die() { queue.sync { content.box.content.withLock { $0.stream }?.close() } }
}
