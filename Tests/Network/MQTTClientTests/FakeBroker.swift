import BLEAdapter
import Foundation
import Glibc
import TLSChannel

/// A broker at a port of this machine that does what a test says, on a thread for each connection.
final class FakeBroker: Sendable {
    /// The reason why a connection cannot go on.
    struct BrokerError: Error {}

    let port: Int
    private let listener: Int32
    private let count = Lock(0)

    /// - Parameter serve: Called with each connection and its number from 0. The connection ends when it returns.
    init(tls: TLSContext? = nil, _ serve: @escaping @Sendable (Connection, Int) throws -> Void) throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard listener >= 0 else { throw BrokerError() }
        self.listener = listener
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(listener, pointer, length) == 0 && listen(listener, 64) == 0
                    && getsockname(listener, pointer, &length) == 0
            }
        }
        guard result else { throw BrokerError() }
        port = Int(UInt16(bigEndian: address.sin_port))
        Thread.detachNewThread { [weak self] in
            while true {
                let descriptor = accept(listener, nil, nil)
                guard descriptor >= 0 else { break }
                guard let number = self?.next() else {
                    close(descriptor)
                    break
                }
                Thread.detachNewThread {
                    let connection = Connection(descriptor, tls)
                    try? serve(connection, number)
                    connection.end()
                }
            }
            close(listener)
        }
    }

    deinit { shutdown(listener, Int32(SHUT_RDWR)) }

    /// The connections until now.
    var connections: Int { count.withLock { $0 } }

    private func next() -> Int {
        count.withLock { count in
            count += 1
            return count - 1
        }
    }

    /// One connection. A read waits for 60 s at most.
    final class Connection {
        private let descriptor: Int32
        private let tls: TLSSession?
        private var received: [UInt8] = []
        private var isOpen = true

        init(_ descriptor: Int32, _ context: TLSContext?) {
            self.descriptor = descriptor
            tls = context.flatMap { TLSSession($0) }
            var limit = timeval(tv_sec: 60, tv_usec: 0)
            setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        }

        func end() {
            guard isOpen else { return }
            isOpen = false
            tls?.close()
            if let octets = tls?.takeOutput() { try? write(octets) }
            close(descriptor)
        }

        /// The next packet: its first octet, and the octets after its header.
        func packet() throws -> (first: UInt8, body: [UInt8]) {
            while true {
                // The packets of the tests have less than 128 octets, or a length of two to four.
                var length = 0
                for index in 1..<min(5, max(1, received.count)) {
                    length |= Int(received[index] & 0x7F) << (7 * (index - 1))
                    guard received[index] & 0x80 == 0 else { continue }
                    guard received.count > index + length else { break }
                    let packet = Array(received.prefix(index + 1 + length))
                    received.removeFirst(packet.count)
                    return (packet[0], Array(packet.dropFirst(index + 1)))
                }
                try read()
            }
        }

        /// Reads CONNECT, and accepts the client.
        func accept(_ version: Version = .five) throws {
            guard try packet().first == 0x10 else { throw BrokerError() }
            try send(version == .five ? [0x20, 3, 0, 0, 0] : [0x20, 2, 0, 0])
        }

        enum Version { case five, old }

        /// Reads until the client ends the connection.
        func awaitEnd() throws { while true { try read() } }

        private func read() throws {
            var part = [UInt8](repeating: 0, count: 65_536)
            let count = recv(descriptor, &part, part.count, 0)
            guard count > 0 else { throw BrokerError() }
            guard let tls else { return received += part.prefix(count) }
            let octets = Array(part.prefix(count))
            let outcome = tls.receive(octets.span, into: &received)
            try write(tls.takeOutput())
            if outcome == .closed { throw BrokerError() }
        }

        func send(_ octets: [UInt8]) throws {
            guard let tls else { return try write(octets) }
            guard tls.send(octets.span) else { throw BrokerError() }
            try write(tls.takeOutput())
        }

        private func write(_ octets: [UInt8]) throws {
            var sent = 0
            while sent < octets.count {
                let count = octets.withUnsafeBytes { buffer in
                    Glibc.send(
                        descriptor, buffer.baseAddress.map { $0 + sent }, octets.count - sent, Int32(MSG_NOSIGNAL))
                }
                guard count > 0 else { throw BrokerError() }
                sent += count
            }
        }

        /// Sends as much as the client takes, and returns the rest when it has taken nothing for half a second.
        func sendUntilStalled(_ octets: [UInt8]) throws -> [UInt8] {
            var sent = 0
            while sent < octets.count {
                let count = octets.withUnsafeBytes { buffer in
                    Glibc.send(
                        descriptor, buffer.baseAddress.map { $0 + sent }, octets.count - sent,
                        Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
                }
                if count > 0 {
                    sent += count
                } else {
                    guard errno == EAGAIN else { throw BrokerError() }
                    var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                    if poll(&entry, 1, 500) == 0 { break }
                }
            }
            return Array(octets.dropFirst(sent))
        }
    }
}
