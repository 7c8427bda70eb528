import BLETransport
import Dispatch
import Foundation
import Glibc

/// Serves the page, its files and its WebSocket.
package final class StudioWebServer: Sendable {
    /// The link that opens the page.
    package let link: String
    package let port: UInt16
    private let core: WebServerCore

    /// Listens, and serves until `stop`.
    ///
    /// - Parameters:
    ///   - host: An address or a name of this machine. Without `tls` it should be one that other machines cannot reach.
    ///   - port: 0 selects a free one.
    ///   - folder: Serves the page's files from a folder instead of the built-in ones, for work on the page.
    package init(
        hub: StudioHub, host: String = "127.0.0.1", port: UInt16 = 0, token: StudioToken, tls: TLSContext? = nil,
        folder: URL? = nil
    ) throws(TransportError) {
        let queue = DispatchQueue(label: "bluelab.studio")
        let listener = try StreamListener(at: .tcp(host: host, port: port), queue: queue, readSize: 1 << 14)
        let name = Self.name(for: host, tls)
        let guardian = RequestGuard(token: token, isSecure: tls != nil) { other in
            other == name || other == host || Self.isLoopback(host) && Self.isLoopback(other)
                || tls?.isValid(for: other) == true
        }
        let handler = PageHandler(guardian: guardian, files: PageFiles(folder: folder), hub: hub)
        core = WebServerCore(listener: listener, queue: queue, handler: handler, tls: tls)
        guard case .tcp(_, let chosen) = listener.address else { preconditionFailure("the listener has a TCP address") }
        self.port = chosen
        link = "\(tls == nil ? "http" : "https")://\(name.contains(":") ? "[\(name)]" : name):\(chosen)/\(token.text)/"
        queue.async { [core] in core.start() }
    }

    deinit { stop() }

    /// Closes the listener and all connections. Open pages try to connect again.
    package func stop() { core.queue.async { [core] in core.stop() } }

    /// The number of connections, for tests.
    var connectionCount: Int { core.queue.sync { core.connectionCount } }

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
