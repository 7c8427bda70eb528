import BLETransport
import BLEWire

/// The connections of a server without TLS.
///
/// A connection is a stranger until the program recognizes it, as one whose request authenticates. When there are too many strangers, the source with the
/// most of them loses its oldest, so that a flood displaces itself.
///
/// Threads: everything runs on the scheduler.
package final class HTTPServer: @unchecked Sendable {
    private final class Entry {
        let number: UInt64
        let stream: any ByteStream
        /// What a client cannot choose of its address.
        let source: String
        var connection: HTTPConnection
        var isWorking = false
        var isPaused = false

        init(_ number: UInt64, _ stream: any ByteStream, _ source: String, _ connection: HTTPConnection) {
            (self.number, self.stream, self.source, self.connection) = (number, stream, source, connection)
        }
    }

    private let limits: HTTPLimits
    private let scheduler: any SerialScheduler
    private let onRequest: (HTTPRequest, HTTPExchange) -> Void
    private var entries: [UInt64: Entry] = [:]
    private var lastNumber: UInt64 = 0
    private var scheduled: Instant?

    /// - Parameter onRequest: Receives a request, and the exchange that takes the response, now or later.
    package init(
        limits: HTTPLimits, scheduler: any SerialScheduler, onRequest: @escaping (HTTPRequest, HTTPExchange) -> Void
    ) {
        (self.limits, self.scheduler, self.onRequest) = (limits, scheduler, onRequest)
    }

    package var connectionCount: Int { entries.count }

    package func accept(_ stream: any ByteStream, from source: String) {
        let strangers = entries.values.filter { !$0.connection.isRecognized }.sorted { $0.number < $1.number }
        if strangers.count >= limits.strangers, let displaced = strangers.firstOfLargestGroup(by: \.source) {
            end(displaced)
        }
        guard entries.count < limits.connections else { return stream.close() }
        lastNumber += 1
        let entry = Entry(lastNumber, stream, source, HTTPConnection(limits, at: scheduler.now))
        entries[lastNumber] = entry
        let number = lastNumber
        stream.onReceive = { [weak self] octets in
            guard let self, let entry = entries[number] else { return }
            entry.connection.receive(octets, at: scheduler.now)
            work(entry)
        }
        stream.onClose = { [weak self] _ in self?.entries[number] = nil }
        stream.onEmpty = { [weak self] in
            guard let self, let entry = entries[number] else { return }
            entry.connection.sent(at: scheduler.now)
            work(entry)
        }
        stream.start()
        plan()
    }

    /// Ends all connections.
    package func stop() { for entry in Array(entries.values) { end(entry) } }

    func isAnswering(_ number: UInt64, _ request: Int) -> Bool {
        guard let connection = entries[number]?.connection else { return false }
        return connection.isAnswering && connection.requestCount == request
    }

    func answer(_ number: UInt64, _ request: Int, _ response: HTTPResponse) {
        guard isAnswering(number, request), let entry = entries[number] else { return }
        entry.connection.answer(response, at: scheduler.now)
        work(entry)
    }

    func recognize(_ number: UInt64) { entries[number]?.connection.recognize() }

    private func end(_ entry: Entry) {
        guard entries.removeValue(forKey: entry.number) != nil else { return }
        entry.stream.close()
    }

    private func work(_ entry: Entry) {
        // A response that comes at once continues the loop below.
        guard !entry.isWorking else { return }
        entry.isWorking = true
        while entries[entry.number] != nil {
            let octets = entry.connection.takeOutgoing()
            if !octets.isEmpty {
                switch entry.stream.send(octets.span) {
                case .sent: entry.connection.sent(at: scheduler.now)
                case .queued: break
                case .full, .closed: end(entry)
                }
                continue
            }
            if entry.connection.isEnded { end(entry) }
            guard let request = entry.connection.takeRequest() else { break }
            onRequest(
                request,
                HTTPExchange(
                    source: entry.source, number: entry.number, request: entry.connection.requestCount, server: self))
        }
        entry.isWorking = false
        if entries[entry.number] != nil, entry.isPaused == entry.connection.hasRoom {
            entry.isPaused = !entry.connection.hasRoom
            if entry.isPaused { entry.stream.pause() } else { entry.stream.resume() }
        }
        plan()
    }

    /// Ends late connections in time.
    private func plan() {
        guard let deadline = entries.values.compactMap(\.connection.deadline).min(),
            scheduled.map({ deadline < $0 }) ?? true
        else { return }
        scheduled = deadline
        scheduler.submit(after: deadline - scheduler.now) { [weak self] in
            guard let self, scheduled == deadline else { return }
            scheduled = nil
            for entry in Array(entries.values) {
                entry.connection.handleTimeout(at: scheduler.now)
                if entry.connection.isEnded { end(entry) }
            }
            plan()
        }
    }
}

/// A request that waits for its response.
package final class HTTPExchange: Sendable {
    /// What the client cannot choose of its address.
    package let source: String
    private let number: UInt64
    private let request: Int
    private weak let server: HTTPServer?

    init(source: String, number: UInt64, request: Int, server: HTTPServer) {
        (self.source, self.number, self.request, self.server) = (source, number, request, server)
    }

    /// Whether the client still waits.
    package var isOpen: Bool { server?.isAnswering(number, request) ?? false }

    /// Sends the response. Later calls do nothing.
    package func answer(_ response: HTTPResponse) { server?.answer(number, request, response) }

    /// The client has shown who it is.
    package func recognize() { server?.recognize(number) }
}
