import CLinuxBluetooth

#if canImport(Glibc)
@_exported import Glibc
#elseif canImport(Musl)
@_exported import Musl
#endif

/// The system's text for an error number.
func systemText(_ code: Int32) -> String { String(cString: strerror(code)) }

/// `open` under a name that no method of ours has.
func systemOpen(_ path: String, _ flags: Int32, _ mode: mode_t) -> Int32 { open(path, flags, mode) }

/// `write` under a name that no method of ours has.
func systemWrite(_ number: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int { write(number, bytes, count) }

/// `read` under a name that no method of ours has.
func systemRead(_ number: Int32, _ bytes: UnsafeMutableRawPointer?, _ count: Int) -> Int { read(number, bytes, count) }

/// An open file descriptor, closed when the last user lets go of it: dispatch sources use it until they are cancelled.
final class Descriptor: Sendable {
    enum Kind: Sendable {
        case socket
        /// A socket that keeps the boundaries of packets: one H4 packet for each read and write.
        case packets
        /// A serial port in exclusive mode.
        case terminal
        case file
    }

    let number: Int32
    let kind: Kind

    /// What to watch for reading instead of this, if something else; made on each call.
    var readiness: Descriptor? {
        guard kind == .packets else { return nil }
        let set = clb_open_readiness(number)
        return set >= 0 ? Descriptor(set, kind: .file) : nil
    }

    /// Takes over `number`.
    init(_ number: Int32, kind: Kind = .socket) {
        self.number = number
        self.kind = kind
    }

    deinit {
        if kind == .terminal { SerialSettings.setExclusive(false, number) }
        _ = close(number)
    }
}

/// A socket address of any family.
struct SocketAddress {
    var storage = sockaddr_storage()
    var length: socklen_t = 0

    init() {}

    /// Nil if the path is too long.
    init?(path: String) {
        var address = sockaddr_un()
        let octets = Array(path.utf8)
        guard octets.count < MemoryLayout.size(ofValue: address.sun_path) else { return nil }
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: octets) }
        withUnsafeMutableBytes(of: &storage) { target in
            withUnsafeBytes(of: &address) { target.copyMemory(from: $0) }
        }
        length = socklen_t(MemoryLayout<sockaddr_un>.size)
    }

    init(_ pointer: UnsafePointer<sockaddr>, _ length: socklen_t) {
        self.length = min(length, socklen_t(MemoryLayout<sockaddr_storage>.size))
        withUnsafeMutableBytes(of: &storage) {
            $0.copyMemory(from: UnsafeRawBufferPointer(start: pointer, count: Int(self.length)))
        }
    }

    var family: Int32 { Int32(storage.ss_family) }

    /// Calls `body` with what the socket functions take.
    func withPointer<R>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> R) -> R {
        withUnsafePointer(to: storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, length) }
        }
    }

    /// What a socket function writes.
    static func filled(_ body: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32)
        -> SocketAddress?
    {
        var address = SocketAddress()
        address.length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let result = withUnsafeMutablePointer(to: &address.storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, &address.length) }
        }
        return result == 0 ? address : nil
    }

    /// The numeric host and port of an IP address.
    var numeric: (host: String, port: UInt16)? {
        var host = [CChar](repeating: 0, count: 128)
        var service = [CChar](repeating: 0, count: 16)
        let result = withPointer { pointer, length in
            getnameinfo(
                pointer, length, &host, socklen_t(host.count), &service, socklen_t(service.count),
                NI_NUMERICHOST | NI_NUMERICSERV)
        }
        guard result == 0, let port = UInt16(text(service)) else { return nil }
        return (text(host), port)
    }

    private func text(_ characters: [CChar]) -> String {
        String(decoding: characters.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

/// Socket functions in the form that the rest needs: errors as numbers, everything non-blocking and closed on exec.
enum Sockets {
    private static let stream = Int32(SOCK_STREAM.rawValue)
    private static let sendFlags = Int32(MSG_NOSIGNAL)

    /// A stream socket, or nil and errno.
    static func make(family: Int32) -> Descriptor? {
        let number = socket(family, stream, 0)
        guard number >= 0 else { return nil }
        let descriptor = Descriptor(number)
        prepare(number)
        return descriptor
    }

    /// Non-blocking, closed on exec, no SIGPIPE, no waiting for more octets to send.
    static func prepare(_ number: Int32) {
        _ = fcntl(number, F_SETFL, fcntl(number, F_GETFL) | O_NONBLOCK)
        _ = fcntl(number, F_SETFD, FD_CLOEXEC)
        // Fails on a Unix socket, which does not need it.
        set(number, Int32(IPPROTO_TCP), TCP_NODELAY, 1)
    }

    /// Lets the system look whether the machine at the other end is still there: after 10 s of silence, three times. One that is sent
    /// something has the same 25 s to acknowledge it.
    static func watch(_ number: Int32) {
        set(number, SOL_SOCKET, SO_KEEPALIVE, 1)
        set(number, Int32(IPPROTO_TCP), TCP_KEEPIDLE, 10)
        set(number, Int32(IPPROTO_TCP), TCP_KEEPINTVL, 5)
        set(number, Int32(IPPROTO_TCP), TCP_KEEPCNT, 3)
        set(number, Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, 25_000)
    }

    static func set(_ number: Int32, _ level: Int32, _ option: Int32, _ value: Int32) {
        var value = value
        _ = setsockopt(number, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
    }

    /// The error that a connection attempt ended with; 0 if it succeeded.
    static func pendingError(_ number: Int32) -> Int32 {
        var code: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(number, SOL_SOCKET, SO_ERROR, &code, &length) == 0 ? code : errno
    }

    /// 0, or errno. A signal does not end it.
    static func connect(_ number: Int32, _ address: SocketAddress) -> Int32 {
        address.withPointer { pointer, length in
            #if canImport(Musl)
            Musl.connect(number, pointer, length) == 0 ? 0 : errno
            #else
            Glibc.connect(number, pointer, length) == 0 ? 0 : errno
            #endif
        }
    }

    /// Whether the connection is closed in both directions or has an error. Octets that arrived before can still be read.
    static func hasHungUp(_ descriptor: Descriptor) -> Bool { conditions(of: descriptor, asking: 0) != 0 }

    /// Whether the other side has at least ended its own direction.
    static func isEnding(_ descriptor: Descriptor) -> Bool {
        // POLLRDHUP, which Swift does not import.
        conditions(of: descriptor, asking: 0x2000) != 0
    }

    /// What `poll` reports now: the conditions in `mask`, hang-ups and errors.
    private static func conditions(of descriptor: Descriptor, asking mask: Int16) -> Int16 {
        var entry = pollfd(fd: descriptor.number, events: mask, revents: 0)
        guard poll(&entry, 1, 0) > 0 else { return 0 }
        return entry.revents & (Int16(POLLHUP) | Int16(POLLERR) | mask)
    }

    /// The octets written, or the negative of errno.
    static func write(_ descriptor: Descriptor, _ bytes: Span<UInt8>) -> Int {
        guard descriptor.kind == .packets else { return writeOnce(descriptor, bytes) }
        var written = 0
        while written < bytes.count {
            let rest = bytes.extracting(droppingFirst: written)
            let length = PacketBoundaries.firstLength(in: rest)
            let result = writeOnce(descriptor, rest.extracting(first: length))
            // A packet is taken whole or not at all. An error after some packets comes again with the next.
            guard result >= 0 else { return written > 0 ? written : result }
            written += length
        }
        return written
    }

    private static func writeOnce(_ descriptor: Descriptor, _ bytes: Span<UInt8>) -> Int {
        bytes.withUnsafeBytes { buffer in
            while true {
                let count =
                    descriptor.kind == .socket || descriptor.kind == .packets
                    ? send(descriptor.number, buffer.baseAddress, buffer.count, sendFlags)
                    : systemWrite(descriptor.number, buffer.baseAddress, buffer.count)
                if count >= 0 { return count }
                if errno != EINTR { return -Int(errno) }
            }
        }
    }

    /// The octets read, at most `limit`, 0 at the end, or the negative of errno.
    static func read(_ descriptor: Descriptor, into buffer: inout [UInt8], limit: Int) -> Int {
        buffer.withUnsafeMutableBytes { buffer in
            let buffer = UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(limit))
            while true {
                let count =
                    descriptor.kind == .socket || descriptor.kind == .packets
                    ? recv(descriptor.number, buffer.baseAddress, buffer.count, 0)
                    : systemRead(descriptor.number, buffer.baseAddress, buffer.count)
                if count >= 0 { return count }
                if errno != EINTR { return -Int(errno) }
            }
        }
    }

    /// The addresses of a host; blocks while a name server is asked.
    static func resolve(
        _ host: String, _ port: UInt16, numericOnly: Bool, passive: Bool = false
    ) -> Result<[SocketAddress], ResolutionFailure> {
        var hints = addrinfo()
        hints.ai_socktype = stream
        hints.ai_flags = AI_NUMERICSERV | (numericOnly ? AI_NUMERICHOST : 0) | (passive ? AI_PASSIVE : 0)
        var list: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host, String(port), &hints, &list)
        guard code == 0 else { return .failure(ResolutionFailure(text: String(cString: gai_strerror(code)))) }
        defer { freeaddrinfo(list) }
        var result: [SocketAddress] = []
        var next = list
        while let entry = next {
            if let address = entry.pointee.ai_addr { result.append(SocketAddress(address, entry.pointee.ai_addrlen)) }
            next = entry.pointee.ai_next
        }
        return result.isEmpty ? .failure(ResolutionFailure(text: "no address")) : .success(result)
    }

    struct ResolutionFailure: Error {
        let text: String
    }
}
