import Dispatch
import Foundation

/// Reads lines from the standard input on its own thread. It reads ahead at most a few lines, so that a client that floods the server
/// waits.
final class MCPInput: Sendable {
    /// The longest line in octets.
    static let lineLimit = 1 << 20
    /// The largest number of lines that wait for the server.
    private static let linesAhead = 32

    private let room = DispatchSemaphore(value: linesAhead)

    func start(_ continuation: AsyncStream<MCPServer.Input>.Continuation) {
        Thread.detachNewThread {
            var line: [UInt8] = []
            var isTooLong = false
            var buffer = [UInt8](repeating: 0, count: 65_536)
            while true {
                let count = read(STDIN_FILENO, &buffer, buffer.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { break }
                for octet in buffer.prefix(count) {
                    guard octet == UInt8(ascii: "\n") else {
                        if line.count < Self.lineLimit { line.append(octet) } else { isTooLong = true }
                        continue
                    }
                    self.pass(line, isTooLong, continuation)
                    line.removeAll()
                    isTooLong = false
                }
            }
            self.pass(line, isTooLong, continuation)
            continuation.yield(.end)
        }
    }

    private func pass(_ line: [UInt8], _ isTooLong: Bool, _ continuation: AsyncStream<MCPServer.Input>.Continuation) {
        let isBlank = line.allSatisfy { [0x20, 0x09, 0x0D].contains($0) }
        guard isTooLong || !isBlank else { return }
        if isTooLong {
            continuation.yield(.lineTooLong)
        } else {
            room.wait()
            continuation.yield(.line(line))
        }
    }

    /// Reports that a line was processed.
    func release() { room.signal() }
}
