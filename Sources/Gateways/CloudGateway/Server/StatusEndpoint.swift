import BLETransport
import Dispatch
import Foundation
import LocalHTTP

/// Answers `GET /health` and `GET /metrics` by HTTP, one request a connection.
///
/// Threads: everything runs on the queue given. Call the methods there.
package final class StatusEndpoint {
    package struct Answer: Sendable {
        /// Whether the status is `200 OK`, otherwise `503 Service Unavailable`.
        package var isGood: Bool
        package var type: String
        package var body: [UInt8]

        package init(isGood: Bool = true, type: String, body: [UInt8]) {
            (self.isGood, self.type, self.body) = (isGood, type, body)
        }
    }

    package let address: TransportAddress
    private let listener: StreamListener
    private let server: HTTPServer

    /// - Parameter answer: The answer to a path; nil if there is nothing. Called on the queue.
    package init(
        at address: TransportAddress, queue: DispatchQueue, answer: @escaping (String) -> Answer?
    ) throws(TransportError) {
        listener = try StreamListener(at: address, queue: queue)
        self.address = listener.address
        var limits = HTTPLimits()
        // All clients are strangers, with this time for a request and its answer.
        (limits.connections, limits.stranger) = (16, .seconds(5))
        (limits.keepsConnections, limits.acceptsOldVersion) = (false, true)
        let server = HTTPServer(limits: limits, scheduler: QueueScheduler(queue)) { request, exchange in
            exchange.answer(Self.response(to: request, answer))
        }
        self.server = server
        listener.onAccept = { stream in server.accept(stream, from: "") }
        listener.start()
    }

    package func stop() {
        listener.close()
        server.stop()
    }

    static func response(to request: HTTPRequest, _ answer: (String) -> Answer?) -> HTTPResponse {
        guard request.method == "GET" || request.method == "HEAD" else {
            return plain(.methodNotAllowed, "Only GET is possible.\n")
        }
        guard let answer = answer(request.path) else { return plain(.notFound, "Paths: /health and /metrics.\n") }
        return response(answer.isGood ? .ok : .unavailable, answer.type, Data(answer.body))
    }

    private static func plain(_ status: HTTPStatus, _ text: String) -> HTTPResponse {
        response(status, "text/plain; charset=utf-8", Data(text.utf8))
    }

    private static func response(_ status: HTTPStatus, _ type: String, _ body: Data) -> HTTPResponse {
        HTTPResponse(
            status: status,
            headers: [("Content-Type", type), ("Cache-Control", "no-store"), ("X-Content-Type-Options", "nosniff")],
            body: body)
    }
}
