/// Socket functions that return errors as numbers. Every socket is non-blocking and closes on exec.
package enum Sockets {
    #if canImport(Musl)
    private static let stream = SOCK_STREAM
    private static let flags = SOCK_NONBLOCK | SOCK_CLOEXEC
    #else
    private static let stream = Int32(SOCK_STREAM.rawValue)
    private static let flags = Int32(SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
    #endif
    private static let sendFlags = Int32(MSG_NOSIGNAL)

    /// Returns a stream socket, or nil with the error in errno.
    static func make(family: Int32) -> Descriptor? {
        // The flags in this call: a program that another thread starts meanwhile does not inherit the socket.
        let number = socket(family, stream | flags, 0)
        guard number >= 0 else { return nil }
        disableDelay(number)
        return Descriptor(number)
    }

    /// Makes a socket of `accept` or another caller non-blocking and closed on exec. Disables Nagle's algorithm.
    package static func prepare(_ number: Int32) {
        _ = fcntl(number, F_SETFL, fcntl(number, F_GETFL) | O_NONBLOCK)
        _ = fcntl(number, F_SETFD, FD_CLOEXEC)
        disableDelay(number)
    }

    /// Disables Nagle's algorithm, which delays small packets.
    private static func disableDelay(_ number: Int32) {
        // Fails without effect on a Unix socket, which does not use the algorithm.
        set(number, Int32(IPPROTO_TCP), TCP_NODELAY, 1)
    }

    /// Ends a TCP connection whose peer is unreachable: after 10 s of silence the system sends three probes, 5 s apart.
    /// Octets that were sent must be acknowledged within the same 25 s (tcp(7): TCP_KEEPIDLE, TCP_USER_TIMEOUT).
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

    /// The error of a connection attempt; 0 if it succeeded.
    static func pendingError(_ number: Int32) -> Int32 {
        var code: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(number, SOL_SOCKET, SO_ERROR, &code, &length) == 0 ? code : errno
    }

    /// Returns 0, or errno. An interrupted connection attempt continues in the background, as with EINPROGRESS
    /// (connect(2)).
    static func connect(_ number: Int32, _ address: SocketAddress) -> Int32 {
        address.withPointer { pointer, length in systemConnect(number, pointer, length) == 0 ? 0 : errno }
    }

    /// Whether the connection is closed in both directions or has an error. Octets that arrived before can still be
    /// read.
    package static func hasHungUp(_ descriptor: Descriptor) -> Bool { conditions(of: descriptor, asking: 0) != 0 }

    /// Whether the other side has ended at least its own direction.
    static func isEnding(_ descriptor: Descriptor) -> Bool {
        // POLLRDHUP (poll(2)), which Swift does not import.
        conditions(of: descriptor, asking: 0x2000) != 0
    }

    /// The conditions that `poll` reports now: those in `mask`, hang-ups and errors.
    private static func conditions(of descriptor: Descriptor, asking mask: Int16) -> Int16 {
        var entry = pollfd(fd: descriptor.number, events: mask, revents: 0)
        guard poll(&entry, 1, 0) > 0 else { return 0 }
        return entry.revents & (Int16(POLLHUP) | Int16(POLLERR) | mask)
    }

    /// Returns the number of octets written, or the negative of errno.
    package static func write(_ descriptor: Descriptor, _ bytes: Span<UInt8>) -> Int {
        guard descriptor.kind == .packets || descriptor.kind == .packetDevice else {
            return writeOnce(descriptor, bytes)
        }
        var written = 0
        while written < bytes.count {
            let rest = bytes.extracting(droppingFirst: written)
            let length = PacketBoundaries.firstLength(in: rest)
            let result = writeOnce(descriptor, rest.extracting(first: length))
            // The kernel takes a packet whole or not at all. An error after some packets occurs again with the next
            // one. A host of the kernel that is switched off drops the packet (ENXIO).
            let isDropped = descriptor.kind == .packetDevice && result == -Int(ENXIO)
            guard result >= 0 || isDropped else { return written > 0 ? written : result }
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

    /// Returns the number of octets read, at most `limit`, 0 at the end, or the negative of errno.
    package static func read(_ descriptor: Descriptor, into buffer: inout [UInt8], limit: Int) -> Int {
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

    /// Returns the addresses of a host. Blocks during the query of a name server.
    static func resolve(
        _ host: String, _ port: UInt16, numericOnly: Bool, passive: Bool = false
    ) -> Result<[SocketAddress], ResolutionError> {
        var hints = addrinfo()
        hints.ai_socktype = stream
        hints.ai_flags = AI_NUMERICSERV | (numericOnly ? AI_NUMERICHOST : 0) | (passive ? AI_PASSIVE : 0)
        var list: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host, String(port), &hints, &list)
        guard code == 0 else { return .failure(ResolutionError(text: String(cString: gai_strerror(code)))) }
        defer { freeaddrinfo(list) }
        var result: [SocketAddress] = []
        var next = list
        while let entry = next {
            if let address = entry.pointee.ai_addr { result.append(SocketAddress(address, entry.pointee.ai_addrlen)) }
            next = entry.pointee.ai_next
        }
        return result.isEmpty ? .failure(ResolutionError(text: "no address")) : .success(result)
    }

    struct ResolutionError: Error {
        let text: String
    }
}
