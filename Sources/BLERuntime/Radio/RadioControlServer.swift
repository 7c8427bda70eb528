import BLEAdapter
import BLETransport
import BLEWire
import Dispatch

/// Listens for those who change a radio while it runs. A program that sends rubbish ends its own connection alone; one that does not
/// read its answers gets no more of them.
package final class RadioControlServer: Sendable {
    /// A longer line is none.
    static let lineLimit = 1024
    /// How many may be connected at once.
    static let connectionLimit = 64
    /// A connection with no request carried out and no answer taken for so long is closed: idle ones must not keep others out.
    package static let idleLimit = TimeSpan.seconds(30)

    /// Where it listens.
    package let address: TransportAddress
    private let desk: Confined<Desk>
    private let queue: DispatchQueue

    fileprivate init(
        at address: TransportAddress, stage: VirtualStage, idleLimit: TimeSpan
    ) throws(TransportError) {
        queue = stage.engine.queue
        let listener = try StreamListener(at: address, queue: queue, readSize: 1024)
        self.address = listener.address
        desk = Confined(Desk(listener, stage, idleLimit))
        let desk = self.desk
        queue.async { desk.object.start() }
    }

    /// Ends it, and all connections.
    package func stop() {
        let desk = self.desk
        queue.async { desk.object.stop() }
    }

    deinit { stop() }
}

/// On the engine's queue alone.
private final class Desk {
    private let listener: StreamListener
    private let queue: DispatchQueue
    private weak var stage: VirtualStage?
    private var control = RadioControl()
    private var connections: [ObjectIdentifier: Connection] = [:]
    private let idleLimit: TimeSpan
    /// Runs while there are connections.
    private var idleTimer: (any DispatchSourceTimer)?

    final class Connection {
        let stream: DispatchStream
        /// What was read and not yet carried out: at most a line and what one read brings.
        var input: [UInt8] = []
        var lastActivity = DispatchTime.now()
        init(_ stream: DispatchStream) { self.stream = stream }
    }

    init(_ listener: StreamListener, _ stage: VirtualStage, _ idleLimit: TimeSpan) {
        self.listener = listener
        self.idleLimit = idleLimit
        self.stage = stage
        queue = stage.engine.queue
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

    /// Looks for idle connections as long as there are any connections.
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
            carryOutNext(of: connection)
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
        carryOutNext(of: connection)
    }

    /// Carries out one line. The next one has its turn when the answer to this is on its way: neither the radio nor the memory has to
    /// bear a hundred at once.
    private func carryOutNext(of connection: Connection) {
        guard !connection.stream.isClosed else { return }
        let input = connection.input
        guard let lineEnd = input.firstIndex(of: UInt8(ascii: "\n")) else {
            if input.count > RadioControlServer.lineLimit { return end(connection) }
            return connection.stream.resume()
        }
        guard lineEnd <= RadioControlServer.lineLimit, let stage else { return end(connection) }
        connection.lastActivity = .now()
        connection.stream.pause()
        connection.input.removeFirst(lineEnd + 1)
        let line = String(decoding: input[..<lineEnd], as: UTF8.self)
        let (desk, requester) = (Confined(self), Confined(connection))
        // Through the engine, so that time moves on first to where it should be.
        stage.change { scene in
            let (desk, connection) = (desk.object, requester.object)
            guard !connection.stream.isClosed else { return }
            let answer = Array((desk.control.answer(line, scene) + "\n").utf8)
            switch connection.stream.send(answer.span) {
            case .sent: desk.goOn(connection)
            case .queued: break  // Until it is empty.
            case .full, .closed: desk.end(connection)
            }
        }
    }

    /// Not at once: others are on the queue, too.
    private func goOn(_ connection: Connection) {
        let (desk, requester) = (Confined(self), Confined(connection))
        queue.async { desk.object.carryOutNext(of: requester.object) }
    }
}

extension VirtualStage {
    /// Listens at `address` for lines of `RadioControl`. Ends with the server.
    package func control(
        at address: TransportAddress, idleLimit: TimeSpan = RadioControlServer.idleLimit
    ) throws(TransportError) -> RadioControlServer {
        try RadioControlServer(at: address, stage: self, idleLimit: idleLimit)
    }
}
