import Foundation

/// What a console delivers.
enum ShellInput: Hashable, Sendable {
    /// A line with its number, from 1.
    case line(String, number: Int)
    /// Ctrl-C at the prompt.
    case interrupted
    case end
}

/// Where the lines of a shell come from, and where its output goes.
@MainActor
protocol ShellConsole: AnyObject {
    /// Whether the user types the lines.
    var isInteractive: Bool { get }
    func nextInput(prompt: String) async -> ShellInput
    /// Returns the user's answer to a question; nil if the console is not interactive or has ended.
    func answer(_ question: String) async -> String?
    /// Ends a question without an answer.
    func dismissQuestion()
    /// Prints data.
    func print(_ line: String) throws
    /// Prints a message.
    func note(_ line: String)
    /// Ends the wait for input.
    func end()
    /// Changes the prompt on display.
    func change(prompt: String)
    /// Restores the terminal.
    func close()
}

/// Lines of a file or a pipe.
@MainActor
final class PipeConsole: ShellConsole {
    let isInteractive = false
    private var octets: [UInt8] = []
    private var isReading = false
    private var isAtEnd = false
    private var count = 0
    private var waiter: CheckedContinuation<ShellInput, Never>?

    /// Longer lines are cut.
    private static let lineLimit = 65_536

    func nextInput(prompt: String) async -> ShellInput {
        if let input = take() { return input }
        return await withCheckedContinuation { continuation in
            waiter = continuation
            readMore()
        }
    }

    /// Reads on another thread, because an event source does not work for every kind of file.
    private func readMore() {
        guard !isReading else { return }
        isReading = true
        DispatchQueue.global().async { [weak self] in
            var buffer = [UInt8](repeating: 0, count: 4096)
            var count = 0
            repeat { count = read(STDIN_FILENO, &buffer, buffer.count) } while count < 0 && errno == EINTR
            let received = Array(buffer.prefix(max(0, count)))
            DispatchQueue.main.async { MainActor.assumeIsolated { self?.receive(received) } }
        }
    }

    private func receive(_ received: [UInt8]) {
        isReading = false
        octets += received
        if received.isEmpty { isAtEnd = true }
        guard waiter != nil else { return }
        if let input = take() { finish(input) } else { readMore() }
    }

    private func take() -> ShellInput? {
        if let end = octets.firstIndex(of: UInt8(ascii: "\n")) {
            let line = String(decoding: octets[..<end], as: UTF8.self)
            octets.removeSubrange(...end)
            count += 1
            return .line(line, number: count)
        }
        if octets.count > Self.lineLimit || (isAtEnd && !octets.isEmpty) {
            let line = String(decoding: octets, as: UTF8.self)
            octets = []
            count += 1
            return .line(line, number: count)
        }
        return isAtEnd ? .end : nil
    }

    private func finish(_ input: ShellInput) {
        let waiting = waiter.take()
        waiting?.resume(returning: input)
    }

    func answer(_ question: String) async -> String? { nil }
    func dismissQuestion() {}
    func print(_ line: String) throws { try emit(line) }
    func note(_ line: String) { printError(line) }
    func end() {
        isAtEnd = true
        octets = []
        finish(.end)
    }
    func change(prompt: String) {}
    func close() {}
}
