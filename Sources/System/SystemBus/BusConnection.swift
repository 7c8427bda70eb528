#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Why a call to a service of the system bus has no result.
package enum BusCallError: Error, Hashable, Sendable, CustomStringConvertible {
    /// There is no system bus at this path.
    case noBus(String, String)
    /// The bus refused this process.
    case refused
    /// The connection broke, or the other side sent no message.
    case broken
    /// No answer came in time.
    case timeout
    /// The service answered with an error: its name and its text.
    case error(String, String)

    package var description: String {
        switch self {
        case .noBus(let path, let reason):
            "The system bus cannot be reached at \(path): \(reason). Install and start dbus (Debian, Ubuntu: apt-get install dbus)."
        case .refused: "The system bus refused this process. Check the policy of the bus for this user."
        case .broken: "The connection to the system bus broke. Try again."
        case .timeout: "The service did not answer on the system bus. Check that it runs, then try again."
        case .error(let name, let text): "\(name): \(text)"
        }
    }
}

/// A connection to the system bus over its Unix socket. All calls block, so they belong on a queue of their own.
///
/// The protocol is small enough to speak without libdbus, which would be a system library for all users.
package final class BusConnection {
    private let number: Int32
    private var serial: UInt32 = 0
    private var received: [UInt8] = []

    /// The path of the system bus: that of `DBUS_SYSTEM_BUS_ADDRESS`, or the usual one.
    package static func systemPath(environment: String? = getenv("DBUS_SYSTEM_BUS_ADDRESS").map { String(cString: $0) })
        -> String
    {
        for address in (environment ?? "").split(separator: ";") where address.hasPrefix("unix:") {
            for pair in address.dropFirst(5).split(separator: ",") where pair.hasPrefix("path=") {
                return String(pair.dropFirst(5))
            }
        }
        return "/run/dbus/system_bus_socket"
    }

    /// Connects, authenticates as this process's user, and takes a name.
    package init(path: String = BusConnection.systemPath()) throws(BusCallError) {
        var address = sockaddr_un()
        let octets = Array(path.utf8)
        #if canImport(Musl)
        number = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)
        #else
        number = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        #endif
        guard number >= 0 else { throw .noBus(path, String(cString: strerror(errno))) }
        guard octets.count < MemoryLayout.size(ofValue: address.sun_path) else {
            throw .noBus(path, "the path is too long")
        }
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: octets) }
        let number = number
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(number, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard result == 0 else { throw .noBus(path, String(cString: strerror(errno))) }
        // "Authentication protocol", the mechanism EXTERNAL: the user's number in decimal digits, in hexadecimal.
        let user = String(getuid()).utf8.map { digit in
            let text = String(digit, radix: 16)
            return text.count == 1 ? "0" + text : text
        }
        try send([0] + Array("AUTH EXTERNAL \(user.joined())\r\n".utf8))
        guard try line(5_000).hasPrefix("OK ") else { throw .refused }
        try send(Array("BEGIN\r\n".utf8))
        _ = try call("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "Hello")
    }

    deinit { if number >= 0 { close(number) } }

    /// Calls a method and returns the values of its reply.
    package func call(
        _ destination: String, _ path: String, _ interface: String, _ member: String, _ arguments: [BusValue] = [],
        timeout milliseconds: Int32 = 10_000
    ) throws(BusCallError) -> [BusValue] {
        serial += 1
        var message = BusMessage(.call, serial: serial)
        message.destination = destination
        message.path = path
        message.interface = interface
        message.member = member
        message.body = arguments
        try send(message.encoded)
        let end = Self.now + Int64(milliseconds)
        while true {
            let reply = try next(until: end)
            // Signals, and answers to calls that were given up, are of no interest.
            guard reply.replySerial == serial else { continue }
            switch reply.kind {
            case .reply: return reply.body
            case .error: throw .error(reply.errorName ?? "", reply.body.first?.text ?? "")
            default: continue
            }
        }
    }

    /// Reads a property.
    package func property(
        _ destination: String, _ path: String, _ interface: String, _ name: String
    ) throws(BusCallError) -> BusValue {
        let reply = try call(
            destination, path, "org.freedesktop.DBus.Properties", "Get", [.string(interface), .string(name)])
        guard case .variant(let value) = reply.first else { throw .broken }
        return value
    }

    // MARK: Octets

    private static var now: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }

    private func send(_ octets: [UInt8]) throws(BusCallError) {
        var rest = octets[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { systemSend(number, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw .broken }
            rest = rest.dropFirst(count)
        }
    }

    /// Waits for octets and appends them.
    private func receive(until end: Int64) throws(BusCallError) {
        while true {
            let left = end - Self.now
            guard left > 0 else { throw .timeout }
            var entry = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
            let ready = poll(&entry, 1, Int32(clamping: left))
            if ready < 0, errno == EINTR { continue }
            guard ready > 0 else { throw ready == 0 ? .timeout : .broken }
            var part = [UInt8](repeating: 0, count: 65_536)
            let count = recv(number, &part, part.count, 0)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw .broken }
            received += part[..<count]
            return
        }
    }

    private func line(_ milliseconds: Int64) throws(BusCallError) -> String {
        let end = Self.now + milliseconds
        while true {
            if let index = received.firstIndex(of: 0x0A) {
                let text = String(decoding: received[..<index], as: UTF8.self)
                received.removeFirst(index + 1)
                return text
            }
            guard received.count < 1024 else { throw .broken }
            try receive(until: end)
        }
    }

    private func next(until end: Int64) throws(BusCallError) -> BusMessage {
        while true {
            do throws(BusError) {
                if let length = try BusMessage.length(of: received), length <= received.count {
                    let message = try BusMessage(decoding: Array(received[..<length]))
                    received.removeFirst(length)
                    return message
                }
            } catch {
                throw .broken
            }
            try receive(until: end)
        }
    }
}

/// `send`, under a name that no method of this file uses.
private func systemSend(_ number: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    send(number, bytes, count, Int32(MSG_NOSIGNAL))
}
