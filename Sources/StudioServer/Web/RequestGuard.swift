import FlyingFox
import Foundation

/// Decides which requests the studio answers.
///
/// The first part of each path is the token of the link. Host and Origin must name this server, which stops pages of other sites that make their
/// name resolve to this machine (DNS rebinding).
struct RequestGuard: Sendable {
    enum Decision {
        case refused(HTTPStatusCode)
        case socket
        case file(String)
    }

    let token: String

    static let headers: HTTPHeaders = [
        HTTPHeader("Content-Security-Policy"):
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
        HTTPHeader("X-Content-Type-Options"): "nosniff",
        HTTPHeader("Referrer-Policy"): "no-referrer",
        HTTPHeader("Cross-Origin-Opener-Policy"): "same-origin",
        HTTPHeader("Cross-Origin-Resource-Policy"): "same-origin",
        HTTPHeader("Cache-Control"): "no-store",
    ]

    func check(_ request: HTTPRequest) -> Decision {
        guard request.method == .GET else { return .refused(.methodNotAllowed) }
        guard let host = request.headers[.host], isOwn(host: host) else { return .refused(.forbidden) }
        if let origin = request.headers[HTTPHeader("Origin")] {
            guard origin == "http://\(host)" || origin == "https://\(host)" else { return .refused(.forbidden) }
        }
        let parts = request.path.split(separator: "/", omittingEmptySubsequences: true).map(String.init)
        guard let first = parts.first, isEqual(first, token) else { return .refused(.forbidden) }
        let name = parts.dropFirst().joined(separator: "/")
        guard name == "socket" else { return .file(name) }
        // A browser sends the origin with each WebSocket.
        return request.headers[HTTPHeader("Origin")] == nil ? .refused(.forbidden) : .socket
    }

    private func isOwn(host: String) -> Bool {
        let name = host.split(separator: ":").first.map(String.init) ?? ""
        return name == "127.0.0.1" || name == "localhost"
    }

    /// Compares in a time that does not depend on the content.
    private func isEqual(_ one: String, _ other: String) -> Bool {
        let (one, other) = (Array(one.utf8), Array(other.utf8))
        guard one.count == other.count else { return false }
        return zip(one, other).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
