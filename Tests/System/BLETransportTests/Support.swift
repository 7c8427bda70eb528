import BLEAdapter
import BLEWire
import Dispatch

@testable import BLETransport

/// A serial queue, and waits with a limit for what happens on it.
final class Bench: Sendable {
    let queue = DispatchQueue(label: "bench")

    struct TimeoutError: Error {}

    /// Runs `body` on the queue and returns what it passes to its argument. Fails after 15 minutes: on a slow machine other tests can keep the threads for minutes.
    func result<T: Sendable>(_ body: @escaping @Sendable (@escaping @Sendable (T) -> Void) -> Void) async throws -> T {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<T, any Error>) in
            let once = Once(continuation)
            queue.async { body { once.resume(.success($0)) } }
            // check-tests: wait: the deadline of a condition.
            DispatchQueue.global().asyncAfter(deadline: .now() + 900) { once.resume(.failure(TimeoutError())) }
        }
    }

    /// Runs `body` on the queue and waits for it.
    func run<T: Sendable>(_ body: @escaping @Sendable () -> T) async -> T {
        await withCheckedContinuation { continuation in queue.async { continuation.resume(returning: body()) } }
    }

    func connect(
        to address: TransportAddress, timeout: TimeSpan = .seconds(5)
    ) async throws -> Result<DispatchStream, TransportError> {
        try await result { done in
            StreamConnector.connect(to: address, queue: self.queue, timeout: timeout) { result in
                done(result.map { DispatchStream($0, queue: self.queue) })
            }
        }
    }

    /// The next connection that `listener` accepts, and a stream connected to it.
    func pair(_ listener: StreamListener) async throws -> (client: DispatchStream, server: DispatchStream) {
        async let server: DispatchStream = result { done in
            listener.onAccept = { done($0) }
            listener.start()
        }
        let client = try await connect(to: listener.address).get()
        return (client, try await server)
    }
}

/// Resumes a continuation once, at the first of several calls.
private final class Once<T: Sendable>: Sendable {
    private let continuation: Lock<CheckedContinuation<T, any Error>?>

    init(_ continuation: CheckedContinuation<T, any Error>) { self.continuation = Lock(continuation) }

    func resume(_ result: sending Result<T, any Error>) {
        let taken = continuation.withLock { value in
            defer { value = nil }
            return value
        }
        taken?.resume(with: result)
    }
}

/// A folder of its own for socket files, removed at the end.
final class Folder: Sendable {
    let path: String

    init() {
        var template = Array("/tmp/ble-transport-XXXXXX".utf8CString)
        path = template.withUnsafeMutableBufferPointer { buffer in
            guard let base = buffer.baseAddress, let made = mkdtemp(base) else { fatalError("no folder in /tmp") }
            return String(cString: made)
        }
    }

    deinit {
        for name in ["socket", "other", "file"] { _ = unlink("\(path)/\(name)") }
        _ = rmdir(path)
    }

    func unix(_ name: String) -> TransportAddress { .unix(path: "\(path)/\(name)") }

    func exists(_ name: String) -> Bool { access("\(path)/\(name)", F_OK) == 0 }
}

/// Two connected sockets that the programs of other tests do not inherit.
func connectedSockets(_ type: __socket_type = SOCK_STREAM) -> (Int32, Int32) {
    var numbers: [Int32] = [-1, -1]
    let result = socketpair(AF_UNIX, Int32(type.rawValue | SOCK_CLOEXEC.rawValue), 0, &numbers)
    guard result == 0 else { fatalError("no socket pair") }
    return (numbers[0], numbers[1])
}

/// A stream, and the socket at its other side.
func socketPair(
    _ bench: Bench, queueLimit: Int = 1 << 20, readSize: Int = 1 << 16
) -> (DispatchStream, Int32) {
    let (own, other) = connectedSockets()
    let connection = TransportConnection(socket: own, name: "pair")
    return (DispatchStream(connection, queue: bench.queue, queueLimit: queueLimit, readSize: readSize), other)
}

/// Ends a connection at once. `close` alone does not: a program that another test starts at this moment has a copy of the
/// descriptor until its first instruction.
func hangUp(_ number: Int32) {
    shutdown(number, Int32(SHUT_RDWR))
    close(number)
}
