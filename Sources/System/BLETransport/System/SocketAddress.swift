/// A socket address of any family.
struct SocketAddress {
    var storage = sockaddr_storage()
    var length: socklen_t = 0

    init() {}

    /// Returns nil if the path is too long. A path that begins with NUL is an abstract address (unix(7)).
    init?(path: String) {
        var address = sockaddr_un()
        let octets = Array(path.utf8)
        guard octets.count < MemoryLayout.size(ofValue: address.sun_path) else { return nil }
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: octets) }
        withUnsafeMutableBytes(of: &storage) { target in
            withUnsafeBytes(of: &address) { target.copyMemory(from: $0) }
        }
        // All octets of an abstract address count, also the zeros at its end.
        let start = MemoryLayout<sockaddr_un>.size - MemoryLayout.size(ofValue: address.sun_path)
        length = socklen_t(octets.first == 0 ? start + octets.count : MemoryLayout<sockaddr_un>.size)
    }

    init(_ pointer: UnsafePointer<sockaddr>, _ length: socklen_t) {
        self.length = min(length, socklen_t(MemoryLayout<sockaddr_storage>.size))
        withUnsafeMutableBytes(of: &storage) {
            $0.copyMemory(from: UnsafeRawBufferPointer(start: pointer, count: Int(self.length)))
        }
    }

    var family: Int32 { Int32(storage.ss_family) }

    /// Calls `body` with the pointer and the length for a socket function.
    func withPointer<R>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> R) -> R {
        withUnsafePointer(to: storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, length) }
        }
    }

    /// The address that a socket function writes.
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
