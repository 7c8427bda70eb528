import FlyingFox
import FlyingSocks
import Foundation

/// Serves the page and its WebSocket.
package final class StudioWebServer: Sendable {
    private let server: HTTPServer
    private let guardian: RequestGuard

    /// - Parameters:
    ///   - port: A port of the loopback address; 0 selects a free one.
    ///   - folder: Serves the page's files from a folder instead of the built-in ones, for work on the page.
    package init(hub: StudioHub, port: UInt16, token: String, folder: URL? = nil) throws {
        let guardian = RequestGuard(token: token)
        self.guardian = guardian
        server = HTTPServer(
            address: try sockaddr_in.inet(ip4: "127.0.0.1", port: port), timeout: 15, logger: .disabled,
            handler: PageHandler(guardian: guardian, files: PageFiles(folder: folder), hub: hub))
    }

    /// Serves until the task is cancelled.
    package func run() async throws { try await server.run() }

    /// The link that opens the page. Returns when the server listens.
    package func link() async throws -> String {
        try await server.waitUntilListening()
        guard case .ip4(_, let port) = await server.listeningAddress else {
            throw StudioFailure("listen", "The server does not listen.")
        }
        return "http://127.0.0.1:\(port)/\(guardian.token)/"
    }
}

/// Answers requests for the page's files, and opens the WebSocket.
struct PageHandler: HTTPHandler {
    let guardian: RequestGuard
    let files: PageFiles
    let hub: StudioHub

    func handleRequest(_ request: HTTPRequest) async throws -> HTTPResponse {
        switch guardian.check(request) {
        case .refused(let status): return HTTPResponse(statusCode: status, headers: RequestGuard.headers)
        case .socket:
            return try await WebSocketHTTPHandler(
                handler: MessageFrameWSHandler(handler: PageSocket(hub: hub), frameSize: 1 << 20)
            )
            .handleRequest(request)
        case .file(let name):
            guard let file = files.file(named: name.isEmpty ? "index.html" : name) else {
                return HTTPResponse(statusCode: .notFound, headers: RequestGuard.headers)
            }
            var headers = RequestGuard.headers
            headers[.contentType] = file.type
            return HTTPResponse(statusCode: .ok, headers: headers, body: file.content)
        }
    }
}

/// The messages of one page.
struct PageSocket: WSMessageHandler {
    let hub: StudioHub

    func makeMessages(for client: AsyncStream<WSMessage>) async throws -> AsyncStream<WSMessage> {
        let (messages, continuation) = AsyncStream<WSMessage>.makeStream()
        let page = StudioClient(hub: hub) { continuation.yield(.text($0)) }
        let (wakes, waking) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        hub.attach(page) { waking.yield() }
        let updates = Task { for await _ in wakes { await page.flush() } }
        Task { [hub] in
            for await case .text(let text) in client { await page.receive(text) }
            updates.cancel()
            waking.finish()
            continuation.finish()
            hub.detach(page)
        }
        return messages
    }
}
