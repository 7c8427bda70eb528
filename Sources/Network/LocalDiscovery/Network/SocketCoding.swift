/// Socket addresses of the system as values.
enum SocketCoding {
    static func endpoint(_ pointer: UnsafePointer<sockaddr>?) -> Endpoint? {
        guard let pointer else { return nil }
        switch Int32(pointer.pointee.sa_family) {
        case AF_INET:
            return pointer.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { address in
                withUnsafeBytes(of: address.pointee.sin_addr) { IPAddress(Array($0)) }
                    .map { Endpoint($0, UInt16(bigEndian: address.pointee.sin_port)) }
            }
        case AF_INET6:
            return pointer.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { address in
                withUnsafeBytes(of: address.pointee.sin6_addr) { IPAddress(Array($0)) }
                    .map { Endpoint($0, UInt16(bigEndian: address.pointee.sin6_port)) }
            }
        default: return nil
        }
    }

    static func endpoint(_ storage: inout sockaddr_storage) -> Endpoint? {
        withUnsafePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { endpoint($0) }
        }
    }

    /// Calls `body` with the system's form of an endpoint. The interface is the scope of a link-local or multicast address.
    static func with<R>(
        _ endpoint: Endpoint, interface: Int, _ body: (UnsafePointer<sockaddr>, socklen_t) -> R
    ) -> R {
        if endpoint.address.isIPv4 {
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = endpoint.port.bigEndian
            withUnsafeMutableBytes(of: &address.sin_addr) { $0.copyBytes(from: endpoint.address.octets) }
            return withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
        }
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        address.sin6_port = endpoint.port.bigEndian
        if endpoint.address.isLinkLocal || endpoint.address.octets[0] == 0xFF {
            address.sin6_scope_id = UInt32(interface)
        }
        withUnsafeMutableBytes(of: &address.sin6_addr) { $0.copyBytes(from: endpoint.address.octets) }
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_in6>.size))
            }
        }
    }
}
