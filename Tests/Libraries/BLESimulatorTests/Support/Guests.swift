import BLETransport
import Foundation

/// Many programs on a radio that cost little: a socket each, and no thread.
final class Guests {
    private var numbers: [Int32] = []

    init(_ count: Int, at address: TransportAddress) {
        guard case .unix(let path) = address else { return }
        for _ in 0..<count {
            let number = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
            let result = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(number, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
                }
            }
            if result == 0 { numbers.append(number) } else { close(number) }
        }
    }

    deinit { for number in numbers { close(number) } }

    var count: Int { numbers.count }

    func closeFirst() { close(numbers.removeFirst()) }

    /// Sends a command from each guest. Returns the answers of seven octets, each with the number of guests that got it; an empty answer is
    /// the end of the connection.
    func ask(_ command: [UInt8]) -> [[UInt8]: Int] {
        for number in numbers { _ = send(number, command, command.count, Int32(MSG_NOSIGNAL)) }
        var answers: [[UInt8]: Int] = [:]
        for number in numbers {
            var answer = [UInt8](repeating: 0, count: 7)
            let count = recv(number, &answer, answer.count, Int32(MSG_WAITALL))
            answers[Array(answer.prefix(max(0, count))), default: 0] += 1
        }
        return answers
    }
}
