import BLEAdapter
import BLETransport
import BLEWire
import Dispatch

/// Listens for commands that change a running radio. An invalid line ends only its own connection, and a program that
/// does not read its answers gets no further ones.
package final class RadioControlServer: Sendable {
    /// The longest line in octets.
    static let lineLimit = 1024
    /// The maximum number of connections.
    static let connectionLimit = 64
    /// The time after which a connection without a command and without a sent answer is closed, so that idle
    /// connections do not exclude others.
    package static let idleLimit = TimeSpan.seconds(30)

    /// The address of the socket.
    package let address: TransportAddress
    private let connections: ExecutorIsolated<ControlConnections>
    private let queue: DispatchQueue

    init(
        at address: TransportAddress, _ radio: VirtualRadioRuntime, idleLimit: TimeSpan
    ) throws(TransportError) {
        queue = radio.engine.queue
        let listener = try StreamListener(at: address, queue: queue, readSize: 1024)
        self.address = listener.address
        connections = ExecutorIsolated(ControlConnections(listener, radio, idleLimit))
        let connections = self.connections
        queue.async { connections.object.start() }
    }

    /// Stops listening and ends all connections.
    package func stop() {
        let connections = self.connections
        queue.async { connections.object.stop() }
    }

    deinit { stop() }
}

/// The connections of a server. Used only on the engine's queue.
private final class ControlConnections {
    private let listener: StreamListener
    private let queue: DispatchQueue
    private weak var radio: VirtualRadioRuntime?
    private var control = RadioControl()
    private var connections: [ObjectIdentifier: Connection] = [:]
    private let idleLimit: TimeSpan
    /// Runs while there are connections.
    private var idleTimer: (any DispatchSourceTimer)?

    final class Connection {
        let stream: DispatchStream
        /// Octets that are read and not yet run: at most a line and the octets of one read.
        var input: [UInt8] = []
        var lastActivity = DispatchTime.now()
        init(_ stream: DispatchStream) { self.stream = stream }
    }

    init(_ listener: StreamListener, _ radio: VirtualRadioRuntime, _ idleLimit: TimeSpan) {
        self.listener = listener
        self.idleLimit = idleLimit
        self.radio = radio
        queue = radio.engine.queue
    }

    func start() {
        listener.onAccept = { [weak self] stream in self?.admit(stream) }
        listener.start()
    }

    func stop() {
        listener.close()
        for connection in connections.values { connection.stream.close() }
        connections = [:]
        watchIdleness()
    }

    deinit { idleTimer?.cancel() }

    /// Checks for idle connections while there are any connections.
    private func watchIdleness() {
        guard !connections.isEmpty else {
            idleTimer?.cancel()
            idleTimer = nil
            return
        }
        guard idleTimer == nil else { return }
        let timer = DispatchSource.makeTimerSource(queue: queue)
        let limit = Int(idleLimit.nanoseconds)
        timer.schedule(deadline: .now() + .nanoseconds(limit), repeating: .nanoseconds(max(1, limit / 4)))
        timer.setEventHandler { [weak self] in self?.endIdle() }
        idleTimer = timer
        timer.resume()
    }

    private func endIdle() {
        let latest = DispatchTime.now().uptimeNanoseconds
        for connection in connections.values
        where latest &- connection.lastActivity.uptimeNanoseconds >= UInt64(idleLimit.nanoseconds) { end(connection) }
    }

    private func admit(_ stream: DispatchStream) {
        guard connections.count < RadioControlServer.connectionLimit else { return stream.close() }
        let connection = Connection(stream)
        connections[ObjectIdentifier(connection)] = connection
        watchIdleness()
        stream.onReceive = { [weak self, weak connection] octets in
            guard let self, let connection else { return }
            receive(octets, from: connection)
        }
        stream.onClose = { [weak self, weak connection] _ in
            if let connection { self?.end(connection) }
        }
        stream.onEmpty = { [weak self, weak connection] in
            guard let self, let connection else { return }
            connection.lastActivity = .now()
            runNextLine(of: connection)
        }
        stream.start()
    }

    private func end(_ connection: Connection) {
        connection.stream.close()
        connections[ObjectIdentifier(connection)] = nil
        watchIdleness()
    }

    private func receive(_ octets: Span<UInt8>, from connection: Connection) {
        connection.input.append(octets)
        runNextLine(of: connection)
    }

    /// Runs one line. The next line runs after the answer is sent: a connection never has more than one active command.
    private func runNextLine(of connection: Connection) {
        guard !connection.stream.isClosed else { return }
        let input = connection.input
        guard let lineEnd = input.firstIndex(of: UInt8(ascii: "\n")) else {
            if input.count > RadioControlServer.lineLimit { return end(connection) }
            return connection.stream.resume()
        }
        guard lineEnd <= RadioControlServer.lineLimit, let radio else { return end(connection) }
        connection.lastActivity = .now()
        connection.stream.pause()
        connection.input.removeFirst(lineEnd + 1)
        let line = String(decoding: input[..<lineEnd], as: UTF8.self)
        let (server, requester) = (ExecutorIsolated(self), ExecutorIsolated(connection))
        // Through the engine, which first advances to the present time.
        radio.change { network in
            let (server, connection) = (server.object, requester.object)
            guard !connection.stream.isClosed else { return }
            let answer = Array((server.control.answer(line, network) + "\n").utf8)
            switch connection.stream.send(answer.span) {
            case .sent: server.continueLater(connection)
            case .queued: break  // Until it is empty.
            case .full, .closed: server.end(connection)
            }
        }
    }

    /// Runs the next line after the blocks that wait on the queue.
    private func continueLater(_ connection: Connection) {
        let (server, requester) = (ExecutorIsolated(self), ExecutorIsolated(connection))
        queue.async { server.object.runNextLine(of: requester.object) }
    }
}
