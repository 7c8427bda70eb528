/// Decides which requests the studio answers.
///
/// The first part of each path is the token of the link. Host and Origin must name this server, which stops pages of other sites that make their
/// name resolve to this machine (DNS rebinding).
struct RequestGuard: Sendable {
    enum Decision: Hashable {
        case refused(HTTPStatus)
        case socket
        /// A file of the page.
        case page(String)
        /// A file that a part of the studio makes.
        case file(String)
    }

    let token: StudioToken
    let isSecure: Bool
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
        guard let host = request.headers["host"], isOwn(host: host) else { return .refused(.forbidden) }
        guard request.method == "GET" else { return .refused(.methodNotAllowed) }
        let origin = request.headers["origin"]
        guard origin == nil || origin == "\(isSecure ? "https" : "http")://\(host)" else { return .refused(.forbidden) }
        // A page of another site may hold a link to the studio, and nothing else of it.
        if request.headers["sec-fetch-site"] == "cross-site", request.headers["sec-fetch-mode"] != "navigate" {
            return .refused(.forbidden)
        }
        let parts = request.path.split(separator: "/", omittingEmptySubsequences: false).dropFirst().map(String.init)
        guard let first = parts.first, token.isEqual(to: first), parts.count > 1 else { return .refused(.forbidden) }
        if parts.count == 3, parts[1] == "files" { return .file(parts[2]) }
        let name = parts.dropFirst().joined(separator: "/")
        guard name == "socket" else { return .page(name.isEmpty ? "index.html" : name) }
        // A browser sends the origin with each WebSocket.
        return origin == nil ? .refused(.forbidden) : .socket
    }

    /// - Parameter host: A name, an IPv4 address or an IPv6 address in brackets, and perhaps a port.
    private func isOwn(host: String) -> Bool {
        if host.first == "[" {
            guard let end = host.firstIndex(of: "]"), isPort(host[host.index(after: end)...]) else { return false }
            return isOwnHost(String(host[..<end].dropFirst()))
        }
        let end = host.firstIndex(of: ":") ?? host.endIndex
        return isPort(host[end...]) && isOwnHost(String(host[..<end]))
    }

    /// Whether a text is empty or a colon with a port.
    private func isPort(_ text: Substring) -> Bool {
        text.isEmpty
            || text.first == ":" && text.count <= 6 && text.dropFirst().utf8.allSatisfy { (48...57).contains($0) }
    }
}
