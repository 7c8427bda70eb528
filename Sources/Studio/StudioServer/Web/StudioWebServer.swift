import BLETransport
import Dispatch
import Foundation
import Glibc
import TLSChannel

/// Serves the page, its files and its WebSocket.
package final class StudioWebServer: Sendable {
    /// The link that opens the page.
    package let link: String
    package let port: UInt16
    private let core: WebServerCore
    private let load: PageLoad

    /// Listens, and serves until `stop`.
    ///
    /// - Parameters:
    ///   - host: An address or a name of this machine. Without `tls` it should be one that other machines cannot reach. `localhost` is 127.0.0.1: the name
    ///     can have two addresses, and another user's program can listen at the one that the server does not have.
    ///   - port: 0 selects a free one.
    ///   - key: Pages of an earlier run with the same key connect again.
    ///   - folder: Serves the page's files from a folder instead of the built-in ones, for work on the page.
    package convenience init(
        hub: StudioHub, host: String = "127.0.0.1", port: UInt16 = 0, token: StudioToken = StudioToken(),
        key: StudioKey = StudioKey(), tls: TLSContext? = nil, folder: URL? = nil
    ) throws(TransportError) {
        try self.init(
            hub: hub, host: host, port: port, token: token, key: key, tls: tls, folder: folder, times: WebTimeouts())
    }

    init(
        hub: StudioHub, host: String = "127.0.0.1", port: UInt16 = 0, token: StudioToken = StudioToken(),
        key: StudioKey = StudioKey(), tls: TLSContext? = nil, folder: URL? = nil, times: WebTimeouts
    ) throws(TransportError) {
        let queue = DispatchQueue(label: "bluelab.studio")
        let isLocal = Self.isLoopback(host)
        let address = host == "localhost" ? "127.0.0.1" : host
        let listener = try StreamListener(at: .tcp(host: address, port: port), queue: queue, readSize: 1 << 14)
        // With TLS the certificate, which may have the name only, proves which program answers.
        let name = Self.name(for: tls == nil ? address : host, tls)
        guard case .tcp(_, let chosen) = listener.address else { preconditionFailure("the listener has a TCP address") }
        self.port = chosen
        // A browser leaves out the port of the scheme.
        let (scheme, usual): (String, UInt16) = tls == nil ? ("http", 80) : ("https", 443)
        let origin = "\(scheme)://\(name.contains(":") ? "[\(name)]" : name)\(chosen == usual ? "" : ":\(chosen)")"
        link = "\(origin)/\(token.text)/"
        let guardian = RequestGuard(token: token, key: key, isSecure: tls != nil, origin: origin) { other in
            other == name || other == host || isLocal && Self.isLoopback(other)
                || tls?.isValid(for: other) == true
        }
        let load = PageLoad()
        self.load = load
        let handler = PageHandler(guardian: guardian, files: PageFiles(folder: folder), hub: hub) { load.happen() }
        // Users have their own room for connections where the kernel tells which user connects.
        let users = isLocal ? SocketUsers() : nil
        core = WebServerCore(listener: listener, queue: queue, handler: handler, tls: tls, times: times) { stream in
            guard case .tcp(let peer, let port)? = try? TransportAddress(parsing: stream.name) else { return .unknown }
            return ConnectionSource(peer: (peer, port), server: (address, chosen), users: users)
        }
        queue.async { [core] in core.start() }
    }

    deinit { stop() }

    /// Closes the listener and all connections. Open pages try to connect again.
    package func stop() { core.queue.async { [core] in core.stop() } }

    /// Returns after a browser has loaded the page, or if the task is cancelled.
    package func waitForLoad() async { await load.wait() }

    /// The number of connections, for tests.
    var connectionCount: Int { core.queue.sync { core.connectionCount } }
    /// The sources of the connections, for tests.
    var sources: Set<ConnectionSource> { core.queue.sync { core.sources } }

    /// Whether only programs of this machine reach an address.
    package static func isLoopback(_ host: String) -> Bool {
        if host == "localhost" || host == "::1" { return true }
        var address = in_addr()
        return inet_pton(AF_INET, host, &address) == 1 && UInt32(bigEndian: address.s_addr) >> 24 == 127
    }

    /// The name of the server in its link. An address that stands for all addresses of the machine is of no use there.
    private static func name(for host: String, _ tls: TLSContext?) -> String {
        guard host == "0.0.0.0" || host == "::" else { return host }
        var name = [CChar](repeating: 0, count: 256)
        guard gethostname(&name, name.count - 1) == 0 else { return "localhost" }
        let text = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return tls?.isValid(for: text) == false && tls?.isValid(for: "localhost") == true ? "localhost" : text
    }
}
