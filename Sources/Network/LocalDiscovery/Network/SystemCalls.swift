#if canImport(Glibc)
@_exported import Glibc
#elseif canImport(Musl)
@_exported import Musl
#endif

enum SystemCalls {
    /// The type of a UDP socket that is non-blocking and closes on exec.
    static var datagram: Int32 {
        #if canImport(Musl)
        SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC
        #else
        Int32(SOCK_DGRAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        #endif
    }

    /// `bind`, under a name that no method of this module uses.
    static func bindSocket(_ number: Int32, _ address: UnsafePointer<sockaddr>, _ length: socklen_t) -> Int32 {
        bind(number, address, length)
    }
}
