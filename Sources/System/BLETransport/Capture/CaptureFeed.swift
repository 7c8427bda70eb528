import BLEAdapter
import BLEWire
import Dispatch

/// A live capture: each program that connects to an address gets the header and the records from then on.
///
/// A reader that is too slow misses records and does not delay the others. The feed forgets a reader that closes its connection.
///
/// Threads: `append` may be called on any thread.
final class CaptureFeed: Sendable {
    /// The most readers at a time. The connections of further ones are closed.
    static let readerLimit = 8

    private struct State {
        /// The first record, which each reader needs.
        var header: [UInt8]?
        var readers: [CaptureSink] = []
    }

    /// The address, with the port that the system chose if port 0 was requested.
    let address: TransportAddress
    private let limit: Int
    private let state = Lock(State())
    private let listener: Lock<StreamListener?>
    private let queue = DispatchQueue(label: "bluetooth.capture.feed")

    /// - Parameter limit: The most octets that wait for a slow reader.
    init(at address: TransportAddress, limit: Int) throws(TransportError) {
        let listener = try StreamListener(at: address, queue: queue)
        self.address = listener.address
        self.limit = limit
        self.listener = Lock(listener)
        queue.sync {
            listener.onConnection = { [weak self] in self?.add($0) }
            listener.start()
        }
    }

    deinit { close() }

    private func add(_ connection: TransportConnection) {
        let number = fcntl(connection.descriptor.number, F_DUPFD_CLOEXEC, 0)
        guard number >= 0 else { return }
        let reader = CaptureSink(descriptor: number, name: connection.name, limit: limit)
        state.withLock { state in
            state.readers.removeAll { $0.hasEnded }
            guard state.readers.count < Self.readerLimit else { return }
            if let header = state.header { reader.append(header.span) }
            state.readers.append(reader)
        }
    }

    /// The number of connected programs.
    var readerCount: Int {
        state.withLock { state in
            state.readers.removeAll { $0.hasEnded }
            return state.readers.count
        }
    }

    /// Returns false if a reader missed the record.
    func append(_ record: Span<UInt8>) -> Bool {
        state.withLock { state in
            guard state.header != nil else {
                state.header = Array(record)
                return true
            }
            var isWhole = true
            for reader in state.readers where !reader.append(record) && !reader.hasEnded { isWhole = false }
            return isWhole
        }
    }

    /// Waits until the readers have all records so far, for `timeout` at most.
    func flush(timeout: TimeSpan) -> Bool {
        state.withLock { $0.readers }.reduce(true) { $1.flush(timeout: timeout) && $0 }
    }

    /// Ends the capture for all readers.
    func close(timeout: TimeSpan = .zero) {
        let listener = listener.withLock { listener in
            defer { listener = nil }
            return listener
        }
        if let listener { queue.async { listener.close() } }
        let readers = state.withLock { state in
            defer { state.readers = [] }
            return state.readers
        }
        for reader in readers { reader.close(timeout: timeout) }
    }
}
