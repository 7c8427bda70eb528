import BLEAdapter
import BLEWire
import Dispatch
import Testing

@testable import BLETransport

@Suite struct ConnectionRealTimeTests {
    private let bench = Bench()
    private let folder = Folder()

    /// Sends one octet each way.
    private func exchange(_ client: DispatchStream, _ server: DispatchStream) async throws {
        for (from, to, octet) in [(client, server, UInt8(1)), (server, client, UInt8(2))] {
            let received: [UInt8] = try await bench.result { done in
                to.onReceive = { done([UInt8]($0)) }
                to.start()
                from.send([octet].span)
            }
            #expect(received == [octet])
        }
    }

    @Test(arguments: ["127.0.0.1", "localhost"]) func tcpSocketsConnect(host: String) async throws {
        try await connect(host)
    }

    // check-tests: skip: a machine without IPv6 has no such address. Interop/expected-counts has a line for it.
    @Test(.enabled(if: hasIPv6, "this machine has no IPv6")) func tcpSocketsConnectOverIPv6() async throws {
        try await connect("::1")
    }

    private static var hasIPv6: Bool { Sockets.make(family: AF_INET6) != nil }

    private func connect(_ host: String) async throws {
        let listener = try StreamListener(at: .tcp(host: host, port: 0), queue: bench.queue)
        guard case .tcp(let name, let port) = listener.address else {
            Issue.record("\(listener.address)")
            return
        }
        #expect(name == host && port != 0)
        let (client, server) = try await bench.pair(listener)
        #expect(client.name == listener.address.description)
        #expect(server.name.hasPrefix("tcp:"))
        try await exchange(client, server)
    }

    @Test func unixSocketsConnect() async throws {
        let listener = try StreamListener(at: folder.unix("socket"), queue: bench.queue)
        let (client, server) = try await bench.pair(listener)
        try await exchange(client, server)
        #expect(folder.exists("socket"))
        await bench.run { listener.close() }
        #expect(!folder.exists("socket"))
        try await exchange(client, server)
    }

    @Test func anyNumberOfConnectionsIsAccepted() async throws {
        let listener = try StreamListener(at: folder.unix("socket"), queue: bench.queue)
        let clients = Lock<[TransportConnection]>([])
        let servers: [DispatchStream] = try await bench.result { done in
            let servers = Lock<[DispatchStream]>([])
            listener.onAccept = { stream in
                let all = servers.withLock { all in
                    all.append(stream)
                    return all
                }
                if all.count == 50 { done(all) }
            }
            listener.start()
            for _ in 0..<50 {
                StreamConnector.connect(to: listener.address, queue: self.bench.queue) { result in
                    if let client = try? result.get() { clients.withLock { $0.append(client) } }
                }
            }
        }
        #expect(Set(servers.map(\.name)).count == 50)
    }

    @Test func aBurstOfConnectionsIsAcceptedInParts() async throws {
        let listener = try StreamListener(at: folder.unix("socket"), queue: bench.queue)
        let clients = (0..<40).map { _ in Sockets.make(family: AF_UNIX) }
        let address = try #require(SocketAddress(path: folder.path + "/socket"))
        for client in clients { #expect(Sockets.connect(try #require(client).number, address) == 0) }
        // What has been accepted before others get the queue.
        let first: Int = try await bench.result { done in
            let queue = self.bench.queue
            let count = Lock(0)
            listener.onAccept = { _ in
                let number = count.withLock { count in
                    count += 1
                    return count
                }
                if number == 1 { queue.async { done(count.withLock { $0 }) } }
            }
            listener.start()
        }
        #expect(first <= StreamListener.acceptLimit)
        withExtendedLifetime(clients) {}
    }

    @Test func aFullBacklogIsRetried() async throws {
        let path = folder.path + "/socket"
        let address = try #require(SocketAddress(path: path))
        let listener = try #require(Sockets.make(family: AF_UNIX))
        #expect(address.withPointer { bind(listener.number, $0, $1) } == 0)
        #expect(listen(listener.number, 0) == 0)
        var waiting: [Descriptor] = []
        while true {
            let socket = try #require(Sockets.make(family: AF_UNIX))
            let code = Sockets.connect(socket.number, address)
            guard code == 0 else {
                #expect(code == EAGAIN)
                break
            }
            waiting.append(socket)
        }
        let late = try await bench.connect(to: .unix(path: path), timeout: .milliseconds(120))
        guard case .failure(let error) = late else {
            Issue.record("connected")
            return
        }
        #expect(error.description.hasPrefix("Too many programs wait to connect to"))
        async let stream = bench.connect(to: .unix(path: path), timeout: .seconds(150))
        // It is in the queue's hands by the time of its first attempt.
        for _ in 0..<3 { await bench.run {} }
        for _ in waiting { _ = Descriptor(accept(listener.number, nil, nil)) }
        #expect(try await stream.get().isClosed == false)
    }

    @Test func anUnreachablePeerTimesOutWithUnacknowledgedData() throws {
        let socket = try #require(Sockets.make(family: AF_INET))
        Sockets.watch(socket.number)
        var value: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        #expect(getsockopt(socket.number, Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, &value, &length) == 0)
        #expect(value == 25_000)
    }

    @Test func aRefusedConnectionHasAMessage() async throws {
        // A port that was just free.
        let address = try StreamListener(at: .tcp(host: "127.0.0.1", port: 0), queue: bench.queue).address
        await bench.run {}
        let error = try await failure(address)
        #expect(error.kind == .refused)
        #expect(
            error.description
                == "No program listens at \(address) (Connection refused): start the controller there, or correct the address."
        )
        #expect(try await failure(.tcp(host: "127.0.0.1", port: 0)).kind == .refused)
    }

    @Test func anUnknownHostHasAMessage() async throws {
        let error = try await failure(.tcp(host: "no-such-host.invalid", port: 1))
        #expect(error.kind == .unknownHost)
        #expect(error.description.hasPrefix("The host of tcp:no-such-host.invalid:1 is unknown ("))
    }

    @Test func aMissingSocketHasAMessage() async throws {
        let error = try await failure(folder.unix("socket"))
        #expect(error.kind == .notFound)
        #expect(
            error.description
                == "There is no socket at \(folder.unix("socket")): start the program that makes it, or correct the path."
        )
    }

    /// The superuser has every permission, so the test is a process of an ordinary user.
    @Test func aForbiddenSocketHasAMessage() async {
        await #expect(processExitsWith: .success) {
            if geteuid() == 0 { try #require(setgid(65_534) == 0 && setuid(65_534) == 0) }
            let tests = ConnectionRealTimeTests()
            let address = tests.folder.unix("socket")
            let listener = try StreamListener(at: address, queue: tests.bench.queue)
            #expect(chmod("\(tests.folder.path)/socket", 0) == 0)
            let error = try await tests.failure(listener.address)
            #expect(error.kind == .permissionDenied)
            #expect(error.description.hasPrefix("This user may not connect to \(address) ("), "\(error)")
        }
    }

    @Test func anUnansweredAttemptTimesOut() async throws {
        // A listener that never accepts and whose backlog is full leaves a connection attempt without an answer.
        var numbers: [Int32] = []
        defer { for number in numbers { close(number) } }
        let silent = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        numbers.append(silent)
        let (address, port) = try bindLoopback(silent)
        #expect(listen(silent, 0) == 0)
        for _ in 0..<4 {
            guard let descriptor = Sockets.make(family: AF_INET) else {
                Issue.record("no socket: \(errno)")
                return
            }
            let number = dup(descriptor.number)
            numbers.append(number)
            _ = Sockets.connect(number, address)
        }
        let error = try await failure(.tcp(host: "127.0.0.1", port: port), timeout: .milliseconds(150))
        #expect(error.kind == .timedOut)
        #expect(error.description.hasPrefix("tcp:127.0.0.1:\(port) did not answer within 150 ms: "))
    }

    @Test func aCancelledAttemptHasNoCallback() async throws {
        let listener = try StreamListener(at: folder.unix("socket"), queue: bench.queue)
        let calls = Lock(0)
        await bench.run {
            let connector = StreamConnector.connect(to: listener.address, queue: bench.queue) { _ in
                calls.withLock { $0 += 1 }
            }
            connector.cancel()
        }
        // Whatever the attempt put on the queue has run when a later connection is there.
        _ = try await bench.connect(to: listener.address).get()
        #expect(calls.withLock { $0 } == 0)
    }

    @Test func aStaleSocketFileIsReplaced() async throws {
        // A program that died leaves its file behind.
        let dead = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        let path = try #require(SocketAddress(path: "\(folder.path)/socket"))
        #expect(path.withPointer { bind(dead, $0, $1) } == 0)
        close(dead)
        #expect(folder.exists("socket"))
        let listener = try StreamListener(at: folder.unix("socket"), queue: bench.queue)
        let (client, server) = try await bench.pair(listener)
        try await exchange(client, server)
    }

    @Test func aSocketWithAListenerIsNotReplaced() async throws {
        let first = try StreamListener(at: folder.unix("socket"), queue: bench.queue)
        let error = #expect(throws: TransportError.self) {
            _ = try StreamListener(at: folder.unix("socket"), queue: bench.queue)
        }
        #expect(error?.kind == .addressInUse)
        #expect(error?.description.hasPrefix("Another program already listens at unix:") == true)
        let (client, server) = try await bench.pair(first)
        // The attempt to listen first tested the old socket: that connection came first and has ended.
        _ = (client, server)
        #expect(folder.exists("socket"))
    }

    @Test func aRegularFileIsNotReplaced() throws {
        let number = open("\(folder.path)/file", O_CREAT | O_WRONLY, 0o600)
        close(number)
        let error = #expect(throws: TransportError.self) {
            _ = try StreamListener(at: folder.unix("file"), queue: bench.queue)
        }
        #expect(error?.kind == .system)
        #expect(folder.exists("file"))
    }

    @Test func aListenerRemovesOnlyItsOwnFile() async throws {
        let first = try StreamListener(at: folder.unix("socket"), queue: bench.queue)
        unlink("\(folder.path)/socket")
        let second = try StreamListener(at: folder.unix("socket"), queue: bench.queue)
        await bench.run { first.close() }
        #expect(folder.exists("socket"))
        await bench.run { second.close() }
        #expect(!folder.exists("socket"))
    }

    @Test func aPortInUseAndAMissingFolderHaveMessages() throws {
        let first = try StreamListener(at: .tcp(host: "127.0.0.1", port: 0), queue: bench.queue)
        let taken = #expect(throws: TransportError.self) {
            _ = try StreamListener(at: first.address, queue: bench.queue)
        }
        #expect(taken?.kind == .addressInUse)
        let missing = #expect(throws: TransportError.self) {
            _ = try StreamListener(at: .unix(path: "\(folder.path)/none/socket"), queue: bench.queue)
        }
        #expect(missing?.kind == .notFound)
        let foreign = #expect(throws: TransportError.self) {
            _ = try StreamListener(at: .tcp(host: "203.0.113.77", port: 0), queue: bench.queue)
        }
        #expect(foreign?.kind == .notFound)
    }

    @Test func aPortIsReleasedByItsListener() async throws {
        let first = try StreamListener(at: .tcp(host: "127.0.0.1", port: 0), queue: bench.queue)
        await bench.run {
            first.start()
            first.close()
        }
        await bench.run {}
        #expect(try await failure(first.address).kind == .refused)
        let second = try StreamListener(at: first.address, queue: bench.queue)
        let (client, server) = try await bench.pair(second)
        try await exchange(client, server)
    }

    private func failure(_ address: TransportAddress, timeout: TimeSpan = .seconds(5)) async throws -> TransportError {
        switch try await bench.connect(to: address, timeout: timeout) {
        case .success: throw Bench.TimeoutError()
        case .failure(let error): return error
        }
    }

    private func bindLoopback(_ number: Int32) throws -> (SocketAddress, UInt16) {
        let free = try Sockets.resolve("127.0.0.1", 0, numericOnly: true).get()[0]
        #expect(free.withPointer { bind(number, $0, $1) } == 0)
        let bound = try #require(SocketAddress.filled { getsockname(number, $0, $1) })
        return (bound, try #require(bound.numeric?.port))
    }
}
