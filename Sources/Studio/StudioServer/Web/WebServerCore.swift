import BLETransport
import Dispatch
import Foundation
import LocalHTTP
import TLSChannel

/// The answer to a request.
enum WebAnswer: Sendable {
    case response(HTTPResponse)
    case socket(HTTPResponse, PageAdmission)
}

/// A WebSocket that becomes a page: at once, or after a proof.
struct PageAdmission: Sendable {
    let hub: StudioHub
    /// The first message of the open page: the token and the key.
    let greeting: String
    /// What the page has to prove first; nil if its request showed the token.
    var proof: ReconnectProof?
}

/// The connections of a server.
///
/// Threads: used only on `queue`.
final class WebServerCore: @unchecked Sendable {
    let queue: DispatchQueue
    private let listener: StreamListener
    private let handler: PageHandler
    private let tls: TLSContext?
    private let source: (DispatchStream) -> ConnectionSource
    private var connections: [ObjectIdentifier: WebConnection] = [:]
    private var table = ConnectionAdmission<ObjectIdentifier>()
    /// Runs while there are connections.
    private var timer: (any DispatchSourceTimer)?

    let times: WebTimeouts

    init(
        listener: StreamListener, queue: DispatchQueue, handler: PageHandler, tls: TLSContext?,
        times: WebTimeouts = WebTimeouts(), source: @escaping (DispatchStream) -> ConnectionSource
    ) {
        self.source = source
        self.listener = listener
        self.queue = queue
        self.handler = handler
        self.tls = tls
        self.times = times
    }

    /// The fields of a response to a request that is not understood.
    var headers: [(name: String, value: String)] { handler.guardian.headers(host: nil) }

    func start() {
        listener.onAccept = { [weak self] stream in self?.admit(stream) }
        listener.start()
    }

    func stop() {
        listener.close()
        for connection in connections.values {
            connection.endSocket(.goingAway, reason: "the studio ends")
            connection.close()
        }
        timer?.cancel()
        timer = nil
    }

    var connectionCount: Int { connections.count }
    var sources: Set<ConnectionSource> { table.sources }

    private func admit(_ stream: DispatchStream) {
        var session: TLSSession?
        if let tls {
            session = TLSSession(tls)
            guard session != nil else { return stream.close() }
        }
        let connection = WebConnection(stream, tls: session, server: self)
        let identifier = ObjectIdentifier(connection)
        connections[identifier] = connection
        end(table.admit(identifier, from: source(stream)))
        watchDeadlines()
        // The request of a browser is often here already. Its token protects the connection from those that are accepted next.
        connection.start()
    }

    /// Ends a connection that had to make room.
    private func end(_ identifier: ObjectIdentifier?) {
        if let identifier { connections[identifier]?.close() }
    }

    /// Makes a connection a page. Returns false if there are too many pages.
    func openPage(_ connection: WebConnection) -> Bool { table.openPage(ObjectIdentifier(connection)) }

    func remove(_ connection: WebConnection) {
        connections[ObjectIdentifier(connection)] = nil
        table.remove(ObjectIdentifier(connection))
        guard connections.isEmpty else { return }
        timer?.cancel()
        timer = nil
    }

    func respond(
        to request: HTTPRequest, of connection: WebConnection, _ completion: @escaping @Sendable (WebAnswer) -> Void
    ) {
        let decision = handler.guardian.check(request)
        if decision.showsToken {
            connection.recognize()
            end(table.recognize(ObjectIdentifier(connection)))
        }
        if let answer = handler.answer(to: request, decision) { return completion(answer) }
        Task { [handler, queue] in
            let answer = await handler.file(for: request)
            queue.async { completion(answer) }
        }
    }

    private func watchDeadlines() {
        guard timer == nil else { return }
        let timer = DispatchSource.makeTimerSource(queue: queue)
        timer.schedule(deadline: .now() + .milliseconds(500), repeating: .milliseconds(500))
        timer.setEventHandler { [weak self] in self?.endLate() }
        self.timer = timer
        timer.resume()
    }

    private func endLate() {
        let now = DispatchTime.now()
        for connection in connections.values {
            if let deadline = connection.deadline, deadline < now { connection.close() }
        }
    }
}
