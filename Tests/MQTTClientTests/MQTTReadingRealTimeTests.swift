import BLETransport
import Dispatch
import Foundation
import Synchronization
import Testing

@testable import MQTTClient

/// A client whose owner is busy, or whose store is full, reads no more from the broker, so TCP stops the broker. The client goes on when the
/// owner has taken the messages.
@Suite(.serialized) struct MQTTReadingRealTimeTests {
    private static let payload = 60_000
    private static let count = 400
    /// The messages until more than 4 MiB wait for the owner. A message counts with its topic and 64 octets.
    private static let limit = (4 << 20) / (payload + 1 + 64) + 1

    @Test func aClientReadsNoMoreWhileItsOwnerIsBusy() throws {
        let network = FakeNetwork(messages: Self.count, payload: Self.payload)
        let queue = DispatchQueue(label: "owner")
        let received = Counter()
        let outOfOrder = Counter()
        let client = try MQTTClient(
            MQTTConfiguration(host: "broker", port: 1883, clientIdentifier: "reader"), library: FakeNetwork.library(),
            on: queue
        ) { event in
            guard case .received(let message) = event else { return }
            let number = message.payload.prefix(2).reduce(0) { $0 << 8 | Int($1) }
            if received.add() != number { outOfOrder.add() }
        }
        queue.suspend()
        client.connect()
        #expect(network.reads.wait(for: Self.limit))
        // A source that is active would fire between these calls, which run on the same queue.
        for _ in 0..<200 {
            let count = network.publications.value
            client.publish(MQTTPublication(topic: "t", payload: []), number: 1)
            #expect(network.publications.wait(for: count + 1))
        }
        #expect(network.reads.value == Self.limit)
        queue.resume()
        #expect(received.wait(for: Self.count))
        #expect(network.reads.value == Self.count)
        #expect(outOfOrder.value == 0)
        queue.sync { client.disconnect() }
    }

    /// The thread of a group serves the connection: more octets than the limit pass, because the owner takes each event at once.
    @Test func aGroupReadsWithoutEnd() throws {
        let network = FakeNetwork(messages: Self.count, payload: Self.payload)
        let queue = DispatchQueue(label: "owner")
        let received = Counter()
        let outOfOrder = Counter()
        let client = try MQTTClient(
            MQTTConfiguration(host: "broker", port: 1883, clientIdentifier: "reader"), library: FakeNetwork.library(),
            on: queue
        ) { event in
            guard case .received(let message) = event else { return }
            let number = message.payload.prefix(2).reduce(0) { $0 << 8 | Int($1) }
            if received.add() != number { outOfOrder.add() }
        }
        let group = try PollingGroup(queue: queue) { serveStreams in
            serveStreams()
            return .unlimited
        }
        queue.sync {
            client.pollingGroup = group
            client.connect()
        }
        #expect(received.wait(for: Self.count))
        #expect(network.reads.value == Self.count)
        #expect(outOfOrder.value == 0)
        queue.sync { client.disconnect() }
    }

    @Test func aClientTriesTheBrokersOfAClusterInTurn() throws {
        let network = FakeNetwork(messages: 0, payload: 0)
        let queue = DispatchQueue(label: "owner")
        let addresses = ["one", "two", "three"].map { MQTTConfiguration.Address(host: $0, port: 1883) }
        let client = try MQTTClient(
            MQTTConfiguration(addresses, clientIdentifier: "c"), library: FakeNetwork.library(), on: queue
        ) { _ in }
        for attempt in 0..<5 {
            queue.sync { client.connect() }
            #expect(network.connections.wait(for: attempt + 1))
            #expect(queue.sync { client.address } == addresses[attempt % 3])
        }
        #expect(network.hosts.withLock { $0 } == ["one", "two", "three", "one", "two"])
        queue.sync { client.disconnect() }
    }
}

/// Counts events of other threads.
private final class Counter: @unchecked Sendable {
    // `@unchecked Sendable`: `count` is used with `condition` locked.

    private let condition = NSCondition()
    private var count = 0

    /// Returns the count before.
    @discardableResult func add() -> Int {
        condition.lock()
        defer { condition.unlock() }
        count += 1
        condition.broadcast()
        return count - 1
    }

    var value: Int {
        condition.lock()
        defer { condition.unlock() }
        return count
    }

    func wait(for value: Int) -> Bool {
        condition.lock()
        defer { condition.unlock() }
        let limit = Date(timeIntervalSinceNow: 30)
        while count < value, condition.wait(until: limit) {}
        return count >= value
    }
}

/// Stands for libmosquitto: a connection has a socket with one octet for each message, and a call of `loop_read` reads one.
private final class FakeNetwork: Sendable {
    let reads = Counter()
    let publications = Counter()
    let connections = Counter()
    let hosts = Mutex<[String]>([])
    private let messages: Int
    private let payload: Int

    private struct Connection {
        /// The address of the owner, and of its C function for messages.
        var owner: UInt
        var onMessage: UInt = 0
        var socket: Int32 = -1
        var peer: Int32 = -1
    }
    private struct Shared {
        var network: FakeNetwork?
        /// By the number that stands for the library's client.
        var connections: [Int: Connection] = [:]
        var last = 0
    }
    /// C functions have no context. The tests run one after the other.
    private static let shared = Mutex(Shared())

    init(messages: Int, payload: Int) {
        (self.messages, self.payload) = (messages, payload)
        Self.shared.withLock { $0 = Shared(network: self, last: $0.last) }
    }

    static func library() throws -> MosquittoLibrary {
        typealias Client = MosquittoLibrary.Client
        typealias Pointer = MosquittoLibrary.Pointer
        let nothing: @convention(c) () -> Int32 = { 0 }
        let new: @convention(c) (MosquittoLibrary.Text?, Bool, Pointer?) -> Client? = { _, _, owner in
            OpaquePointer(bitPattern: FakeNetwork.new(UInt(bitPattern: owner)))
        }
        let setOnMessage: @convention(c) (Client?, UInt) -> Void = { client, body in
            FakeNetwork.shared.withLock { $0.connections[Int(bitPattern: client)]?.onMessage = body }
        }
        let connect: @convention(c) (Client?, MosquittoLibrary.Text?) -> Int32 = { client, host in
            FakeNetwork.connect(Int(bitPattern: client), host.map { String(cString: $0) } ?? "")
        }
        let destroy: @convention(c) (Client?) -> Void = { client in
            guard
                let ended = FakeNetwork.shared.withLock({ $0.connections.removeValue(forKey: Int(bitPattern: client)) })
            else {
                return
            }
            for socket in [ended.socket, ended.peer] where socket >= 0 { close(socket) }
        }
        let socket: @convention(c) (Client?) -> Int32 = { client in
            FakeNetwork.shared.withLock { $0.connections[Int(bitPattern: client)]?.socket ?? -1 }
        }
        let wantsWrite: @convention(c) (Client?) -> Bool = { _ in false }
        let read: @convention(c) (Client?) -> Int32 = { FakeNetwork.read(Int(bitPattern: $0)) }
        let publish: @convention(c) () -> Int32 = {
            _ = FakeNetwork.shared.withLock { $0.network }?.publications.add()
            return 0
        }
        let functions = [
            "new": unsafeBitCast(new, to: UInt.self),
            "message_v5_callback_set": unsafeBitCast(setOnMessage, to: UInt.self),
            "connect_bind_v5": unsafeBitCast(connect, to: UInt.self), "destroy": unsafeBitCast(destroy, to: UInt.self),
            "socket": unsafeBitCast(socket, to: UInt.self), "want_write": unsafeBitCast(wantsWrite, to: UInt.self),
            "loop_read": unsafeBitCast(read, to: UInt.self), "publish_v5": unsafeBitCast(publish, to: UInt.self),
        ]
        let other = unsafeBitCast(nothing, to: UInt.self)
        return try #require(
            MosquittoLibrary(symbol: {
                UnsafeMutableRawPointer(bitPattern: functions[String($0.dropFirst("mosquitto_".count))] ?? other)
            }))
    }

    private static func new(_ owner: UInt) -> Int {
        shared.withLock { shared in
            shared.last += 1
            shared.connections[shared.last] = Connection(owner: owner)
            return shared.last
        }
    }

    private static func connect(_ client: Int, _ host: String) -> Int32 {
        guard let network = shared.withLock({ $0.network }) else { return 1 }
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0 else { return 1 }
        let (socket, peer) = (ends[0], ends[1])
        shared.withLock {
            $0.connections[client]?.socket = socket
            $0.connections[client]?.peer = peer
        }
        let octets = [UInt8](repeating: 0, count: network.messages)
        guard octets.isEmpty || write(peer, octets, octets.count) == octets.count else { return 1 }
        network.hosts.withLock { $0.append(host) }
        network.connections.add()
        return 0
    }

    private static func read(_ client: Int) -> Int32 {
        let (network, connection) = shared.withLock { ($0.network, $0.connections[client]) }
        var octet: UInt8 = 0
        guard let network, let connection, Foundation.read(connection.socket, &octet, 1) == 1 else { return 7 }
        let number = network.reads.value
        var payload = [UInt8](repeating: 0x55, count: network.payload)
        payload[0] = UInt8(truncatingIfNeeded: number >> 8)
        payload[1] = UInt8(truncatingIfNeeded: number)
        let topic = [CChar(bitPattern: UInt8(ascii: "t")), 0]
        let deliver = unsafeBitCast(connection.onMessage, to: MosquittoLibrary.OnMessage?.self)
        topic.withUnsafeBufferPointer { topic in
            payload.withUnsafeBytes { payload in
                var message = MosquittoLibrary.Message(
                    identifier: 0, topic: topic.baseAddress, payload: payload.baseAddress, count: Int32(payload.count),
                    quality: 0, isRetained: false)
                deliver?(nil, UnsafeMutableRawPointer(bitPattern: connection.owner), &message, nil)
            }
        }
        network.reads.add()
        return 0
    }
}
