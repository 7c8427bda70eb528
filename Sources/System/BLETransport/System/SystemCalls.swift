#if canImport(Glibc)
@_exported import Glibc
#elseif canImport(Musl)
@_exported import Musl
#endif

/// The system's text for an error number.
package func systemText(_ code: Int32) -> String { String(cString: strerror(code)) }

/// `open`, under a name that no method of this package uses.
package func systemOpen(_ path: String, _ flags: Int32, _ mode: mode_t) -> Int32 { open(path, flags, mode) }

/// `write`, under a name that no method of this package uses.
package func systemWrite(_ number: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    write(number, bytes, count)
}

/// `read`, under a name that no method of this package uses.
func systemRead(_ number: Int32, _ bytes: UnsafeMutableRawPointer?, _ count: Int) -> Int { read(number, bytes, count) }

/// `connect`, under a name that no method of this package uses.
func systemConnect(_ number: Int32, _ address: UnsafePointer<sockaddr>, _ length: socklen_t) -> Int32 {
    connect(number, address, length)
}

/// `bind`, under a name that no method of this package uses.
func systemBind(_ number: Int32, _ address: UnsafePointer<sockaddr>, _ length: socklen_t) -> Int32 {
    bind(number, address, length)
}
