import Foundation
import Glibc

/// A secret of the user: from a file that only its owner can read, the environment, or a prompt without echo. Never from the command line,
/// which other users of the machine can read.
struct SecretInput {
    /// The most octets of a secret.
    static let longest = 256

    /// What the secret is, such as `password`.
    let name: String
    let variable: String
    let option: String

    /// - Parameter file: The path that the user gave; nil for the environment, then the prompt.
    func read(file: String?, environment: [String: String] = ProcessInfo.processInfo.environment) throws -> String {
        if let file { return try SecretFile.read(file, "the \(name)", limit: Self.longest, mayBeEmpty: true) }
        if let text = environment[variable] { return text }
        guard isatty(STDIN_FILENO) == 1 else {
            throw ToolError(
                .usage, "the \(name) is missing, and there is no terminal to ask for it.",
                "Give \(option) FILE, or set \(variable).")
        }
        return try prompt()
    }

    /// A signal at the prompt ends the command, because nothing else waits for it and the read blocks.
    private func prompt() throws -> String {
        var state = termios()
        guard tcgetattr(STDIN_FILENO, &state) == 0 else { throw ToolError(.failed, "the terminal cannot be read.") }
        let before = state
        let restore: @Sendable () -> Void = {
            var state = before
            tcsetattr(STDIN_FILENO, TCSAFLUSH, &state)
            printError("")
        }
        let signals = TerminationSignals(on: .global()) { kind in
            restore()
            exit(kind.rawValue)
        }
        var silent = before
        silent.c_lflag &= ~tcflag_t(ECHO)
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent)
        defer {
            restore()
            signals.cancel()
        }
        FileHandle.standardError.write(Data("The \(name): ".utf8))
        guard let line = readLine() else { throw ToolError(.usage, "the \(name) is missing.") }
        return line
    }
}
