import BLETransport
import Dispatch
import Foundation
import LocalHTTP
import Testing

@testable import CloudGateway

@Suite struct StatusEndpointTests {
    private func response(_ method: String, _ path: String, isGood: Bool = true) -> HTTPResponse {
        StatusEndpoint.response(to: HTTPRequest(method: method, path: path)) { path in
            path == "/health" ? .init(isGood: isGood, type: "application/json", body: Array("{}".utf8)) : nil
        }
    }

    @Test func aPathIsAnswered() {
        for method in ["GET", "HEAD"] {
            let answer = response(method, "/health")
            #expect(answer.status == .ok)
            #expect(Array(answer.body) == Array("{}".utf8))
            #expect(answer.headers.contains { $0 == ("Content-Type", "application/json") })
        }
        #expect(response("GET", "/health", isGood: false).status == .unavailable)
    }

    @Test func otherRequestsAreRefused() {
        #expect(response("GET", "/").status == .notFound)
        #expect(response("POST", "/health").status == .methodNotAllowed)
        for (method, path, text) in [
            ("GET", "/", "Paths: /health and /metrics.\n"), ("HEAD", "/health/", "Paths: /health and /metrics.\n"),
            ("POST", "/health", "Only GET is possible.\n"), ("get", "/health", "Only GET is possible.\n"),
        ] {
            let answer = response(method, path)
            #expect(String(decoding: answer.body, as: UTF8.self) == text)
            #expect(answer.headers.contains { $0 == ("Content-Type", "text/plain; charset=utf-8") })
        }
    }

    /// No cache keeps an answer, and no browser guesses its type.
    @Test func anAnswerIsForThisMomentOnly() {
        for answer in [response("GET", "/health"), response("GET", "/x"), response("PUT", "/health")] {
            #expect(answer.headers.contains { $0 == ("Cache-Control", "no-store") })
            #expect(answer.headers.contains { $0 == ("X-Content-Type-Options", "nosniff") })
            #expect(answer.headers.count == 3)
        }
    }
}

/// The endpoint behind a socket.
@Suite struct StatusEndpointRealTimeTests {
    /// Sends a request and returns what comes until the end of the connection.
    private func exchange(_ path: String, _ request: String) -> String? {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        var limit = timeval(tv_sec: 60, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        guard result == 0, send(descriptor, request, request.utf8.count, 0) == request.utf8.count else { return nil }
        var answer: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = recv(descriptor, &part, part.count, 0)
            guard count >= 0 else { return nil }
            guard count > 0 else { return String(decoding: answer, as: UTF8.self) }
            answer += part.prefix(count)
        }
    }

    @Test func eachConnectionHasOneAnswer() throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
        let queue = DispatchQueue(label: "status")
        var count = 0
        let endpoint = try StatusEndpoint(at: .unix(path: path), queue: queue) { path in
            guard path == "/metrics" else { return nil }
            count += 1
            return .init(isGood: count < 3, type: "text/plain", body: Array("count \(count)\n".utf8))
        }
        #expect(endpoint.address == .unix(path: path))
        for (number, status) in [(1, "200 OK"), (2, "200 OK"), (3, "503 Service Unavailable")] {
            let version = number == 1 ? "1.0" : "1.1"
            let answer = try #require(exchange(path, "GET /metrics HTTP/\(version)\r\nHost: x\r\n\r\n"))
            #expect(
                answer.hasPrefix("HTTP/1.1 \(status)\r\n") && answer.hasSuffix("\r\n\r\ncount \(number)\n"), "\(answer)"
            )
        }
        #expect(exchange(path, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")?.hasPrefix("HTTP/1.1 404 ") == true)
        queue.sync { endpoint.stop() }
        #expect(exchange(path, "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n") == nil)
    }
}
