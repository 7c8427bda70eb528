import BLETransport
import Dispatch
import Foundation

/// The answer to a request.
enum WebAnswer: Sendable {
    case response(HTTPResponse)
    case socket(HTTPResponse, StudioHub)
}

/// The connections of a server.
///
/// Threads: used only on `queue`.
final class WebServerCore: @unchecked Sendable {
    /// The most connections. A further one ends the oldest that is no open page, so that idle connections of other programs do not shut out the page.
    static let connectionLimit = 128
    static let pageLimit = 16

    let queue: DispatchQueue
    private let listener: StreamListener
    private let handler: PageHandler
    private let tls: TLSContext?
    private var connections: [ObjectIdentifier: WebConnection] = [:]
    /// Runs while there are connections.
    private var timer: (any DispatchSourceTimer)?

    init(listener: StreamListener, queue: DispatchQueue, handler: PageHandler, tls: TLSContext?) {
        self.listener = listener
        self.queue = queue
        self.handler = handler
        self.tls = tls
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

    private func admit(_ stream: DispatchStream) {
        if connections.count >= Self.connectionLimit {
            connections.values.filter { !$0.isPage }.min { $0.start < $1.start }?.close()
            guard connections.count < Self.connectionLimit else { return stream.close() }
        }
        var session: TLSSession?
        if let tls {
            session = TLSSession(tls)
            guard session != nil else { return stream.close() }
        }
        let connection = WebConnection(stream, tls: session, server: self)
        connections[ObjectIdentifier(connection)] = connection
        watchDeadlines()
    }

    /// Whether there is room for the page of a connection, which is one of the open ones.
    func admitsPage(_ connection: WebConnection) -> Bool {
        connections.values.count { $0.isPage } <= Self.pageLimit
    }

    func remove(_ connection: WebConnection) {
        connections[ObjectIdentifier(connection)] = nil
        guard connections.isEmpty else { return }
        timer?.cancel()
        timer = nil
    }

    func respond(to request: HTTPRequest, _ completion: @escaping @Sendable (WebAnswer) -> Void) {
        if let answer = handler.answer(to: request) { return completion(answer) }
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
