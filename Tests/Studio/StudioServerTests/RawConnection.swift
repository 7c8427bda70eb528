import Dispatch
import Foundation
import Glibc
import TLSBench

/// A blocking connection to the studio, which sends any octets. Each wait ends after 5 minutes.
final class RawConnection: @unchecked Sendable {
    private let descriptor: Int32
    /// The number of the socket, for its options.
    var number: Int32 { descriptor }
    private var buffer: [UInt8] = []
    private let tls: TLSClient?

    /// The port of this end.
    var localPort: UInt16 {
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { _ = getsockname(descriptor, $0, &length) }
        }
        return UInt16(bigEndian: address.sin_port)
    }

    /// - Parameter tls: Encrypts the connection, which begins with the handshake.
    init(port: UInt16, tls: TLSClient? = nil) throws {
        self.tls = tls
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        // Thousands of tests in one process share the processors, and the threads on which the server answers.
        var limit = timeval(tv_sec: 300, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else { throw TestError("no connection: \(errno)") }
        guard let tls else { return }
        while true {
            let isComplete = try tls.handshake()
            guard sendPlain(try tls.takeOutput()) else { throw TestError("the server closed the connection") }
            if isComplete { return }
            guard try read() else { throw TestError("the server closed the connection") }
        }
    }

    deinit { Glibc.close(descriptor) }

    /// Returns whether the system took all octets.
    @discardableResult
    func send(_ octets: [UInt8]) -> Bool {
        guard let tls else { return sendPlain(octets) }
        guard (try? tls.send(octets)) != nil, let encrypted = try? tls.takeOutput() else { return false }
        return sendPlain(encrypted)
    }

    /// Sends what the TLS client has for the server.
    func sendEncrypted() { if let tls, let octets = try? tls.takeOutput() { _ = sendPlain(octets) } }

    private func sendPlain(_ octets: [UInt8]) -> Bool {
        var start = 0
        while start < octets.count {
            let count = octets[start...].withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            start += count
        }
        return true
    }

    @discardableResult
    func send(_ text: String) -> Bool { send(Array(text.utf8)) }

    /// Reads once. Returns false at the end.
    private func read() throws -> Bool {
        var part = [UInt8](repeating: 0, count: 65_536)
        let count = recv(descriptor, &part, part.count, 0)
        if count < 0, errno == EAGAIN { throw TestError("the server is silent") }
        guard count > 0 else { return false }
        guard let tls else {
            buffer += part.prefix(count)
            return true
        }
        try tls.receive(Array(part.prefix(count)))
        buffer += try tls.takePlain()
        return true
    }

    private func take(_ count: Int) throws -> [UInt8] {
        while buffer.count < count { guard try read() else { throw TestError("the server closed the connection") } }
        defer { buffer.removeFirst(count) }
        return Array(buffer.prefix(count))
    }

    /// All octets until the server closes the connection.
    func rest() throws -> [UInt8] {
        while try read() {}
        defer { buffer = [] }
        return buffer
    }

    /// The next response with its body.
    func response() throws -> (status: Int, headers: [String: String], body: [UInt8]) {
        var head: [UInt8] = []
        while !head.ends(with: [13, 10, 13, 10]) { head += try take(1) }
        let lines = String(decoding: head.dropLast(4), as: UTF8.self).split(separator: "\r\n")
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            headers[parts[0].lowercased()] = parts.count > 1 ? String(parts[1].dropFirst()) : ""
        }
        let status = Int(lines.first?.split(separator: " ").dropFirst().first ?? "") ?? 0
        return (status, headers, try take(Int(headers["content-length"] ?? "0") ?? 0))
    }

    /// The next frame.
    func frame() throws -> (opcode: UInt8, payload: [UInt8]) {
        let head = try take(2)
        var length = Int(head[1] & 0x7F)
        if length == 126 { length = try take(2).reduce(0) { $0 << 8 | Int($1) } }
        if length == 127 { length = try take(8).reduce(0) { $0 << 8 | Int($1) } }
        return (head[0] & 0x0F, try take(length))
    }

    /// The code of the close frame that the server sends before it closes the connection.
    func closeCode() throws -> Int {
        while true {
            let (opcode, payload) = try frame()
            if opcode == 8 { return payload.prefix(2).reduce(0) { $0 << 8 | Int($1) } }
        }
    }

    /// Sends a frame with a mask of zeros.
    @discardableResult
    func sendFrame(_ payload: [UInt8], first: UInt8 = 0x81) -> Bool {
        let size: [UInt8] =
            switch payload.count {
            case ..<126: [UInt8(payload.count) | 0x80]
            case ..<65_536: [0xFE, UInt8(payload.count >> 8), UInt8(truncatingIfNeeded: payload.count)]
            default:
                [0xFF] + stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: payload.count >> $0) }
            }
        return send([first] + size + [0, 0, 0, 0] + payload)
    }
}

extension Array where Element == UInt8 {
    fileprivate func ends(with octets: [UInt8]) -> Bool { suffix(octets.count).elementsEqual(octets) }
}

/// Runs blocking code on a thread of its own, because the tests' threads are few.
func onThread<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Swift.Result { try body() }) }
    }
}
