import Dispatch

/// A UDP socket that a dispatch source reads. Releasing it closes it.
///
/// Threads: all methods and the callback run on the serial queue given at the start.
package final class DatagramSocket {
    package struct SocketError: Error, CustomStringConvertible {
        package let operation: String
        package let code: Int32
        package var description: String { "\(operation): \(String(cString: strerror(code)))" }
    }

    /// The datagrams that are read before other events of the queue have their turn.
    private static let burst = 64

    private let number: Int32
    private let interface: Int
    private var source: (any DispatchSourceRead)?
    private var buffer = [UInt8](repeating: 0, count: 9216)

    /// Opens a non-blocking socket.
    ///
    /// - Parameters:
    ///   - address: The address and port to bind; port 0 lets the system choose.
    ///   - interface: The interface that this socket is limited to; nil for all.
    ///   - isShared: Whether other programs can use the same port.
    package init(
        bindingTo address: Endpoint, interface: NetworkInterface? = nil, isShared: Bool = false
    ) throws(SocketError) {
        let family = address.address.isIPv4 ? AF_INET : AF_INET6
        number = socket(family, SystemCalls.datagram, 0)
        self.interface = interface?.number ?? 0
        guard number >= 0 else { throw SocketError(operation: "socket", code: errno) }
        if isShared {
            try set(SOL_SOCKET, SO_REUSEADDR, 1, "SO_REUSEADDR")
            try set(SOL_SOCKET, SO_REUSEPORT, 1, "SO_REUSEPORT")
        }
        if family == AF_INET6 { try set(Int32(IPPROTO_IPV6), IPV6_V6ONLY, 1, "IPV6_V6ONLY") }
        if let interface {
            // socket(7): only datagrams of this interface arrive, those to other multicast members of it included.
            let name = Array(interface.name.utf8)
            guard setsockopt(number, SOL_SOCKET, SO_BINDTODEVICE, name, socklen_t(name.count)) == 0 else {
                throw SocketError(operation: "SO_BINDTODEVICE \(interface.name)", code: errno)
            }
        }
        let bound = SocketCoding.with(address, interface: self.interface) {
            SystemCalls.bindSocket(number, $0, $1)
        }
        guard bound == 0 else { throw SocketError(operation: "bind \(address)", code: errno) }
    }

    deinit {
        // The cancel handler of a started source closes the descriptor.
        if let source { source.cancel() } else if number >= 0 { close(number) }
    }

    /// The port that the socket is bound to.
    package var port: UInt16 {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let result = withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(number, $0, &length) }
        }
        return result == 0 ? SocketCoding.endpoint(&storage)?.port ?? 0 : 0
    }

    /// Allows datagrams to broadcast addresses.
    package func allowBroadcast() throws(SocketError) { try set(SOL_SOCKET, SO_BROADCAST, 1, "SO_BROADCAST") }

    /// Joins a multicast group on an interface and sends to it there, with the hop limit 255 (RFC 6762, 11).
    package func join(_ group: IPAddress, on interface: NetworkInterface) throws(SocketError) {
        if group.isIPv4 {
            var request = ip_mreqn()
            request.imr_ifindex = Int32(interface.number)
            withUnsafeMutableBytes(of: &request.imr_multiaddr) { $0.copyBytes(from: group.octets) }
            let size = socklen_t(MemoryLayout<ip_mreqn>.size)
            guard setsockopt(number, Int32(IPPROTO_IP), IP_ADD_MEMBERSHIP, &request, size) == 0,
                setsockopt(number, Int32(IPPROTO_IP), IP_MULTICAST_IF, &request, size) == 0
            else { throw SocketError(operation: "join \(group) on \(interface.name)", code: errno) }
            try set(Int32(IPPROTO_IP), IP_MULTICAST_TTL, 255, "IP_MULTICAST_TTL")
            try set(Int32(IPPROTO_IP), IP_TTL, 255, "IP_TTL")
            try set(Int32(IPPROTO_IP), IP_MULTICAST_LOOP, 1, "IP_MULTICAST_LOOP")
        } else {
            var request = ipv6_mreq()
            request.ipv6mr_interface = UInt32(interface.number)
            withUnsafeMutableBytes(of: &request.ipv6mr_multiaddr) { $0.copyBytes(from: group.octets) }
            let level = Int32(IPPROTO_IPV6)
            guard setsockopt(number, level, IPV6_JOIN_GROUP, &request, socklen_t(MemoryLayout<ipv6_mreq>.size)) == 0
            else { throw SocketError(operation: "join \(group) on \(interface.name)", code: errno) }
            try set(level, IPV6_MULTICAST_IF, Int32(interface.number), "IPV6_MULTICAST_IF")
            try set(level, IPV6_MULTICAST_HOPS, 255, "IPV6_MULTICAST_HOPS")
            try set(level, IPV6_UNICAST_HOPS, 255, "IPV6_UNICAST_HOPS")
            try set(level, IPV6_MULTICAST_LOOP, 1, "IPV6_MULTICAST_LOOP")
        }
    }

    /// Starts to read. Call it once.
    package func start(on queue: DispatchQueue, _ receive: @escaping ([UInt8], Endpoint) -> Void) {
        let source = DispatchSource.makeReadSource(fileDescriptor: number, queue: queue)
        source.setEventHandler { [weak self] in
            for _ in 0..<Self.burst {
                guard let self, let (octets, sender) = self.read() else { return }
                receive(octets, sender)
            }
        }
        let number = number
        source.setCancelHandler { close(number) }
        self.source = source
        source.resume()
    }

    /// Sends a datagram. Returns 0, or the system's error: the network may lose a datagram in any case.
    @discardableResult
    package func send(_ octets: [UInt8], to destination: Endpoint) -> Int32 {
        SocketCoding.with(destination, interface: interface) { address, length in
            sendto(number, octets, octets.count, Int32(MSG_NOSIGNAL), address, length) >= 0 ? 0 : errno
        }
    }

    /// The next datagram, or nil if there is none. An error of an earlier send is dropped.
    private func read() -> ([UInt8], Endpoint)? {
        for _ in 0..<Self.burst {
            var storage = sockaddr_storage()
            var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
            let count = withUnsafeMutablePointer(to: &storage) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    recvfrom(number, &buffer, buffer.count, 0, $0, &length)
                }
            }
            if count >= 0 {
                guard let sender = SocketCoding.endpoint(&storage) else { continue }
                return (Array(buffer[..<count]), sender)
            }
            if errno == EAGAIN || errno == EWOULDBLOCK { return nil }
        }
        return nil
    }

    private func set(_ level: Int32, _ option: Int32, _ value: Int32, _ name: String) throws(SocketError) {
        var value = value
        guard setsockopt(number, level, option, &value, socklen_t(MemoryLayout<Int32>.size)) == 0 else {
            throw SocketError(operation: name, code: errno)
        }
    }
}
