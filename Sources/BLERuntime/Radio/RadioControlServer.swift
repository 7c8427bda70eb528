import BLETransport
import BLEWire
import Dispatch

/// Listens for those who change a radio while it runs. A program that sends rubbish, or does not read its answers, ends its own
/// connection alone.
package final class RadioControlServer: Sendable {
    /// A longer line is none.
    static let lineLimit = 1024
    /// How many may be connected at once.
    static let connectionLimit = 64

    /// Where it listens.
    package let address: TransportAddress
    private let desk: Confined<Desk>
    private let queue: DispatchQueue

    fileprivate init(at address: TransportAddress, stage: VirtualStage) throws(TransportError) {
        queue = stage.engine.queue
        let listener = try StreamListener(at: address, queue: queue, readSize: 1024)
        self.address = listener.address
        desk = Confined(Desk(listener, stage))
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
    private weak var stage: VirtualStage?
    private var control = RadioControl()
    private var connections: [ObjectIdentifier: Connection] = [:]

    final class Connection {
        let stream: ByteStream
        var line: [UInt8] = []
        init(_ stream: ByteStream) { self.stream = stream }
    }

    init(_ listener: StreamListener, _ stage: VirtualStage) {
        self.listener = listener
        self.stage = stage
    }

    func start() {
        listener.onAccept = { [weak self] stream in self?.admit(stream) }
        listener.start()
    }

    func stop() {
        listener.close()
        for connection in connections.values { connection.stream.close() }
        connections = [:]
    }

    private func admit(_ stream: ByteStream) {
        guard connections.count < RadioControlServer.connectionLimit else { return stream.close() }
        let connection = Connection(stream)
        connections[ObjectIdentifier(connection)] = connection
        stream.onReceive = { [weak self, weak connection] octets in
            guard let self, let connection else { return }
            receive(octets, from: connection)
        }
        stream.onClose = { [weak self, weak connection] _ in
            if let connection { self?.end(connection) }
        }
        stream.start()
    }

    private func end(_ connection: Connection) {
        connection.stream.close()
        connections[ObjectIdentifier(connection)] = nil
    }

    private func receive(_ octets: Span<UInt8>, from connection: Connection) {
        for index in octets.indices {
            guard !connection.stream.isClosed else { return }
            guard octets[index] != UInt8(ascii: "\n") else {
                let line = String(decoding: connection.line, as: UTF8.self)
                connection.line.removeAll(keepingCapacity: true)
                carryOut(line, for: connection)
                continue
            }
            guard connection.line.count < RadioControlServer.lineLimit else { return end(connection) }
            connection.line.append(octets[index])
        }
    }

    private func carryOut(_ line: String, for connection: Connection) {
        guard let stage else { return end(connection) }
        let (desk, requester) = (Confined(self), Confined(connection))
        // Through the engine, so that time moves on first to where it should be.
        stage.change { scene in
            let (desk, connection) = (desk.object, requester.object)
            guard !connection.stream.isClosed else { return }
            let answer = Array((desk.control.answer(line, scene) + "\n").utf8)
            switch connection.stream.send(answer.span) {
            case .sent, .queued: break
            case .full, .closed: desk.end(connection)
            }
        }
    }
}

extension VirtualStage {
    /// Listens at `address` for lines of `RadioControl`. Ends with the server.
    package func control(at address: TransportAddress) throws(TransportError) -> RadioControlServer {
        try RadioControlServer(at: address, stage: self)
    }
}
