import LocalHTTP

/// Decides which requests the studio answers.
///
/// The first part of each path is the token of the link, except for a page that connects again and proves itself in another way. Host and Origin
/// must name this server, which stops pages of other sites that make their name resolve to this machine (DNS rebinding).
struct RequestGuard: Sendable {
    enum Decision: Hashable {
        case refused(HTTPStatus)
        case socket
        /// A WebSocket whose page has to prove that it has the key.
        case unprovenSocket(origin: String)
        /// A file of the page.
        case page(String)
        /// A file that a part of the studio makes.
        case file(String)

        /// Whether the request showed the token.
        var showsToken: Bool {
            switch self {
            case .refused, .unprovenSocket: false
            case .socket, .page, .file: true
            }
        }
    }

    let token: StudioToken
    let key: StudioKey
    let isSecure: Bool
    /// The origin of the link.
    let origin: String
    /// Whether a name or an address in the field Host is this server's. The text has no port.
    let isOwnHost: @Sendable (String) -> Bool

    /// The fields of each response. The page loads files of this server only, runs no inline script, and builds no element from text.
    func headers(host: String?) -> [(name: String, value: String)] {
        // 'self' does not cover WebSockets in all browsers.
        let socket = host.map { " \(isSecure ? "wss" : "ws")://\($0)" } ?? ""
        let policy = """
            default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'\(socket); \
            base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'
            """
        let headers = [
            ("Content-Security-Policy", policy), ("X-Content-Type-Options", "nosniff"),
            ("Referrer-Policy", "no-referrer"),
            ("Cross-Origin-Opener-Policy", "same-origin"), ("Cross-Origin-Resource-Policy", "same-origin"),
            ("X-Frame-Options", "DENY"), ("Cache-Control", "no-store"),
        ]
        return headers.map { (name: $0.0, value: $0.1) }
    }

    func check(_ request: HTTPRequest) -> Decision {
        guard let host = request.headers["host"], let machine = request.host, isOwnHost(machine) else {
            return .refused(.forbidden)
        }
        guard request.method == "GET" else { return .refused(.methodNotAllowed) }
        let origin = request.headers["origin"]
        guard origin == nil || origin == "\(isSecure ? "https" : "http")://\(host)" else { return .refused(.forbidden) }
        // A page of another site may hold a link to the studio, and nothing else of it.
        if request.headers["sec-fetch-site"] == "cross-site", request.headers["sec-fetch-mode"] != "navigate" {
            return .refused(.forbidden)
        }
        if request.path == "/again" {
            guard let origin, provesItself(at: origin) else { return .refused(.forbidden) }
            return .unprovenSocket(origin: origin)
        }
        let parts = request.path.split(separator: "/", omittingEmptySubsequences: false).dropFirst().map(String.init)
        guard let first = parts.first, token.isEqual(to: first), parts.count > 1 else { return .refused(.forbidden) }
        if parts.count == 3, parts[1] == "files" { return .file(parts[2]) }
        let name = parts.dropFirst().joined(separator: "/")
        guard name == "socket" else { return .page(name.isEmpty ? "index.html" : name) }
        // A browser sends the origin with each WebSocket.
        return origin == nil ? .refused(.forbidden) : .socket
    }

    /// Whether a proof that is bound to an origin shows a page that it speaks with this server itself. Without TLS that is the case at the
    /// server's own address only: another program could listen at another name or port and pass everything on.
    func provesItself(at origin: String?) -> Bool { isSecure || origin == self.origin }
}
