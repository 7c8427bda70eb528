import Glibc

/// Asks the kernel which user owns a TCP socket of this machine (sock_diag(7)).
///
/// Threads: use it on one queue.
final class SocketUsers {
    private let descriptor: Int32

    /// Fails if the kernel has no such interface, as in some containers.
    init?() {
        // AF_NETLINK, SOCK_RAW with SOCK_CLOEXEC and SOCK_NONBLOCK, NETLINK_SOCK_DIAG. The kernel answers within the call of send.
        descriptor = socket(16, 3 | 0o2000000 | 0o4000, 4)
        guard descriptor >= 0 else { return nil }
    }

    deinit { close(descriptor) }

    /// The user of the socket with these addresses; nil if it does not exist on this machine, or if the kernel does not tell.
    func owner(
        of local: (octets: [UInt8], port: UInt16), connectedTo remote: (octets: [UInt8], port: UInt16)
    ) -> UInt32? {
        let request = Self.request(local, remote)
        guard send(descriptor, request, request.count, 0) == request.count else { return nil }
        var answer = [UInt8](repeating: 0, count: 1024)
        let count = recv(descriptor, &answer, answer.count, 0)
        return Self.user(in: answer, count: count)
    }

    /// The user in an answer of a number of octets: struct nlmsghdr of 16 octets with SOCK_DIAG_BY_FAMILY, then struct inet_diag_msg of 72, whose
    /// user is at 64.
    static func user(in answer: [UInt8], count: Int) -> UInt32? {
        guard count >= 16 + 72, answer[4] == 20, answer[5] == 0 else { return nil }
        return answer.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: 16 + 64, as: UInt32.self) }
    }

    /// struct nlmsghdr and struct inet_diag_req_v2, with numbers in the order of the machine, and ports and addresses in that of the network.
    private static func request(
        _ local: (octets: [UInt8], port: UInt16), _ remote: (octets: [UInt8], port: UInt16)
    ) -> [UInt8] {
        var octets: [UInt8] = []
        func add(_ number: some FixedWidthInteger) { withUnsafeBytes(of: number) { octets += $0 } }
        func add(padded address: [UInt8]) { octets += address + [UInt8](repeating: 0, count: 16 - address.count) }
        add(72 as UInt32)
        // SOCK_DIAG_BY_FAMILY, NLM_F_REQUEST.
        add(20 as UInt16)
        add(1 as UInt16)
        add(0 as UInt64)
        octets += [UInt8(local.octets.count == 4 ? AF_INET : AF_INET6), UInt8(IPPROTO_TCP), 0, 0]
        // All states.
        add(UInt32.max)
        add(local.port.bigEndian)
        add(remote.port.bigEndian)
        add(padded: local.octets)
        add(padded: remote.octets)
        // Any interface, and any socket with these addresses: INET_DIAG_NOCOOKIE.
        add(0 as UInt32)
        add(UInt64.max)
        return octets
    }
}
