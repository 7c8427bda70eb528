import Foundation

/// A running command whose output is read.
final class RunningTool {
    private let process: Process
    private let output = Pipe()
    private let errors = Pipe()

    init(_ process: Process) {
        self.process = process
        process.standardOutput = output
        process.standardError = errors
        process.standardInput = FileHandle.nullDevice
    }

    /// The next line of the output; nil at its end.
    func readLine() -> String? { line(of: output) }

    /// The next line of the error stream; nil at its end.
    func readErrorLine() -> String? { line(of: errors) }

    private func line(of pipe: Pipe) -> String? {
        var line: [UInt8] = []
        while let octet = try? pipe.fileHandleForReading.read(upToCount: 1)?.first {
            if octet == UInt8(ascii: "\n") { return String(decoding: line, as: UTF8.self) }
            line.append(octet)
        }
        return line.isEmpty ? nil : String(decoding: line, as: UTF8.self)
    }

    func interrupt() { process.interrupt() }

    func closeOutput() { try? output.fileHandleForReading.close() }

    func code() -> Int32 {
        process.waitUntilExit()
        return process.terminationStatus
    }

    func finish() -> (output: String, errors: String, code: Int32) {
        // The messages are short: they fit into the pipe while the output is read.
        let text = output.fileHandleForReading.readDataToEndOfFile()
        let messages = errors.fileHandleForReading.readDataToEndOfFile()
        return (String(decoding: text, as: UTF8.self), String(decoding: messages, as: UTF8.self), code())
    }
}
