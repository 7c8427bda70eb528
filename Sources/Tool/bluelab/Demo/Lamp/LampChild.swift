import BLEAdapter
import Foundation

/// A process of the demo that ends when its standard input ends, so that none remains when the demo itself is killed.
final class LampChild: Sendable {
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    private let ended = DispatchSemaphore(value: 0)
    private let hasStarted = Lock(false)

    /// - Parameters:
    ///   - command: The path of the program and its arguments.
    ///   - environment: The whole environment. Secrets stand here and not on the command line.
    ///   - queue: The queue of the calls.
    ///   - onLine: Receives each line of the output.
    ///   - onEnd: The output has ended.
    init(
        _ command: [String], environment: [String: String], queue: DispatchQueue,
        onLine: @escaping @Sendable (String) -> Void, onEnd: @escaping @Sendable () -> Void
    ) throws {
        // The other children must not hold the write end of this child's input, or it would not end.
        for file in [input.fileHandleForWriting, input.fileHandleForReading, output.fileHandleForWriting] {
            _ = fcntl(file.fileDescriptor, F_SETFD, FD_CLOEXEC)
        }
        _ = fcntl(output.fileHandleForReading.fileDescriptor, F_SETFD, FD_CLOEXEC)
        process.executableURL = URL(fileURLWithPath: command[0])
        process.arguments = Array(command.dropFirst())
        process.environment = environment
        process.standardInput = input
        process.standardOutput = output
        process.terminationHandler = { [ended] _ in ended.signal() }
        try process.run()
        hasStarted.withLock { $0 = true }
        try? output.fileHandleForWriting.close()
        try? input.fileHandleForReading.close()
        Self.readLines(of: output.fileHandleForReading, onLine: { line in queue.async { onLine(line) } }) {
            queue.async { onEnd() }
        }
    }

    /// Reads lines on a thread of its own. `readLine` would hold the lock of the standard input, for which `fflush(nil)` of other threads waits.
    static func readLines(
        of file: FileHandle, onLine: @escaping @Sendable (String) -> Void, onEnd: @escaping @Sendable () -> Void
    ) {
        Thread.detachNewThread {
            var rest = Data()
            while true {
                let data = file.availableData
                if data.isEmpty { break }
                rest += data
                while let end = rest.firstIndex(of: 0x0A) {
                    onLine(String(decoding: rest[rest.startIndex..<end], as: UTF8.self))
                    rest = Data(rest[(end + 1)...])
                }
            }
            onEnd()
        }
    }

    var identifier: Int32 { process.processIdentifier }

    /// Writes a line to the standard input. A process that has ended does not get it.
    func send(_ line: String) { try? input.fileHandleForWriting.write(contentsOf: Data((line + "\n").utf8)) }

    /// Ends the standard input.
    func close() { try? input.fileHandleForWriting.close() }

    /// Waits for the end, after `close`, at most three seconds; then kills the process.
    func waitForEnd() {
        guard hasStarted.withLock({ $0 }), ended.wait(timeout: .now() + 3) == .timedOut else { return }
        kill(process.processIdentifier, SIGKILL)
        _ = ended.wait(timeout: .now() + 1)
    }
}
