import BLERuntime
import BluetoothPairing
import Dispatch
import Foundation

/// Answers the prompts of pairings with the options of the command, or asks on the terminal. Prompts go to the error stream. An agent for
/// one device refuses the pairings of others. One question waits at a time, so that no answer is taken for another pairing.
@MainActor
final class TerminalAgent: @preconcurrency PairingAgent {
    nonisolated let capability: PairingCapability
    /// The identifier of the only device that gets answers, which can change when a private address resolves; nil for every device.
    private let device: (() -> UUID)?
    private let acceptsAll: Bool
    private let passkey: String?
    private let isInteractive: Bool
    /// Where answers come from.
    private let terminal: Int32
    /// Receives each line for the user.
    private let show: (String) -> Void
    /// Receives each question, which ends without a line break.
    private let showQuestion: (String) -> Void
    /// The prompt that waits for a line, and its question.
    private var pending: (prompt: PairingPrompt, question: String)?
    private var input: (any DispatchSourceRead)?
    private var line: [UInt8] = []

    init(
        for device: (() -> UUID)?, acceptsAll: Bool, passkey: String?,
        isInteractive: Bool = TerminalAgent.hasTerminal, terminal: Int32 = STDIN_FILENO,
        show: @escaping (String) -> Void = printError,
        showQuestion: @escaping (String) -> Void = TerminalAgent.writeQuestion
    ) {
        self.device = device
        self.acceptsAll = acceptsAll
        self.passkey = passkey
        self.isInteractive = isInteractive
        self.terminal = terminal
        self.show = show
        self.showQuestion = showQuestion
        capability = Self.capability(acceptsAll: acceptsAll, passkey: passkey, isInteractive: isInteractive)
    }

    /// Whether the user can read prompts and answer them. A process in the background that reads from its terminal stops.
    nonisolated static var hasTerminal: Bool {
        isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1 && tcgetpgrp(STDIN_FILENO) == getpgrp()
    }

    /// The capability that leads to prompts with an answer.
    nonisolated static func capability(acceptsAll: Bool, passkey: String?, isInteractive: Bool) -> PairingCapability {
        // With a display as well, two devices with Secure Connections would compare numbers instead.
        if passkey != nil { return acceptsAll ? .keyboardDisplay : .keyboardOnly }
        if isInteractive { return .keyboardDisplay }
        return acceptsAll ? .displayYesNo : .noInputNoOutput
    }

    func handle(_ prompt: PairingPrompt) {
        let name = ValueText.printable(prompt.device.name ?? shortened(prompt.device.identifier))
        if let device = device?(), prompt.device.identifier != device {
            prompt.cancel()
            return say("Refused a pairing with \(name): this command pairs with \(shortened(device)) only.")
        }
        switch prompt {
        case .accept(let request):
            if let replaced = request.replaces, !acceptsAll {
                guard isInteractive else {
                    request.refuse()
                    return say(
                        "Refused a pairing with \(name): it would replace the keys of its bond. Allow it with --yes, or first: bluelab unpair \(ShellWord.quoted(name))"
                    )
                }
                let weaker = request.level < replaced.level ? " with weaker ones" : ""
                return ask(prompt, "\(name) wants to replace the keys of its bond\(weaker). Allow it? [y/N] ")
            }
            // The user has named the device for this command, or serves every device.
            request.accept()
        case .display(let display):
            say("Enter the passkey \(display.digits) on \(name).")
        case .compare(let comparison):
            guard !acceptsAll else { return comparison.confirm(true) }
            guard isInteractive else { return comparison.confirm(false) }
            ask(prompt, "Does \(name) display \(comparison.digits)? [y/N] ")
        case .enter(let entry):
            if let passkey {
                entry.enter(passkey)
            } else if isInteractive {
                ask(prompt, "The passkey that \(name) displays: ")
            } else {
                entry.cancel()
            }
        }
    }

    func pairingEnded(with device: PairingDevice, _ result: Result<PairingSecurity, PairingError>) {
        // The command that named the device has a result of its own.
        if self.device == nil { say(PairingRecord.sentence(about: device, result)) }
    }

    func dismiss(_ prompt: PairingPrompt) {
        guard let pending, pending.prompt.id == prompt.id else { return }
        endQuestion()
    }

    /// Ends the line of a question that has no answer.
    func endQuestion() {
        guard pending != nil else { return }
        pending = nil
        show("")
    }

    // MARK: The terminal

    private func ask(_ prompt: PairingPrompt, _ question: String) {
        // The answer to one question must not pair another device, which may have the same name.
        guard pending == nil else {
            prompt.cancel()
            let device = prompt.device
            let name = ValueText.printable(
                device.name.map { "\($0) (\(shortened(device.identifier)))" } ?? shortened(device.identifier))
            return say("Refused a pairing with \(name): the question about another pairing waits for its answer.")
        }
        pending = (prompt, question)
        // What the user typed before the question is no answer.
        line = []
        tcflush(terminal, TCIFLUSH)
        showQuestion(question)
        guard input == nil else { return }
        let source = DispatchSource.makeReadSource(fileDescriptor: terminal, queue: .main)
        source.setEventHandler { [weak self] in MainActor.assumeIsolated { self?.readInput() } }
        source.resume()
        input = source
    }

    /// Shows a line. A question that waits is shown again after it.
    private func say(_ text: String) {
        guard let pending else { return show(text) }
        show("")
        show(text)
        showQuestion(pending.question)
    }

    private nonisolated static func writeQuestion(_ text: String) {
        var octets = Array(bluelab.say(text).utf8)[...]
        while !octets.isEmpty {
            let count = octets.withUnsafeBytes { Foundation.write(STDERR_FILENO, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            octets.removeFirst(count)
        }
    }

    private func readInput() {
        // The next question can have flushed the input after this event.
        var state = pollfd(fd: terminal, events: Int16(POLLIN), revents: 0)
        guard poll(&state, 1, 0) > 0 else { return }
        var octets = [UInt8](repeating: 0, count: 256)
        let count = read(terminal, &octets, octets.count)
        guard count > 0 else {
            // The end of the input answers no question.
            input?.cancel()
            input = nil
            pending?.prompt.cancel()
            return endQuestion()
        }
        for octet in octets.prefix(count) {
            guard octet == UInt8(ascii: "\n") else {
                if line.count < 256 { line.append(octet) }
                continue
            }
            let text = String(decoding: line, as: UTF8.self)
            line = []
            answer(text.trimmingCharacters(in: .whitespaces))
        }
    }

    /// Answers the pending prompt with a line.
    func answer(_ text: String) {
        guard let prompt = pending?.prompt else { return }
        let isYes = ["y", "yes"].contains(text.lowercased())
        switch prompt {
        case .accept(let request): isYes ? request.accept() : request.refuse()
        case .compare(let comparison): comparison.confirm(isYes)
        case .enter(let entry):
            guard !text.isEmpty else {
                entry.cancel()
                break
            }
            guard entry.enter(text) else { return showQuestion("One to six digits, or an empty line to cancel: ") }
        case .display: break
        }
        pending = nil
    }
}
