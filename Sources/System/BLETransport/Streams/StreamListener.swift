import BLEWire
import Dispatch

/// Listens at a transport address and passes each connection to `onAccept`.
///
/// Threads: use it on the serial queue given; `onAccept` is called on that queue. Releasing the listener ends it.
package final class StreamListener: @unchecked Sendable {
    /// The address, with the port that the system chose if port 0 was requested.
    package let address: TransportAddress

    /// Called with each new connection. Set the connection's callbacks and `start()` it. A connection that is not
    /// retained closes.
    package var onAccept: ((DispatchStream) -> Void)?

    /// Called with each new connection in place of `onAccept`, for a user that makes no stream of it.
    var onConnection: ((TransportConnection) -> Void)?

    private let queue: DispatchQueue
    private let readSize: Int
    private let group: PollingGroup?
    /// Nil when closed.
    private var descriptor: Descriptor?
    private var source: (any DispatchSourceRead)?
    /// The socket file that this listener has to remove.
    private var file: SocketFile?
    private var accepted = 0

    /// Binds and listens. Connections are accepted from `start()` on. Replaces a socket file whose program has ended.
    /// Any other file at the path stays and is an error.
    ///
    /// - Parameters:
    ///   - readSize: The maximum number of octets of one read of a connection. It bounds the time for which one
    ///     connection delays the others.
    ///   - group: Serves the connections, on the same queue; nil for dispatch sources.
    package init(
        at address: TransportAddress, queue: DispatchQueue, readSize: Int = 1 << 16, group: PollingGroup? = nil
    ) throws(TransportError) {
        self.queue = queue
        self.readSize = readSize
        self.group = group
        switch address {
        case .unix(let path):
            let file: SocketFile
            (descriptor, file) = try Self.bind(unix: path, address)
            self.file = file
            self.address = address
        case .serial(let device, _):
            throw TransportError(
                .unknownTransport,
                "\(device) is a serial port, which accepts no connections: listen at tcp:HOST:PORT or unix:PATH.")
        case .adapter:
            throw TransportError(
                .unknownTransport,
                "\(address) is an adapter, which accepts no connections: listen at tcp:HOST:PORT or unix:PATH.")
        case .tcp(let host, let port):
            (descriptor, self.address) = try Self.bind(host, port, address)
        }
    }

    deinit { close() }

    /// Starts to accept connections. Set `onAccept` first.
    package func start() {
        guard let descriptor, source == nil else { return }
        let source = DispatchSource.makeReadSource(fileDescriptor: descriptor.number, queue: queue)
        source.setEventHandler { [weak self] in self?.acceptSome() }
        source.setCancelHandler { _ = descriptor }
        self.source = source
        source.resume()
    }

    /// Stops listening. Accepted connections continue. The listener cannot be started again.
    package func close() {
        source?.cancel()
        source = nil
        // The source may own the descriptor for some time after this call. It must accept no connection in that time.
        if let descriptor { _ = shutdown(descriptor.number, Int32(SHUT_RDWR)) }
        descriptor = nil
        file?.removeIfOurs()
        file = nil
        onAccept = nil
        onConnection = nil
    }

    /// The maximum number of connections that one event accepts, so that a burst of connections does not block the
    /// queue.
    static let acceptLimit = 16

    /// The source fires again while more connections wait.
    private func acceptSome() {
        for _ in 0..<Self.acceptLimit {
            guard onAccept != nil || onConnection != nil, let descriptor else { return }
            let number = accept(descriptor.number, nil, nil)
            guard number >= 0 else {
                if errno == EINTR || errno == ECONNABORTED { continue }
                if errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM { pause() }
                return
            }
            let descriptorOfPeer = Descriptor(number)
            Sockets.prepare(number)
            if case .tcp = address { Sockets.watch(number) }
            accepted += 1
            let connection = TransportConnection(descriptorOfPeer, name: peerName(number))
            if let onConnection {
                onConnection(connection)
            } else {
                onAccept?(DispatchStream(connection, queue: queue, readSize: readSize, group: group))
            }
        }
    }

    /// Retries after 100 ms. The process has no descriptor left for the waiting connection, so the source would fire
    /// continuously without effect.
    private func pause() {
        source?.cancel()
        source = nil
        queue.asyncAfter(deadline: .now() + .milliseconds(100)) { [weak self] in
            if self?.onAccept != nil || self?.onConnection != nil { self?.start() }
        }
    }

    private func peerName(_ number: Int32) -> String {
        if case .tcp = address, let peer = SocketAddress.filled({ getpeername(number, $0, $1) })?.numeric {
            return TransportAddress.tcp(host: peer.host, port: peer.port).description
        }
        return "connection \(accepted) at \(address)"
    }
}

// MARK: - Binding

extension StreamListener {
    /// The maximum number of connections that wait to be accepted. The kernel uses less if net.core.somaxconn is lower
    /// (listen(2)).
    private static let backlog: Int32 = 4096

    private static func bind(
        _ host: String, _ port: UInt16, _ address: TransportAddress
    ) throws(TransportError) -> (Descriptor, TransportAddress) {
        let candidates: [SocketAddress]
        switch Sockets.resolve(host, port, numericOnly: false, passive: true) {
        case .success(let addresses): candidates = addresses
        case .failure(let failure):
            throw TransportError(
                .unknownHost, "The host of \(address) is unknown (\(failure.text)): give an address of this machine.")
        }
        var code = EADDRNOTAVAIL
        for candidate in candidates {
            guard let descriptor = Sockets.make(family: candidate.family) else {
                code = errno
                continue
            }
            Sockets.set(descriptor.number, SOL_SOCKET, SO_REUSEADDR, 1)
            if candidate.family == AF_INET6 { Sockets.set(descriptor.number, Int32(IPPROTO_IPV6), IPV6_V6ONLY, 1) }
            code = bindAndListen(descriptor, candidate)
            guard code == 0 else { continue }
            let chosen = SocketAddress.filled { getsockname(descriptor.number, $0, $1) }?.numeric?.port ?? port
            return (descriptor, .tcp(host: host, port: chosen))
        }
        throw .listening(at: address, code)
    }

    private static func bind(
        unix path: String, _ address: TransportAddress
    ) throws(TransportError) -> (Descriptor, SocketFile) {
        guard let socketAddress = SocketAddress(path: path) else { throw .listening(at: address, ENAMETOOLONG) }
        guard let descriptor = Sockets.make(family: AF_UNIX) else { throw .listening(at: address, errno) }
        var code = bindAndListen(descriptor, socketAddress, file: path)
        if code == EADDRINUSE {
            try removeStale(path, socketAddress, address)
            code = bindAndListen(descriptor, socketAddress, file: path)
        }
        guard code == 0 else { throw .listening(at: address, code) }
        return (descriptor, SocketFile(path: path))
    }

    /// - Parameter file: The path of a Unix socket. The function lets the owner connect to it, whatever the umask.
    private static func bindAndListen(
        _ descriptor: Descriptor, _ address: SocketAddress, file: String? = nil
    ) -> Int32 {
        let bound = address.withPointer { pointer, length in
            systemBind(descriptor.number, pointer, length)
        }
        guard bound == 0 else { return errno }
        if let file { SocketFile.allowOwner(file) }
        return listen(descriptor.number, Self.backlog) == 0 ? 0 : errno
    }

    /// Removes a socket file whose program has ended, as a refused connection shows. Any other file stays.
    private static func removeStale(
        _ path: String, _ socketAddress: SocketAddress, _ address: TransportAddress
    ) throws(TransportError) {
        guard SocketFile.isSocket(path) else {
            throw TransportError(
                .system, "A file that is no socket is at \(address): remove it, or choose another path.")
        }
        guard let probe = Sockets.make(family: AF_UNIX) else { throw .listening(at: address, errno) }
        switch Sockets.connect(probe.number, socketAddress) {
        case ECONNREFUSED, ENOENT: _ = unlink(path)
        case EACCES, EPERM: throw .listening(at: address, EACCES)
        default: throw .listening(at: address, EADDRINUSE)
        }
    }
}

/// The file of a Unix socket, identified by its inode, so that another program's file is never removed.
private struct SocketFile {
    let path: String
    private let device: dev_t
    private let inode: ino_t

    init(path: String) {
        self.path = path
        var status = stat()
        let known = lstat(path, &status) == 0
        device = known ? status.st_dev : 0
        inode = known ? status.st_ino : 0
    }

    static func isSocket(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFSOCK
    }

    /// Gives the owner the permission to connect if the umask removed it. On Linux that is write permission.
    static func allowOwner(_ path: String) {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK, status.st_mode & 0o600 != 0o600 else {
            return
        }
        _ = chmod(path, status.st_mode & 0o777 | 0o600)
    }

    func removeIfOurs() {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_dev == device, status.st_ino == inode, inode != 0 else { return }
        _ = unlink(path)
    }
}
